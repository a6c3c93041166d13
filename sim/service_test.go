package sim

import (
	"context"
	"testing"
	"time"

	"lockquake/internal/draw"
)

// closingEcho is an echo that logs the end of a connection.
type closingEcho struct{ echo }

func (s *closingEcho) Closed(_ *Session, err error) { s.log.add("server is told: %v", err) }

// Two requests arrive at 3.01 ms, on two connections, at a server that takes 5 ms for each. The
// event at 5 ms is during the service of the first.
func TestAServerWithAServiceTimeServesOneAfterAnother(t *testing.T) {
	for _, test := range []struct {
		name    string
		timeout time.Duration // of the calls
		at5ms   func(*World, *Node)
		want    []string
	}{
		{
			name: "one after another",
			want: []string{"8.01ms server has a", "9.02ms a <nil>", "13.01ms server has b", "14.02ms b <nil>"},
		},
		{
			name:  "a stopped server goes on when it wakes",
			at5ms: func(_ *World, n *Node) { n.Freeze(100 * time.Millisecond) },
			want:  []string{"105ms server has a", "106.01ms a <nil>", "110ms server has b", "111.01ms b <nil>"},
		},
		{
			name:  "without service time the line is served at once",
			at5ms: func(_ *World, n *Node) { n.SetService(nil) },
			want:  []string{"8.01ms server has a", "8.01ms server has b", "9.02ms a <nil>", "9.02ms b <nil>"},
		},
		{
			name:  "a crash loses the line",
			at5ms: func(_ *World, n *Node) { n.Crash() },
			want: []string{
				"5ms server is told: connection reset by peer", "5ms server is told: connection reset by peer",
				"5ms a connection reset by peer", "5ms b connection reset by peer",
			},
		},
		{
			name: "what has come before a reset is served before the server learns of it",
			at5ms: func(w *World, _ *Node) {
				if err := w.Reset("worker-1", "server"); err != nil {
					t.Error(err)
				}
			},
			want: []string{
				"5ms a connection reset by peer", "5ms b connection reset by peer",
				"8.01ms server has a", "13.01ms server has b",
				"13.01ms server is told: connection reset by peer", "13.01ms server is told: connection reset by peer",
			},
		},
		{
			name:    "a request that its client has given up on is served before the goodbye",
			timeout: 2 * time.Millisecond,
			want: []string{
				"4.01ms a i/o timeout", "4.01ms b i/o timeout",
				"8.01ms server has a", "13.01ms server has b",
				"13.01ms server is told: <nil>", "13.01ms server is told: <nil>",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, k, log := small(t, nil)
			n := w.nodes["server"]
			n.Listen(&closingEcho{echo{log: log}})
			five := draw.Fixed(5 * time.Millisecond)
			n.SetService(&five)
			if test.at5ms != nil {
				w.At(5*time.Millisecond, func() { test.at5ms(w, n) })
			}
			for _, name := range []string{"a", "b"} {
				k.Go(name, func() {
					ctx := context.Background()
					c, _ := k.process.Dial(ctx, "server", 0)
					_, err := c.Call(ctx, "write", name, test.timeout)
					log.add("%s %v", name, err)
					if err != nil {
						c.Close()
					}
				})
			}
			run(t, w)
			log.want(t, test.want...)
		})
	}
}

// The first request arrives at 3.01 ms and takes 5 ms. From 4 ms on requests take no time, and the second one, which arrives at 5 ms,
// waits for the first.
func TestARequestDoesNotOvertakeOneThatIsBeingServed(t *testing.T) {
	w, k, log := small(t, nil)
	n := w.nodes["server"]
	five := draw.Fixed(5 * time.Millisecond)
	n.SetService(&five)
	w.At(4*time.Millisecond, func() { n.SetService(nil) })
	for i, name := range []string{"a", "b"} {
		k.Go(name, func() {
			ctx := context.Background()
			c, _ := k.process.Dial(ctx, "server", 0)
			_ = k.Sleep(ctx, time.Duration(i)*1990*time.Microsecond)
			_, _ = c.Call(ctx, "write", name, 0)
		})
	}
	run(t, w)
	log.want(t, "8.01ms server has a", "8.01ms server has b")
}

// A server may crash while it serves a request.
func TestAServerMayCrashWhileItServes(t *testing.T) {
	w, k, log := small(t, nil)
	n := w.nodes["server"]
	five := draw.Fixed(5 * time.Millisecond)
	n.SetService(&five)
	k.OnPoint("write.applied", 1, func() {
		n.Crash()
		n.Restart()
	})
	k.Go("main", func() {
		ctx := context.Background()
		for _, value := range []string{"x", "y"} {
			c, _ := k.process.Dial(ctx, "server", 0)
			_, err := c.Call(ctx, "write", value, 0)
			log.add("%s %v", value, err)
		}
	})
	run(t, w)
	log.want(t,
		"8.01ms server has x",
		"8.01ms x connection reset by peer",
		"16.02ms server has y", // dialled at 10.02 ms, there at 11.02 ms
		"17.03ms y <nil>",
	)
}
