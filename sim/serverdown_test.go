package sim

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A crash resets the server's connections and refuses dials until the restart.
func TestCrashResetsAndRefusesUntilRestart(t *testing.T) {
	w, k, log := small(t, nil)
	n := w.nodes["server"]
	w.At(2500*time.Microsecond, n.Crash)
	w.At(10*time.Millisecond, n.Restart)
	k.Go("main", func() {
		ctx := context.Background()
		c, _ := k.process.Dial(ctx, "server", 0)
		_, err := c.Call(ctx, "write", "x", 0)
		log.add("%v, down %v", err, n.Down())
		_, err = k.process.Dial(ctx, "server", 0)
		log.add("%v", err)
		_ = k.Sleep(ctx, 5490*time.Microsecond)
		c, _ = k.process.Dial(ctx, "server", 0)
		_, err = c.Call(ctx, "write", "y", 0)
		log.add("%v, down %v", err, n.Down())
	})
	run(t, w)
	log.want(t,
		"2.5ms connection reset by peer, down true", // x was under way
		"4.51ms dial server: connection refused",
		"13.01ms server has y",
		"14.02ms <nil>, down false",
	)
	if closed := n.server.(*echo).closed; len(closed) != 1 || !errors.Is(closed[0], ErrReset) {
		t.Errorf("the server was told of %v", closed)
	}
	if n.Requests() != 1 {
		t.Errorf("%d requests came to the server", n.Requests())
	}
}

// A stopped server that crashes loses the requests that it had received, and its connections end at
// the crash, not on waking.
func TestCrashOfAStoppedServerEmptiesItsInbox(t *testing.T) {
	w, k, log := small(t, nil)
	n := w.nodes["server"]
	w.At(2500*time.Microsecond, func() { n.Freeze(time.Second) })
	w.At(5*time.Millisecond, func() {
		n.Crash()
		log.add("server was told %v", n.server.(*echo).closed)
	})
	w.At(6*time.Millisecond, n.Restart)
	k.Go("main", func() {
		ctx := context.Background()
		c, _ := k.process.Dial(ctx, "server", 0)
		_, err := c.Call(ctx, "write", "x", 0)
		log.add("%v", err)
	})
	run(t, w)
	log.want(t, "5ms server was told [connection reset by peer]", "5ms connection reset by peer")
}

// A client that dials a suspended machine is refused when it wakes, if its server has crashed
// meanwhile.
func TestCrashOfASleepingServerRefusesOnWaking(t *testing.T) {
	w, k, log := small(t, nil)
	n := w.nodes["server"]
	n.Suspend(time.Second)
	w.At(500*time.Millisecond, n.Crash)
	k.Go("main", func() {
		_, err := k.process.Dial(context.Background(), "server", 0)
		log.add("%v", err)
	})
	run(t, w)
	log.want(t, "1.00101s dial server: connection refused")
}

// A client behind a cut learns of a crash when the cut heals.
func TestCrashBehindACutIsKnownWhenItHeals(t *testing.T) {
	for _, how := range []Cut{CutHold, CutDrop} {
		w, k, log := small(t, nil)
		n := w.nodes["server"]
		w.At(2500*time.Microsecond, func() {
			if err := w.CutLink("server", "worker-1", how, time.Second); err != nil {
				t.Error(err)
			}
		})
		w.At(3500*time.Microsecond, n.Crash)
		w.At(4*time.Millisecond, n.Restart)
		k.Go("main", func() {
			ctx := context.Background()
			c, _ := k.process.Dial(ctx, "server", 0)
			_, err := c.Call(ctx, "write", "x", 0)
			log.add("%v", err)
		})
		run(t, w)
		log.want(t, "3.01ms server has x", "1.0025s connection reset by peer")
		if closed := n.server.(*echo).closed; len(closed) != 1 {
			t.Errorf("the server was told %d times", len(closed))
		}
	}
}

// A reset between two nodes does not affect connections of other nodes.
func TestResetBreaksTheConnectionsBetweenTwoNodes(t *testing.T) {
	w, k, log := small(t, nil)
	other := w.AddNode("worker-2", NodeConfig{}).Process("worker-2").Worker("worker-2")
	w.At(2500*time.Microsecond, func() {
		if err := w.Reset("worker-1", "server"); err != nil {
			t.Error(err)
		}
		if err := w.Reset("worker-1", "nobody"); err == nil {
			t.Error("a link to nobody can be reset")
		}
	})
	for _, k := range []*Worker{k, other} {
		k.Go("main", func() {
			ctx := context.Background()
			c, _ := k.process.Dial(ctx, "server", 0)
			_, err := c.Call(ctx, "write", k.name, 0)
			log.add("%s %v", k.name, err)
		})
	}
	run(t, w)
	log.want(t,
		"2.5ms worker-1 connection reset by peer",
		"3.01ms server has worker-2",
		"4.02ms worker-2 <nil>",
	)
}
