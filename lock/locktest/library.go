package locktest

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"lockquake/internal/bubble"
	"lockquake/lock"
	"lockquake/lock/env"
	"lockquake/sim"
)

// library is a lock that knows nothing of lockquake.
type library struct {
	t     *testing.T
	make  func(p process, d Deps) lock.Strategy // is called in the bubble
	bound func(w *sim.World)                    // is called for each world
	rerun func(seed uint64) string              // the command that repeats the run of a seed; nil: there is none
	world *sim.World                            // the current one
	ended atomic.Bool                           // the test has ended, and nothing of its runs may go on
}

// strategy makes the lock of one worker, in the bubble of its process.
func (l *library) strategy(d lock.Deps) lock.Strategy {
	k := d.Env.(*sim.Worker)
	w := k.Process().Node().World()
	if l.world != w {
		l.world = w
		stream := w.Source().Stream("locktest", "").At(0)
		bubble.Seed(l.t, stream.Uint64())
		l.bound(w)
	}
	b := lock.Shared(d.Process, "bubble", func() *bubble.Bubble {
		rerun := ""
		if l.rerun != nil {
			rerun = l.rerun(w.Seed())
		}
		return bubble.New(l.t, k.Process(), rerun, &l.ended)
	})
	p := process{b, k, &atomic.Value{}}
	var (
		made lock.Strategy
		err  error
	)
	over := p.call(context.Background(), func(context.Context) {
		var deps Deps
		if deps, err = p.deps(d); err == nil {
			made = l.make(p, deps)
		}
	})
	if err = cmp.Or(over, err); err != nil {
		w.Fail(err)
		made = lock.WithLock(refused{err})
	}
	return made
}

// refused is the lock of a worker that cannot have one.
type refused struct{ error }

// Acquire implements lock.Locker.
func (r refused) Acquire(context.Context, string) (lock.Lease, error) { return nil, r.error }

// foreign is a lock whose code runs in a bubble. Tasks of the world call it.
type foreign struct {
	process
	locker lock.Locker
}

// call executes f in the bubble. The run ends if f panics, or ends its goroutine.
func (p process) call(ctx context.Context, f func(ctx context.Context)) error {
	err := p.Call(ctx, p.worker, f)
	if err != nil && !errors.Is(err, sim.ErrOver) {
		p.worker.Process().Node().World().Fail(err)
	}
	return err
}

// Acquire implements lock.Locker.
func (f *foreign) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	var (
		inner lock.Lease
		err   error
		token int64
		ends  context.Context // that the library ends; nil: none
	)
	over := f.call(ctx, func(inside context.Context) {
		f.doing.Store("acquire")
		defer f.doing.Store("")
		if inner, err = f.locker.Acquire(env.WithOp(inside, "acquire"), key); err != nil {
			return
		}
		token = inner.Token()
		// The channel of a context belongs to the bubble only if it is made there.
		if of := inner.Context(); of.Done() != nil && of.Done() != inside.Done() {
			ends = of
		}
	})
	if _, unusable := errors.AsType[*leaseError](err); unusable {
		f.worker.Process().Node().World().Fail(err)
	}
	if err := cmp.Or(over, err); err != nil {
		return nil, err
	}
	lease := &foreignLease{foreign: f, lease: inner, token: token, ctx: ctx}
	if ends != nil {
		lease.follow(ends)
	}
	return lease, nil
}

// foreignLease is a lease of a foreign lock.
type foreignLease struct {
	*foreign
	lease lock.Lease
	token int64
	ctx   context.Context
}

// follow makes the context of the lease end when that of the library does.
func (l *foreignLease) follow(ends context.Context) {
	ctx, cancel := l.worker.WithCancel(l.ctx)
	l.ctx = ctx
	_ = l.call(context.Background(), func(context.Context) {
		go func() {
			<-ends.Done()
			cause := context.Cause(ends)
			_ = l.Ask(l.worker, "lease ends", func() { cancel(cause) })
		}()
	})
}

// Context implements lock.Lease.
func (l *foreignLease) Context() context.Context { return l.ctx }

// Token implements lock.Lease.
func (l *foreignLease) Token() int64 { return l.token }

// Check implements lock.Lease.
func (l *foreignLease) Check() (err error) {
	if own, ok := l.lease.(*lease); ok {
		if _, checks := own.of.(interface{ Check() error }); !checks {
			return nil
		}
	}
	if over := l.call(context.Background(), func(context.Context) { err = l.lease.Check() }); over != nil {
		return over
	}
	return err
}

// Release implements lock.Lease.
func (l *foreignLease) Release(context.Context) (err error) {
	over := l.call(context.Background(), func(inside context.Context) {
		l.doing.Store("release")
		defer l.doing.Store("")
		err = l.lease.Release(env.WithOp(inside, "release"))
	})
	if over != nil {
		return over
	}
	return err
}
