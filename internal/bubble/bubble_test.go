package bubble

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
	"lockquake/sim"
)

// echo answers every request with itself.
type echo struct{}

func (echo) Serve(c *sim.Call) {
	c.Applied()
	c.Reply(c.Req)
}

func (echo) Closed(*sim.Session, error) {}

// rig is a world with a server and one process in a bubble. A message takes 1 ms, a step 10 us, and the waking 100 us
// unless the number of processors is set.
type rig struct {
	world  *sim.World
	worker *sim.Worker
	bubble *Bubble
	conn   *sim.Conn

	mu    sync.Mutex
	lines []string
}

func newRig(t *testing.T, cfg sim.Config) *rig {
	cfg.Step, cfg.Latency = 10*time.Microsecond, draw.Fixed(time.Millisecond)
	if cfg.Cores == 0 {
		cfg.Seed, cfg.WakeLag = 1, draw.Fixed(100*time.Microsecond)
	}
	if cfg.Limit == 0 {
		cfg.Limit = time.Hour
	}
	r := &rig{world: sim.New(cfg)}
	t.Cleanup(r.world.Close)
	r.world.AddNode("server", sim.NodeConfig{}).Listen(echo{})
	p := r.world.AddNode("worker", sim.NodeConfig{}).Process("worker")
	r.worker = p.Worker("worker")
	r.bubble = New(t, p, "", new(atomic.Bool))
	return r
}

// log notes what a goroutine of the bubble does, with the time that it reads.
func (r *rig) log(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf("%v %s", time.Since(start()), fmt.Sprintf(format, args...)))
}

// start is the wall clock at the start of every world.
func start() time.Time { return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) }

// request sends a request from a goroutine of the bubble.
func (r *rig) request(what string) (err error) {
	over := r.bubble.Ask(r.worker, what, func() {
		if r.conn == nil {
			r.conn, err = r.worker.Process().Dial(context.Background(), "server", 0)
		}
		if err == nil {
			_, err = r.conn.Call(context.Background(), what, what, 0)
		}
	})
	return errors.Join(over, err)
}

// run runs a function in the bubble, as the main task of the worker, and compares the log.
func (r *rig) run(t *testing.T, f func(ctx context.Context), want ...string) {
	t.Helper()
	r.worker.Go("main", func() {
		if err := r.bubble.Call(context.Background(), r.worker, f); err != nil {
			t.Error(err)
		}
	})
	if err := r.world.Run(); err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if diff := cmp.Diff(want, r.lines); diff != "" {
		t.Errorf("what happened (-want +got):\n%s", diff)
	}
}

func TestTimersAndRequestsTakeVirtualTime(t *testing.T) {
	r := newRig(t, sim.Config{})
	r.run(t, func(context.Context) {
		r.log("begins")
		time.Sleep(time.Second)
		r.log("slept")
		_ = r.request("get")
		r.log("has a reply")
	}, "0s begins", "1s slept", "1.00402s has a reply")
}

// A ticker of one goroutine goes on while another waits for a reply.
func TestGoroutinesShareTheClock(t *testing.T) {
	r := newRig(t, sim.Config{})
	r.run(t, func(ctx context.Context) {
		ctx, stop := context.WithTimeout(ctx, 2*time.Millisecond)
		defer stop()
		go func() {
			<-ctx.Done()
			r.log("the context ends")
		}()
		_ = r.request("get")
		r.log("has a reply")
	}, "2ms the context ends", "4.02ms has a reply")
}

// A pause stops the timers. On waking they are late, and what they ask for leaves then.
func TestAPauseStopsTheBubble(t *testing.T) {
	r := newRig(t, sim.Config{})
	r.world.At(500*time.Millisecond, func() { r.worker.Process().Pause(10 * time.Second) })
	r.run(t, func(context.Context) {
		time.Sleep(time.Second)
		_ = r.request("get")
		r.log("has a reply")
	}, "10.50412s has a reply")
}

func TestACrashEndsTheBubble(t *testing.T) {
	r := newRig(t, sim.Config{})
	r.world.At(500*time.Millisecond, r.worker.Process().Crash)
	r.run(t, func(context.Context) {
		r.log("begins")
		time.Sleep(time.Second)
		r.log("slept")
	}, "0s begins")
}

// While the network is cut the clock goes on: a timeout of 2 s that begins at 1 s ends at 3 s. The dial waits at the
// cut from 1.001 s until the network heals at 3.5 s; its answer takes 1 ms, the request and its reply 2 ms, and each of
// the two answers a step.
func TestAPartitionHoldsRequestsAndNotTheClock(t *testing.T) {
	r := newRig(t, sim.Config{})
	r.world.At(500*time.Millisecond, func() {
		if err := r.world.CutLink("worker", "server", sim.CutHold, 3*time.Second); err != nil {
			t.Error(err)
		}
	})
	r.run(t, func(ctx context.Context) {
		time.Sleep(time.Second)
		ctx, stop := context.WithTimeout(ctx, 2*time.Second)
		defer stop()
		go func() {
			<-ctx.Done()
			r.log("the context ends")
		}()
		_ = r.request("get")
		r.log("has a reply")
	}, "3s the context ends", "3.50302s has a reply")
}

// A clock that runs at twice the speed of true time fires its timers at half of their time.
func TestTheClockOfTheNodeSetsThePace(t *testing.T) {
	r := newRig(t, sim.Config{})
	r.worker.Process().Node().SetMonoRate(1_000_000)
	var at time.Duration
	r.run(t, func(context.Context) {
		time.Sleep(2 * time.Second)
		_ = r.bubble.Ask(r.worker, "time", func() { at = r.world.Time() })
		r.log("slept")
	}, "2s slept")
	if at != time.Second {
		t.Errorf("2 s of a clock at twice the rate took %v", at)
	}
}

// While the node is suspended its clock stands still.
func TestASuspendedNode(t *testing.T) {
	r := newRig(t, sim.Config{})
	r.world.At(500*time.Millisecond, func() { r.worker.Process().Node().Suspend(10 * time.Second) })
	var at time.Duration
	r.run(t, func(context.Context) {
		time.Sleep(time.Second)
		_ = r.bubble.Ask(r.worker, "time", func() { at = r.world.Time() })
		r.log("slept")
	}, "1s slept")
	if at != 11*time.Second {
		t.Errorf("the sleep ended at %v", at)
	}
}

// A call that waits for its context ends with it, and has its cause.
func TestTheContextOfACallEnds(t *testing.T) {
	r := newRig(t, sim.Config{})
	lost := errors.New("lost")
	r.worker.Go("main", func() {
		ctx, cancel := r.worker.WithCancel(context.Background())
		r.world.At(time.Second, func() { cancel(lost) })
		_ = r.bubble.Call(ctx, r.worker, func(ctx context.Context) {
			<-ctx.Done()
			r.log("%v", context.Cause(ctx))
		})
	})
	if err := r.world.Run(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1s lost"}, r.lines); diff != "" {
		t.Error(diff)
	}
}

// gate answers a request to wait when it gets one to open.
type gate struct{ waiting []*sim.Call }

func (g *gate) Serve(c *sim.Call) {
	c.Applied()
	if c.Req == "wait" {
		g.waiting = append(g.waiting, c)
		return
	}
	for _, w := range append(g.waiting, c) {
		w.Reply(nil)
	}
	g.waiting = nil
}

func (*gate) Closed(*sim.Session, error) {}

// A call that waits at a server is answered when the goroutine of another process opens the gate, and not after
// the next event of the world.
func TestACallThatWaitsAtAServer(t *testing.T) {
	r := newRig(t, sim.Config{})
	r.world.Node("server").Listen(&gate{})
	p := r.world.AddNode("other", sim.NodeConfig{}).Process("other")
	other := &rig{world: r.world, worker: p.Worker("other"), bubble: New(t, p, "", new(atomic.Bool))}
	other.worker.Go("main", func() {
		_ = other.bubble.Call(context.Background(), other.worker, func(context.Context) {
			time.Sleep(5 * time.Second)
			_ = other.request("open")
		})
	})
	r.run(t, func(ctx context.Context) {
		ctx, stop := context.WithTimeout(ctx, time.Minute)
		defer stop()
		go func() {
			<-ctx.Done()
		}()
		_ = r.request("wait")
		r.log("%v, %v", time.Since(start()).Round(10*time.Millisecond), ctx.Err())
	}, "5.00402s 5s, <nil>")
}

func TestAPanicOfACall(t *testing.T) {
	err := called(t, func() { panic("bad") })
	if p, ok := errors.AsType[*sim.PanicError](err); !ok || p.Value != "bad" {
		t.Errorf("the call returns %v", err)
	}
}

// called returns the error of a call that runs f.
func called(t *testing.T, f func()) (err error) {
	t.Helper()
	r := newRig(t, sim.Config{})
	r.worker.Go("main", func() {
		err = r.bubble.Call(context.Background(), r.worker, func(context.Context) { f() })
	})
	if err := r.world.Run(); err != nil {
		t.Fatal(err)
	}
	return err
}

// FailNow of a test ends the goroutine that calls it. The call says so, and where.
func TestACallThatEndsItsGoroutine(t *testing.T) {
	err := called(t, runtime.Goexit)
	if exit, ok := errors.AsType[*ExitError](err); !ok || !strings.Contains(exit.Place, "/bubble_test.go:") {
		t.Errorf("the call returns %v", err)
	}
}

// The place of a panic is that of the code that panicked, and not that of the function that caught it.
func TestThePlaceOfAPanic(t *testing.T) {
	err := called(t, func() { _ = *(*int)(nil) })
	if p, ok := errors.AsType[*sim.PanicError](err); !ok || !strings.Contains(PlaceOf(p.Stack), "/bubble_test.go:") {
		t.Errorf("the call returns %v", err)
	}
}

// A run whose bubble sleeps beyond the limit ends at the limit.
func TestTheLimitEndsARun(t *testing.T) {
	r := newRig(t, sim.Config{Limit: 3 * time.Second})
	r.run(t, func(context.Context) { time.Sleep(time.Minute) })
	if !r.world.Limited() || r.world.Time() != 3*time.Second {
		t.Errorf("it ended at %v, limited: %v", r.world.Time(), r.world.Limited())
	}
}

// After the end of the run a goroutine that retries for ever is ended.
func TestCallsAfterTheEndFail(t *testing.T) {
	r := newRig(t, sim.Config{Limit: time.Second})
	errs := make(chan error, 2*patience)
	r.run(t, func(context.Context) {
		for {
			time.Sleep(time.Millisecond)
			if err := r.request("get"); err != nil {
				errs <- err
			}
		}
	})
	r.world.Close()
	if err := <-errs; !errors.Is(err, sim.ErrOver) {
		t.Errorf("a request after the end returns %v", err)
	}
}

// A goroutine that waits for a timer, for the end of its context or for its client ends with the run, also in a
// process that has crashed.
func TestGoroutinesEndWithTheRun(t *testing.T) {
	r := newRig(t, sim.Config{Limit: time.Second})
	r.world.At(500*time.Millisecond, r.worker.Process().Crash)
	ended := make(chan string, 3)
	r.run(t, func(ctx context.Context) {
		closed := make(chan struct{})
		r.bubble.AtEnd(func() { close(closed) })
		go func() {
			time.Sleep(30 * time.Second)
			ended <- "timer"
		}()
		go func() {
			<-ctx.Done()
			ended <- context.Cause(ctx).Error()
		}()
		go func() {
			<-closed
			ended <- "client"
		}()
	})
	r.world.Close()
	close(ended)
	var got []string
	for what := range ended {
		got = append(got, what)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"client", sim.ErrOver.Error(), "timer"}, got); diff != "" {
		t.Error(diff)
	}
}

// A service stops before the client that it uses is closed. One that does not stop keeps no client open.
func TestTheLastFunctionIsCalledFirstAtTheEnd(t *testing.T) {
	for _, test := range []struct {
		name  string
		stops time.Duration
		want  []string
	}{
		{"the service stops", 5 * time.Second, []string{"stops", "stopped", "closed"}},
		{"the service does not stop", time.Hour, []string{"stops", "closed"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, sim.Config{Limit: time.Second})
			events := make(chan string, 3)
			r.run(t, func(context.Context) {
				r.bubble.AtEnd(func() { events <- "closed" })
				r.bubble.AtEnd(func() {
					events <- "stops"
					time.Sleep(test.stops)
					events <- "stopped"
				})
			})
			r.world.Close()
			var got []string
			for len(events) > 0 {
				got = append(got, <-events)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A client that is made while the goroutines of a run end is closed too.
func TestAClientThatIsMadeAfterTheEndIsClosed(t *testing.T) {
	r := newRig(t, sim.Config{Limit: time.Second})
	closed := false
	r.run(t, func(context.Context) {
		go func() {
			time.Sleep(2 * time.Second)
			r.bubble.AtEnd(func() { closed = true })
		}()
	})
	r.world.Close()
	if !closed {
		t.Error("it is open after the end of the world")
	}
}

func TestSeedRepeatsTheRandomNumbers(t *testing.T) {
	numbers := func() string {
		Seed(t, 7)
		return fmt.Sprint(numbersOf())
	}
	if a, b := numbers(), numbers(); a != b {
		t.Errorf("%s, then %s", a, b)
	}
}

const stacks = `goroutine 35 [sync.Mutex.Lock, synctest bubble 2 labels:{"rerun": "go test"}]:
internal/sync.runtime_SemacquireMutex(0x1, 0x2, 0x3)
	/usr/local/go/src/runtime/sema.go:95 +0x25
sync.(*Mutex).Lock(...)
	/usr/local/go/src/sync/mutex.go:46
example.com/locks.(*cache).get(0x1)
	/home/me/locks/cache.go:17 +0x31

goroutine 36 [sleep (durable), synctest bubble 2]:
time.Sleep(0x1)
	/usr/local/go/src/runtime/time.go:363 +0x1

goroutine 1 [chan receive]:
main.main()
	/home/me/main.go:1 +0x1`

func TestHangingNamesTheMutex(t *testing.T) {
	const want = "a goroutine waits for a mutex that another one holds while it waits for time or a server at /home/me/locks/cache.go:17"
	if got := hanging(stacks, false); got != want {
		t.Errorf("got %q", got)
	}
}

const panicked = `=== RUN   TestIt
panic: bad

goroutine 7 gp=0x1 m=0 [running, synctest bubble 3 labels:{"rerun": "go test -run '^TestIt$' -lockquake.replay \"x\""}]:
example.com/locks.(*cache).renew(0x1)
	/home/me/locks/cache.go:20 +0x31
created by example.com/locks.(*cache).get in goroutine 6
	/home/me/locks/cache.go:17 +0x11

goroutine 1 [chan receive]:
main.main()
	/home/me/main.go:1 +0x1`

func TestPanickedFindsTheGoroutineOfABubble(t *testing.T) {
	value, place, rerun := Panicked(panicked)
	if value != "bad" || place != "/home/me/locks/cache.go:20" || rerun != `go test -run '^TestIt$' -lockquake.replay "x"` {
		t.Errorf("%s at %s: %s", value, place, rerun)
	}
	if value, _, _ := Panicked(strings.ReplaceAll(panicked, "labels", "")); value != "" {
		t.Errorf("a panic of a goroutine without a label: %s", value)
	}
}

// A goroutine waits for a mutex until another one of its process, which waits for time, unlocks it.
func TestAMutexMayBeHeldWhileItsHolderWaits(t *testing.T) {
	var mu sync.Mutex
	var rw sync.RWMutex
	for _, test := range []struct {
		name       string
		held, want sync.Locker
	}{
		{"Mutex", &mu, &mu},
		{"RWMutex, read after write", &rw, rw.RLocker()},
		{"RWMutex, write after read", rw.RLocker(), &rw},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, sim.Config{Limit: time.Minute})
			var waited time.Duration
			r.run(t, func(context.Context) {
				go func() {
					test.held.Lock()
					defer test.held.Unlock()
					time.Sleep(5 * time.Second)
				}()
				time.Sleep(time.Second)
				began := time.Now()
				test.want.Lock()
				defer test.want.Unlock()
				waited = time.Since(began)
			})
			r.world.Close()
			if waited != 4*time.Second {
				t.Errorf("it waited %v for a mutex that is held for 4s more", waited)
			}
		})
	}
}

// Without the table a bubble waits for ever, which locktest reports.
func TestAnUnknownTableOfTheRuntimeIsNotFound(t *testing.T) {
	data := make([]byte, 200)
	of := func() []byte { return tableOf(&module{noptrdata: &data[0], enoptrdata: &data[199]}) }
	if of() != nil {
		t.Error("a table is found in zeros")
	}
	for _, i := range durable() {
		data[7+i] = 1
	}
	if got := of(); len(got) != reasons || &got[0] != &data[7] {
		t.Error("the table is not found at its place")
	}
	for _, i := range durable() {
		data[107+i] = 1
	}
	if of() != nil {
		t.Error("one of two tables is found")
	}
}
