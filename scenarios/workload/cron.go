package workload

import (
	"context"
	"fmt"
	"time"

	"lockquake/lock"
)

// TickKey selects the key of the lock of a cron task.
type TickKey string

// The two keys.
const (
	KeyJob  TickKey = "job"  // all ticks have one lock
	KeyTick TickKey = "tick" // each tick has a lock of its own
)

// cronInfo returns the workload cron.
func cronInfo() Info {
	return Info{
		Name: "cron", Do: cron, Offers: always(lock.NeedUnits),
		Doc: "each worker starts the task of every period's tick, by its own wall clock: each tick must be done once",
		Params: []Param{
			periodParam(),
			{Name: "hold-at-least", Time: &Time{func(s Settings) time.Duration { return s.HoldAtLeast }, 0}},
			{Name: "key", Word: &Word{func(s Settings) string { return string(s.Key) }, "key", words([]TickKey{KeyJob, KeyTick})}},
		},
	}
}

// cron waits for the next tick of the worker's wall clock, and does its task under the lock
// if it gets the lock. Each tick has an item of its own, which is written every time that
// the task is done. With several resources the ticks go through them in order, so that all
// workers agree on the resource of a tick.
func cron(ctx context.Context, w *Work) error {
	tick, err := w.nextTick(ctx)
	if err != nil || w.Over() {
		return err
	}
	job := w.itemAt(tick)
	unit := fmt.Sprintf("%s/tick-%d", job, tick)
	key := job
	if w.Settings.Key == KeyTick {
		key = unit
	}
	return w.Locked(ctx, key, unit, func(ctx context.Context, s lock.Section) error {
		entered := w.Env.Mono()
		if err := w.Spend(ctx, w.Hold); err != nil {
			return err
		}
		if err := s.Write(ctx, unit, w.Worker); err != nil {
			return err
		}
		return w.Env.Sleep(ctx, entered+w.Settings.HoldAtLeast-w.Env.Mono())
	})
}

// itemAt returns the item of a tick, the same for all workers.
func (w *Work) itemAt(tick int64) string {
	items := int64(len(w.Items))
	return w.Items[(tick%items+items)%items]
}

// nextTick sleeps until the worker's wall clock shows the next tick, and returns its number. The first
// tick is number 1, a period after the time at which a right clock begins, also for a clock that is slow.
// It reads the clock again when it wakes, as a scheduler does, because the clock may have
// been set back.
func (w *Work) nextTick(ctx context.Context) (int64, error) {
	period := w.Settings.Period
	tick := max(int64(w.Wall()/period), 1)
	for time.Duration(tick)*period <= w.Wall() {
		tick++
	}
	for {
		left := time.Duration(tick)*period - w.Wall()
		if left <= 0 {
			return tick, nil
		}
		if err := w.Env.Sleep(ctx, left); err != nil {
			return 0, err
		}
	}
}
