package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
	"lockquake/lock/env"
)

// echo answers every request with itself, at its arrival.
type echo struct {
	log    *eventLog
	closed []error
}

func (e *echo) Serve(c *Call) {
	e.log.add("server has %v", c.Req)
	c.Applied()
	c.Reply(c.Req)
}

func (e *echo) Closed(_ *Session, err error) { e.closed = append(e.closed, err) }

// eventLog collects what happened, with its time.
type eventLog struct {
	world *World
	lines []string
}

func (j *eventLog) add(format string, args ...any) {
	j.lines = append(j.lines, fmt.Sprintf("%v %s", j.world.Time(), fmt.Sprintf(format, args...)))
}

func (j *eventLog) want(t *testing.T, lines ...string) {
	t.Helper()
	if diff := cmp.Diff(lines, j.lines); diff != "" {
		t.Errorf("what happened (-want +got):\n%s", diff)
	}
}

// small returns a world with one server and one worker. Every message takes 1 ms, every step 10 us,
// and waking 100 us.
func small(t *testing.T, change func(*Config)) (*World, *Worker, *eventLog) {
	t.Helper()
	cfg := Config{Seed: 1, Step: 10 * time.Microsecond, WakeLag: draw.Fixed(100 * time.Microsecond), Latency: draw.Fixed(time.Millisecond)}
	if change != nil {
		change(&cfg)
	}
	w := New(cfg)
	log := &eventLog{world: w}
	w.AddNode("server", NodeConfig{}).Listen(&echo{log: log})
	k := w.AddNode("worker-1", NodeConfig{}).Process("worker-1").Worker("worker-1")
	t.Cleanup(w.Close)
	return w, k, log
}

func run(t *testing.T, w *World) {
	t.Helper()
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
}

// A call takes a round trip and the step in which its reply is taken.
func TestCallTakesARoundTripAndAStep(t *testing.T) {
	w, k, log := small(t, nil)
	k.Go("main", func() {
		c, err := k.process.Dial(t.Context(), "server", 0)
		_ = c
		log.add("dialled %v", err)
	})
	if err := w.Run(); err == nil || !errors.Is(err, ErrForeignContext) {
		t.Fatalf("a foreign context gave %v", err)
	}

	w, k, log = small(t, nil)
	k.Go("main", func() {
		ctx := context.Background()
		c, err := k.process.Dial(ctx, "server", 0)
		log.add("dialled %v", err)
		answer, err := c.Call(ctx, "read", 7, 0)
		log.add("answer %v %v", answer, err)
	})
	run(t, w)
	log.want(t,
		"2.01ms dialled <nil>",
		"3.01ms server has 7",
		"4.02ms answer 7 <nil>",
	)
}

// A process is paused for 15 s at a point between its check and its write. After the pause it goes
// on with what it had decided before.
func TestAPauseBetweenCheckAndWriteDelaysTheWrite(t *testing.T) {
	w, k, log := small(t, nil)
	k.OnPoint("lease-checked", 1, func() { k.process.Pause(15 * time.Second) })
	k.Go("main", func() {
		ctx := context.Background()
		c, _ := k.process.Dial(ctx, "server", 0)
		log.add("check")
		k.Point("lease-checked")
		log.add("write")
		_, err := c.Call(ctx, "write", "late", 0)
		log.add("written %v", err)
	})
	run(t, w)
	log.want(t,
		"2.01ms check",
		"15.00202s write",
		"15.00302s server has late",
		"15.00403s written <nil>",
	)
}

// A late packet: the process runs, and the network holds its write.
func TestHeldMessageArrivesLateAndHoldsBackItsSuccessors(t *testing.T) {
	w, k, log := small(t, nil)
	k.OnPoint("write.sent", 1, func() {
		if err := w.HoldMessage(15 * time.Second); err != nil {
			t.Error(err)
		}
	})
	k.Go("main", func() {
		ctx := context.Background()
		c, _ := k.process.Dial(ctx, "server", 0)
		k.Go("second", func() {
			_, err := c.Call(ctx, "read", "behind", 0)
			log.add("second answered %v", err)
		})
		_, err := c.Call(ctx, "write", "late", time.Second)
		log.add("first gave up: %v", err)
	})
	run(t, w)
	log.want(t,
		"1.00201s first gave up: i/o timeout",
		"15.00301s server has late", // sent at 2.01 ms, at the far end 1 ms later, held 15 s
		"15.00301s server has behind",
		"15.00402s second answered <nil>",
	)
}

// On waking, a paused process finds both a late deadline and a reply. A setting decides which it
// sees first.
func TestASettingDecidesWhetherDeadlinesOrMessagesComeFirst(t *testing.T) {
	for _, test := range []struct {
		name         string
		arrivalFirst bool
		want         string
	}{
		{"deadlines first", false, "5.0001s answer <nil> i/o timeout"},
		// The reply is taken, which costs a step.
		{"arrival", true, "5.00011s answer 7 <nil>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, k, log := small(t, func(c *Config) { c.ArrivalFirst = test.arrivalFirst })
			w.At(3*time.Millisecond, func() { k.process.Pause(4997 * time.Millisecond) })
			k.Go("main", func() {
				ctx := context.Background()
				c, _ := k.process.Dial(ctx, "server", 0)
				answer, err := c.Call(ctx, "read", 7, time.Second)
				log.add("answer %v %v", answer, err)
			})
			run(t, w)
			log.want(t, "3.01ms server has 7", test.want)
		})
	}
}

// On waking, a task in the middle of a step goes on at once. A late timer fires only after the lag.
func TestWakingRunsStepsBeforeLateTimers(t *testing.T) {
	w, k, log := small(t, nil)
	k.OnPoint("lease-checked", 1, func() { k.process.Pause(5 * time.Second) })
	k.Go("watchdog", func() {
		_ = k.Sleep(context.Background(), time.Second)
		log.add("watchdog")
	})
	k.Go("main", func() {
		k.Point("lease-checked")
		log.add("goes on")
	})
	run(t, w)
	log.want(t, "5.00001s goes on", "5.0001s watchdog")
}

// Two pauses that overlap act as one that ends with the later.
func TestOverlappingPausesUnite(t *testing.T) {
	w, k, log := small(t, nil)
	w.At(1*time.Second, func() { k.process.Pause(3 * time.Second) })
	w.At(2*time.Second, func() { k.process.Pause(time.Second) })
	k.Go("main", func() {
		_ = k.Sleep(context.Background(), 2500*time.Millisecond)
		log.add("slept")
	})
	run(t, w)
	log.want(t, "4.0001s slept")
}

func TestACutHoldsOrDropsMessagesUntilItHeals(t *testing.T) {
	for _, test := range []struct {
		name string
		how  Cut
		want []string
	}{
		// Held at its arrival at 3.01 ms, delivered when the link heals.
		{"hold", CutHold, []string{"2s server has 7", "2.00101s answer 7 <nil>"}},
		// Lost; the connection breaks for both ends when the link heals.
		{"drop", CutDrop, []string{"2s answer <nil> connection reset by peer"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, k, log := small(t, nil)
			w.At(3*time.Millisecond, func() {
				if err := w.CutLink("worker-1", "server", test.how, 1997*time.Millisecond); err != nil {
					t.Error(err)
				}
			})
			k.Go("main", func() {
				ctx := context.Background()
				c, _ := k.process.Dial(ctx, "server", 0)
				answer, err := c.Call(ctx, "read", 7, 0)
				log.add("answer %v %v", answer, err)
			})
			run(t, w)
			log.want(t, test.want...)
		})
	}
}

// A reply can be lost after the effect.
func TestAReplyCanBeLostAfterTheEffect(t *testing.T) {
	w, k, log := small(t, nil)
	k.OnPoint("write.replied", 1, func() {
		if err := w.DropMessage(time.Hour); err != nil {
			t.Error(err)
		}
	})
	k.Go("main", func() {
		ctx := context.Background()
		c, _ := k.process.Dial(ctx, "server", 0)
		_, err := c.Call(ctx, "write", "x", 3*time.Second)
		log.add("%v", err)
		c.Close()
	})
	run(t, w)
	log.want(t, "3.01ms server has x", "3.00201s i/o timeout")
}

func TestHoldNeedsAMessage(t *testing.T) {
	w, k, _ := small(t, nil)
	var err error
	k.OnPoint("acquired", 1, func() { err = w.HoldMessage(time.Second) })
	k.Go("main", func() { k.Point("acquired") })
	run(t, w)
	if err == nil || !strings.Contains(err.Error(), ".sent") {
		t.Errorf("holding a message at a point without one gave %v", err)
	}
}

// A crashed process sends nothing more, not even in its deferred calls.
func TestCrashSilencesDeferredCalls(t *testing.T) {
	w, k, log := small(t, nil)
	w.At(time.Second, k.process.Crash)
	k.Go("main", func() {
		ctx := context.Background()
		c, _ := k.process.Dial(ctx, "server", 0)
		defer func() {
			_, err := c.Call(ctx, "release", "deferred", 0)
			if !errors.Is(err, ErrOver) {
				t.Errorf("a call after the crash gave %v", err)
			}
		}()
		_ = k.Sleep(ctx, time.Hour)
		log.add("never")
	})
	run(t, w)
	w.Close()
	log.want(t)
}

func TestAContextEndsWithItsParentOrItsTimeout(t *testing.T) {
	w, k, log := small(t, nil)
	why := errors.New("lost")
	k.Go("main", func() {
		parent, cancel := k.WithCancel(context.Background())
		child, stop := k.WithTimeout(parent, 3*time.Second)
		defer stop()
		k.Go("canceller", func() {
			_ = k.Sleep(context.Background(), time.Second)
			cancel(why)
		})
		err := k.Sleep(child, time.Minute)
		log.add("%v %v %v", err, child.Err(), context.Cause(child))
		late, stop := k.WithTimeout(context.Background(), 2*time.Second)
		defer stop()
		err = k.NewSem(0).Acquire(late)
		log.add("%v", err)
		if err := k.Sleep(context.WithoutCancel(late), time.Second); err != nil {
			t.Errorf("a context without cancel still ended: %v", err)
		}
	})
	run(t, w)
	log.want(t, "1s lost context canceled lost", "3s context deadline exceeded")
}

// A sleep on a node whose monotonic clock runs 10 % fast is shorter in true time. The wall clock
// does not matter for it.
func TestTimersFollowTheRateOfTheirClock(t *testing.T) {
	w := New(Config{})
	defer w.Close()
	n := w.AddNode("n", NodeConfig{MonoPPM: 100_000, WallOffset: time.Hour, WallPPM: -500_000})
	k := n.Process("n").Worker("n")
	log := &eventLog{world: w}
	k.Go("main", func() {
		_ = k.Sleep(context.Background(), 11*time.Second)
		log.add("mono %v wall %v", k.Mono(), k.Now().Sub(epoch()))
	})
	n.AtWall(epoch().Add(time.Hour+8*time.Second), func() { log.add("wall timer") })
	w.At(12*time.Second, func() { n.StepWall(10 * time.Second) })
	run(t, w)
	log.want(t, "10s mono 11s wall 1h0m5s", "12s wall timer")
}

// A change of rate moves pending timers.
func TestRateChangeMovesTimers(t *testing.T) {
	w, k, log := small(t, nil)
	k.Go("main", func() {
		_ = k.Sleep(context.Background(), 10*time.Second)
		log.add("slept")
	})
	w.At(5*time.Second, func() { k.process.node.SetMonoRate(1_000_000) })
	run(t, w)
	log.want(t, "7.5s slept")
}

func TestSemaphoreServesInOrder(t *testing.T) {
	w, k, log := small(t, nil)
	s := k.NewSem(1)
	for i := range 3 {
		k.Go("waiter", func() {
			if err := s.Acquire(context.Background()); err != nil {
				t.Error(err)
			}
			log.add("waiter %d", i)
			_ = k.Sleep(context.Background(), time.Second)
			s.Release()
		})
	}
	run(t, w)
	log.want(t, "0s waiter 0", "1s waiter 1", "2s waiter 2")
}

func TestPanicIsReportedWithItsOwnStack(t *testing.T) {
	w, k, _ := small(t, nil)
	k.Go("main", func() { explode() })
	err := w.Run()
	var p *PanicError
	if !errors.As(err, &p) {
		t.Fatalf("a panic gave %v", err)
	}
	if p.Worker != "worker-1" || p.Task != "main" || p.Value != "boom" || !strings.Contains(p.Stack, "explode") {
		t.Errorf("the panic is told as %q of %q: %v\n%s", p.Task, p.Worker, p.Value, p.Stack)
	}
}

func explode() { panic("boom") }

func TestARunWithoutProgressEnds(t *testing.T) {
	w, k, _ := small(t, func(c *Config) { c.Step = 0 })
	k.Go("main", func() {
		for {
			k.Point("again")
		}
	})
	if err := w.Run(); !errors.Is(err, ErrNoProgress) {
		t.Fatalf("a run without progress gave %v", err)
	}
}

// After a run no goroutine is left, whatever its tasks were doing.
func TestNoGoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		w, k, _ := small(t, func(c *Config) { c.Limit = time.Second })
		w.At(500*time.Millisecond, k.process.Crash)
		for range 10 {
			k.Go("sleeper", func() {
				defer k.Point("swallowed")
				defer func() { _ = recover() }()
				_ = k.Sleep(context.Background(), time.Hour)
			})
			k.Go("done", func() {})
		}
		run(t, w)
		w.Close()
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

// shop runs a small busy world: workers that call a server, with pauses.
func shop(seed uint64, trace *bytes.Buffer, beat *atomic.Uint64) string {
	cfg := Config{
		Seed: seed, Step: time.Microsecond, WakeLag: draw.Fixed(time.Microsecond), Beat: beat,
		Latency: draw.Dist{Kind: draw.Lognormal, Median: time.Millisecond, P99: 20 * time.Millisecond},
	}
	if trace != nil {
		cfg.Trace = trace
	}
	w := New(cfg)
	defer w.Close()
	w.AddNode("server", NodeConfig{}).Listen(&echo{log: &eventLog{world: w}})
	for i := range 5 {
		name := fmt.Sprintf("worker-%d", i+1)
		k := w.AddNode(name, NodeConfig{}).Process(name).Worker(name)
		w.At(time.Duration(i)*10*time.Millisecond, func() { k.process.Pause(30 * time.Millisecond) })
		k.Go("main", func() {
			c, err := k.process.Dial(context.Background(), "server", time.Second)
			for n := 0; n < 50 && err == nil; n++ {
				_, err = c.Call(context.Background(), "read", n, time.Second)
				k.Point("read")
				_ = k.Sleep(context.Background(), time.Duration(k.Rand("think").Int64N(1e6)))
			}
		})
	}
	_ = w.Run()
	return w.Checksum()
}

func TestSameSeedSameTrace(t *testing.T) {
	var a, b bytes.Buffer
	sum := shop(1, &a, nil)
	if again := shop(1, &b, new(atomic.Uint64)); again != sum {
		t.Errorf("one seed gave the checksums %s and %s", sum, again)
	}
	if silent := shop(1, nil, nil); silent != sum {
		t.Errorf("writing the trace changes the checksum from %s to %s", silent, sum)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("one seed gave two traces")
	}
	if other := shop(2, nil, nil); other == sum {
		t.Error("two seeds gave one checksum")
	}
}

func BenchmarkEvents(b *testing.B) {
	w := New(Config{Step: time.Microsecond})
	defer w.Close()
	n := w.AddNode("n", NodeConfig{})
	b.ReportAllocs()
	for i := range 10 {
		k := n.Process("p").Worker(fmt.Sprint(i))
		k.Go("main", func() {
			for w.events < int64(b.N) {
				_ = k.Sleep(context.Background(), time.Duration(1000+i))
			}
		})
	}
	b.ResetTimer()
	if err := w.Run(); err != nil {
		b.Fatal(err)
	}
}

// The task goes on with another sleep when its first one ends. The end of the first one's context does not wake it.
func TestAContextWakesOnlyTasksThatStillWaitForIt(t *testing.T) {
	w, k, log := small(t, nil)
	w.At(time.Second/2, func() {}) // so that the task is parked
	k.Go("main", func() {
		ctx, cancel := k.WithCancel(context.Background())
		w.At(5*time.Second, func() { cancel(nil) })
		log.add("%v", k.Sleep(ctx, time.Second))
		log.add("%v", k.Sleep(context.Background(), 10*time.Second))
	})
	run(t, w)
	log.want(t, "1s <nil>", "11s <nil>")
}

func TestATimeoutCanBeCancelled(t *testing.T) {
	w, k, log := small(t, nil)
	k.Go("main", func() {
		ctx, cancel := k.WithTimeout(context.Background(), 3*time.Second)
		w.At(time.Second, cancel)
		log.add("%v", k.Sleep(ctx, time.Minute))
	})
	run(t, w)
	log.want(t, "1s context canceled")
}

func TestATaskCanWaitForTheEndOfAnother(t *testing.T) {
	w, k, log := small(t, nil)
	k.Go("main", func() {
		done := k.Go("other", func() { _ = k.Sleep(context.Background(), time.Second) })
		log.add("%v", done.Acquire(context.Background()))
	})
	run(t, w)
	log.want(t, "1s <nil>")
}

// A task that goes on after it has stopped or failed the run gets no further than its next step.
func TestNothingHappensAfterTheEndOfARun(t *testing.T) {
	broken := errors.New("unknown command")
	for name, end := range map[string]func(w *World){
		"stopped": func(w *World) { w.Stop() },
		"failed":  func(w *World) { w.Fail(broken) },
	} {
		t.Run(name, func(t *testing.T) {
			w, k, log := small(t, nil)
			w.At(3*time.Second, func() { log.add("a later event") })
			k.Go("main", func() {
				_ = k.Sleep(context.Background(), time.Second)
				end(w)
				_ = k.Sleep(context.Background(), time.Second)
				log.add("the task goes on")
			})
			if err := w.Run(); name == "failed" && !errors.Is(err, broken) {
				t.Errorf("the run ends with %v", err)
			}
			log.want(t)
		})
	}
}

func TestAFailureOutsideOfATaskEndsTheRun(t *testing.T) {
	w, _, log := small(t, nil)
	broken := errors.New("unknown command")
	w.At(time.Second, func() { w.Fail(broken) })
	w.At(2*time.Second, func() { log.add("a later event") })
	if err := w.Run(); !errors.Is(err, broken) {
		t.Errorf("the run ends with %v", err)
	}
	log.want(t)
}

// No task takes part.
func TestEventsWithoutProgressEndARun(t *testing.T) {
	w, _, _ := small(t, nil)
	var again func()
	again = func() { w.At(0, again) }
	again()
	if err := w.Run(); !errors.Is(err, ErrNoProgress) {
		t.Errorf("the run ends with %v", err)
	}
}

// Three functions are called, and the timer of one task ends.
func TestAWorldCountsItsEvents(t *testing.T) {
	w, k, _ := small(t, nil)
	for i := range 3 {
		w.At(time.Duration(i)*time.Second, func() {})
	}
	k.Go("main", func() { _ = k.Sleep(context.Background(), time.Minute) })
	run(t, w)
	if w.Events() != 4 {
		t.Errorf("%d events, want 4", w.Events())
	}
}

// A node keeps its links to two others in itself, and further ones beside it.
func TestAClientCanCallManyServers(t *testing.T) {
	w := New(Config{Latency: draw.Fixed(time.Millisecond)})
	defer w.Close()
	log := &eventLog{world: w}
	names := []string{"server-1", "server-2", "server-3", "server-4"}
	for _, name := range names {
		w.AddNode(name, NodeConfig{}).Listen(&echo{log: log})
	}
	k := w.AddNode("client", NodeConfig{}).Process("client").Worker("client")
	k.Go("main", func() {
		for _, name := range names {
			c, err := k.process.Dial(context.Background(), name, 0)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := c.Call(context.Background(), "read", name, 0); err != nil {
				t.Error(err)
			}
		}
	})
	run(t, w)
	log.want(t, "3ms server has server-1", "7ms server has server-2", "11ms server has server-3", "15ms server has server-4")
}

// Two sleeps end at 10 s by a clock that becomes twice as fast at 5 s.
func TestARateChangeKeepsTheOrderOfTimers(t *testing.T) {
	w, k, log := small(t, nil)
	for _, name := range []string{"first", "second", "third"} {
		k.Go(name, func() {
			_ = k.Sleep(context.Background(), 10*time.Second)
			log.add("%s", name)
		})
	}
	w.At(5*time.Second, func() { k.process.node.SetMonoRate(1_000_000) })
	run(t, w)
	log.want(t, "7.5s first", "7.5s second", "7.5s third")
}

// The trace has the steps of a request, each with its number, and the points that the worker passes.
func TestATraceHasTheStepsOfARequest(t *testing.T) {
	var trace bytes.Buffer
	w, k, _ := small(t, func(c *Config) { c.Trace = &trace })
	k.Go("main", func() {
		c, _ := k.process.Dial(context.Background(), "server", 0)
		trace.Reset()
		_, _ = c.Call(context.Background(), "read", nil, 0)
	})
	run(t, w)
	want := `
0.002010000 sent     worker-1 read 2
0.002010000 point    worker-1 read.sent
0.003010000 arrived  server read 2
0.003010000 applied  server read 2
0.003010000 point    worker-1 read.applied
0.003010000 replied  server read 2
0.003010000 point    worker-1 read.replied
0.004010000 taken    worker-1 read 2
0.004010000 point    worker-1 read.taken
`
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), trace.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAChecksumCoversTheTextsOfATrace(t *testing.T) {
	sum := func(text string) string {
		w, _, _ := small(t, nil)
		w.At(time.Second, func() { w.Note("worker-1", text, nil) })
		run(t, w)
		return w.Checksum()
	}
	first, again, other := sum("granted"), sum("granted"), sum("refused")
	if first != again || first == other {
		t.Errorf("the checksums of one text are %s and %s, and that of another one %s", first, again, other)
	}
}

// Nothing happens after the limit, neither in a task that sleeps beyond it nor elsewhere.
func TestARunEndsAtItsLimit(t *testing.T) {
	for _, test := range []struct {
		name   string
		limit  time.Duration
		extend time.Duration
		busy   bool // something else happens during the sleep
		want   []string
	}{
		{"before the end of a sleep", time.Second, 0, false, nil},
		{"before the end of a sleep, and of others", time.Second, 0, true, []string{"500ms other"}},
		{"at the end of a sleep", 2 * time.Second, 0, false, []string{"2s slept"}},
		{"moved", time.Second, 3 * time.Second, false, []string{"2s slept"}},
		{"moved back", 2 * time.Second, time.Second, false, []string{"2s slept"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, k, log := small(t, func(c *Config) { c.Limit = test.limit })
			w.Extend(test.extend)
			if test.busy {
				w.At(time.Second/2, func() { log.add("other") })
				w.At(3*time.Second/2, func() { log.add("never") })
			}
			k.Go("main", func() {
				_ = k.Sleep(context.Background(), 2*time.Second)
				log.add("slept")
				_ = k.Sleep(context.Background(), time.Hour)
				log.add("never")
			})
			run(t, w)
			log.want(t, test.want...)
			if limit := max(test.limit, test.extend); !w.Limited() || w.Time() != limit {
				t.Errorf("limited %v, ended at %v, want %v", w.Limited(), w.Time(), limit)
			}
		})
	}
}

// Two tasks wake each other without an event.
func TestTasksWithoutProgressEndARun(t *testing.T) {
	w, k, _ := small(t, nil)
	ping, pong := k.NewSem(1), k.NewSem(0)
	for _, pair := range [][2]env.Sem{{ping, pong}, {pong, ping}} {
		k.Go("player", func() {
			for pair[0].Acquire(context.Background()) == nil {
				pair[1].Release()
			}
		})
	}
	if err := w.Run(); !errors.Is(err, ErrNoProgress) {
		t.Errorf("the run ends with %v", err)
	}
}

// Only events of one instant are no progress.
func TestManyEventsInTimeAreProgress(t *testing.T) {
	w, k, _ := small(t, nil)
	k.Go("main", func() {
		for range maxAtOneInstant + 1 {
			_ = k.Sleep(context.Background(), 1)
		}
	})
	run(t, w)
	if want := time.Duration(maxAtOneInstant + 1); w.Time() != want {
		t.Errorf("ended at %v, want %v", w.Time(), want)
	}
}

func TestATaskOfACrashedProcessIsOver(t *testing.T) {
	w, k, log := small(t, nil)
	k.Go("main", func() {
		k.process.Crash()
		log.add("%v", k.Sleep(context.Background(), time.Second))
	})
	run(t, w)
	log.want(t, "0s the run is over")
}

func TestAContextHasItsDeadline(t *testing.T) {
	w, k, _ := small(t, nil)
	k.Go("main", func() {
		outer, stop := k.WithTimeout(context.Background(), 5*time.Second)
		defer stop()
		for d, want := range map[time.Duration]time.Duration{3 * time.Second: 3 * time.Second, 8 * time.Second: 5 * time.Second} {
			inner, stop := k.WithTimeout(outer, d)
			if at, ok := inner.Deadline(); !ok || at.Sub(k.Now()) != want {
				t.Errorf("a timeout of %v within one of 5 s ends at %v, %v, want %v from now", d, at, ok, want)
			}
			stop()
		}
	})
	run(t, w)
}

// Work takes 2.5 s of processor time, and pauses stop it from 1 s to 4 s.
func TestOverlappingPausesStopWorkOnce(t *testing.T) {
	w, k, log := small(t, nil)
	w.At(1*time.Second, func() { k.process.Pause(3 * time.Second) })
	w.At(2*time.Second, func() { k.process.Pause(time.Second) })
	k.Go("main", func() {
		_ = k.Compute(2500 * time.Millisecond)
		log.add("computed")
	})
	run(t, w)
	log.want(t, "5.5s computed")
}

// The dial arrives at 1 ms. The client has given up at 1.5 ms, and the server hears of that 1 ms later.
func TestADialThatGivesUpLeavesNoConnection(t *testing.T) {
	w, k, log := small(t, nil)
	n := w.nodes["server"]
	n.Listen(&closingEcho{echo{log: log}})
	k.Go("main", func() {
		_, err := k.process.Dial(context.Background(), "server", 1500*time.Microsecond)
		log.add("%v", err)
	})
	run(t, w)
	log.want(t, "1.5ms dial server: i/o timeout", "2.5ms server is told: <nil>")
	if len(n.conns) != 0 || len(k.process.conns) != 0 {
		t.Errorf("%d connections are left at the server and %d at the client", len(n.conns), len(k.process.conns))
	}
}

// Two messages of one connection are held for 1 s each, one after the other. A third one comes after both.
func TestAMessageWaitsBehindAllThatAreHeld(t *testing.T) {
	w, k, log := small(t, nil)
	for i := range 2 {
		k.OnPoint("write.sent", i+1, func() {
			if err := w.HoldMessage(time.Second); err != nil {
				t.Error(err)
			}
		})
	}
	k.Go("main", func() {
		c, _ := k.process.Dial(context.Background(), "server", 0)
		for _, name := range []string{"a", "b", "c"} {
			k.Go(name, func() { _, _ = c.Call(context.Background(), "write", name, 0) })
		}
	})
	run(t, w)
	log.want(t, "1.00301s server has a", "2.00301s server has b", "2.00301s server has c")
}

func TestOnlyNodesHaveLinks(t *testing.T) {
	w, _, _ := small(t, nil)
	for name, do := range map[string]func(from, to string) error{
		"SetLatency": func(from, to string) error { return w.SetLatency(from, to, draw.Fixed(0)) },
		"CutLink":    func(from, to string) error { return w.CutLink(from, to, CutDrop, 0) },
		"Reset":      func(from, to string) error { return w.Reset(from, to) },
	} {
		for _, ends := range [][2]string{{"nobody", "server"}, {"server", "nobody"}} {
			if err, want := do(ends[0], ends[1]), fmt.Sprintf("no link from %q to %q", ends[0], ends[1]); err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
		if err := do("worker-1", "server"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The numbers of a worker follow from the seed, the name of the stream and its own name. After a restart they are others.
func TestEachLifeOfAWorkerDrawsItsOwnNumbers(t *testing.T) {
	w, k, _ := small(t, nil)
	first := w.source.Stream("token", "worker-1").Rand()
	second := w.source.Stream("token", "worker-1, life 2").Rand()
	k.Go("main", func() {
		for range 3 {
			if got, want := k.Rand("token").Uint64(), first.Uint64(); got != want {
				t.Errorf("the first life draws %d, want %d", got, want)
			}
		}
	})
	again := k.Restart()
	again.Go("main", func() {
		for range 3 {
			if got, want := again.Rand("token").Uint64(), second.Uint64(); got != want {
				t.Errorf("the second life draws %d, want %d", got, want)
			}
		}
	})
	run(t, w)
}

// Four sleeps of 1 to 4 s, and one whose context ends at 1.5 s. At 2.5 s their clock becomes twice as fast, which moves only the
// timers that are still pending.
func TestARateChangeMovesNoTimerThatHasEnded(t *testing.T) {
	w, k, log := small(t, nil)
	for _, i := range []int{4, 3, 2, 1} {
		k.Go("sleeper", func() {
			_ = k.Sleep(context.Background(), time.Duration(i)*time.Second)
			log.add("%d", i)
			_ = k.NewSem(0).Acquire(context.Background())
			log.add("%d again", i)
		})
	}
	k.Go("cancelled", func() {
		ctx, stop := k.WithTimeout(context.Background(), 1500*time.Millisecond)
		defer stop()
		log.add("%v", k.Sleep(ctx, 3500*time.Millisecond))
		_ = k.NewSem(0).Acquire(context.Background())
		log.add("cancelled again")
	})
	w.At(2500*time.Millisecond, func() { k.process.node.SetMonoRate(1_000_000) })
	run(t, w)
	log.want(t, "1s 1", "1.5s context deadline exceeded", "2s 2", "2.75s 3", "3.25s 4")
}

// The task has its permit at 1 s. The end of the context with which it asked for it does not wake it.
func TestAContextWakesNoTaskThatHasItsPermit(t *testing.T) {
	w, k, log := small(t, nil)
	s := k.NewSem(0)
	w.At(time.Second, s.Release)
	k.Go("main", func() {
		ctx, cancel := k.WithCancel(context.Background())
		w.At(5*time.Second, func() { cancel(nil) })
		log.add("%v", s.Acquire(ctx))
		log.add("%v", k.Sleep(context.Background(), 10*time.Second))
	})
	run(t, w)
	log.want(t, "1s <nil>", "11s <nil>")
}

// TCP delivers nothing behind a segment that is lost.
func TestNothingComesBehindALostMessage(t *testing.T) {
	w, k, log := small(t, nil)
	k.OnPoint("write.sent", 1, func() {
		if err := w.DropMessage(time.Hour); err != nil {
			t.Error(err)
		}
	})
	k.Go("main", func() {
		c, _ := k.process.Dial(context.Background(), "server", 0)
		for _, name := range []string{"first", "second"} {
			k.Go(name, func() {
				_, err := c.Call(context.Background(), "write", name, 0)
				log.add("%s %v", name, err)
			})
		}
	})
	run(t, w)
	reset := "1h0m0.00301s"
	log.want(t, reset+" first connection reset by peer", reset+" second connection reset by peer")
}

func TestACallOnAClosedConnectionFailsAtOnce(t *testing.T) {
	w, k, log := small(t, nil)
	k.Go("main", func() {
		c, _ := k.process.Dial(context.Background(), "server", 0)
		c.Close()
		_, err := c.Call(context.Background(), "write", "x", 0)
		log.add("%v", err)
	})
	run(t, w)
	log.want(t, "2.01ms use of closed network connection")
}

func TestAWallTimerFiresOnce(t *testing.T) {
	w, k, log := small(t, nil)
	n := k.process.node
	n.AtWall(n.Now().Add(time.Second), func() { log.add("timer") })
	w.At(2*time.Second, func() { n.StepWall(time.Minute) })
	w.At(3*time.Second, func() { n.StepWall(-time.Hour) })
	run(t, w)
	log.want(t, "1s timer")
}
