package bubble

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unsafe"

	"lockquake/internal/draw"
	"lockquake/sim"
)

// paused returns a rig whose process is paused from 0.5 s to 10.5 s, and handles its late timers 100 us later.
func paused(t *testing.T) *rig {
	r := newRig(t, sim.Config{})
	r.world.At(500*time.Millisecond, func() { r.worker.Process().Pause(10 * time.Second) })
	return r
}

// A new version of Go fails here if its timers have other layouts.
func TestThisGoFiresLateTimersLate(t *testing.T) {
	if err := LateTimers(t); err != nil {
		t.Error(err)
	}
}

func TestTheTimersOfAnUnknownGoAreLeftAlone(t *testing.T) {
	if err := checkDelay(t, "go1.99.1"); err == nil || !strings.Contains(err.Error(), "go1.99.1") {
		t.Errorf("the check returns %v", err)
	}
}

// With an unknown Go the clock catches up timer by timer: a deadline of 5 s behind a sleep of 1 s is over at 6 s.
func TestABubbleThatCannotDelayCatchesUpTimerByTimer(t *testing.T) {
	r := paused(t)
	r.bubble.delays = false
	r.run(t, func(ctx context.Context) {
		time.Sleep(time.Second)
		r.log("slept")
		ctx, stop := context.WithTimeout(ctx, 5*time.Second)
		defer stop()
		context.AfterFunc(ctx, func() { r.log("%v", ctx.Err()) })
		_ = r.request("get")
		r.log("has a reply")
	}, "1s slept", "6s context deadline exceeded", "10.50412s has a reply")
}

func TestADeadlineBehindALateTimerCountsFromTheWaking(t *testing.T) {
	r := paused(t)
	r.run(t, func(ctx context.Context) {
		time.Sleep(time.Second)
		r.log("slept")
		ctx, stop := context.WithTimeout(ctx, 5*time.Second)
		defer stop()
		<-ctx.Done()
		r.log("%v", ctx.Err())
	}, "10.5001s slept", "15.5001s context deadline exceeded")
}

func TestALateTimerOfAfterFunc(t *testing.T) {
	r := paused(t)
	r.run(t, func(context.Context) {
		time.AfterFunc(time.Second, func() { r.log("fires") })
		time.Sleep(time.Minute)
	}, "10.5001s fires")
}

// A pause from 2.5 s to 5.7 s: of the ticks of 3, 4 and 5 s one is left, and the next one is in phase.
func TestALateTickerSendsOneTickAndKeepsItsPhase(t *testing.T) {
	r := newRig(t, sim.Config{})
	r.world.At(2500*time.Millisecond, func() { r.worker.Process().Pause(3200 * time.Millisecond) })
	r.run(t, func(context.Context) {
		ticker := time.NewTicker(time.Second)
		for range 5 {
			tick := <-ticker.C
			r.log("tick of %v", tick.Sub(start()))
		}
	}, "1s tick of 1s", "2s tick of 2s", "5.7001s tick of 3s", "6s tick of 6s", "7s tick of 7s")
}

// This is the example in doc.go.
func TestLateTimersOfOneProcessorFireInOrder(t *testing.T) {
	r := paused(t)
	r.run(t, func(context.Context) {
		go func() {
			time.Sleep(2 * time.Second)
			r.log("timer of 2s")
		}()
		time.AfterFunc(time.Second, func() { r.log("timer of 1s") })
		ticker := time.NewTicker(3 * time.Second)
		for range 2 {
			tick := <-ticker.C
			r.log("tick of %v", tick.Sub(start()))
		}
	}, "10.5001s timer of 1s", "10.500100001s timer of 2s", "10.500100002s tick of 3s", "12s tick of 12s")
}

func TestASelectOfTwoLateTimersTakesTheEarlier(t *testing.T) {
	r := paused(t)
	r.run(t, func(context.Context) {
		first, second := time.After(2*time.Second), time.After(time.Second)
		for range 2 {
			select {
			case <-first:
				r.log("timer of 2s")
			case <-second:
				r.log("timer of 1s")
			}
		}
	}, "10.5001s timer of 1s", "10.500100001s timer of 2s")
}

// The runtime fires a timer for which no goroutine waits when one looks at it.
func TestALateTimerThatIsReadAfterAnother(t *testing.T) {
	r := paused(t)
	r.run(t, func(context.Context) {
		second := time.NewTimer(2 * time.Second)
		time.Sleep(time.Second)
		r.log("slept")
		at := <-second.C
		r.log("timer of %v", at.Sub(start()))
	}, "10.5001s slept", "10.5001s timer of 2s")
}

// Timers that have been reset and stopped before the pause.
func TestChangedTimersAreLateByTheirNewTimes(t *testing.T) {
	r := paused(t)
	r.run(t, func(context.Context) {
		earlier := time.AfterFunc(20*time.Second, func() { r.log("reset to 2s") })
		later := time.AfterFunc(time.Second, func() { r.log("reset to 3s") })
		on := time.AfterFunc(4*time.Second, func() { r.log("reset to 12s") })
		stopped := time.AfterFunc(time.Second, func() { r.log("stopped") })
		time.Sleep(100 * time.Millisecond)
		earlier.Reset(1900 * time.Millisecond)
		later.Reset(2900 * time.Millisecond)
		on.Reset(11900 * time.Millisecond)
		stopped.Stop()
		time.Sleep(time.Minute)
	}, "10.5001s reset to 2s", "10.500100001s reset to 3s", "12s reset to 12s")
}

// A late timer that the code behind an earlier one resets has its new time, and one that it stops does not fire.
func TestALateTimerThatIsChangedOnWaking(t *testing.T) {
	r := paused(t)
	r.run(t, func(context.Context) {
		reset := time.AfterFunc(2*time.Second, func() { r.log("reset") })
		stopped := time.AfterFunc(3*time.Second, func() { r.log("stopped") })
		time.Sleep(time.Second)
		r.log("pending: %v %v", reset.Reset(time.Second), stopped.Stop())
		time.Sleep(time.Minute)
	}, "10.5001s pending: true true", "11.5001s reset")
}

func TestAPauseWithoutLateTimersDelaysNone(t *testing.T) {
	r := paused(t)
	r.run(t, func(context.Context) {
		time.Sleep(20 * time.Second)
		r.log("slept")
	}, "20s slept")
}

// The second pause, from 10.50005 s to 15.50005 s, begins before the process has handled its late timers, and the third, from 18 s
// to 22 s, after it.
func TestSeveralPauses(t *testing.T) {
	r := paused(t)
	p := r.worker.Process()
	r.world.At(10*time.Second+500050*time.Microsecond, func() { p.Pause(5 * time.Second) })
	r.world.At(18*time.Second, func() { p.Pause(4 * time.Second) })
	r.run(t, func(context.Context) {
		time.AfterFunc(2*time.Second, func() { r.log("timer of 2s") })
		time.AfterFunc(17*time.Second, func() { r.log("timer of 17s") })
		time.Sleep(time.Second)
		r.log("slept")
		time.Sleep(5 * time.Second)
		r.log("slept")
	}, "15.50015s slept", "15.500150001s timer of 2s", "17s timer of 17s", "22.0001s slept")
}

// A timer that is due 50 us after the waking, when no processor is awake, is late too. One that is set after the waking is not.
func TestATimerDuringTheLagOfTheWaking(t *testing.T) {
	r := paused(t)
	r.run(t, func(context.Context) {
		time.AfterFunc(10*time.Second+500050*time.Microsecond, func() { r.log("fires") })
		time.Sleep(10*time.Second + 500100*time.Microsecond)
		r.log("slept")
	}, "10.5001s fires", "10.500100001s slept")
}

// The clock runs at twice the rate of true time: the process wakes at a reading of 21 s, and the lag takes 200 us of its clock.
func TestLateTimersOfAFastClock(t *testing.T) {
	r := paused(t)
	r.worker.Process().Node().SetMonoRate(1_000_000)
	r.run(t, func(context.Context) {
		time.Sleep(2 * time.Second)
		r.log("slept")
	}, "21.0002s slept")
}

func TestACrashDuringAPauseFiresNoLateTimer(t *testing.T) {
	r := paused(t)
	r.world.At(5*time.Second, r.worker.Process().Crash)
	r.run(t, func(context.Context) {
		time.Sleep(time.Second)
		r.log("slept")
	})
}

// A call that begins on waking, before the late timers, reads the time of the waking.
func TestACallBeforeTheLateTimers(t *testing.T) {
	r := paused(t)
	r.world.At(10*time.Second+500020*time.Microsecond, func() {
		r.worker.Go("other", func() {
			_ = r.bubble.Call(context.Background(), r.worker, func(context.Context) { r.log("called") })
		})
	})
	r.run(t, func(context.Context) {
		time.Sleep(time.Second)
		r.log("slept")
	}, "10.50002s called", "10.5001s slept")
}

// The reply arrives during the pause. A single processor handles all late timers first, and then the messages. A reply takes a step.
func TestASingleProcessorFiresLateTimersBeforeItReadsMessages(t *testing.T) {
	r := newRig(t, sim.Config{})
	r.world.At(500*time.Millisecond, func() { r.worker.Process().Pause(10 * time.Second) })
	r.run(t, func(context.Context) {
		_ = r.request("dial")
		time.AfterFunc(2*time.Second, func() { r.log("timer of 2s") })
		time.AfterFunc(time.Second, func() { r.log("timer of 1s") })
		time.Sleep(499*time.Millisecond - time.Since(start()))
		_ = r.request("get")
		r.log("has a reply")
	}, "10.5001s timer of 1s", "10.500100001s timer of 2s", "10.50011s has a reply")
}

// Each late timer belongs to a random processor. With two, the later timer fires first if the two belong to different processors, and
// its processor is the faster one: in a quarter of all wakings.
func TestLateTimersBelongToRandomProcessors(t *testing.T) {
	const runs = 1000
	swapped := 0
	for seed := range uint64(runs) {
		r := newRig(t, lagging(seed, 2))
		r.world.At(500*time.Millisecond, func() { r.worker.Process().Pause(10 * time.Second) })
		r.worker.Go("main", func() {
			_ = r.bubble.Call(context.Background(), r.worker, func(context.Context) {
				first, second := time.After(time.Second), time.After(2*time.Second)
				select {
				case <-first:
				case <-second:
					swapped++
				}
			})
		})
		if err := r.world.Run(); err != nil {
			t.Fatal(err)
		}
		r.world.Close()
	}
	if swapped < 200 || swapped > 300 {
		t.Errorf("the later timer fired first in %d of %d wakings", swapped, runs)
	}
}

// The runtime takes the timer of a channel out of its heap when the goroutine leaves the select, and adds it again at the next one. The ticker
// is due at 3, 6, 9 and then 12 s.
func TestALoopWaitsAgainForALateTimer(t *testing.T) {
	r := paused(t)
	r.run(t, func(context.Context) {
		idle, expired, renew := time.After(time.Second), time.NewTimer(2*time.Second), time.NewTicker(3*time.Second)
		for range 5 {
			select {
			case <-idle:
				r.log("idle")
				idle = time.After(time.Minute)
			case due := <-expired.C:
				r.log("timer of %v", due.Sub(start()))
				expired.Reset(time.Second)
			case due := <-renew.C:
				r.log("tick of %v", due.Sub(start()))
			}
		}
	}, "10.5001s idle", "10.500100001s timer of 2s", "10.500100002s tick of 3s", "11.500100001s timer of 11.500100001s", "12s tick of 12s")
}

// No goroutine waits for the ticker when its late tick is due. Tickers that are reset and stopped on waking are not late.
func TestALateTickerThatIsReadLaterKeepsItsPhase(t *testing.T) {
	r := paused(t)
	r.run(t, func(context.Context) {
		renew, reset, stopped := time.NewTicker(3*time.Second), time.NewTicker(4*time.Second), time.NewTicker(5*time.Second)
		select {
		case <-time.After(time.Second):
			reset.Reset(4 * time.Second)
			stopped.Stop()
		case <-renew.C:
		case <-reset.C:
		case <-stopped.C:
		}
		time.Sleep(time.Second)
		for range 3 {
			select {
			case due := <-renew.C:
				r.log("tick of %v", due.Sub(start()))
			case due := <-reset.C:
				r.log("reset: tick of %v", due.Sub(start()))
			case <-stopped.C:
				r.log("stopped")
			}
		}
	}, "11.5001s tick of 3s", "12s tick of 12s", "14.5001s reset: tick of 14.5001s")
}

// A processor fires both late timers of 2 s together. Other timers that the code sets change nothing.
func TestTheSeedAloneDecidesWhenLateTimersFire(t *testing.T) {
	late := func(seed uint64, others int) (log string) {
		r := newRig(t, lagging(seed, 2))
		r.world.At(500*time.Millisecond, func() { r.worker.Process().Pause(10 * time.Second) })
		r.run(t, func(context.Context) {
			time.AfterFunc(2*time.Second, func() {})
			expired, renew := time.NewTimer(2*time.Second), time.NewTimer(time.Second)
			for {
				select {
				case <-renew.C:
					log += fmt.Sprint("renew ", time.Since(start()), ", ")
					for range others {
						time.AfterFunc(time.Minute, func() {})
					}
				case <-expired.C:
					log += fmt.Sprint("expired ", time.Since(start()))
					return
				}
			}
		})
		r.world.Close()
		return log
	}
	for seed := range uint64(12) {
		want := late(seed, 0)
		for others := range 20 {
			if got := late(seed, others); got != want {
				t.Errorf("seed %d with %d other timers: %s, and with none: %s", seed, others, got, want)
			}
		}
	}
}

// One processor fires both late timers before the request of the first one leaves.
func TestLateTimersFireTogetherWithoutALag(t *testing.T) {
	r := newRig(t, sim.Config{Cores: 1})
	r.world.At(500*time.Millisecond, func() { r.worker.Process().Pause(10 * time.Second) })
	r.run(t, func(context.Context) {
		time.AfterFunc(2*time.Second, func() { r.log("timer of 2s") })
		time.Sleep(time.Second)
		r.log("asks")
		_ = r.bubble.Ask(r.worker, "x", func() { r.lines = append(r.lines, "the request leaves") })
	}, "10.5s asks", "10.500000001s timer of 2s", "the request leaves")
}

// A second pause of 1 us begins 1 us after the waking. A sleep of a task of the world and the timers of the bubble are late on the same
// processor, which takes a new lag. The world runs a timer of a bubble up to 50 us late, so one that fires right before the second pause, in 2 of
// the runs, is late after it.
func TestASecondPauseDuringTheLagDrawsTheLateTimersAgain(t *testing.T) {
	const again = 10*time.Second + 500001*time.Microsecond
	drawn := 0
	for seed := range uint64(100) {
		r := newRig(t, lagging(seed, 1))
		p := r.worker.Process()
		r.world.At(500*time.Millisecond, func() { p.Pause(10 * time.Second) })
		r.world.At(again, func() { p.Pause(time.Microsecond) })
		var task, first, second, before time.Duration
		r.worker.Go("task", func() {
			_ = r.worker.Sleep(context.Background(), time.Second)
			task = r.world.Time()
		})
		r.run(t, func(context.Context) {
			time.AfterFunc(2*time.Second, func() { second = time.Since(start()) })
			time.Sleep(time.Second)
			first = time.Since(start())
			_ = r.bubble.Ask(r.worker, "x", func() { before = second })
		})
		r.world.Close()
		if task < again {
			continue
		}
		drawn++
		if (first-task).Abs() > 60*time.Microsecond || second != first+1 || before != second {
			t.Errorf("seed %d: the task goes on at %v, the late timers fire at %v and %v, %v when the request leaves", seed, task, first, second, before)
		}
	}
	if drawn != 98 {
		t.Errorf("%d runs have a second pause during the lag", drawn)
	}
}

// The test changes the memory of the runtime during the pause, as another layout would.
func TestARunWhoseTimersAreNotFoundOnWakingFails(t *testing.T) {
	r := paused(t)
	var ts *timers
	r.world.At(5*time.Second, func() { ts.minWhenHeap.Add(-1) })
	r.worker.Go("main", func() {
		_ = r.bubble.Call(context.Background(), r.worker, func(context.Context) {
			last := time.AfterFunc(never, func() {})
			ts = timersOf(&(*timeTimer)(unsafe.Pointer(last)).timer)
			time.Sleep(time.Minute)
		})
	})
	if err := r.world.Run(); !errors.Is(err, errLost) {
		t.Errorf("the run returns %v", err)
	}
}

// lagging configures a world whose processors take a random lag on waking.
func lagging(seed uint64, cores int) sim.Config {
	return sim.Config{Seed: seed, Cores: cores, WakeLag: draw.Dist{Kind: draw.Lognormal, Median: 100 * time.Microsecond, P99: 10 * time.Millisecond}}
}
