package scenarios

import (
	"context"
	"fmt"
	"strconv"

	"lockquake/lock"
	"lockquake/sim/resource"
)

// reminders waits for the next tick of the worker's wall clock, when one more
// reminder is due for each resource, and looks through them for those that
// nobody has sent. Each of these is sent under the lock of its resource. What
// an item holds is the last tick whose reminder was marked as sent, and a
// message that has gone out is an item of its own, which nobody can look at.
func reminders(ctx context.Context, w *work) error {
	tick, err := w.nextTick(ctx)
	if err != nil || w.run.world.Time() >= w.run.scenario.Duration {
		return err
	}
	due, err := w.scan(ctx, tick)
	if err != nil {
		return err // the next scan will find them
	}
	for _, item := range due {
		unit := fmt.Sprintf("%s/reminder-%d", item, tick)
		_ = w.locked(ctx, item, unit, w.remind(item, unit, tick)) // the history has the answer
	}
	return nil
}

// scan returns the items whose reminder of the tick is not marked as sent. It
// looks without a lock, as a query over a table does.
func (w *work) scan(ctx context.Context, tick int64) ([]string, error) {
	var due []string
	for _, item := range w.items {
		w.run.requests++
		value, err := w.client.Do(ctx, &resource.Request{ID: w.run.requests, Peek: true, Item: item})
		if err != nil {
			return nil, err
		}
		sent, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("scan of %s: %w", item, err)
		}
		if sent < tick {
			due = append(due, item)
		}
	}
	return due, nil
}

// remind sends one reminder and marks it as sent, unless the mark is there by
// now. Hold is how long the sending takes.
func (w *work) remind(item, unit string, tick int64) lock.Body {
	return func(ctx context.Context, s lock.Section) error {
		if w.settings.Recheck {
			sent, err := readNumber(ctx, s, item)
			if err != nil || sent >= tick {
				return err
			}
		}
		if err := s.Write(ctx, unit, w.worker); err != nil {
			return err
		}
		if err := w.spend(ctx, w.hold); err != nil {
			return err
		}
		return s.Write(ctx, item, strconv.FormatInt(tick, 10))
	}
}
