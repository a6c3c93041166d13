package run

import (
	"context"
	"slices"
	"strings"
	"time"

	"lockquake/lock"
	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
	"lockquake/sim/backend"
	"lockquake/sim/resource"
)

// Locked implements Recorder: it runs one critical section. The context of the work cannot be
// cancelled if the worker never heeds its context.
func (r *recorder) Locked(ctx context.Context, key, unit string, body lock.Body) error {
	heeding := body
	body = func(ctx context.Context, s lock.Section) error { return heeding(r.heeded(ctx), s) }
	if r.commits == workload.CommitAfterRelease {
		return r.commitAfterRelease(ctx, key, unit, body)
	}
	_, err := r.do(ctx, key, unit, body)
	return err
}

// heeded returns the context of the work.
func (r *recorder) heeded(ctx context.Context) context.Context {
	if r.heeds == results.HeedsNever {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// LockedShared implements Recorder.
func (r *recorder) LockedShared(ctx context.Context, key string, body lock.Body) error {
	sharer, ok := r.strategy.(lock.Sharer)
	if !ok {
		return r.Locked(ctx, key, "", body)
	}
	return r.share(ctx, key, one(sharer.DoShared, key), body)
}

// LockedPermit implements Recorder.
func (r *recorder) LockedPermit(ctx context.Context, key string, permits int, body lock.Body) error {
	semaphore, ok := r.strategy.(lock.Semaphore)
	if !ok {
		return r.Locked(ctx, key, "", body)
	}
	return r.share(ctx, key, func(ctx context.Context, protected lock.Resource, body lock.Body) error {
		return semaphore.DoPermit(ctx, key, permits, protected, body)
	}, body)
}

// share runs one critical section that can have the lock together with others.
func (r *recorder) share(ctx context.Context, key string, do method, body lock.Body) error {
	c := &call{recorder: r, key: key, mode: string(lock.ModeShared)}
	return r.perform(ctx, calls{c}, do, func(ctx context.Context, s []lock.Section) error { return body(r.heeded(ctx), s[0]) })
}

// Nested implements Recorder.
func (r *recorder) Nested(ctx context.Context, key string, outer lock.Section, body lock.Body) error {
	c := outer.(observed).call
	err := r.strategy.Do(ctx, key, r.protected(calls{c}), func(ctx context.Context, inner lock.Section) error {
		if err := r.worker.Process().Admit(); err != nil {
			return err
		}
		return body(r.heeded(ctx), observed{inner, c})
	})
	c.hear(err)
	return err
}

// LockedAll implements Recorder.
func (r *recorder) LockedAll(ctx context.Context, keys []string, unit string, body func(context.Context, []lock.Section) error) (bool, error) {
	several, ok := r.strategy.(lock.MultiLocker)
	if !ok {
		return false, nil
	}
	var all calls
	for _, key := range keys {
		others := slices.DeleteFunc(slices.Clone(keys), func(other string) bool { return other == key })
		all = append(all, &call{recorder: r, key: key, unit: unit, others: strings.Join(others, ",")})
	}
	do := func(ctx context.Context, protected lock.Resource, body lock.Body) error {
		return several.DoAll(ctx, keys, protected, body)
	}
	return true, r.perform(ctx, all, do, func(ctx context.Context, s []lock.Section) error { return body(r.heeded(ctx), s) })
}

// commitAfterRelease runs one critical section and commits its writes after the release. If the lock returns
// an error, the writes are dropped.
func (r *recorder) commitAfterRelease(ctx context.Context, key, unit string, body lock.Body) error {
	var kept transaction
	c, err := r.do(ctx, key, unit, func(ctx context.Context, s lock.Section) error {
		kept.Section = s
		return body(ctx, &kept)
	})
	if err != nil {
		return err
	}
	ctx = r.heeded(ctx)
	for _, d := range kept.writes {
		if err := c.commit(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// transaction is a Section that buffers its writes: for each item the last one.
type transaction struct {
	lock.Section
	writes []operation
}

// Write implements lock.Section: it buffers the write, so the strategy does not see it.
func (t *transaction) Write(_ context.Context, item, value string) error {
	t.writes = slices.DeleteFunc(t.writes, func(d operation) bool { return d.item == item })
	t.writes = append(t.writes, operation{true, item, value})
	return nil
}

// Spend implements Recorder: it sleeps if the work always heeds its context, and computes
// otherwise.
func (r *recorder) Spend(ctx context.Context, d time.Duration) error {
	if r.heeds == results.HeedsAlways {
		return r.worker.Sleep(ctx, d)
	}
	return r.worker.Compute(d)
}

// Peek implements Recorder.
func (r *recorder) Peek(ctx context.Context, item string) (string, error) {
	reply, err := r.peek(ctx, r.access, item)
	return reply.Value, err
}

// peek sends a read that is not recorded.
func (r *recorder) peek(ctx context.Context, through backend.Access, item string) (resource.Reply, error) {
	r.run.requests++
	return through.Ask(ctx, &resource.Request{ID: r.run.requests, Peek: true, Item: item})
}

// Proceed implements Recorder.
func (r *recorder) Proceed() { r.run.progressed(r.takes) }

// Wall implements Recorder.
func (r *recorder) Wall() time.Duration { return r.worker.Process().Node().Wall() }

// Over implements Recorder.
func (r *recorder) Over() bool { return r.run.world.Time() >= r.run.Scenario.Duration }

// resourceOf returns the resource that the key of a lock protects. The key of a single tick has a
// suffix after a slash.
func resourceOf(key string) string {
	resource, _, _ := strings.Cut(key, "/")
	return resource
}
