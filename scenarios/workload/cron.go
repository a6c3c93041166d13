package workload

import (
	"context"
	"fmt"
	"time"

	"lockquake/lock"
)

// TickKey says what the lock of a cron task is of.
type TickKey string

// The two kinds of a lock.
const (
	KeyJob  TickKey = "job"  // all ticks have one lock
	KeyTick TickKey = "tick" // each tick has a lock of its own
)

// cronInfo is the workload cron.
func cronInfo() Info {
	return Info{
		Name: "cron", Do: cron,
		Doc: "each worker starts the task of every period's tick, by its own wall clock: each tick must be done once",
		Params: []Param{
			periodParam(),
			{Name: "hold-at-least", Time: &Time{func(s Settings) time.Duration { return s.HoldAtLeast }, 0}},
			{Name: "key", Word: &Word{func(s Settings) string { return string(s.Key) }, "key", words([]TickKey{KeyJob, KeyTick})}},
		},
	}
}

// cron waits for the next tick of the worker's wall clock and does its task
// under the lock, if it gets it. The record of the task is an item of the
// tick's own, written once for every time that the task is done. Several
// resources are jobs whose turn it is tick by tick, since all workers must be
// of one mind about what a tick is for.
func cron(ctx context.Context, w *Work) error {
	tick, err := w.nextTick(ctx)
	if err != nil || w.Over() {
		return err
	}
	jobs := int64(len(w.Items))
	job := w.Items[(tick%jobs+jobs)%jobs]
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

// nextTick sleeps until the worker's wall clock shows the next tick, and
// returns its number. It looks again on waking, as a scheduler does: the
// clock may have been set meanwhile, and to wake too early is no tick yet.
func (w *Work) nextTick(ctx context.Context) (int64, error) {
	period := w.Settings.Period
	tick := int64(w.Wall() / period)
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
