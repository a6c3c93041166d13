package redis

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"lockquake/sim"
	"lockquake/sim/redis/keyspace"
)

// recordingConn keeps what a real go-redis client writes.
type recordingConn struct {
	replayConn
	written bytes.Buffer
}

func (c *recordingConn) Write(b []byte) (int, error) { return c.written.Write(b) }

type ownString string

type ownBinary struct{}

func (ownBinary) MarshalBinary() ([]byte, error) { return []byte{0, 'x', 0xff}, nil }

// Every type of argument stands on the wire as go-redis itself writes it.
func TestArgumentsAreWrittenAsGoRedisWritesThem(t *testing.T) {
	text, number, small, truth, wait := "s", -3, uint8(200), true, 1500*time.Millisecond
	moment := time.Date(2026, time.March, 1, 2, 3, 4, 5006, time.UTC)
	args := []any{
		"echo", nil, "", text, &text, (*string)(nil), []byte("b\r\n"), number, &number, (*int)(nil),
		int8(-8), int16(16), int32(-32), int64(1 << 62), uint(1), small, &small, uint16(3), uint32(4),
		uint64(1 << 63), uintptr(7), float32(0.1), 2.5, 1e21, truth, &truth, false, (*bool)(nil),
		wait, &wait, (*time.Duration)(nil), moment, &moment, (*time.Time)(nil),
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
		want = (&keyspace.Reply{Kind: keyspace.Bulk, Text: word}).AppendRESP(want)
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

// spy notes the words of the requests at the instant at which they arrive.
type spy struct{ arrived []string }

func (s *spy) Serve(c *sim.Call) {
	command := c.Req.(*keyspace.Command)
	s.arrived = append(s.arrived, string(command.AppendTrace(nil)))
	reply := keyspace.Reply{Kind: keyspace.Status, Text: "OK"}
	c.Applied()
	c.Reply(&reply)
}

func (s *spy) Closed(*sim.Session, error) {}

// A command that was given up on may reach the server long after its resend
// was answered, and while other commands are made: it still says what it said.
func TestLateCommandKeepsItsWords(t *testing.T) {
	w := newSmall(t)
	server := &spy{}
	w.AddNode("spied", sim.NodeConfig{}).Listen(server)
	w.worker.OnPoint("set.sent", 1, func() {
		if err := w.HoldMessage(10 * time.Second); err != nil {
			t.Error(err)
		}
	})
	w.worker.Go("main", func() {
		ctx := context.Background()
		c := NewClient(w.worker.Process(), at("spied"), ClientOptions{MaxRetries: 1, ReadTimeout: time.Second})
		for _, value := range []string{"first", "second", "third"} {
			if err := c.Set(ctx, "key", value, 0).Err(); err != nil {
				t.Errorf("SET of %s: %v", value, err)
			}
		}
	})
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
	var sets []string
	for _, words := range server.arrived {
		if words != "hello 2" {
			sets = append(sets, words)
		}
	}
	want := []string{"set key first", "set key second", "set key third", "set key first"}
	if diff := cmp.Diff(want, sets); diff != "" {
		t.Errorf("arrived (-want +got):\n%s", diff)
	}
}

// The kinds of failure of the network keep their nature on the way to the lock.
func TestNetworkErrorsKeepTheirNature(t *testing.T) {
	newSmall(t).run(t, func(ctx context.Context, c *goredis.Client) {
		err := c.Do(ctx, "NONSENSE", "l", 0).Err()
		if _, ok := errors.AsType[goredis.Error](err); !ok {
			t.Errorf("the refusal of an unknown command is no error of the server: %v", err)
		}
	})
	w := newSmall(t)
	w.worker.Go("main", func() {
		c := NewClient(w.worker.Process(), at("nowhere"), ClientOptions{})
		err := c.Get(context.Background(), "k").Err()
		var dial *net.OpError
		if !errors.As(err, &dial) || dial.Op != "dial" {
			t.Errorf("an unknown node gives %v, want an error of dialling", err)
		}
	})
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
}
