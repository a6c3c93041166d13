package scenarios

import (
	"context"
	"sync"
)

// searchJobs are the jobs of an explorer, and how far they have come.
type searchJobs struct {
	jobs
	mu   sync.Mutex
	done Progress
}

// each carries out the tasks.
func (j *searchJobs) each(ctx context.Context, tasks []task) error {
	return j.all(ctx, int64(len(tasks)), func(i int64) task { return tasks[i] })
}

// told counts a finished run, and tells whoever wants to know.
func (j *searchJobs) told(label string, violated bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.done.Done++
	if j.options.progress != nil {
		j.options.progress(Progress{Done: j.done.Done, Total: max(j.done.Total, j.done.Done), Label: label, Violated: violated})
	}
}
