package run

import (
	"context"
	"slices"
	"strings"
	"time"

	"lockquake/lock"
	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
	"lockquake/sim/resource"
)

// Locked implements Recorder: it runs one critical section. The context of the work cannot be
// cancelled if the worker never heeds its context.
func (r *recorder) Locked(ctx context.Context, key, unit string, body lock.Body) error {
	if r.heeds == results.HeedsNever {
		heeding := body
		body = func(ctx context.Context, s lock.Section) error { return heeding(context.WithoutCancel(ctx), s) }
	}
	if r.commits == workload.CommitAfterRelease {
		return r.commitAfterRelease(ctx, key, unit, body)
	}
	_, err := r.do(ctx, r.strategy, key, unit, body)
	return err
}

// commitAfterRelease runs one critical section and commits its writes after the release. If the lock returns
// an error, the writes are dropped.
func (r *recorder) commitAfterRelease(ctx context.Context, key, unit string, body lock.Body) error {
	var kept transaction
	c, err := r.do(ctx, r.strategy, key, unit, func(ctx context.Context, s lock.Section) error {
		kept.Section = s
		return body(ctx, &kept)
	})
	if err != nil {
		return err
	}
	if r.heeds == results.HeedsNever {
		ctx = context.WithoutCancel(ctx)
	}
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
	r.run.requests++
	reply, err := r.access.Ask(ctx, &resource.Request{ID: r.run.requests, Peek: true, Item: item})
	return reply.Value, err
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
