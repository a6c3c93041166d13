package lock

import (
	"time"

	"lockquake/lock/env"
)

// Deps has everything that Entry.New needs to build a strategy for one worker.
type Deps struct {
	Env    env.Env
	Params Params
	// Instance identifies the client of the worker. Workers that share a client
	// have the same value; "" for a client that is not shared.
	Instance string
	// Process keeps the values that the workers of one process share; see Shared.
	Process *Process
	// Port holds the clients of the lock servers. Each family has its own type of
	// port, such as [lockquake/lock/redis.Port].
	Port any
}

// Entry is a strategy in the catalogue.
type Entry struct {
	Name string
	Doc  string // one line
	// Family names the family of servers that the strategy needs, such as "redis";
	// "" for the first family.
	Family string
	// LockFree: the strategy takes no lock and asks no server, so no worker ever holds
	// anything. Checks of holders do not apply to it.
	LockFree bool
	// Keeps: an owner keeps its lease from section to section. Checks that expect a grant
	// for each section do not apply to it.
	Keeps bool
	// Shares: the strategy is a Sharer. Sections that only read have a lock at the same time.
	Shares bool
	// Permits: the strategy is a Semaphore.
	Permits bool
	// Reenters: a holder can lock the key again inside its section.
	Reenters bool
	// Several: the strategy is a MultiLocker, which locks several keys in one call.
	Several bool
	// Needs lists what the strategy needs of the work. A scenario with other work is
	// refused.
	Needs []Need
	// Flawed: the strategy has a known flaw on purpose.
	Flawed bool
	// Tells: the strategy promises to tell its holder of a loss while the work
	// goes on. Without it the holder learns of a loss at the release.
	Tells bool
	// Margin returns how long before the end of its lease a holder that cannot renew it gives
	// it up. nil: it does not give it up before the end.
	Margin func(Params) time.Duration
	// Watches returns how long an acquire watches the lease of a holder that crashed before it takes it over. The next
	// acquire of the worker begins again. nil: the servers end such a lease, or the acquires share what they have seen.
	Watches func(Params) time.Duration
	// Wrong names the key of a value that the strategy cannot run with, as in a scenario, and says why.
	// The key is "" if there is none. nil: it runs with all values.
	Wrong func(Params) (key, why string)
	// Doubts: the strategy tells its holder of a loss as soon as it cannot reach the servers, which
	// may still hold the lock for it.
	Doubts   bool
	Defaults Params
	// ByUnit: what is locked is the unit of the work, such as a job of a queue, and not the key
	// that the work asks for.
	ByUnit bool
	// Inside: the work runs in a transaction of the lock's own database, so the data of the
	// work has to be there.
	Inside bool
	// Occupies: a section keeps a connection of the pool of its process from its acquire to its end.
	Occupies bool
	// Unordered: the fencing tokens do not rise with every grant.
	Unordered bool
	// Topology describes the servers that the strategy runs on, unless a scenario
	// sets others.
	Topology Topology
	// Points names the steps of the strategy that faults can be tied to: those that
	// it names with Env.Point, and those of the requests that it names with
	// env.WithOp, such as "extend.sent".
	Points []string
	// Claims lists the faults under which the strategy claims that checks hold. A
	// flawed strategy claims nothing.
	Claims Claims
	// Holders reads the holders of a lock from its records at a server. If it is nil,
	// [ReadHolders] reads them.
	Holders Holders
	// Records returns the names of the records that a lock has at a server. If it is
	// nil, a lock has one record with its own name. It is a pure function.
	Records func(key string) []string
	New     func(Deps) Strategy
}

// Fenced reports whether the strategy promises tokens in the order of grants.
func (e Entry) Fenced() bool { return e.Defaults.Fenced() }

// FenceKind says which fencing tokens a strategy gives to the resource.
type FenceKind string

// The kinds of fencing tokens.
const (
	FenceKindNone    FenceKind = "none"
	FenceKindOrder   FenceKind = "order"       // they rise with every grant
	FenceKindNoOrder FenceKind = "not ordered" // they do not, although the strategy promises it
)

// FenceKind returns the kind of fencing tokens that the strategy gives to the resource.
func (e Entry) FenceKind() FenceKind {
	switch {
	case !e.Fenced():
		return FenceKindNone
	case e.Unordered:
		return FenceKindNoOrder
	}
	return FenceKindOrder
}

// Family has the locks on one kind of lock servers.
type Family struct {
	Name       string
	Strategies []Entry
	// Parts lists the parts of its locks.
	Parts []Part
	// Tasks names the tasks that its locks start beside the worker's own.
	Tasks []string
}

// None returns the strategy without a lock.
func None() Entry {
	return Entry{
		Name:   "none",
		Doc:    "no lock at all: the baseline that every rate is compared with",
		Shares: true, Permits: true,
		New: func(Deps) Strategy { return unlocked{} },
	}
}
