package search

import (
	"context"
	"sync"

	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// searchJobs is the pool of an explorer with its progress.
type searchJobs struct {
	*run.Pool
	mu       sync.Mutex
	over     bool // the search has ended, and runs that were given up have no effect
	progress func(campaign.Progress)
	done     campaign.Progress
}

// each executes the tasks.
func (j *searchJobs) each(ctx context.Context, tasks []run.Task) error {
	return j.All(ctx, int64(len(tasks)), func(i int64) run.Task { return tasks[i] })
}

// keep stores what a run has found, unless the search is over.
func (j *searchJobs) keep(store func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.over {
		store()
	}
}

// finished stores a finished run, counts it, and calls progress.
func (j *searchJobs) finished(label string, p *results.Placement, store func()) {
	j.keep(func() {
		store()
		j.done.Done++
		if j.progress != nil {
			j.progress(campaign.Progress{Done: j.done.Done, Total: max(j.done.Total, j.done.Done), Label: label, Violated: p.Harm() >= results.Unfences})
		}
	})
}

// end gives up the runs that have not ended.
func (j *searchJobs) end() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.over = true
}
