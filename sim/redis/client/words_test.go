package client

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/sim/redis/resp"
)

// recordingConn records the bytes that a real go-redis client writes.
type recordingConn struct {
	replayConn
	written bytes.Buffer
}

func (c *recordingConn) Write(b []byte) (int, error) { return c.written.Write(b) }

type ownString string

type ownBinary struct{}

func (ownBinary) MarshalBinary() ([]byte, error) { return []byte{0, 'x', 0xff}, nil }

// Every type of argument is written to the wire as go-redis itself writes it.
func TestArgumentsAreWrittenAsGoRedisWritesThem(t *testing.T) {
	text, number, small, truth, wait := "s", -3, uint8(200), true, 1500*time.Millisecond
	stamp := time.Date(2026, time.March, 1, 2, 3, 4, 5006, time.UTC)
	args := []any{
		"echo", nil, "", text, &text, (*string)(nil), []byte("b\r\n"), number, &number, (*int)(nil),
		int8(-8), int16(16), int32(-32), int64(1 << 62), uint(1), small, &small, uint16(3), uint32(4),
		uint64(1 << 63), uintptr(7), float32(0.1), 2.5, 1e21, truth, &truth, false, (*bool)(nil),
		wait, &wait, (*time.Duration)(nil), stamp, &stamp, (*time.Time)(nil),
		ownBinary{},
		net.IPv4(127, 0, 0, 1),
	}
	conn := &recordingConn{}
	conn.unread = []byte("-ERR no handshake\r\n+OK\r\n")
	client := newQuietClient(func(context.Context, string, string) (net.Conn, error) { return conn, nil })
	if err := client.Process(t.Context(), goredis.NewCmd(t.Context(), args...)); err != nil {
		t.Fatal(err)
	}

	words, err := appendArgs(nil, args)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Appendf(nil, "*%d\r\n", len(words))
	for _, word := range words {
		want = (&resp.Reply{Kind: resp.Bulk, Text: word}).AppendRESP(want)
	}
	if !bytes.HasSuffix(conn.written.Bytes(), want) {
		t.Errorf("go-redis writes\n%q\nwhich does not end with\n%q", conn.written.Bytes(), want)
	}
}

func TestArgumentsThatGoRedisRefuses(t *testing.T) {
	for _, arg := range []any{ownString("x"), struct{}{}, []int{1}, map[string]int{}, []string{"a"}, complex(1, 2)} {
		if words, err := appendArgs(nil, []any{arg}); err == nil {
			t.Errorf("%T is written as %q", arg, words)
		}
	}
}
