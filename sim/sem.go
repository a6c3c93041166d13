package sim

import (
	"context"
	"slices"
)

// sem is a semaphore in virtual time. Waiters are served in order.
type sem struct {
	world   *World
	permits int
	waiters []*task
}

func newSem(w *World, n int) *sem { return &sem{world: w, permits: n} }

// Acquire implements env.Sem.
func (s *sem) Acquire(ctx context.Context) error {
	t, sc, err := s.world.enter(ctx)
	if err != nil {
		return err
	}
	if s.TryAcquire() {
		return nil
	}
	s.waiters = append(s.waiters, t)
	t.sem = s
	if sc != nil {
		t.ctx = sc
		sc.watch(t)
	}
	if t.wait() == byContext {
		return sc.cause
	}
	return nil
}

// TryAcquire implements env.Sem.
func (s *sem) TryAcquire() bool {
	if s.world.foreign() || s.permits == 0 {
		return false
	}
	s.permits--
	return true
}

// Release implements env.Sem.
func (s *sem) Release() {
	if s.world.foreign() {
		return
	}
	if len(s.waiters) > 0 {
		s.waiters[0].wake(bySem) // wake also removes it from the list
		return
	}
	s.permits++
}

// forget removes a task from the waiters.
func (s *sem) forget(t *task) {
	if i := slices.Index(s.waiters, t); i >= 0 {
		s.waiters = slices.Delete(s.waiters, i, i+1)
	}
}
