package sim

import (
	"bytes"
	"testing"
)

// TestAWorldWithoutStampsHasTheSameTrace compares entries that are written in one piece, the first of each kind and
// those after it, with entries of a world that may keep none.
func TestAWorldWithoutStampsHasTheSameTrace(t *testing.T) {
	write := func(before int) (checksum, text string) {
		var trace bytes.Buffer
		w := New(Config{Trace: &trace})
		w.stamps = before
		var of stamps
		for n := range int64(3) {
			w.now = 1_000 + n
			w.noteOften(&of, 2, kindArrived, "server", "read", n, nil)
			w.noteOften(&of, 0, kindSent, "worker-1", "write", -n, traced("payload"))
		}
		if want := min(before+2, mostStamps); w.stamps != want {
			t.Errorf("the world has %d stamps, want %d", w.stamps, want)
		}
		return w.Checksum(), trace.String()
	}
	sum, text := write(0)
	if plainSum, plain := write(mostStamps); plainSum != sum || plain != text {
		t.Errorf("with stamps: %s\n%swithout: %s\n%s", sum, text, plainSum, plain)
	}
	const want = `0.000001000 arrived  server read
0.000001000 sent     worker-1 write payload
0.000001001 arrived  server read 1
0.000001001 sent     worker-1 write -1 payload
0.000001002 arrived  server read 2
0.000001002 sent     worker-1 write -2 payload
`
	if text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}

// traced is a payload.
type traced string

func (p traced) AppendTrace(b []byte) []byte { return append(b, p...) }
