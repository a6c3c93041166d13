package workload

import (
	"context"
	"fmt"

	"lockquake/lock"
)

// remindersInfo returns the workload reminders.
func remindersInfo() Info {
	return Info{
		Name: "reminders", Initial: "0", Do: reminders, Offers: always(lock.NeedUnits),
		Doc: "one reminder is due for each resource and period; find those that are not marked as sent, lock each, send it, mark it: each must be sent once",
		Params: []Param{
			periodParam(), recheckParam(),
		},
	}
}

// reminders waits for the next tick of the worker's wall clock, when a reminder is due for
// each resource, and sends those that are not marked as sent. It sends each under the lock
// of its resource. An item holds the last tick whose reminder is marked as sent. Each
// message is an item of its own, which workers cannot read.
func reminders(ctx context.Context, w *Work) error {
	tick, err := w.nextTick(ctx)
	if err != nil || w.Over() {
		return err
	}
	due, err := w.scan(ctx, tick)
	if err != nil {
		return err // the next scan finds them
	}
	for _, item := range due {
		unit := fmt.Sprintf("%s/reminder-%d", item, tick)
		_ = w.Locked(ctx, item, unit, w.doAndMark(item, unit, tick)) // the history has the answer
	}
	return nil
}

// scan returns the items whose reminder of the tick is not marked as sent. It takes no lock,
// as a query over a table does not.
func (w *Work) scan(ctx context.Context, tick int64) ([]string, error) {
	var due []string
	for _, item := range w.Items {
		sent, err := w.marked(ctx, item, tick)
		if err != nil {
			return nil, fmt.Errorf("scan: %w", err)
		}
		if !sent {
			due = append(due, item)
		}
	}
	return due, nil
}
