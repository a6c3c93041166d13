package sim

import (
	"bytes"
	"context"
	"testing"
	"time"
)

// pushes is a server that pushes to the first connection that asks it anything.
type pushes struct {
	echo
	session *Session
}

func (p *pushes) Serve(c *Call) {
	if p.session == nil {
		p.session = c.Session
	}
	p.echo.Serve(c)
}

// A pushed message takes one trip, waits until a task receives it, and is handed over when its
// process runs. The connection is made at 4.02 ms.
func TestAPushedMessageWaitsUntilItIsReceived(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name    string
		timeout time.Duration
		disturb func(w *World, k *Worker)
		want    []string
	}{
		{"in order, the first before anybody listens", 0, nil, []string{
			"20.01ms one <nil>", // the listener is busy until 20 ms
			"31.01ms two <nil>",
			"51.01ms three <nil>",
		}},
		{"a listener that gives up", 5 * ms, nil, []string{
			"20.01ms one <nil>",
			"25.01ms <nil> i/o timeout",
			"30.01ms <nil> i/o timeout",
		}},
		{"a pause: the message has come, the deadline comes first", 15 * ms, func(w *World, k *Worker) {
			w.At(25*ms, func() { k.process.Pause(20 * ms) })
		}, []string{
			"20.01ms one <nil>",
			"45.1ms <nil> i/o timeout", // due at 35.01 ms
			"45.11ms two <nil>",        // there since 31 ms
		}},
		{"one is held, and the next waits behind it", 0, func(_ *World, k *Worker) {
			k.OnPoint("news.replied", 2, func() {
				if err := k.process.node.world.HoldMessage(100 * ms); err != nil {
					t.Error(err)
				}
			})
		}, []string{
			"20.01ms one <nil>",
			"131.01ms two <nil>",
			"131.02ms three <nil>",
		}},
		{"one is lost, and the connection with it", 0, func(_ *World, k *Worker) {
			k.OnPoint("news.replied", 2, func() {
				if err := k.process.node.world.DropMessage(100 * ms); err != nil {
					t.Error(err)
				}
			})
		}, []string{
			"20.01ms one <nil>",
			"131ms <nil> connection reset by peer",
			"131ms <nil> connection reset by peer",
		}},
		{"the end of a connection does not lose what had come", 0, func(w *World, k *Worker) {
			w.At(15*ms, func() { k.process.conns[0].Reset() })
		}, []string{
			"20.01ms one <nil>",
			"20.01ms <nil> connection reset by peer",
			"20.01ms <nil> connection reset by peer",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, k, log := small(t, nil)
			server := &pushes{echo: echo{log: &eventLog{world: w}}}
			w.nodes["server"].Listen(server)
			for at, what := range map[time.Duration]string{10 * ms: "one", 30 * ms: "two", 50 * ms: "three"} {
				w.At(at, func() {
					if len(server.closed) == 0 {
						server.session.Push("news", what)
					}
				})
			}
			k.Go("main", func() {
				ctx := context.Background()
				c, err := k.process.Dial(ctx, "server", 0)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := c.Call(ctx, "listen", nil, 0); err != nil {
					t.Error(err)
				}
				_ = k.Sleep(ctx, 20*ms-w.Time())
				for range 3 {
					what, err := c.Receive(ctx, test.timeout)
					log.add("%v %v", what, err)
				}
			})
			if test.disturb != nil {
				test.disturb(w, k)
			}
			run(t, w)
			log.want(t, test.want...)
		})
	}
}

// A receiver stops when its context ends, and a reply on the same connection does not disturb it.
func TestReceiveEndsWithItsContext(t *testing.T) {
	w, k, log := small(t, nil)
	k.Go("main", func() {
		ctx, cancel := k.WithCancel(context.Background())
		c, err := k.process.Dial(ctx, "server", 0)
		if err != nil {
			t.Error(err)
			return
		}
		k.Go("other", func() {
			answer, err := c.Call(context.Background(), "read", 7, 0)
			log.add("answer %v %v", answer, err)
			cancel(context.DeadlineExceeded)
		})
		_, err = c.Receive(ctx, 0)
		log.add("received %v", err)
	})
	run(t, w)
	log.want(t,
		"3.01ms server has 7",
		"4.02ms answer 7 <nil>",
		"4.02ms received context deadline exceeded",
	)
}

// A task whose process crashes as its request leaves does nothing afterwards. The request is under way.
func TestATaskEndsWithItsProcessAsItSends(t *testing.T) {
	w, k, log := small(t, nil)
	k.OnPoint("ask.sent", 1, k.process.Crash)
	k.Go("main", func() {
		c, err := k.process.Dial(context.Background(), "server", 0)
		if err != nil {
			t.Error(err)
			return
		}
		log.add("connected")
		err = c.Send("ask", nil)
		log.add("sent %v", err)
	})
	run(t, w)
	log.want(t, "2.01ms connected", "3.01ms server has <nil>")
}

// A request that is sent without waiting has its steps in the trace, and its reply is received like a pushed message.
func TestAReplyThatNoTaskWaitsForIsReceived(t *testing.T) {
	var trace bytes.Buffer
	w, k, log := small(t, func(c *Config) { c.Trace = &trace })
	k.Go("main", func() {
		ctx := context.Background()
		c, _ := k.process.Dial(ctx, "server", 0)
		if err := c.Send("read", 7); err != nil {
			t.Error(err)
		}
		log.add("sent")
		answer, err := c.Receive(ctx, 0)
		log.add("%v %v", answer, err)
		trace.Reset()
		w.At(w.Time(), func() { c.session.Push("news", nil) })
		_, _ = c.Receive(ctx, 0)
	})
	run(t, w)
	log.want(t, "2.01ms sent", "3.01ms server has 7", "4.02ms 7 <nil>")
	want := `0.004020000 replied  server news 3
0.004020000 point    worker-1 news.replied
0.005020000 taken    worker-1 news 3
0.005020000 point    worker-1 news.taken
`
	if got := trace.String(); got != want {
		t.Errorf("the trace of a pushed message is\n%swant\n%s", got, want)
	}
}
