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

// Locked implements Recorder: it runs one critical section with the context that its
// work heeds.
func (r *recorder) Locked(ctx context.Context, key, unit string, body lock.Body) error {
	if r.heeds == results.HeedsNever {
		heeding := body
		body = func(ctx context.Context, s lock.Section) error { return heeding(context.WithoutCancel(ctx), s) }
	}
	if r.commits == workload.CommitAfterRelease {
		return r.committed(ctx, key, unit, body)
	}
	_, err := r.do(ctx, r.strategy, key, unit, body)
	return err
}

// committed runs one critical section, and then commits what its work has kept for
// after the release. Work whose lock answers with an error is rolled back.
func (r *recorder) committed(ctx context.Context, key, unit string, body lock.Body) error {
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

// transaction is a Section that keeps its writes, of each item the last one.
type transaction struct {
	lock.Section
	writes []operation
}

// Write implements lock.Section. The strategy does not see the write.
func (t *transaction) Write(_ context.Context, item, value string) error {
	t.writes = slices.DeleteFunc(t.writes, func(d operation) bool { return d.item == item })
	t.writes = append(t.writes, operation{true, item, value})
	return nil
}

// Spend implements Recorder: it sleeps, or computes if nobody is to look at the
// context meanwhile.
func (r *recorder) Spend(ctx context.Context, d time.Duration) error {
	if r.heeds == results.HeedsAlways {
		return r.worker.Sleep(ctx, d)
	}
	return r.worker.Compute(d)
}

// Peek implements Recorder.
func (r *recorder) Peek(ctx context.Context, item string) (string, error) {
	r.run.requests++
	return r.client.Do(ctx, &resource.Request{ID: r.run.requests, Peek: true, Item: item})
}

// Proceed implements Recorder.
func (r *recorder) Proceed() { r.run.progressed(r.takes) }

// Wall implements Recorder.
func (r *recorder) Wall() time.Duration { return r.worker.Process().Node().Wall() }

// Over implements Recorder.
func (r *recorder) Over() bool { return r.run.world.Time() >= r.run.Scenario.Duration }

// resourceOf is the resource that a lock's key stands for: the lock of a
// single tick has a longer name.
func resourceOf(key string) string {
	resource, _, _ := strings.Cut(key, "/")
	return resource
}
