package sim

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"lockquake/internal/draw"
)

var errLost = errors.New("lost")

// held runs a worker that is stopped for 5 s in its hold, with a watchdog that cancels its context
// when the lease is over, and that then writes. It reports whether the write reached the server.
func held(t *testing.T, seed uint64, cores int, hold func(ctx context.Context, k *Worker, c *Conn) error) bool {
	t.Helper()
	w, k, log := small(t, func(c *Config) {
		c.Seed, c.Cores = seed, cores
		c.WakeLag = draw.Dist{Kind: draw.Lognormal, Median: 100 * time.Microsecond, P99: 10 * time.Millisecond}
	})
	w.At(20*time.Millisecond, func() { k.process.Pause(5 * time.Second) })
	k.Go("main", func() {
		c, err := k.process.Dial(context.Background(), "server", 0)
		if err != nil {
			t.Error(err)
			return
		}
		ctx, lose := k.WithCancel(context.Background())
		k.Go("expiry", func() {
			if k.Sleep(context.Background(), 2*time.Second) == nil {
				lose(errLost)
			}
		})
		if hold(ctx, k, c) != nil {
			return
		}
		k.Point("lease-checked")
		_, _ = c.Call(ctx, "write", "late", 0) // it may be cancelled on its way
	})
	run(t, w)
	return slices.ContainsFunc(log.lines, func(line string) bool { return strings.HasSuffix(line, "server has late") })
}

func sleeping(ctx context.Context, k *Worker, _ *Conn) error {
	return k.Sleep(ctx, 100*time.Millisecond)
}

func asking(ctx context.Context, _ *Worker, c *Conn) error {
	_, err := c.Call(ctx, "ask", "question", 0)
	return err
}

// A process whose sleep and lease both ended during a pause may write first on waking. That is
// drawn, as often as a stopped Go process does it (docs/model.md has the measurement): never with
// one processor, and more often with more processors. A reply and an alarm have equal chances.
func TestWokenProcessMayWriteBeforeItsLateAlarm(t *testing.T) {
	const runs = 1000
	for _, test := range []struct {
		name      string
		cores     int
		hold      func(context.Context, *Worker, *Conn) error
		low, high int
	}{
		{"sleep, one processor", 1, sleeping, 0, 0},
		{"sleep, two", 2, sleeping, 200, 280},
		{"sleep, four", 4, sleeping, 310, 400},
		{"sleep, eight", 8, sleeping, 360, 460},
		{"request, one processor", 1, asking, 0, 0},
		{"request, two", 2, asking, 400, 510},
		{"computation", 2, func(_ context.Context, k *Worker, _ *Conn) error { return k.Compute(100 * time.Millisecond) }, 0, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			late := 0
			for seed := range uint64(runs) {
				hold := test.hold
				if test.name[0] == 'r' { // the request is under way when the process is stopped
					hold = func(ctx context.Context, k *Worker, c *Conn) error {
						if err := k.Sleep(ctx, 19500*time.Microsecond-k.Mono()); err != nil {
							return err
						}
						return asking(ctx, k, c)
					}
				}
				if held(t, seed, test.cores, hold) {
					late++
				}
			}
			t.Logf("%d of %d wrote", late, runs)
			if late < test.low || late > test.high {
				t.Errorf("%d of %d wrote, want %d to %d", late, runs, test.low, test.high)
			}
		})
	}
}

// A computation goes on where the pause stopped it, so it ends later. A sleep whose time is over
// after the pause ends at once.
func TestAComputationStopsWithItsProcess(t *testing.T) {
	w, k, log := small(t, nil)
	w.At(40*time.Millisecond, func() { k.process.Pause(time.Second) })
	w.At(1080*time.Millisecond, func() { k.process.Pause(10 * time.Millisecond) })
	k.Go("main", func() {
		_ = k.Compute(100 * time.Millisecond)
		log.add("computed")
	})
	k.Go("other", func() {
		_ = k.Sleep(context.Background(), 50*time.Millisecond)
		log.add("slept")
	})
	run(t, w)
	log.want(t,
		"1.0401s slept",
		"1.11s computed", // 40 ms before the first pause, 40 ms between the two, 20 ms after
	)
}

// A suspended machine computes nothing, like a stopped process.
func TestAComputationStopsWithItsMachine(t *testing.T) {
	w, k, log := small(t, nil)
	w.At(40*time.Millisecond, func() { k.process.node.Suspend(time.Second) })
	k.Go("main", func() {
		_ = k.Compute(100 * time.Millisecond)
		log.add("computed")
	})
	run(t, w)
	log.want(t, "1.1s computed")
}

// An alarm can overtake a step that is longer than the lag, but not one of a microsecond.
func TestALateAlarmOvertakesOnlyALongStep(t *testing.T) {
	for _, test := range []struct {
		step time.Duration
		want []string
	}{
		{time.Microsecond, []string{"5.000001s goes on", "5.0001s alarm"}},
		{time.Millisecond, []string{"5.0001s alarm", "5.001s goes on"}},
	} {
		w, k, log := small(t, func(c *Config) { c.Step, c.Cores = test.step, 2 })
		k.OnPoint("lease-checked", 1, func() { k.process.Pause(5 * time.Second) })
		k.Go("alarm", func() {
			_ = k.Sleep(context.Background(), time.Second)
			log.add("alarm")
		})
		k.Go("main", func() {
			k.Point("lease-checked")
			log.add("goes on")
		})
		run(t, w)
		log.want(t, test.want...)
	}
}

// Every pause has its own draws, and the same seed gives the same draws.
func TestEachWakingIsDrawn(t *testing.T) {
	lags := func(seed uint64) []time.Duration {
		w, k, _ := small(t, func(c *Config) {
			c.Seed, c.Cores = seed, 2
			c.WakeLag = draw.Dist{Kind: draw.Exponential, Mean: time.Millisecond}
		})
		var all []time.Duration
		for i := range 5 {
			w.At(time.Duration(i)*time.Second+500*time.Millisecond, func() { k.process.Pause(300 * time.Millisecond) })
		}
		k.Go("main", func() {
			for i := range 5 {
				begin := time.Duration(i)*time.Second + 600*time.Millisecond
				_ = k.Sleep(context.Background(), begin-k.Mono())
				all = append(all, w.Time()%time.Second-800*time.Millisecond)
			}
		})
		run(t, w)
		return all
	}
	a, again, b := lags(1), lags(1), lags(2)
	seen := map[time.Duration]bool{}
	for i := range a {
		if a[i] != again[i] {
			t.Errorf("the same seed woke at %v and at %v", a[i], again[i])
		}
		if seen[a[i]] || a[i] == b[i] {
			t.Errorf("waking %d took %v, which another took too", i+1, a[i])
		}
		seen[a[i]] = true
	}
}

// The process wakes at 3.95 ms, and its lag ends at 4.05 ms. The reply arrives between.
func TestAMessageThatArrivesDuringTheLagWaitsForItsEnd(t *testing.T) {
	w, k, log := small(t, nil)
	w.At(3*time.Millisecond, func() { k.process.Pause(950 * time.Microsecond) })
	k.Go("main", func() {
		c, _ := k.process.Dial(context.Background(), "server", 0)
		_, err := c.Call(context.Background(), "read", 7, 0)
		log.add("answer %v", err)
	})
	run(t, w)
	log.want(t, "3.01ms server has 7", "4.06ms answer <nil>")
}

// A second pause begins 20 us after the first one and lasts 40 us. Only the lag of the second waking counts.
func TestAPauseDuringTheLagBeginsAnotherLag(t *testing.T) {
	w, k, log := small(t, nil)
	w.At(time.Second, func() { k.process.Pause(4 * time.Second) })
	w.At(5*time.Second+20*time.Microsecond, func() { k.process.Pause(40 * time.Microsecond) })
	w.At(5*time.Second+120*time.Microsecond, func() { log.add("between") })
	for _, name := range []string{"first", "second"} {
		k.Go(name, func() {
			_ = k.Sleep(context.Background(), 2*time.Second)
			log.add("%s slept", name)
		})
	}
	run(t, w)
	log.want(t, "5.00012s between", "5.00016s first slept", "5.00016s second slept")
}

// A deadline of a context comes due at 2 s, in a pause until 5 s, and is handled 0.1 ms after it.
func TestADeadlineInAPauseIsHandledAfterTheWaking(t *testing.T) {
	w, k, log := small(t, nil)
	w.At(time.Second, func() { k.process.Pause(4 * time.Second) })
	k.Go("main", func() {
		ctx, stop := k.WithTimeout(context.Background(), 2*time.Second)
		defer stop()
		done := k.Go("other", func() {
			_ = k.Sleep(ctx, time.Minute)
			log.add("%v", ctx.Err())
		})
		_ = done.Acquire(context.Background())
	})
	run(t, w)
	log.want(t, "5.0001s context deadline exceeded")
}

// The process wakes at 5 s in a step of 10 us, and its lag ends at 5.0001 s. A sleep that begins in the lag is not late.
func TestADeadlineThatIsSetDuringTheLagIsInTime(t *testing.T) {
	w, k, log := small(t, nil)
	k.OnPoint("lease-checked", 1, func() { k.process.Pause(5 * time.Second) })
	k.Go("main", func() {
		k.Point("lease-checked")
		_ = k.Sleep(context.Background(), 20*time.Microsecond)
		log.add("slept")
	})
	w.At(5*time.Second+15*time.Microsecond, func() {}) // so that the task is parked
	run(t, w)
	log.want(t, "5.00003s slept")
}
