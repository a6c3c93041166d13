package sim

import (
	"context"
	"testing"
	"time"
)

// A suspension stops the monotonic clock but not the wall clock: a timer of 10 s that is half over
// at a suspension of an hour needs 5 s more after it.
func TestSuspendStopsTheMonotonicClockOnly(t *testing.T) {
	w, k, log := small(t, nil)
	n := k.process.node
	w.At(5*time.Second, func() { n.Suspend(time.Hour) })
	k.Go("main", func() {
		_ = k.Sleep(context.Background(), 10*time.Second)
		log.add("slept, mono %v, wall %v", k.Mono(), k.Now().Sub(epoch()))
	})
	w.At(30*time.Minute, func() { log.add("mono %v, wall %v", k.Mono(), k.Now().Sub(epoch())) })
	run(t, w)
	log.want(t,
		"30m0s mono 5s, wall 30m0s",
		"1h0m10s slept, mono 10s, wall 1h0m10s",
	)
}

// After a suspension, a holder that reads its monotonic clock believes for too long: by its clock
// almost no time has passed, in truth an hour. The reply has waited and is taken on waking, since
// no deadline has passed.
func TestSuspendedClientTakesTheReplyThatWaited(t *testing.T) {
	w, k, log := small(t, nil)
	w.At(3*time.Millisecond, func() { k.process.node.Suspend(time.Hour) })
	k.Go("main", func() {
		ctx := context.Background()
		c, _ := k.process.Dial(ctx, "server", 0)
		answer, err := c.Call(ctx, "read", 7, time.Second)
		log.add("%v %v, mono %v", answer, err, k.Mono())
	})
	run(t, w)
	log.want(t,
		"3.01ms server has 7",
		// Awake at 1h0m0.003s, the message is seen 100 us later, and taken in a step.
		"1h0m0.00311s 7 <nil>, mono 3.11ms",
	)
}

// A suspended server answers when it wakes, in the order of arrival.
func TestSuspendedServerAnswersLater(t *testing.T) {
	w, k, log := small(t, nil)
	server := w.nodes["server"]
	w.At(2500*time.Microsecond, func() { server.Suspend(time.Minute) })
	server.AtWall(epoch().Add(30*time.Second), func() { log.add("wall timer") })
	k.Go("main", func() {
		ctx := context.Background()
		c, _ := k.process.Dial(ctx, "server", 0)
		_, err := c.Call(ctx, "write", "x", time.Second)
		log.add("%v", err)
	})
	run(t, w)
	log.want(t,
		"1.00201s i/o timeout",
		"1m0.0025s wall timer", // due at 30 s, while the server was stopped
		"1m0.0025s server has x",
	)
}

// A stall stops one task only: the renewal stops while the work goes on.
func TestStallStopsOneTaskOnly(t *testing.T) {
	w, k, log := small(t, nil)
	ctx := context.Background()
	w.At(1500*time.Millisecond, func() {
		k.Stall("renewal", 3*time.Second, func() { log.add("caught") })
		k.Stall("renewal", 300*time.Millisecond, func() { log.add("caught, though it sleeps") })
		k.Stall("nobody", 3*time.Second, func() { log.add("caught nobody") })
	})
	k.Go("renewal", func() {
		for range 3 {
			_ = k.Sleep(ctx, time.Second)
			log.add("renewal")
		}
	})
	k.Go("main", func() {
		for range 2 {
			_ = k.Sleep(ctx, 2*time.Second)
			log.add("work")
		}
	})
	run(t, w)
	log.want(t,
		"1s renewal",
		"2s work",
		"4s work",
		"4.5s caught",
		"4.5s renewal", // its sleep ended at 2 s
		"5.5s renewal",
	)
}

// A crashed worker starts again as a new process, without its connections and variables. It gets
// new random numbers, and the visits of its points go on counting.
func TestRestartIsANewProcess(t *testing.T) {
	w, k, log := small(t, nil)
	ctx := context.Background()
	k.OnPoint("step", 2, func() { log.add("second visit") })
	body := func(k *Worker) func() {
		return func() {
			k.Point("step")
			log.add("%d", k.Rand("token").Uint64()%1000)
			_ = k.Sleep(ctx, time.Hour)
			log.add("never")
		}
	}
	k.Go("main", body(k))
	w.At(time.Second, k.process.Crash)
	w.At(2*time.Second, func() {
		again := k.Restart()
		again.Go("main", body(again))
	})
	w.At(3*time.Second, w.Stop)
	run(t, w)
	if len(log.lines) != 3 || log.lines[1] != "2s second visit" {
		t.Fatalf("what happened: %q", log.lines)
	}
	first, again := log.lines[0][len("10us "):], log.lines[2][len("2.00001s "):]
	if first == again {
		t.Errorf("the new process draws the numbers of the old one: %s", first)
	}
}

// A reset tells both ends. Messages under way are lost.
func TestResetBreaksBothEnds(t *testing.T) {
	w, k, log := small(t, nil)
	server := w.nodes["server"].server.(*echo)
	w.At(2500*time.Microsecond, func() { k.process.ResetConns("server") })
	k.Go("main", func() {
		ctx := context.Background()
		c, _ := k.process.Dial(ctx, "server", 0)
		_, err := c.Call(ctx, "write", "x", time.Second)
		log.add("%v, then %v", err, c.Err())
	})
	run(t, w)
	log.want(t, "2.5ms connection reset by peer, then connection reset by peer")
	if len(server.closed) != 1 || server.closed[0] == nil {
		t.Errorf("the server was told %v", server.closed)
	}
}

// A step of the wall clock moves the timers that wait for it, forward and back.
func TestWallStepMovesWallTimers(t *testing.T) {
	for _, test := range []struct {
		step time.Duration
		want string
	}{
		{7 * time.Second, "3s timer"},
		{20 * time.Second, "2s timer"},
		{-5 * time.Second, "15s timer"},
	} {
		w, _, log := small(t, nil)
		n := w.nodes["server"]
		n.AtWall(epoch().Add(10*time.Second), func() { log.add("timer") })
		w.At(2*time.Second, func() { n.StepWall(test.step) })
		run(t, w)
		log.want(t, test.want)
	}
}

// A frozen server leaves its requests and wall timers waiting, while its clocks go on and its
// kernel opens connections.
func TestFrozenServerAnswersLater(t *testing.T) {
	w, k, log := small(t, nil)
	server := w.nodes["server"]
	w.At(2500*time.Microsecond, func() { server.Freeze(time.Minute) })
	server.AtWall(epoch().Add(30*time.Second), func() { log.add("wall timer") })
	w.At(40*time.Second, func() { log.add("mono %v", server.Mono()) })
	k.Go("main", func() {
		ctx := context.Background()
		c, _ := k.process.Dial(ctx, "server", 0)
		_, err := c.Call(ctx, "write", "x", time.Second)
		log.add("%v", err)
		c, err = k.process.Dial(ctx, "server", 0)
		log.add("dialled %v", err)
		_, err = c.Call(ctx, "write", "y", 0)
		log.add("%v", err)
	})
	run(t, w)
	log.want(t,
		"1.00201s i/o timeout",
		"1.00402s dialled <nil>",
		"40s mono 40s",
		"1m0.0025s wall timer",
		"1m0.0025s server has x",
		"1m0.0025s server has y",
		"1m0.00351s <nil>",
	)
}

// A freeze and a suspension that overlap end with the later one. Only the
// suspension stops the monotonic clock.
func TestOverlappingFreezeAndSuspendEndWithTheLater(t *testing.T) {
	for _, test := range []struct {
		freeze, suspend time.Duration // from 1 s, from 2 s
		want            string
	}{
		// Its 2.5 s are over at 3.5 s of true time, when it cannot notice.
		{3 * time.Second, time.Second, "4.0001s slept, mono 3.0001s"},
		// At 6 s it is awake again and needs half a second more.
		{2 * time.Second, 4 * time.Second, "6.5s slept, mono 2.5s"},
	} {
		w, k, log := small(t, nil)
		n := k.process.node
		w.At(1*time.Second, func() { n.Freeze(test.freeze) })
		w.At(2*time.Second, func() { n.Suspend(test.suspend) })
		k.Go("main", func() {
			_ = k.Sleep(context.Background(), 2500*time.Millisecond)
			log.add("slept, mono %v", k.Mono())
		})
		run(t, w)
		log.want(t, test.want)
	}
}

// A process that starts on a frozen node waits until the freeze ends.
func TestAProcessOnAFrozenNodeStartsLater(t *testing.T) {
	w, k, log := small(t, nil)
	n := k.process.node
	w.At(time.Second, func() { n.Freeze(3 * time.Second) })
	w.At(2*time.Second, func() {
		n.Process("late").Worker("late").Go("main", func() { log.add("begins") })
	})
	run(t, w)
	log.want(t, "4s begins")
}

// No function asks whether the stall has caught a task.
func TestAStallNeedsNoFunction(t *testing.T) {
	w, k, log := small(t, nil)
	k.Stall("main", 3*time.Second, nil)
	k.Go("main", func() { log.add("main") })
	run(t, w)
	log.want(t, "3s main")
}
