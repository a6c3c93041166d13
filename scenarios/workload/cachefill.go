package workload

import (
	"context"
	"errors"
	"fmt"

	"lockquake/lock"
)

// cacheFillInfo returns the workload cache-fill.
func cacheFillInfo() Info {
	return Info{
		Name: "cache-fill", Initial: "0", Do: cacheFill, Offers: always(lock.NeedUnits),
		Doc:    "read an entry of a cache without a lock; if it has expired, compute it for the hold under the entry's lock and write it: each expiry should cost one computation. A worker that does not obtain the lock serves the old entry",
		Params: []Param{periodParam(), recheckParam()},
	}
}

// cacheFill serves one request for the drawn entry. All entries expire at every tick of the worker's
// wall clock, and an item holds the number of the tick since which its entry is valid.
func cacheFill(ctx context.Context, w *Work) error {
	tick := int64(w.Wall()/w.Settings.Period) + 1
	fresh, err := w.marked(ctx, w.Item, tick)
	if err != nil || fresh {
		return err
	}
	fill := fmt.Sprintf("%s/fill-%d", w.Item, tick)
	compute := w.doAndMark(w.Item, fill, tick)
	return w.Locked(ctx, w.Item, fill, func(ctx context.Context, s lock.Section) error {
		if err := compute(ctx, s); !errors.Is(err, errOvertaken) {
			return err
		}
		return nil // the entry is newer than needed
	})
}
