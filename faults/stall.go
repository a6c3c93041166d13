package faults

import (
	"fmt"
	"time"
)

// Stall stops one task of a worker: a renewal whose event loop is busy,
// while the work goes on.
type Stall struct {
	OnWorker
	// Task names the task of the target that stops.
	Task string `yaml:"task" doc:"name of the task, such as renewal"`
}

// Info implements Fault.
func (*Stall) Info() Info {
	return kind[Stall](Info{
		Kind: "stall", Effect: Stops, Hits: HitsReported,
		Doc: "stops one task of a worker, such as its renewal, while its other tasks continue",
	})
}

func (f *Stall) needs() []Need { return []Need{{NeedsTask, "task", f.Task}} }

func (f *Stall) check(s Spec, workers, nodes []string) error {
	if f.Task == "" {
		return &ParamError{"task", "is missing: the name of the task, such as renewal"}
	}
	return f.OnWorker.check(s, workers, nodes)
}

func (f *Stall) words() []string { return append(f.OnWorker.words(), f.Task) }

func (f *Stall) read(r *reader) {
	f.OnWorker.read(r)
	f.Task = r.word("task")
}

// Apply implements Fault.
func (f *Stall) Apply(on any, d time.Duration) error {
	type staller interface {
		Stall(worker, task string, d time.Duration) error
	}
	return ask(on, f, func(t staller) error { return t.Stall(f.Target, f.Task, d) })
}

// Begins implements Fault. It is empty if the worker had no such task.
func (f *Stall) Begins(s Scene) string {
	if s.Missed {
		return ""
	}
	return fmt.Sprintf("has its %s task stalled for %s", s.Plain(f.Task, 20), s.Length)
}

// Ends implements Fault.
func (f *Stall) Ends(s Scene) (text string, turning bool) {
	return fmt.Sprintf("has its %s task running again", s.Plain(f.Task, 20)), false
}
