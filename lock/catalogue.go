package lock

import (
	"time"

	"github.com/redis/go-redis/v9"

	"lockquake/lock/env"
)

// Deps are what a strategy is built from, for one worker.
type Deps struct {
	Env    env.Env
	Params Params
	// Instance is a value that the workers who share a client have in common;
	// "" for one of its own.
	Instance string
	// Process keeps what the workers of this worker's process share; see Shared.
	Process *Process
	// Port is what the servers of the entry's family offer, of a type that the
	// family's package has; nil for Redis, which has the fields below.
	Port any
	// Redis is the client of the lock's Redis server, or of the current primary,
	// nil where there is none.
	Redis redis.Cmdable
	// Nodes holds one client for each independent server, of which Redis is the
	// first.
	Nodes []redis.Cmdable
	// Subscriber hears what is published on that server, SharedSubscriber over one
	// connection for all workers of the process. They are nil where nobody may
	// listen.
	Subscriber, SharedSubscriber Subscriber
}

// Entry is a strategy in the catalogue.
type Entry struct {
	Name string
	Doc  string // one line
	// Family is the kind of lock servers that it uses, such as "redis"; "" for a
	// strategy that uses none, which runs beside those of the first family.
	Family string
	// Flawed strategies keep a known flaw on purpose.
	Flawed bool
	// Tells: the strategy promises to tell its holder of a loss while the work
	// goes on, and not only when the lock is given back.
	Tells    bool
	Defaults Params
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
	case e.Defaults.Fence == FenceSplit, e.Topology.Nodes > 1: // servers that do not know of each other count apart
		return FenceKindNoOrder
	}
	return FenceKindOrder
}

// Catalogue lists the strategies, simplest first.
func Catalogue() []Entry {
	entries := []Entry{{
		Name: "none",
		Doc:  "no lock at all: the baseline that every rate is compared with",
		New:  func(Deps) Strategy { return unlocked{} },
	}}
	entries = append(entries, redisCatalogue()...)
	entries = append(entries, redlockCatalogue()...)
	for i := range entries {
		entries[i].Topology.Nodes = max(entries[i].Topology.Nodes, 1)
		entries[i].Claims = claimsOf(entries[i].Name)
	}
	return entries
}

// redisCatalogue lists the locks that take a key of one Redis server. Each is
// the standard recipe with a part or a number changed.
func redisCatalogue() []Entry {
	return []Entry{
		preset("redis", "SET NX PX with a random value, released by compare-and-delete: the standard recipe", nil),
		preset("redis-backoff", "redis, with a delay that doubles from attempt to attempt, and 3 attempts", func(p *Params) {
			p.Retry = Retry{Attempts: 3, Delay: 100 * time.Millisecond, Jitter: 100 * time.Millisecond, Doubling: true}
		}),
		preset("redis-checked", "redis, and the holder looks at its own clock before each write", func(p *Params) {
			p.Check = CheckClock
		}),
		preset("redis-watchdog", "redis-checked, and a task renews the lease until the work is done or the lease is lost", watchdog),
		preset("redis-watchdog-cancel", "redis-watchdog as most have it: a lost lease ends the context of the work, and the holder does not look at its clock before a write", func(p *Params) {
			watchdog(p)
			p.Check = CheckNone
		}),
		preset("redis-fenced", "redis, and the script that grants the lock counts a fence token up", func(p *Params) {
			p.Fence = FenceInScript
		}),
		preset("redis-fenced-incr-first", "redis-fenced, with a script that counts before it tries, so that losers burn numbers", func(p *Params) {
			p.Fence = FenceIncrFirst
		}),
		preset("redis-notify", "redis, and a release is announced to those who wait, who ask now and then all the same", func(p *Params) {
			p.Waiting, p.Fallback = WaitingMessage, 500*time.Millisecond
		}),
		replicated("redis-replica", "redis, on a primary with an asynchronous replica", nil),
		replicated("redis-replica-wait", "redis-replica, and a grant that the replica does not confirm in time is given back", func(p *Params) {
			p.Wait, p.NodeTimeout = 1, 500*time.Millisecond
		}),

		flawed("redis-get-set", "GET, and SET if there was nothing: two workers fit between the two", func(p *Params) {
			p.Take = TakeGetSet
		}),
		flawed("redis-noexpire", "SET NX without an expiry: a crashed holder blocks everybody for ever", func(p *Params) {
			p.Take = TakeNoExpiry
		}),
		flawed("redis-setnx-expire", "SETNX, then PEXPIRE: a crash between the two blocks everybody for ever", func(p *Params) {
			p.Take = TakeSetNXExpire
		}),
		flawed("redis-short-ttl", "redis with a TTL of 5 s, for work that takes longer", func(p *Params) {
			p.TTL = 5 * time.Second
		}),
		flawed("redis-del", "released by a plain DEL: a late release frees the next holder's lock", func(p *Params) {
			p.Release = ReleasePlain
		}),
		flawed("redis-herd", "a fixed retry interval without jitter: all waiters poll in step", func(p *Params) {
			p.Retry.Jitter = 0
		}),
		flawed("redis-doubling", "a delay that doubles without jitter: waiters sleep beside a free lock", func(p *Params) {
			p.Retry.Jitter, p.Retry.Doubling, p.Retry.AfterLast = 0, true, true
		}),
		flawed("redis-instance-owner", "one value for each instance of the client: its tasks release each other's grants", func(p *Params) {
			p.Owner = OwnerInstance
		}),
		flawed("redis-constant-token", "the value is a constant: a late release frees anybody's lock", func(p *Params) {
			p.Owner = OwnerConstant
		}),
		flawed("redis-weak-token", "the value is process number and millisecond: equal in two containers", func(p *Params) {
			p.Owner = OwnerWeak
		}),
		flawed("redis-blind-timeout", "an acquire without an answer is taken for a refusal: a ghost lock until the TTL", func(p *Params) {
			p.Unknown = UnknownRefused
		}),
		flawed("redis-client-resend", "an acquire without an answer is sent again, and refused by the key that it took itself: a ghost lock", func(p *Params) {
			p.Unknown = UnknownResend
		}),
		flawed("redis-fail-open", "a refused or failed acquire is ignored and the work runs", func(p *Params) {
			p.Refused = RefusedRun
		}),
		flawed("redis-release-never", "every release fails and the error is swallowed: each section costs a full TTL", func(p *Params) {
			p.Release = ReleaseNever
		}),
		flawed("redis-release-skipped", "no release when the work fails", func(p *Params) {
			p.Release = ReleaseSkipped
		}),
		flawed("redis-release-ignored", "a release that finds the lock lost reports success", func(p *Params) {
			p.Release = ReleaseIgnored
		}),
		flawed("redis-release-masks", "an error of the release replaces the result of the finished work", func(p *Params) {
			p.Release = ReleaseMasks
		}),
		flawed("redis-release-cancelled", "released under the caller's context: after a cancellation the key stays until its lease ends", func(p *Params) {
			p.Release = ReleaseCallersContext
		}),
		flawed("redis-fenced-split", "the fence is counted up before the acquire: tokens are not in the order of grants", func(p *Params) {
			p.Fence = FenceSplit
		}),
		flawed("redis-fenced-published", "a script that compares the SET's reply with a string: it takes the key and says that it did not", func(p *Params) {
			p.Fence = FencePublished
		}),
		flawed("redis-watchdog-deaf", "renewed at 2/3 of the TTL; refused, it stops renewing and tells nobody", func(p *Params) {
			watchdog(p)
			p.Check, p.Renewal, p.RenewShare = CheckNone, RenewalDeaf, 2.0/3
		}),
		flawed("redis-watchdog-late-flag", "a refused renewal, or one error of it, sets a flag that is read when the work has ended", func(p *Params) {
			watchdog(p)
			p.Check, p.Renewal = CheckNone, RenewalLateFlag
		}),
		flawed("redis-watchdog-overlap", "renewals do not wait for each other, nor the release for them", func(p *Params) {
			watchdog(p)
			p.Renewal = RenewalOverlap
		}),
		flawed("redis-watchdog-crash", "an error of one renewal ends the process", func(p *Params) {
			watchdog(p)
			p.Renewal = RenewalCrash
		}),
		flawed("redis-watchdog-racy", "what begins the renewal may come after what stops it: then nobody stops it", func(p *Params) {
			watchdog(p)
			p.Renewal = RenewalRacy
		}),
		flawed("redis-notify-shared", "a release is announced over one connection of the process: who is served ends the listening of the others", func(p *Params) {
			p.Waiting = WaitingMessageShared
		}),
		flawed("redis-reaped", "a lock is deleted when its owner is missing from a list that it was entered in for 5 s", func(p *Params) {
			p.Reaper = ReaperLive
		}),
		flawed("redis-watchdog-recreate", "a renewal that finds no key sets it again: a lost interval stays hidden", func(p *Params) {
			watchdog(p)
			p.Check, p.Renewal = CheckNone, RenewalRecreate
		}),
		flawed("redis-watchdog-forever", "no bound on renewal: hung work holds the lock for ever", func(p *Params) {
			watchdog(p)
			p.MaxHold = 0
		}),
		flawed("redis-watchdog-same-thread", "renewed by the worker's only thread: long work starves it", func(p *Params) {
			watchdog(p)
			p.Check, p.Renewal = CheckNone, RenewalSameThread
		}),
	}
}

// preset is the standard recipe with something changed.
func preset(name, doc string, change func(*Params)) Entry {
	p := Params{
		TTL:   30 * time.Second,
		Retry: Retry{Attempts: 11, Delay: 100 * time.Millisecond, Jitter: 50 * time.Millisecond},
		Owner: OwnerRandom, Take: TakeAtomic, Fence: FenceNone, Check: CheckNone, Renewal: RenewalNone,
		Release: ReleaseCompare, Unknown: UnknownCleanUp, Refused: RefusedStop,
		Validity: ValidityMonotonic, Vote: VoteGranted, Waiting: WaitingPoll, Reaper: ReaperNone,
	}
	if change != nil {
		change(&p)
	}
	// A lock that renews its lease claims to know when it is over.
	return Entry{Name: name, Doc: doc, Family: "redis", Tells: p.Renewal != RenewalNone, Defaults: p, New: newRedisStrategy}
}

func flawed(name, doc string, change func(*Params)) Entry {
	e := preset(name, doc, change)
	e.Flawed = true
	return e
}

// replicated is a preset for a primary with a replica.
func replicated(name, doc string, change func(*Params)) Entry {
	e := preset(name, doc, change)
	e.Topology.Replicas = 1
	return e
}

// watchdog renews every third of a TTL of 10 s, for 10 minutes at most.
func watchdog(p *Params) {
	p.TTL, p.MaxHold = 10*time.Second, 10*time.Minute
	p.Check, p.Renewal = CheckClock, RenewalWatchdog
}
