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
	// Initial is the value of each item before the run; "": none.
	Initial string
	// Least is the least number of resources that it needs; 0 for one.
	Least int
	// Outside: it may have effects outside of the resource.
	Outside bool
	// OneItem: each call is one section of the lock of its item, and works on no other item.
	OneItem bool
	// Params are its keys beside kind, hold, think and heeds.
	Params []Param
	// Offers lists what a strategy can rely on, under some settings; nil: nothing.
	Offers func(s Settings) []lock.Need
	// Do runs one section, or those of one unit of work. Its error is the reason why the
	// work was not done; see Attempts of Settings.
	Do func(ctx context.Context, w *Work) error
}

// Has reports whether the workload has a key of its own.
func (i Info) Has(param string) bool {
	return slices.ContainsFunc(i.Params, func(p Param) bool { return p.Name == param })
}

// Lacks returns the first of the needs that the workload does not offer under the settings, ""
// if it offers all.
func (i Info) Lacks(needs []lock.Need, s Settings) lock.Need {
	var offers []lock.Need
	if i.Offers != nil {
		offers = i.Offers(s)
	}
	for _, need := range needs {
		if !slices.Contains(offers, need) {
			return need
		}
	}
	return ""
}

// always returns the Offers of a workload that offers the same under all settings.
func always(offers ...lock.Need) func(Settings) []lock.Need {
	return func(Settings) []lock.Need { return offers }
}

// Catalogue lists the workloads.
func Catalogue() []Info {
	return []Info{
		counterInfo(),
		registerInfo(),
		cronInfo(),
		remindersInfo(),
		triggersInfo(),
		multiLockInfo(),
		setAddInfo(),
		transferInfo(),
		discountInfo(),
		chargeInfo(),
		flashSaleInfo(),
		jobsInfo(),
		rateLimitInfo(),
		migrationInfo(),
		cacheFillInfo(),
		leaderInfo(),
		leaderElectionInfo(),
		readWriteInfo(),
		limitedInfo(),
		nestedInfo(),
		stealInfo(),
	}
}

// Recorder executes the operations of a workload in a run, and records those under a lock in
// the history.
type Recorder interface {
	// Locked runs one critical section under the lock of a key. Unit names the work that
	// must be done exactly once, "" if the workload has no units.
	Locked(ctx context.Context, key, unit string, body lock.Body) error
	// LockedShared is Locked for a section that only reads. If the strategy has a lock for readers, other
	// such sections have the lock at the same time.
	LockedShared(ctx context.Context, key string, body lock.Body) error
	// LockedPermit is Locked with one of the permits of the key, so that several sections can be inside. If
	// the strategy has no permits, it is Locked.
	LockedPermit(ctx context.Context, key string, permits int, body lock.Body) error
	// Nested locks a key inside a section of the same worker that has locked it. Both are one section of
	// the history.
	Nested(ctx context.Context, key string, outer lock.Section, body lock.Body) error
	// LockedAll is Locked for several keys in one call of the strategy. The body gets a section for
	// each key, in the order of the keys. It reports whether the strategy can do that; if not, it runs nothing.
	LockedAll(ctx context.Context, keys []string, unit string, body func(context.Context, []lock.Section) error) (bool, error)
	// Spend lets time pass inside a section. The setting heeds decides whether it ends with
	// the context.
	Spend(ctx context.Context, d time.Duration) error
	// Peek returns the value of an item. It takes no lock, and is not recorded.
	Peek(ctx context.Context, item string) (string, error)
	// Proceed records that a section goes on with its next write.
	Proceed()
	// Wall is the worker's wall clock, as time since the clocks of the run began.
	Wall() time.Duration
	// Over reports whether it is too late in the run to begin new work.
	Over() bool
}

// Work holds the input of one call of a workload.
type Work struct {
	Recorder
	Env      env.Env
	Settings *Settings
	Worker   string
	Number   int // of the worker, from 1
	Section  int
	Unit     string   // the job, if it may take several sections
	Attempt  int      // number of the job's attempt, from 1
	Items    []string // all items
	Item     string   // the item that was drawn for this call
	Hold     time.Duration
	// Memory has numbers that the workload keeps from call to call, until the worker's process ends.
	Memory map[string]int64
	Draw   draw.Draw // for random choices of the workload, the same for each attempt
}

// oneLock returns the Do of a workload that works under the lock of the drawn item.
func oneLock(body func(*Work) lock.Body) func(context.Context, *Work) error {
	return func(ctx context.Context, w *Work) error { return w.Locked(ctx, w.Item, w.Unit, body(w)) }
}
