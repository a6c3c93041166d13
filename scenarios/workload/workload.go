package workload

import (
	"context"
	"slices"
	"time"

	"lockquake/internal/draw"
	"lockquake/lock"
	"lockquake/lock/env"
)

// Info describes a workload.
type Info struct {
	Name string
	Doc  string // one line
	// Initial is what each item holds before the run; "": nothing.
	Initial string
	// Params are the keys that it has beside kind, hold, think and heeds.
	Params []Param
	// Do carries out one section, or those of one unit of work. Its error says why
	// the work was not done; see Attempts of Settings.
	Do func(ctx context.Context, w *Work) error
}

// Has reports whether the workload has a key of its own.
func (i Info) Has(param string) bool {
	return slices.ContainsFunc(i.Params, func(p Param) bool { return p.Name == param })
}

// Catalogue lists what workers can do under a lock.
func Catalogue() []Info {
	return []Info{
		counterInfo(),
		registerInfo(),
		cronInfo(),
		remindersInfo(),
		multiLockInfo(),
	}
}

// Recorder carries out in a run what a workload asks for, and records what is done
// under a lock in the history.
type Recorder interface {
	// Locked runs one critical section under the lock of a key. Unit is the piece of
	// work that is to be done once, "" if the workload has no such thing.
	Locked(ctx context.Context, key, unit string, body lock.Body) error
	// Spend lets time pass inside a section, as the work heeds its context.
	Spend(ctx context.Context, d time.Duration) error
	// Peek returns the value of an item. It takes no lock, and the history does not
	// have it.
	Peek(ctx context.Context, item string) (string, error)
	// Proceed notes that a section goes on with more of its work.
	Proceed()
	// Wall is the worker's wall clock, as time since the clocks of the run began.
	Wall() time.Duration
	// Over reports whether it is too late in the run to begin new work.
	Over() bool
}

// Work is what one call of a workload has to do.
type Work struct {
	Recorder
	Env      env.Env
	Settings *Settings
	Worker   string
	Section  int
	Unit     string   // the job, if it may take several sections
	Attempt  int      // of the job, from 1
	Items    []string // all that there are
	Item     string   // the one that was drawn
	Hold     time.Duration
	Draw     draw.Draw // for choices of the workload's own, the same for each attempt
}

// oneLock makes a workload that does its work under the lock of the item that was
// drawn.
func oneLock(body func(*Work) lock.Body) func(context.Context, *Work) error {
	return func(ctx context.Context, w *Work) error { return w.Locked(ctx, w.Item, w.Unit, body(w)) }
}
