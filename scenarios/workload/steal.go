package workload

import (
	"context"
	"errors"
	"fmt"

	"lockquake/lock"
)

// Claim decides what a worker locks to do a job.
type Claim string

// The two claims.
const (
	ClaimJob       Claim = "job"       // the job
	ClaimPartition Claim = "partition" // the partition that has it
)

// overdue is how many jobs later a job must be due for a worker to take it from another one's partition.
const overdue = 2

// stealInfo returns the workload steal.
func stealInfo() Info {
	return Info{
		Name: "steal", Do: steal, Offers: unitsThatLook,
		Doc: "each resource is a partition of a queue, with a job in each period, and has one worker as its owner. A worker does the next job of its own partition; if there is none, it steals a job that is overdue from a partition whose owner is slow or dead: each job must be done once",
		Params: []Param{
			periodParam(), recheckParam(),
			{Name: "claim", Word: &Word{func(s Settings) string { return string(s.Claim) }, "claim", words([]Claim{ClaimJob, ClaimPartition})}},
		},
	}
}

// steal does at most one job: the oldest of the worker's own partition, or the oldest that it can claim
// of another one.
func steal(ctx context.Context, w *Work) error {
	own := (w.Number - 1) % len(w.Items)
	due := int64(w.Wall() / w.Settings.Period)
	if took, err := w.doOldest(ctx, w.Items[own], due); took || err != nil {
		return err
	}
	first := int(w.Draw.Int64N(int64(len(w.Items))))
	for i := range w.Items {
		if other := (first + i) % len(w.Items); other != own {
			if took, err := w.doOldest(ctx, w.Items[other], due-overdue); took || err != nil {
				return err
			}
		}
	}
	return nil
}

// doOldest does the oldest job of a partition, up to job number last, that it can claim. It reports whether
// there was one. It skips done jobs without a lock, and remembers them.
func (w *Work) doOldest(ctx context.Context, partition string, last int64) (took bool, err error) {
	for n := w.Memory[partition] + 1; n <= last; n++ {
		job := fmt.Sprintf("%s/job-%d", partition, n)
		done, err := w.Peek(ctx, job)
		switch {
		case err != nil:
			return false, err
		case done == "":
			err = w.Locked(ctx, w.claimOf(partition, job), job, w.doJob(job))
			if errors.Is(err, lock.ErrNotObtained) || errors.Is(err, lock.ErrConflict) {
				continue // another worker is at it
			}
			return true, err
		case n == w.Memory[partition]+1:
			w.Memory[partition] = n
		}
	}
	return false, nil
}

// claimOf returns the key of the lock for a job.
func (w *Work) claimOf(partition, job string) string {
	if w.Settings.Claim == ClaimPartition {
		return partition
	}
	return job
}

// doJob does a job, whose item holds something as soon as it is done.
func (w *Work) doJob(job string) lock.Body {
	return func(ctx context.Context, s lock.Section) error {
		if w.Settings.Recheck {
			if done, err := s.Read(ctx, job); err != nil || done != "" {
				return err
			}
		}
		if err := w.Spend(ctx, w.Hold); err != nil {
			return err
		}
		return s.Write(ctx, job, w.Worker)
	}
}
