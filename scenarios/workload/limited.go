package workload

import (
	"context"
	"fmt"

	"lockquake/lock"
)

// limitedInfo returns the workload limited.
func limitedInfo() Info {
	return Info{
		Name: "limited", Do: limited,
		Doc: "calls of a service that can serve only a few at a time: each call needs a permit, writes its start, holds, and writes its end. A lock without permits admits one call at a time",
		Params: []Param{
			{Name: "permits", Must: true, Count: &Count{func(s Settings) int { return s.Permits }, 1, lock.MaxPermits}},
		},
	}
}

// limited makes one call. Each call has an item of its own.
func limited(ctx context.Context, w *Work) error {
	call := fmt.Sprintf("%s/%s/call-%d", w.Item, w.Worker, w.Section)
	return w.LockedPermit(ctx, w.Item, w.Settings.Permits, func(ctx context.Context, s lock.Section) error {
		if err := s.Write(ctx, call, "begun"); err != nil {
			return err
		}
		if err := w.Spend(ctx, w.Hold); err != nil {
			return err
		}
		return s.Write(ctx, call, "ended")
	})
}
