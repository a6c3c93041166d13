package sim

import (
	"context"
	"errors"
	"testing"
	"time"
)

// moody is an echo that can fail.
type moody struct{ echo }

func (*moody) Fail(c *Call, text string) { c.Reply(c.Op + " failed: " + text) }

// reused is a payload that its sender uses for the next request too.
type reused struct{ text string }

func (r *reused) Copy() any      { return &reused{r.text} }
func (r *reused) String() string { return r.text }

// copies is an echo that logs which copy of a request it gets.
type copies struct{ echo }

func (s *copies) Serve(c *Call) {
	s.log.add("%v copied %v, again %v", c.Req, c.Copied, c.Again)
	c.Applied()
	c.Reply(c.Req)
}

func TestAServerKnowsTheCopiesOfARequest(t *testing.T) {
	w, k, log := small(t, nil)
	w.nodes["server"].Listen(&copies{echo{log: log}})
	k.OnPoint("write.sent", 1, func() {
		if err := w.DuplicateMessage(5 * time.Second); err != nil {
			t.Error(err)
		}
	})
	k.Go("main", func() {
		c, _ := k.process.Dial(context.Background(), "server", 0)
		_, _ = c.Call(context.Background(), "write", "x", 0)
		_, _ = c.Call(context.Background(), "write", "y", 0)
	})
	run(t, w)
	log.want(t, "3.01ms x copied true, again false", "5.02ms y copied false, again false", "5.00301s x copied true, again true")
}

// A request arrives again 5 s after it arrived, although its connection has been closed and its
// payload reused. It is served, and its reply is dropped.
func TestADuplicateIsServedAndItsReplyDropped(t *testing.T) {
	for _, test := range []struct {
		name string
		at1s func(*World, *Node) error
		want []string // beyond the first copy
	}{
		{"comes late", nil, []string{"5.00301s server has x"}},
		{"to a server that is down", func(_ *World, n *Node) error {
			n.Crash()
			return nil
		}, nil},
		{"to a server that has been restarted", func(_ *World, n *Node) error {
			n.Crash()
			n.Restart()
			return nil
		}, []string{"5.00301s server has x"}},
		{"to a frozen server", func(_ *World, n *Node) error {
			n.Freeze(10 * time.Second)
			return nil
		}, []string{"11s server has x"}},
		{"to a frozen server that crashes", func(w *World, n *Node) error {
			n.Freeze(10 * time.Second)
			w.At(6*time.Second, func() {
				n.Crash()
				n.Restart()
			})
			return nil
		}, nil},
		{"on a link that holds", func(w *World, _ *Node) error {
			return w.CutLink("worker-1", "server", CutHold, 10*time.Second)
		}, []string{"11s server has x"}},
		{"on a link that drops", func(w *World, _ *Node) error {
			return w.CutLink("worker-1", "server", CutDrop, 10*time.Second)
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, k, log := small(t, nil)
			if test.at1s != nil {
				w.At(time.Second, func() {
					if err := test.at1s(w, w.nodes["server"]); err != nil {
						t.Error(err)
					}
				})
			}
			k.OnPoint("write.sent", 1, func() {
				if err := w.DuplicateMessage(5 * time.Second); err != nil {
					t.Error(err)
				}
			})
			k.OnPoint("write.applied", 2, func() { t.Error("the second copy passes a point") })
			k.Go("main", func() {
				ctx := context.Background()
				c, _ := k.process.Dial(ctx, "server", 0)
				request := &reused{"x"}
				answer, err := c.Call(ctx, "write", request, 0)
				log.add("%v %v", answer, err)
				request.text = "changed"
				c.Close()
			})
			run(t, w)
			log.want(t, append([]string{"3.01ms server has x", "4.02ms x <nil>"}, test.want...)...)
		})
	}
}

// A lost second copy does not break the connection.
func TestLostDuplicateLeavesItsConnectionAlone(t *testing.T) {
	w, k, log := small(t, nil)
	k.OnPoint("write.sent", 1, func() {
		err := w.DuplicateMessage(1500 * time.Millisecond)
		w.At(time.Second, func() { err = errors.Join(err, w.CutLink("worker-1", "server", CutDrop, time.Second)) })
		w.At(2*time.Second, func() { log.add("healed %v", err) })
	})
	k.Go("main", func() {
		ctx := context.Background()
		c, _ := k.process.Dial(ctx, "server", 0)
		_, _ = c.Call(ctx, "write", "x", 0)
		_ = k.Sleep(ctx, 3*time.Second)
		_, err := c.Call(ctx, "write", "y", 0)
		log.add("%v", err)
	})
	run(t, w)
	log.want(t, "3.01ms server has x", "2s healed <nil>", "3.00502s server has y", "3.00603s <nil>")
}

// A request waits until one on another connection has overtaken it. The greeting on that connection
// does not count, nor does the request of another process.
func TestAReorderedRequestWaitsToBeOvertaken(t *testing.T) {
	for _, test := range []struct {
		name  string
		limit time.Duration
		want  []string
	}{
		{"overtaken", 10 * time.Second, []string{
			"7.03ms server has other",
			"105.02ms server has greeting",
			"107.03ms server has early",
			"107.03ms server has late",
			"108.04ms early <nil>",
			"108.04ms late <nil>",
		}},
		{"at most its limit", 50 * time.Millisecond, []string{
			"7.03ms server has other",
			"55.02ms server has late",
			"56.03ms late <nil>",
			"105.02ms server has greeting",
			"107.03ms server has early",
			"108.04ms early <nil>",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, k, log := small(t, nil)
			k.OnPoint("slow.sent", 1, func() {
				if err := w.ReorderMessage(test.limit); err != nil {
					t.Error(err)
				}
			})
			ctx := context.Background()
			k.Go("main", func() {
				a, _ := k.process.Dial(ctx, "server", 0)
				b, _ := k.process.Dial(ctx, "server", 0)
				k.Go("second", func() {
					_ = k.Sleep(ctx, 100*time.Millisecond)
					_, _ = b.Call(ctx, "hello", "greeting", 0)
					_, err := b.Call(ctx, "write", "early", 0)
					log.add("early %v", err)
				})
				_, err := a.Call(ctx, "slow", "late", 0)
				log.add("late %v", err)
			})
			other := w.AddNode("worker-2", NodeConfig{}).Process("worker-2").Worker("worker-2")
			other.Go("main", func() {
				_ = k.Sleep(ctx, 4020*time.Microsecond)
				c, _ := other.process.Dial(ctx, "server", 0)
				_, _ = c.Call(ctx, "write", "other", 0)
			})
			run(t, w)
			log.want(t, test.want...)
		})
	}
}

// A request that has to fail is not served: its answer is the server's error.
func TestFailedRequestIsNotServed(t *testing.T) {
	w, k, log := small(t, nil)
	w.nodes["server"].Listen(&moody{echo{log: log}})
	k.OnPoint("write.sent", 2, func() {
		if err := w.FailMessage("no space"); err != nil {
			t.Error(err)
		}
	})
	k.Go("main", func() {
		ctx := context.Background()
		c, _ := k.process.Dial(ctx, "server", 0)
		for _, value := range []string{"x", "y", "z"} {
			answer, err := c.Call(ctx, "write", value, 0)
			log.add("%v %v", answer, err)
		}
	})
	run(t, w)
	log.want(t,
		"3.01ms server has x", "4.02ms x <nil>",
		"6.03ms write failed: no space <nil>",
		"7.03ms server has z", "8.04ms z <nil>",
	)
}

func TestServerWithoutErrorsCannotFail(t *testing.T) {
	w, k, _ := small(t, nil)
	var err error
	k.OnPoint("write.sent", 1, func() { err = w.FailMessage("no space") })
	k.Go("main", func() {
		c, _ := k.process.Dial(context.Background(), "server", 0)
		_, _ = c.Call(context.Background(), "write", "x", 0)
	})
	run(t, w)
	if err == nil || err.Error() != "the server on server has no errors to answer with" {
		t.Errorf("failing a request gave %v", err)
	}
}

// The faults of a request need a request that leaves at the point.
func TestRequestFaultsNeedARequest(t *testing.T) {
	for _, point := range []string{"thinking", "dial.sent", "write.applied", "write.replied", "write.taken"} {
		w, k, _ := small(t, nil)
		var errs []error
		k.OnPoint(point, 1, func() {
			errs = []error{w.DuplicateMessage(1), w.ReorderMessage(1), w.FailMessage("")}
		})
		k.Go("main", func() {
			k.Point("thinking")
			c, _ := k.process.Dial(context.Background(), "server", 0)
			_, _ = c.Call(context.Background(), "write", "x", 0)
		})
		run(t, w)
		if len(errs) != 3 {
			t.Errorf("nobody came to %s", point)
		}
		for _, err := range errs {
			if !errors.Is(err, errNoRequest) {
				t.Errorf("at %s: %v", point, err)
			}
		}
	}
}
