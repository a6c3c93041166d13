package workload

import (
	"context"
	"fmt"

	"lockquake/lock"
)

// migrationInfo returns the workload migration.
func migrationInfo() Info {
	return Info{
		Name: "migration", Initial: "0", Do: migration, Offers: always(lock.NeedUnits),
		Doc:    "all workers start at every tick, and one of them runs the migration that is due: check whether it has been done, run it for the hold, mark it as done: each must run once",
		Params: []Param{periodParam(), recheckParam()},
	}
}

// migration runs the step of the tick under the lock of the resource, unless it has been done. An
// item holds the last step that has been done.
func migration(ctx context.Context, w *Work) error {
	tick, err := w.nextTick(ctx)
	if err != nil || w.Over() {
		return err
	}
	item := w.itemAt(tick)
	if !w.Settings.Recheck {
		if done, err := w.marked(ctx, item, tick); err != nil || done {
			return err
		}
	}
	step := fmt.Sprintf("%s/step-%d", item, tick)
	return w.Locked(ctx, item, step, w.doAndMark(item, step, tick))
}
