package redis

import (
	"time"

	"lockquake/lock"
)

// Family returns the locks on Redis servers.
func Family() lock.Family {
	return lock.Family{
		Name: Name, Strategies: append(single(), quorums()...),
		Tasks: []string{"renewal", "expiry", "reaper", "request"},
	}
}

// single lists the locks that take a key of one Redis server. Each is
// the standard recipe with a part or a number changed.
func single() []lock.Entry {
	return []lock.Entry{
		preset("redis", "SET NX PX with a random value, released by compare-and-delete: the standard recipe", nil),
		preset("redis-backoff", "redis, with a delay that doubles from attempt to attempt, and 3 attempts", func(p *lock.Params) {
			p.Retry = lock.Retry{Attempts: 3, Delay: 100 * time.Millisecond, Jitter: 100 * time.Millisecond, Doubling: true}
		}),
		preset("redis-checked", "redis, and the holder looks at its own clock before each write", func(p *lock.Params) {
			p.Check = lock.CheckClock
		}),
		preset("redis-watchdog", "redis-checked, and a task renews the lease until the work is done or the lease is lost", watchdog),
		preset("redis-watchdog-cancel", "redis-watchdog as most have it: a lost lease ends the context of the work, and the holder does not look at its clock before a write", func(p *lock.Params) {
			watchdog(p)
			p.Check = lock.CheckNone
		}),
		preset("redis-fenced", "redis, and the script that grants the lock counts a fence token up", func(p *lock.Params) {
			p.Fence = lock.FenceInScript
		}),
		preset("redis-fenced-incr-first", "redis-fenced, with a script that counts before it tries, so that losers burn numbers", func(p *lock.Params) {
			p.Fence = lock.FenceIncrFirst
		}),
		preset("redis-notify", "redis, and a release is announced to those who wait, who ask now and then all the same", func(p *lock.Params) {
			p.Waiting, p.Fallback = lock.WaitingMessage, 500*time.Millisecond
		}),
		replicated("redis-replica", "redis, on a primary with an asynchronous replica", nil),
		replicated("redis-replica-wait", "redis-replica, and a grant that the replica does not confirm in time is given back", func(p *lock.Params) {
			p.Wait, p.NodeTimeout = 1, 500*time.Millisecond
		}),

		flawed("redis-get-set", "GET, and SET if there was nothing: two workers fit between the two", func(p *lock.Params) {
			p.Take = lock.TakeGetSet
		}),
		flawed("redis-noexpire", "SET NX without an expiry: a crashed holder blocks everybody for ever", func(p *lock.Params) {
			p.Take = lock.TakeNoExpiry
		}),
		flawed("redis-setnx-expire", "SETNX, then PEXPIRE: a crash between the two blocks everybody for ever", func(p *lock.Params) {
			p.Take = lock.TakeSetNXExpire
		}),
		flawed("redis-short-ttl", "redis with a TTL of 5 s, for work that takes longer", func(p *lock.Params) {
			p.TTL = 5 * time.Second
		}),
		flawed("redis-del", "released by a plain DEL: a late release frees the next holder's lock", func(p *lock.Params) {
			p.Release = lock.ReleasePlain
		}),
		flawed("redis-herd", "a fixed retry interval without jitter: all waiters poll in step", func(p *lock.Params) {
			p.Retry.Jitter = 0
		}),
		flawed("redis-doubling", "a delay that doubles without jitter: waiters sleep beside a free lock", func(p *lock.Params) {
			p.Retry.Jitter, p.Retry.Doubling, p.Retry.AfterLast = 0, true, true
		}),
		flawed("redis-instance-owner", "one value for each instance of the client: its tasks release each other's grants", func(p *lock.Params) {
			p.Owner = lock.OwnerInstance
		}),
		flawed("redis-constant-token", "the value is a constant: a late release frees anybody's lock", func(p *lock.Params) {
			p.Owner = lock.OwnerConstant
		}),
		flawed("redis-weak-token", "the value is process number and millisecond: equal in two containers", func(p *lock.Params) {
			p.Owner = lock.OwnerWeak
		}),
		flawed("redis-blind-timeout", "an acquire without an answer is taken for a refusal: a ghost lock until the TTL", func(p *lock.Params) {
			p.Unknown = lock.UnknownRefused
		}),
		flawed("redis-client-resend", "an acquire without an answer is sent again, and refused by the key that it took itself: a ghost lock", func(p *lock.Params) {
			p.Unknown = lock.UnknownResend
		}),
		flawed("redis-fail-open", "a refused or failed acquire is ignored and the work runs", func(p *lock.Params) {
			p.Refused = lock.RefusedRun
		}),
		flawed("redis-release-never", "every release fails and the error is swallowed: each section costs a full TTL", func(p *lock.Params) {
			p.Release = lock.ReleaseNever
		}),
		flawed("redis-release-skipped", "no release when the work fails", func(p *lock.Params) {
			p.Release = lock.ReleaseSkipped
		}),
		flawed("redis-release-ignored", "a release that finds the lock lost reports success", func(p *lock.Params) {
			p.Release = lock.ReleaseIgnored
		}),
		flawed("redis-release-masks", "an error of the release replaces the result of the finished work", func(p *lock.Params) {
			p.Release = lock.ReleaseMasks
		}),
		flawed("redis-release-cancelled", "released under the caller's context: after a cancellation the key stays until its lease ends", func(p *lock.Params) {
			p.Release = lock.ReleaseCallersContext
		}),
		flawed("redis-fenced-split", "the fence is counted up before the acquire: tokens are not in the order of grants", func(p *lock.Params) {
			p.Fence = lock.FenceSplit
		}),
		flawed("redis-fenced-published", "a script that compares the SET's reply with a string: it takes the key and says that it did not", func(p *lock.Params) {
			p.Fence = lock.FencePublished
		}),
		flawed("redis-watchdog-deaf", "renewed at 2/3 of the TTL; refused, it stops renewing and tells nobody", func(p *lock.Params) {
			watchdog(p)
			p.Check, p.Renewal, p.RenewShare = lock.CheckNone, lock.RenewalDeaf, 2.0/3
		}),
		flawed("redis-watchdog-late-flag", "a refused renewal, or one error of it, sets a flag that is read when the work has ended", func(p *lock.Params) {
			watchdog(p)
			p.Check, p.Renewal = lock.CheckNone, lock.RenewalLateFlag
		}),
		flawed("redis-watchdog-overlap", "renewals do not wait for each other, nor the release for them", func(p *lock.Params) {
			watchdog(p)
			p.Renewal = lock.RenewalOverlap
		}),
		flawed("redis-watchdog-crash", "an error of one renewal ends the process", func(p *lock.Params) {
			watchdog(p)
			p.Renewal = lock.RenewalCrash
		}),
		flawed("redis-watchdog-racy", "what begins the renewal may come after what stops it: then nobody stops it", func(p *lock.Params) {
			watchdog(p)
			p.Renewal = lock.RenewalRacy
		}),
		flawed("redis-notify-shared", "a release is announced over one connection of the process: who is served ends the listening of the others", func(p *lock.Params) {
			p.Waiting = lock.WaitingMessageShared
		}),
		flawed("redis-reaped", "a lock is deleted when its owner is missing from a list that it was entered in for 5 s", func(p *lock.Params) {
			p.Reaper = lock.ReaperLive
		}),
		flawed("redis-watchdog-recreate", "a renewal that finds no key sets it again: a lost interval stays hidden", func(p *lock.Params) {
			watchdog(p)
			p.Check, p.Renewal = lock.CheckNone, lock.RenewalRecreate
		}),
		flawed("redis-watchdog-forever", "no bound on renewal: hung work holds the lock for ever", func(p *lock.Params) {
			watchdog(p)
			p.MaxHold = 0
		}),
		flawed("redis-watchdog-same-thread", "renewed by the worker's only thread: long work starves it", func(p *lock.Params) {
			watchdog(p)
			p.Check, p.Renewal = lock.CheckNone, lock.RenewalSameThread
		}),
	}
}

// preset is the standard recipe with something changed.
func preset(name, doc string, change func(*lock.Params)) lock.Entry {
	p := lock.Params{
		TTL:   30 * time.Second,
		Retry: lock.Retry{Attempts: 11, Delay: 100 * time.Millisecond, Jitter: 50 * time.Millisecond},
		Owner: lock.OwnerRandom, Take: lock.TakeAtomic, Fence: lock.FenceNone, Check: lock.CheckNone, Renewal: lock.RenewalNone,
		Release: lock.ReleaseCompare, Unknown: lock.UnknownCleanUp, Refused: lock.RefusedStop,
		Validity: lock.ValidityMonotonic, Vote: lock.VoteGranted, Waiting: lock.WaitingPoll, Reaper: lock.ReaperNone,
	}
	if change != nil {
		change(&p)
	}
	// A lock that renews its lease claims to know when it is over.
	return lock.Entry{Name: name, Doc: doc, Tells: p.Renewal != lock.RenewalNone, Defaults: p, New: newRedisStrategy}
}

func flawed(name, doc string, change func(*lock.Params)) lock.Entry {
	e := preset(name, doc, change)
	e.Flawed = true
	return e
}

// replicated is a preset for a primary with a replica.
func replicated(name, doc string, change func(*lock.Params)) lock.Entry {
	e := preset(name, doc, change)
	e.Topology.Replicas = 1
	return e
}

// watchdog renews every third of a TTL of 10 s, for 10 minutes at most.
func watchdog(p *lock.Params) {
	p.TTL, p.MaxHold = 10*time.Second, 10*time.Minute
	p.Check, p.Renewal = lock.CheckClock, lock.RenewalWatchdog
}
