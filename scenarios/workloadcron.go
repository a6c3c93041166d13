package scenarios

import (
	"context"
	"fmt"
	"strings"
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

func tickKeys() []TickKey { return []TickKey{KeyJob, KeyTick} }

// cron waits for the next tick of the worker's wall clock and does its task
// under the lock, if it gets it. The record of the task is an item of the
// tick's own, written once for every time that the task is done. Several
// resources are jobs whose turn it is tick by tick, since all workers must be
// of one mind about what a tick is for.
func cron(ctx context.Context, w *work) error {
	tick, err := w.nextTick(ctx)
	if err != nil || w.run.world.Time() >= w.run.scenario.Duration {
		return err
	}
	jobs := int64(len(w.items))
	job := w.items[(tick%jobs+jobs)%jobs]
	unit := fmt.Sprintf("%s/tick-%d", job, tick)
	key := job
	if w.settings.Key == KeyTick {
		key = unit
	}
	return w.locked(ctx, key, unit, func(ctx context.Context, s lock.Section) error {
		entered := w.env.Mono()
		if err := w.spend(ctx, w.hold); err != nil {
			return err
		}
		if err := s.Write(ctx, unit, w.worker); err != nil {
			return err
		}
		return w.env.Sleep(ctx, entered+w.settings.HoldAtLeast-w.env.Mono())
	})
}

// nextTick sleeps until the worker's wall clock shows the next tick, and
// returns its number. It looks again on waking, as a scheduler does: the
// clock may have been set meanwhile, and to wake too early is no tick yet.
func (w *work) nextTick(ctx context.Context) (int64, error) {
	node, period := w.recorder.worker.Process().Node(), w.settings.Period
	tick := int64(node.Wall() / period)
	for time.Duration(tick)*period <= node.Wall() {
		tick++
	}
	for {
		left := time.Duration(tick)*period - node.Wall()
		if left <= 0 {
			return tick, nil
		}
		if err := w.env.Sleep(ctx, left); err != nil {
			return 0, err
		}
	}
}

// resourceOf is the resource that a lock's key stands for: the lock of a
// single tick has a longer name.
func resourceOf(key string) string {
	resource, _, _ := strings.Cut(key, "/")
	return resource
}
