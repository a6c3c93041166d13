package sim

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// elsewhere runs f on a goroutine of its own, and returns when it has ended.
func elsewhere(f func()) {
	var all sync.WaitGroup
	all.Go(f)
	all.Wait()
}

// Any call from a goroutine that is not a task ends the run with an error. The caller gets the
// error too, and the task never gets to its next step.
func TestACallFromAForeignGoroutineEndsTheRun(t *testing.T) {
	ctx := context.Background()
	calls := map[string]func(k *Worker, c *Conn, under context.Context){
		"Sleep":       func(k *Worker, _ *Conn, _ context.Context) { mustBeTold(t, k.Sleep(ctx, time.Second)) },
		"Now":         func(k *Worker, _ *Conn, _ context.Context) { k.Now() },
		"Mono":        func(k *Worker, _ *Conn, _ context.Context) { k.Mono() },
		"WithCancel":  func(k *Worker, _ *Conn, _ context.Context) { k.WithCancel(ctx) },
		"WithTimeout": func(k *Worker, _ *Conn, _ context.Context) { k.WithTimeout(ctx, time.Second) },
		"Go": func(k *Worker, _ *Conn, _ context.Context) {
			k.Go("stray", func() { t.Error("the stray task runs") })
		},
		"Rand":  func(k *Worker, _ *Conn, _ context.Context) { k.Rand("token").Uint64() },
		"Point": func(k *Worker, _ *Conn, _ context.Context) { k.Point("acquired") },
		"Exit":  func(k *Worker, _ *Conn, _ context.Context) { k.Exit(errors.New("no")); t.Error("Exit returns") },
		"Acquire": func(k *Worker, _ *Conn, _ context.Context) {
			mustBeTold(t, k.NewSem(1).Acquire(ctx))
		},
		"TryAcquire": func(k *Worker, _ *Conn, _ context.Context) {
			if k.NewSem(1).TryAcquire() {
				t.Error("a permit is given")
			}
		},
		"Release": func(k *Worker, _ *Conn, _ context.Context) { k.NewSem(1).Release() },
		"Dial": func(k *Worker, _ *Conn, _ context.Context) {
			_, err := k.Process().Dial(ctx, "server", 0)
			mustBeTold(t, err)
		},
		"Call": func(_ *Worker, c *Conn, _ context.Context) {
			_, err := c.Call(ctx, "read", 1, 0)
			mustBeTold(t, err)
		},
		"Done of a context": func(_ *Worker, _ *Conn, under context.Context) { <-under.Done() },
		"a context of package context below one": func(_ *Worker, _ *Conn, under context.Context) {
			_, cancel := context.WithCancel(under)
			cancel()
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			w, k, _ := small(t, nil)
			k.Go("main", func() {
				c, err := k.Process().Dial(ctx, "server", 0)
				if err != nil {
					t.Error(err)
				}
				under, _ := k.WithCancel(ctx)
				elsewhere(func() { call(k, c, under) })
				_ = k.Sleep(ctx, time.Second)
				t.Error("the task goes on")
			})
			err := w.Run()
			var misuse *MisuseError
			if !errors.Is(err, ErrForeignGoroutine) || !errors.As(err, &misuse) || misuse.Stack == "" {
				t.Errorf("the run ends with %v", err)
			}
		})
	}
}

func mustBeTold(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, ErrForeignGoroutine) {
		t.Errorf("the call is told %v", err)
	}
}

// A goroutine that outlives its run has no effect, however late it calls.
func TestACallAfterTheRunIsRefused(t *testing.T) {
	w, k, _ := small(t, nil)
	k.Go("main", func() {})
	run(t, w)
	w.Close()
	elsewhere(func() {
		mustBeTold(t, k.Sleep(context.Background(), time.Second))
		k.Rand("token")
		k.Go("stray", func() { t.Error("the stray task runs") })
	})
}

// A context made by package context is refused without a panic, and ends the run.
func TestAContextFromElsewhereEndsTheRun(t *testing.T) {
	for name, use := range map[string]func(k *Worker, ctx context.Context){
		"Sleep": func(k *Worker, ctx context.Context) {
			if err := k.Sleep(ctx, time.Second); !errors.Is(err, ErrForeignContext) {
				t.Errorf("Sleep is told %v", err)
			}
		},
		"WithTimeout": func(k *Worker, ctx context.Context) {
			if ctx, _ = k.WithTimeout(ctx, time.Second); !errors.Is(context.Cause(ctx), ErrForeignContext) {
				t.Errorf("the context below it has ended with %v", context.Cause(ctx))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, k, _ := small(t, nil)
			k.Go("main", func() {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				use(k, ctx)
				_ = k.Sleep(context.Background(), 0)
				t.Error("the task goes on")
			})
			if err := w.Run(); !errors.Is(err, ErrForeignContext) {
				t.Errorf("the run ends with %v", err)
			}
		})
		t.Run(name+", below one of the world", func(t *testing.T) {
			w, k, _ := small(t, nil)
			k.Go("main", func() {
				above, _ := k.WithCancel(context.Background())
				ctx, cancel := context.WithCancel(above)
				defer cancel()
				use(k, ctx)
			})
			if err := w.Run(); !errors.Is(err, ErrForeignContext) {
				t.Errorf("the run ends with %v", err)
			}
		})
	}
}

func TestAForeignGoroutineCannotEndAContext(t *testing.T) {
	w, k, _ := small(t, nil)
	k.Go("main", func() {
		ctx, cancel := k.WithCancel(context.Background())
		elsewhere(func() { cancel(nil) })
		if err := ctx.Err(); err != nil {
			t.Errorf("the context has ended with %v", err)
		}
	})
	if err := w.Run(); !errors.Is(err, ErrForeignGoroutine) {
		t.Errorf("the run ends with %v", err)
	}
}
