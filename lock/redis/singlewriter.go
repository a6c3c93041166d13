package redis

import (
	"context"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
)

// singleWriter takes a key once and keeps it: each key has one worker that does all of its
// work, its owner. The owner renews its lease when it begins a section. Other workers are
// refused, until the lease of an owner that does not work any more has ended.
type singleWriter struct {
	*locker
	leases map[string]*lease // of the keys that it owns
}

// singleWriterPreset returns single-writer.
func singleWriterPreset() lock.Entry {
	e := sound("single-writer", "each key has one owner, which keeps its lease from section to section and renews it when it begins one; when the lease has ended, another worker takes the key over", plain("the same as redis-fenced, if it has the fencing token of redis-fenced and the resource checks it"),
		func(p *lock.Params) { p.Retry.Attempts = 1 })
	e.Keeps, e.New = true, newSingleWriter
	return e
}

// newSingleWriter makes a strategy that keeps the keys of one server.
func newSingleWriter(d lock.Deps) lock.Strategy {
	l := newLocker(d, nil, nil)
	l.renew = goredis.NewScript(renewScript)
	return lock.Recipe{Locker: &singleWriter{l, map[string]*lease{}}, Refused: lock.Refusals().In(d.Params)}
}

// Acquire implements lock.Locker. The owner of the key renews its lease, so each section begins with
// a whole one.
func (w *singleWriter) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	if own := w.leases[key]; own != nil {
		kept, err := w.keeps(ctx, own)
		switch {
		case err != nil:
			return nil, fmt.Errorf("acquire %s: %w: %w", key, lock.ErrUnknown, err)
		case kept:
			return owned{own, ctx, w}, nil
		}
	}
	delete(w.leases, key)
	got, err := w.locker.Acquire(ctx, key)
	if err != nil {
		return nil, err
	}
	w.leases[key] = got.(*lease)
	return owned{w.leases[key], ctx, w}, nil
}

// keeps renews a lease, and reports whether it is good for a section. It returns an error if the
// renewal has no answer.
func (w *singleWriter) keeps(ctx context.Context, own *lease) (bool, error) {
	if own.left() <= 0 {
		return false, nil
	}
	renewed, err := own.extend(ctx)
	return renewed && own.left() > 0, err
}

// owned is the lease of a key in one section of its owner.
type owned struct {
	*lease
	ctx   context.Context // of the section
	owner *singleWriter
}

func (o owned) Context() context.Context { return o.ctx }
func (o owned) Check() error             { return o.locker.check(o.ctx, o.key, o.left()) }

// Release implements lock.Lease: the owner keeps the key, unless its lease has ended.
func (o owned) Release(context.Context) error {
	if o.left() > 0 {
		return nil
	}
	delete(o.owner.leases, o.key)
	return fmt.Errorf("release %s: %w: its lease is over by the holder's clock", o.key, lock.ErrLost)
}
