package env_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"lockquake/lock/env"
)

func TestRealClocksAgree(t *testing.T) {
	e := env.Real()
	wall, mono := e.Now(), e.Mono()
	if err := e.Sleep(t.Context(), 5*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if d := e.Mono() - mono; d < 5*time.Millisecond {
		t.Errorf("slept 5ms, and the monotonic clock moved by %v", d)
	}
	if e.Now().Before(wall) {
		t.Error("the wall clock went back")
	}
	if now := e.Now(); now != now.Round(0) {
		t.Error("the wall clock carries a monotonic reading")
	}
}

func TestRealSleepEndsWithItsContext(t *testing.T) {
	e := env.Real()
	lost := errors.New("lost")
	ctx, cancel := e.WithCancel(t.Context())
	e.Go("canceller", func() { cancel(lost) })
	if err := e.Sleep(ctx, time.Hour); !errors.Is(err, lost) {
		t.Errorf("the sleep ended with %v", err)
	}
	if err := e.Sleep(ctx, 0); !errors.Is(err, lost) {
		t.Errorf("a sleep under an ended context gave %v", err)
	}
}

func TestARealSemaphoreExcludesAndLosesNoPermit(t *testing.T) {
	e := env.Real()
	s := e.NewSem(1)
	inside, most := 0, 0
	var ends []env.Sem
	for range 8 {
		ends = append(ends, e.Go("worker", func() {
			for range 200 {
				if err := s.Acquire(context.Background()); err != nil {
					t.Error(err)
					return
				}
				inside++
				most = max(most, inside)
				inside--
				s.Release()
			}
		}))
	}
	for _, end := range ends {
		if err := end.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if most != 1 {
		t.Errorf("%d were inside a mutex at once", most)
	}
	if !s.TryAcquire() || s.TryAcquire() {
		t.Error("a mutex that nobody holds does not have exactly one permit")
	}
	ctx, cancel := e.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := s.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for a held mutex gave %v", err)
	}
	s.Release()
	if !s.TryAcquire() {
		t.Error("a waiter that gave up kept a permit")
	}
}

func ExampleWithOp() {
	ctx := env.WithOp(context.Background(), "renew")
	fmt.Println(env.Op(ctx))
	// Output: renew
}
