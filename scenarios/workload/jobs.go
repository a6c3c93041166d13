package workload

import (
	"context"
	"errors"
	"fmt"

	"lockquake/lock"
)

// Refused decides how a worker treats a job whose lock it does not obtain.
type Refused string

// The two ways.
const (
	RefusedLeave Refused = "leave" // it is tried again
	RefusedDrop  Refused = "drop"  // it counts as done
)

// jobsInfo returns the workload jobs.
func jobsInfo() Info {
	return Info{
		Name: "jobs", Do: jobs, Offers: unitsThatLook,
		Doc: "each worker has its own queue of jobs, and a job needs the lock of its resource; some fail and are retried: each must be completed once, and none may be lost",
		Params: []Param{
			failsParam(), attemptsParam(), recheckParam(),
			{Name: "refused", Word: &Word{func(s Settings) string { return string(s.Refused) }, "way to treat a refused job", words([]Refused{RefusedLeave, RefusedDrop})}},
		},
	}
}

// jobs does the next job of the worker's queue. Each job has an item of its own, which holds
// something as soon as the job is completed.
func jobs(ctx context.Context, w *Work) error {
	job := fmt.Sprintf("%s/job-%d", w.Worker, w.Section)
	fails := w.fails()
	err := w.Locked(ctx, w.Item, job, func(ctx context.Context, s lock.Section) error {
		if w.Settings.Recheck {
			if done, err := s.Read(ctx, job); err != nil || done != "" {
				return err
			}
		}
		if err := w.Spend(ctx, w.Hold); err != nil {
			return err
		}
		if fails {
			return errWork
		}
		return s.Write(ctx, job, w.Worker)
	})
	if w.Settings.Refused == RefusedDrop && errors.Is(err, lock.ErrNotObtained) {
		return nil
	}
	return err
}
