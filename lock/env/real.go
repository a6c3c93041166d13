package env

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

// Real returns the Env of the machine: its clocks, its goroutines, and unpredictable random
// numbers.
func Real() Env { return &real{began: time.Now()} }

type real struct{ began time.Time }

func (r *real) Now() time.Time { return time.Now().Round(0) }

func (r *real) Mono() time.Duration { return time.Since(r.began) }

func (r *real) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *real) WithCancel(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	return context.WithCancelCause(ctx)
}

func (r *real) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

func (r *real) Go(_ string, f func()) Sem {
	done := r.NewSem(0)
	go func() {
		defer done.Release()
		f()
	}()
	return done
}

func (r *real) NewSem(n int) Sem { return &realSem{permits: n} }

// Rand returns the generator of the Go runtime, which has no seed and which any number of
// goroutines may use.
func (r *real) Rand(string) *rand.Rand { return rand.New(runtimeSource{}) }

func (r *real) Point(string) {}

func (r *real) Exit(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// runtimeSource is the global generator as a source.
type runtimeSource struct{}

func (runtimeSource) Uint64() uint64 { return rand.Uint64() }

// realSem is a semaphore in which each waiter has a channel, so that waiters are served in order.
type realSem struct {
	mu      sync.Mutex
	permits int
	waiters []chan struct{}
}

func (s *realSem) TryAcquire() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.permits == 0 {
		return false
	}
	s.permits--
	return true
}

func (s *realSem) Acquire(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if s.TryAcquire() {
		return nil
	}
	mine := make(chan struct{})
	s.mu.Lock()
	s.waiters = append(s.waiters, mine)
	// A permit may have been released in between.
	s.serve()
	s.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, w := range s.waiters {
		if w == mine {
			s.waiters = append(s.waiters[:i], s.waiters[i+1:]...)
			return context.Cause(ctx)
		}
	}
	// It was served at the same time: the permit goes to the next waiter.
	s.permits++
	s.serve()
	return context.Cause(ctx)
}

func (s *realSem) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.permits++
	s.serve()
}

// serve hands permits to waiters. The caller holds the mutex.
func (s *realSem) serve() {
	for s.permits > 0 && len(s.waiters) > 0 {
		s.permits--
		close(s.waiters[0])
		s.waiters = s.waiters[1:]
	}
}
