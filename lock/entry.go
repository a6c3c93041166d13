package lock

import "lockquake/lock/env"

// Deps are what a strategy is built from, for one worker.
type Deps struct {
	Env    env.Env
	Params Params
	// Instance is a value that the workers who share a client have in common;
	// "" for one of its own.
	Instance string
	// Process keeps what the workers of this worker's process share; see Shared.
	Process *Process
	// Port holds the clients of the lock servers. Its type is the port of the
	// entry's family, such as [lockquake/lock/redis.Port].
	Port any
}

// Entry is a strategy in the catalogue.
type Entry struct {
	Name string
	Doc  string // one line
	// Family names the family of servers that the strategy needs, such as "redis";
	// "" for the first family.
	Family string
	// Flawed strategies keep a known flaw on purpose.
	Flawed bool
	// Tells: the strategy promises to tell its holder of a loss while the work
	// goes on, and not only when the lock is given back.
	Tells    bool
	Defaults Params
	// Unordered: the fence tokens do not rise with every grant.
	Unordered bool
	// Topology is the servers that it runs on unless a scenario says otherwise.
	Topology Topology
	// Points are the steps of its own that it names with Env.Point, and those of
	// requests that it names with env.WithOp, such as "extend.sent". A fault may be
	// tied to them.
	Points []string
	// Claims are under which faults which checks hold. A flawed strategy claims
	// nothing.
	Claims Claims
	// Holders reads who holds a lock from its records at a server; nil stands
	// for [ReadHolders].
	Holders Holders
	// Records are the names of the records that a lock has there; nil stands for
	// one that is called as the lock is. It is a pure function.
	Records func(key string) []string
	New     func(Deps) Strategy
}

// Fenced reports whether the strategy promises tokens in the order of grants.
func (e Entry) Fenced() bool { return e.Defaults.Fenced() }

// FenceKind says what a strategy truly hands the resource.
type FenceKind string

// The kinds of fence.
const (
	FenceKindNone    FenceKind = "none"
	FenceKindOrder   FenceKind = "order"       // a number that rises with every grant
	FenceKindNoOrder FenceKind = "not ordered" // a number that does not, though it promises to
)

// FenceKind returns what the strategy hands the resource.
func (e Entry) FenceKind() FenceKind {
	switch {
	case !e.Fenced():
		return FenceKindNone
	case e.Unordered:
		return FenceKindNoOrder
	}
	return FenceKindOrder
}

// Family is the locks on one kind of lock servers.
type Family struct {
	Name       string
	Strategies []Entry
	// Parts lists the parts that its locks are put together from.
	Parts []Part
	// Tasks names the tasks that its locks run beside the worker's own.
	Tasks []string
}

// None is the strategy without a lock.
func None() Entry {
	return Entry{
		Name: "none",
		Doc:  "no lock at all: the baseline that every rate is compared with",
		New:  func(Deps) Strategy { return unlocked{} },
	}
}
