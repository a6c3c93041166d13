package kubernetes

import (
	"context"
	"fmt"
	"time"

	"lockquake/lock/env"
)

// elector is one candidate of an election, with an identity that no other candidate ever has. It decides what the
// LeaderElector and the LeaseLock of client-go decide from the same answers.
type elector struct {
	env      env.Env
	leases   Leases
	name     string // of the Lease object
	identity string
	seconds  int32 // length of the lease

	lease      Lease         // as the API server returned it last
	seen       LeaseSpec     // the record that the last Get returned
	observed   LeaseSpec     // the record that was observed last, by reading or writing it
	observedAt time.Duration // by the monotonic clock
	wonAt      time.Duration // when the last try that won began, by the monotonic clock

	// unsure is set after a write of unknown outcome. It names the resource version that the write was
	// conditioned on, noVersion for a create.
	unsure string
	failed error // why the last try failed; nil if another candidate has the lease
}

const noVersion = "none"

func (e *elector) leads() bool { return e.observed.HolderIdentity == e.identity }

// valid reports whether the lease that was observed last has not ended by the candidate's own clock. Its length is
// that of the record.
func (e *elector) valid(now time.Duration) bool {
	return e.observedAt+time.Duration(e.observed.LeaseDurationSeconds)*time.Second > now
}

func (e *elector) observe(s LeaseSpec) {
	e.observed, e.observedAt = s, e.env.Mono()
}

// try takes or renews the lease, with at most three requests. It reports whether the candidate leads.
func (e *elector) try(ctx context.Context) bool {
	now, clock := e.env.Mono(), e.env.Now()
	e.failed = nil
	mine := LeaseSpec{HolderIdentity: e.identity, LeaseDurationSeconds: e.seconds, AcquireTime: clock, RenewTime: clock}
	if e.leads() && e.valid(now) { // the leader first writes without reading
		mine.AcquireTime, mine.LeaseTransitions = e.observed.AcquireTime, e.observed.LeaseTransitions
		if e.update(ctx, mine) == nil {
			return e.won(mine, now)
		}
	}
	switch err := e.get(ctx); {
	case reason(err) == ReasonNotFound:
		if err := e.create(ctx, mine); err != nil {
			return e.fail(err)
		}
		return e.won(mine, now)
	case err != nil:
		return e.fail(err)
	}
	old := e.lease.Spec
	if record := old.Record(); record != e.seen {
		e.observe(old)
		e.seen = record
	}
	if old.HolderIdentity != "" && e.valid(now) && !e.leads() {
		return false
	}
	if e.leads() {
		mine.AcquireTime, mine.LeaseTransitions = old.AcquireTime, old.LeaseTransitions
	} else {
		mine.LeaseTransitions = old.LeaseTransitions + 1
	}
	if err := e.update(ctx, mine); err != nil {
		return e.fail(err)
	}
	return e.won(mine, now)
}

func (e *elector) won(s LeaseSpec, began time.Duration) bool {
	e.observe(s)
	e.wonAt = began
	return true
}

// fail keeps the reason of a failed try. A conflict means that another candidate was faster.
func (e *elector) fail(err error) bool {
	if r := reason(err); r != ReasonConflict && r != ReasonAlreadyExists {
		e.failed = err
	}
	return false
}

func (e *elector) get(ctx context.Context) error {
	l, err := e.leases.Get(ctx, e.name)
	if err != nil {
		return err
	}
	e.lease = l
	if l.ResourceVersion != e.unsure && l.Spec.HolderIdentity != e.identity {
		e.unsure = "" // the object has changed since, so the write will be refused if it still arrives
	}
	return nil
}

func (e *elector) create(ctx context.Context, s LeaseSpec) error {
	l, err := e.leases.Create(ctx, Lease{Name: e.name, Spec: s})
	return e.written(l, err, noVersion)
}

func (e *elector) update(ctx context.Context, s LeaseSpec) error {
	next := e.lease
	next.Spec = s
	l, err := e.leases.Update(ctx, next)
	return e.written(l, err, e.lease.ResourceVersion)
}

// written notes the result of a write that was conditioned on a resource version.
func (e *elector) written(l Lease, err error, condition string) error {
	switch {
	case err == nil:
		e.lease, e.unsure = l, ""
	case !refused(err):
		e.unsure = condition
	}
	return err
}

// free gives the lease back: it stays as a record without a holder. Free reports whether the candidate had it.
//
// With trusting it does as client-go 0.37.2: it frees whatever record it reads, if the candidate was the leader by
// its last observation.
func (e *elector) free(ctx context.Context, trusting bool) (held bool, err error) {
	for {
		switch err := e.get(ctx); {
		case reason(err) == ReasonNotFound:
			return false, nil
		case err != nil:
			return false, err
		}
		if trusting && !e.leads() || !trusting && e.lease.Spec.HolderIdentity != e.identity {
			return false, nil
		}
		now := e.env.Now()
		released := LeaseSpec{LeaseDurationSeconds: 1, AcquireTime: now, RenewTime: now, LeaseTransitions: e.lease.Spec.LeaseTransitions}
		switch err := e.update(ctx, released); {
		case err == nil:
			e.observe(released)
			return true, nil
		case reason(err) != ReasonConflict:
			return false, err
		}
	}
}

// undo frees the lease after the candidate has given up, if one of its writes may have taken it. It returns an error
// if a write may still arrive and take the lease.
func (e *elector) undo(ctx context.Context) error {
	if e.unsure == "" {
		return nil
	}
	if _, err := e.free(ctx, false); err != nil {
		return err
	}
	if e.unsure != "" {
		return fmt.Errorf("a write of %s may still arrive", e.name)
	}
	return nil
}
