package redis

import (
	"time"

	"lockquake/lock"
)

// Family returns the locks on Redis servers.
func Family() lock.Family {
	f := lock.Family{
		Name: Name, Strategies: append(single(), quorums()...), Parts: parts(),
		Tasks: []string{"renewal", "expiry", "reaper", "request"},
	}
	recipe := f.Parts
	for _, t := range lockTypes() {
		f.Parts = append(f.Parts, t.parts...)
		for _, e := range t.presets {
			e.Defaults.Complete(t.parts)
			e.New, e.Records, e.Holders = t.new, t.records, t.holders
			e.Shares, e.Permits, e.Reenters = t.shares, t.permits, t.reenters
			f.Strategies = append(f.Strategies, e)
		}
	}
	for i := range f.Strategies {
		e := &f.Strategies[i]
		e.Defaults.Complete(recipe)
		e.Tells = e.Defaults.Renews() // a lock that renews its lease promises to tell its holder of a loss
		e.Unordered = e.Defaults.Parts["fence"] == "split" || e.Topology.Nodes > 1
	}
	return f
}

// single lists the locks that take a key of one Redis server. Each is the standard recipe
// with a part or a number changed.
func single() []lock.Entry {
	return []lock.Entry{
		sound("redis", "SET NX PX with a random value, released by compare-and-delete: the standard recipe", plain("")),
		sound("redis-backoff", "redis, with a delay that doubles from attempt to attempt, and 3 attempts", plain(""), func(p *lock.Params) {
			p.Retry = lock.Retry{Attempts: 3, Delay: 100 * time.Millisecond, Jitter: 100 * time.Millisecond, Doubling: true}
		}),
		sound("redis-checked", "redis, and the holder checks its own clock before each write", plain(""), lock.With("check", "clock")),
		sound("redis-watchdog", "redis, and the holder checks its own clock before each write, while a task renews the lease until the work is done or the lease is lost", telling("no corruption under work that overruns"), watchdog),
		sound("redis-watchdog-cancel", "redis-watchdog as most libraries have it: a lost lease ends the context of the work, and the holder does not check its clock before a write", telling("no corruption under work that overruns; the claims are only about work that heeds its context"), watchdog, lock.With("check", "none")),
		sound("redis-fenced", "redis, and the script that grants the lock increments a fencing token", fencing(), lock.With("fence", "in-script")),
		sound("redis-fenced-incr-first", "redis-fenced, with a script that increments the token before it tries to take the key, so losers use up numbers", fencing(), lock.With("fence", "incr-first")),
		sound("redis-notify", "redis, and a release is published to the waiters; they also poll, at long intervals", plain(""), lock.With("waiting", "message"), func(p *lock.Params) {
			p.Fallback = 500 * time.Millisecond
		}),
		replicated("redis-replica", "redis, on a primary with an asynchronous replica", plain("correct service under a failover, apart from the time that the failover takes")),
		replicated("redis-replica-wait", "redis-replica, and a grant that the replica does not confirm in time is released", plain("correct service under a failover, apart from the time that the failover takes"), func(p *lock.Params) {
			p.Wait, p.NodeTimeout = 1, 500*time.Millisecond
		}),

		singleWriterPreset(),

		flawed("redis-get-set", "GET, then SET if the key is missing: two workers can both find it missing", lock.With("take", "get-set")),
		flawed("redis-noexpire", "SET NX without an expiry: a crashed holder blocks all others forever", lock.With("take", "no-expiry")),
		flawed("redis-setnx-expire", "SETNX, then PEXPIRE: a crash between the two blocks all others forever", lock.With("take", "setnx-expire")),
		flawed("redis-short-ttl", "redis with a TTL of 5 s, for work that takes longer", func(p *lock.Params) {
			p.TTL = 5 * time.Second
		}),
		flawed("redis-del", "released by a plain DEL: a late release frees the next holder's lock", lock.With("release", "plain")),
		flawed("redis-herd", "a fixed retry interval without jitter: all waiters poll in step", func(p *lock.Params) {
			p.Retry.Jitter = 0
		}),
		flawed("redis-doubling", "a delay that doubles, without jitter: waiters sleep while the lock is free", func(p *lock.Params) {
			p.Retry.Jitter, p.Retry.Doubling, p.Retry.AfterLast = 0, true, true
		}),
		flawed("redis-instance-owner", "one owner value for each client: workers that share a client release each other's locks", lock.With("owner", "instance")),
		flawed("redis-constant-token", "one owner value for all workers: a late release frees the lock of any holder", lock.With("owner", "constant")),
		flawed("redis-weak-token", "the owner value is process ID and millisecond, which can be equal in two containers", lock.With("owner", "weak")),
		flawed("redis-blind-timeout", "an acquire without a reply counts as refused: the key that it may have set blocks all others until the TTL is over", lock.With("unknown", "refused")),
		flawed("redis-client-resend", "an acquire without a reply is sent again, and is refused because of the key that its first copy has set: no worker holds the lock until that key expires", lock.With("unknown", "resend")),
		flawed("redis-fail-open", "a refused or failed acquire is ignored, and the work runs", lock.With("refused", "run")),
		flawed("redis-release-never", "every release fails and the error is swallowed: each section costs a full TTL", lock.With("release", "never")),
		flawed("redis-release-skipped", "no release when the work fails", lock.With("release", "skip-on-fail")),
		flawed("redis-release-ignored", "a release that finds the lock lost reports success", lock.With("release", "ignored")),
		flawed("redis-release-masks", "an error of the release replaces the result of the finished work", lock.With("release", "masks")),
		flawed("redis-release-cancelled", "released under the caller's context: after a cancellation the key stays until its lease ends", lock.With("release", "callers-context")),
		flawed("redis-fenced-split", "the fencing token is incremented before the acquire: tokens are not in the order of grants", lock.With("fence", "split")),
		flawed("redis-fenced-published", "a script that compares the reply of SET with a string: it takes the key and reports a refusal", lock.With("fence", "published")),
		flawed("redis-watchdog-deaf", "renewed at 2/3 of the TTL; after a refusal the task stops and does not tell the holder", watchdog, lock.With("check", "none"), lock.With("renewal", "deaf"), func(p *lock.Params) {
			p.RenewShare = 2.0 / 3
		}),
		flawed("redis-watchdog-late-flag", "a refusal or one error of a renewal sets a flag, which is read only after the work has ended", watchdog, lock.With("check", "none"), lock.With("renewal", "late-flag")),
		flawed("redis-watchdog-overlap", "a renewal begins before the last one has ended, and the release waits for none of them", watchdog, lock.With("renewal", "overlap")),
		flawed("redis-watchdog-crash", "an error of one renewal ends the process", watchdog, lock.With("renewal", "crash")),
		flawed("redis-watchdog-racy", "a callback starts the renewal, possibly after the callback that stops it: then it never stops", watchdog, lock.With("renewal", "racy")),
		flawed("redis-notify-shared", "all waiters of a process listen for a release over one connection: the first one that gets the lock ends the subscription for all", lock.With("waiting", "message-shared")),
		flawed("redis-reaped", "workers delete a lock whose owner is not in the list of live owners; an entry is made once and lasts 5 s", lock.With("reaper", "live-list")),
		flawed("redis-watchdog-recreate", "a renewal that finds no key sets it again, which hides that the lock was lost meanwhile", watchdog, lock.With("check", "none"), lock.With("renewal", "recreate")),
		flawed("redis-watchdog-forever", "no bound on renewal: hung work holds the lock forever", watchdog, func(p *lock.Params) {
			p.MaxHold = 0
		}),
		flawed("redis-watchdog-same-thread", "renewed by the worker's only thread: long work delays the renewal", watchdog, lock.With("check", "none"), lock.With("renewal", "same-thread")),
	}
}

// preset returns the standard recipe with some changes.
func preset(name, doc string, changes ...lock.Change) lock.Entry {
	p := lock.Params{
		TTL:   30 * time.Second,
		Retry: lock.Retry{Attempts: 11, Delay: 100 * time.Millisecond, Jitter: 50 * time.Millisecond},
	}
	for _, c := range changes {
		c(&p)
	}
	return lock.Entry{Name: name, Doc: doc, Defaults: p, New: newSingle}
}

// sound returns a preset without a known bug.
func sound(name, doc string, claims lock.Claims, changes ...lock.Change) lock.Entry {
	e := preset(name, doc, changes...)
	e.Claims = claims
	return e
}

// flawed returns a preset with a published bug.
func flawed(name, doc string, changes ...lock.Change) lock.Entry {
	e := preset(name, doc, changes...)
	e.Flawed = true
	return e
}

// replicated returns a preset without a known bug, on a primary with a replica.
func replicated(name, doc string, claims lock.Claims, changes ...lock.Change) lock.Entry {
	e := sound(name, doc, claims, changes...)
	e.Topology.Replicas = 1
	return e
}

// watchdog renews a lease of 10 s after each third of it, for up to 10 minutes.
func watchdog(p *lock.Params) {
	p.TTL, p.MaxHold = 10*time.Second, 10*time.Minute
	p.Set("check", "clock")
	p.Set("renewal", "watchdog")
}
