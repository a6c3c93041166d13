package sim

import (
	"context"
	"errors"
	"testing"
	"time"

	"lockquake/internal/draw"
)

// listener is a server that notes when it is told of the end of a connection. It answers a request at once, or after the time
// that it asks for.
type listener struct {
	node *Node
	log  *eventLog
}

func (s *listener) Serve(c *Call) {
	wait, _ := c.Req.(time.Duration)
	s.node.World().At(s.node.World().Time()+wait, func() { c.Applied(); c.Reply(nil) })
}

func (s *listener) Closed(_ *Session, err error) { s.log.add("server: %v", err) }

// outages runs a world with a server and a client, and returns their log. The keep-alive of the server takes 10 s, and
// every message takes 1 ms. The client connects at 0 s and calls step at 1 s, unless it is nil. The faults begin at 1 s.
func outages(t *testing.T, step func(c *Conn, k *Worker, log *eventLog), faults func(w *World)) *eventLog {
	t.Helper()
	w := New(Config{Latency: draw.Fixed(time.Millisecond)})
	defer w.Close()
	log := &eventLog{world: w}
	server := w.AddNode("server", NodeConfig{})
	server.Listen(&listener{server, log})
	server.SetKeepAlive(10 * time.Second)
	k := w.AddNode("client", NodeConfig{}).Process("client").Worker("client")
	k.Go("main", func() {
		c, err := k.Process().Dial(context.Background(), "server", 0)
		if err != nil {
			t.Error(err)
			return
		}
		k.Go("watch", func() { log.add("client: %v", c.Ended(context.Background())) })
		_ = k.Sleep(context.Background(), time.Second-k.Mono())
		if step != nil {
			step(c, k, log)
		}
	})
	w.At(time.Second, func() { faults(w) })
	run(t, w)
	return log
}

// cut cuts the link from one node to another for d.
func cut(t *testing.T, w *World, from, to string, how Cut, d time.Duration) {
	t.Helper()
	if err := w.CutLink(from, to, how, d); err != nil {
		t.Error(err)
	}
}

func TestAnIdleConnectionEndsWithItsKeepAlive(t *testing.T) {
	for name, test := range map[string]struct {
		faults func(w *World)
		want   []string
	}{
		"requests are dropped for longer: the reset reaches the client at once": {
			func(w *World) { cut(t, w, "client", "server", CutDrop, time.Minute) },
			[]string{"11s server: i/o timeout", "11s client: connection reset by peer"},
		},
		"requests are held for longer": {
			func(w *World) { cut(t, w, "client", "server", CutHold, time.Minute) },
			[]string{"11s server: i/o timeout", "11s client: connection reset by peer"},
		},
		"replies are held for longer: so is the reset": {
			func(w *World) { cut(t, w, "server", "client", CutHold, time.Minute) },
			[]string{"11s server: i/o timeout", "1m1s client: connection reset by peer"},
		},
		"both are cut in turn": {
			func(w *World) {
				cut(t, w, "client", "server", CutHold, 6*time.Second)
				w.At(5*time.Second, func() { cut(t, w, "server", "client", CutDrop, time.Minute) })
			},
			[]string{"11s server: i/o timeout", "1m5s client: connection reset by peer"},
		},
		"the cut is shorter": {
			func(w *World) { cut(t, w, "client", "server", CutDrop, 9*time.Second) },
			nil,
		},
		"two cuts with time between them": {
			func(w *World) {
				cut(t, w, "client", "server", CutHold, 6*time.Second)
				w.At(8*time.Second, func() { cut(t, w, "client", "server", CutHold, 6*time.Second) })
			},
			nil,
		},
		"the client's machine sleeps for longer: its kernel probes 15 s after it wakes": {
			func(w *World) { w.Node("client").Suspend(time.Minute) },
			[]string{"11s server: i/o timeout", "1m16s client: connection reset by peer"},
		},
		"the client's machine sleeps for less": {
			func(w *World) { w.Node("client").Suspend(9 * time.Second) },
			nil,
		},
		"the client is stopped: its kernel answers": {
			func(w *World) { w.Node("client").Freeze(time.Minute) },
			nil,
		},
		"the server's machine sleeps, and its clock stops": {
			func(w *World) {
				cut(t, w, "client", "server", CutHold, time.Minute)
				w.At(5*time.Second, func() { w.Node("server").Suspend(20 * time.Second) })
			},
			[]string{"31s server: i/o timeout", "31s client: connection reset by peer"},
		},
		"the server is stopped: it is told when it goes on": {
			func(w *World) {
				cut(t, w, "client", "server", CutHold, time.Minute)
				w.Node("server").Freeze(20 * time.Second)
			},
			[]string{"11s client: connection reset by peer", "21s server: i/o timeout"},
		},
	} {
		t.Run(name, func(t *testing.T) { outages(t, nil, test.faults).want(t, test.want...) })
	}
}

// A message that comes after the end of the connection is answered with a reset. The client sends it when it wakes at 61 s.
func TestALateMessageGetsAReset(t *testing.T) {
	outages(t, func(c *Conn, k *Worker, log *eventLog) {
		_ = k.Sleep(context.Background(), time.Millisecond)
		_, err := c.Call(context.Background(), "write", nil, 0)
		log.add("call: %v", err)
	}, func(w *World) { w.Node("client").Suspend(time.Minute) }).want(t,
		"11s server: i/o timeout",
		"1m1.002s call: connection reset by peer", // it is sent at 61.001 s
		"1m1.002s client: connection reset by peer",
	)
}

// Keep-alive does not run while a message of the server is not acknowledged. The server gives up 924.6 s after it has sent it,
// or after the outage began.
func TestAnUnacknowledgedMessageIsSentAgainForFifteenMinutes(t *testing.T) {
	call := func(reply time.Duration) func(c *Conn, k *Worker, log *eventLog) {
		return func(c *Conn, _ *Worker, log *eventLog) {
			_, err := c.Call(context.Background(), "lock", reply, 0)
			log.add("call: %v", err)
		}
	}
	both := func(how Cut, d time.Duration) func(w *World) {
		return func(w *World) {
			w.At(time.Second+1500*time.Microsecond, func() { // between the arrival of the request and that of an immediate reply
				cut(t, w, "client", "server", how, d)
				cut(t, w, "server", "client", how, d)
			})
		}
	}
	for name, test := range map[string]struct {
		reply  time.Duration
		faults func(w *World)
		want   []string
	}{
		"it is dropped for longer": {
			0, both(CutDrop, time.Hour),
			[]string{"15m25.6015s server: i/o timeout", "1h0m1.0015s call: connection reset by peer", "1h0m1.0015s client: connection reset by peer"},
		},
		"it is held for longer": {
			0, both(CutHold, time.Hour),
			[]string{"15m25.6015s server: i/o timeout", "1h0m1.0015s call: connection reset by peer", "1h0m1.0015s client: connection reset by peer"},
		},
		"it is held for less": {
			0, both(CutHold, 15*time.Minute),
			[]string{"15m1.0015s call: <nil>"},
		},
		// Sent at 6.001 s, before the end of keep-alive.
		"it is sent in the outage": {
			5 * time.Second, both(CutHold, time.Hour),
			[]string{"15m30.601s server: i/o timeout", "1h0m1.0015s call: connection reset by peer", "1h0m1.0015s client: connection reset by peer"},
		},
		"it arrives, and its acknowledgement does not": {
			5 * time.Second, func(w *World) {
				w.At(2*time.Second, func() { cut(t, w, "client", "server", CutHold, time.Hour) })
			},
			[]string{"6.002s call: <nil>", "15m30.601s server: i/o timeout", "15m30.601s client: connection reset by peer"},
		},
		"the client's machine sleeps for longer: it gets no answer": {
			5 * time.Second, func(w *World) { w.At(2*time.Second, func() { w.Node("client").Suspend(time.Hour) }) },
			[]string{"15m30.601s server: i/o timeout", "1h0m17s call: connection reset by peer", "1h0m17s client: connection reset by peer"},
		},
		"the client's machine sleeps for less": {
			5 * time.Second, func(w *World) { w.At(2*time.Second, func() { w.Node("client").Suspend(15 * time.Minute) }) },
			[]string{"15m2s call: <nil>"},
		},
	} {
		t.Run(name, func(t *testing.T) { outages(t, call(test.reply), test.faults).want(t, test.want...) })
	}
}

// A connection that ends in an outage leaves no timer: the run is over when the link heals, at 6 s, and not at 11 s.
func TestAConnectionThatEndsInAnOutageHasNoKeepAlive(t *testing.T) {
	log := outages(t, func(c *Conn, k *Worker, _ *eventLog) {
		_ = k.Sleep(context.Background(), time.Second)
		_, _ = c.Call(context.Background(), "write", nil, 0)
	}, func(w *World) { cut(t, w, "client", "server", CutDrop, 5*time.Second) })
	log.want(t, "6s server: connection reset by peer", "6s client: connection reset by peer")
	if end := log.world.Time(); end != 6*time.Second {
		t.Errorf("the run ends at %v", end)
	}
}

// A client that has closed its connection in the outage gets no reset.
func TestAClosedConnectionGetsNoReset(t *testing.T) {
	outages(t, func(c *Conn, k *Worker, _ *eventLog) {
		_ = k.Sleep(context.Background(), time.Second)
		c.Close()
		if !errors.Is(c.Err(), ErrClosed) {
			t.Error(c.Err())
		}
	}, func(w *World) { cut(t, w, "client", "server", CutHold, time.Minute) }).want(t,
		"2s client: use of closed network connection",
		"11s server: i/o timeout",
	)
}
