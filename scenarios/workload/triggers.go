package workload

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"lockquake/lock"
)

// The states of a trigger.
const (
	triggerWaiting  = "waiting"
	triggerAcquired = "acquired"
)

// errAcquired is the error of a section that finds a trigger which another worker fires, perhaps
// at an earlier tick.
var errAcquired = errors.New("another worker has acquired the trigger")

// triggersInfo returns the workload triggers.
func triggersInfo() Info {
	return Info{
		Name: "triggers", Initial: triggerWaiting, Do: triggers, Offers: always(lock.NeedDecidingWrite),
		Doc: "each resource is a trigger that is due once in each period; a section acquires a waiting one and fires it, a second section marks it as waiting again: each must fire once",
		Params: []Param{
			periodParam(),
		},
	}
}

// triggers waits for the next tick of the worker's wall clock, when every trigger is due, and
// fires those that are waiting. An item holds the state of its trigger, and an item beside it
// the last tick that was fired. What is fired is an item of its own.
//
// A trigger is acquired and set free in two sections, as a scheduler does that does not keep
// its lock while a task runs. The state protects the task in between. A trigger stays acquired
// if its worker crashes, or does not learn that it has acquired it. The history has the errors
// of the sections.
func triggers(ctx context.Context, w *Work) error {
	tick, err := w.nextTick(ctx)
	if err != nil || w.Over() {
		return err
	}
	for _, item := range w.Items {
		unit, fired := fmt.Sprintf("%s/tick-%d", item, tick), item+"/fired"
		ours := false
		_ = w.Locked(ctx, item, unit, func(ctx context.Context, s lock.Section) (err error) {
			ours, err = w.acquire(ctx, s, item, unit, tick)
			return err
		})
		if !ours {
			continue
		}
		if err := w.Spend(ctx, w.Hold); err != nil {
			return err
		}
		_ = w.Locked(ctx, item, unit, func(ctx context.Context, s lock.Section) error {
			if err := s.Write(ctx, fired, strconv.FormatInt(tick, 10)); err != nil {
				return err
			}
			return s.Write(ctx, item, triggerWaiting)
		})
	}
	return nil
}

// acquire acquires a trigger and fires it, if it is waiting and has not fired at this tick. It
// reports whether it did.
func (w *Work) acquire(ctx context.Context, s lock.Section, item, unit string, tick int64) (bool, error) {
	state, err := s.Read(ctx, item)
	switch {
	case err != nil:
		return false, err
	case state != triggerWaiting:
		return false, errAcquired
	}
	last, err := s.Read(ctx, item+"/fired")
	if err != nil {
		return false, err
	}
	if last != "" {
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil {
			return false, err
		}
		if do, err := due(n, tick); !do {
			return false, err
		}
	}
	if err := s.Write(ctx, item, triggerAcquired); err != nil {
		return false, err
	}
	return true, s.Write(ctx, unit, w.Worker)
}
