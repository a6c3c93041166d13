package scenarios

import (
	"context"
	"slices"
	"time"

	"lockquake/lock"
	"lockquake/scenarios/results"
)

// Commit says when the writes of a section reach the resource.
type Commit string

// The two moments of a commit.
const (
	// CommitInside: each write by itself, while the section has the lock.
	CommitInside Commit = "inside"
	// CommitAfterRelease: all writes together, after the lock was given back. The
	// work holds the lock inside a transaction, and the transaction ends later.
	CommitAfterRelease Commit = "after-release"
)

func commits() []Commit { return []Commit{CommitInside, CommitAfterRelease} }

// recorded is how the Meta of a history names the moment.
func (c Commit) recorded() string {
	if c == CommitInside {
		return ""
	}
	return string(c)
}

// locked runs one critical section with the context that its work heeds.
func (w *work) locked(ctx context.Context, key, unit string, body lock.Body) error {
	if w.heeds == results.HeedsNever {
		heeding := body
		body = func(ctx context.Context, s lock.Section) error { return heeding(context.WithoutCancel(ctx), s) }
	}
	if w.settings.Commit == CommitAfterRelease {
		return w.committed(ctx, key, unit, body)
	}
	_, err := w.do(ctx, w.strategy, key, unit, body)
	return err
}

// committed runs one critical section, and then commits what its work has kept for
// after the release. Work whose lock answers with an error is rolled back.
func (w *work) committed(ctx context.Context, key, unit string, body lock.Body) error {
	var kept transaction
	c, err := w.do(ctx, w.strategy, key, unit, func(ctx context.Context, s lock.Section) error {
		kept.Section = s
		return body(ctx, &kept)
	})
	if err != nil {
		return err
	}
	if w.heeds == results.HeedsNever {
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

// writing splits the hold into one part for each write of the section, and calls
// write after each part with the number of the write, from 0.
func (w *work) writing(ctx context.Context, write func(i int) error) error {
	writes := w.settings.Writes
	part := w.hold / time.Duration(writes)
	for i := range writes {
		takes := part
		if i == 0 {
			takes = w.hold - part*time.Duration(writes-1)
		} else {
			w.run.progressed(w.takes)
		}
		if err := w.spend(ctx, takes); err != nil {
			return err
		}
		if err := write(i); err != nil {
			return err
		}
	}
	return nil
}
