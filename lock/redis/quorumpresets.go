package redis

import (
	"time"

	"lockquake/lock"
)

// quorums lists the locks that take a key of a quorum of servers. Each is the published
// algorithm with a part or a number changed.
func quorums() []lock.Entry {
	const minority = "no corruption under the restart of a minority that keeps its data"
	delayed := withClaims(plain("no corruption under restarts without data; correct service, apart from the silent time"),
		redlock("redlock-delayed-restart", "redlock, with servers that stay silent for the longest TTL after a restart"))
	delayed.Topology.DelayedRestart = true
	entries := []lock.Entry{
		withClaims(plain(minority), redlock("redlock", "SET NX PX on 5 independent servers at once; a majority within the lease grants the lock")),
		delayed,
		withClaims(plain(minority), redlock("redlock-extend", "redlock, extended on a majority at half of the validity that is left, until the work is done", lock.With("check", "clock"), lock.With("renewal", "watchdog"), func(p *lock.Params) {
			p.MaxHold = 10 * time.Minute
		})),
	}
	for _, flaw := range []lock.Entry{
		redlock("redlock-fixed-drift", "drift is a constant, and the time that an acquire took is read from the wall clock", lock.With("validity", "wall"), func(p *lock.Params) {
			p.Drift = 200 * time.Millisecond
			p.Retry = lock.Retry{Attempts: 3, Delay: 100 * time.Millisecond, Doubling: true, Random: true}
		}),
		redlock("redlock-counts-refusals", "a refusal counts for the majority, since it is not an error: no mutual exclusion", lock.With("vote", "answered")),
		redlock("redlock-no-validity", "a majority is a grant, however long it took", lock.With("validity", "none")),
		redlock("redlock-no-node-timeout", "no timeout for a server: one that is frozen delays every acquire", func(p *lock.Params) {
			p.NodeTimeout = 0
		}),
		redlock("redlock-token-per-call", "one owner value for all attempts of a call: the late release of an attempt undoes the next one", lock.With("owner", "call")),
		redlock("redlock-release-answered", "a release succeeds if a majority answers, even if the answer is a refusal", lock.With("release", "ignored")),
		redlock("redlock-extend-late", "extended 2/3 of the TTL after the acquire has returned, however long it took", lock.With("renewal", "late"), func(p *lock.Params) {
			p.RenewShare, p.MaxHold = 2.0/3, 10*time.Minute
		}),
		redlock("redlock-extend-deaf", "after an extension that fails, the task stops and does not tell the holder", lock.With("renewal", "deaf"), func(p *lock.Params) {
			p.MaxHold = 10 * time.Minute
		}),
		redlock("redlock-handle-zombie", "if an extension is under way at the release, its task continues, and extends whatever lease its locker holds at that time", lock.With("renewal", "zombie"), func(p *lock.Params) {
			p.RenewShare, p.MaxHold = 1.0/2, 10*time.Minute
		}),
		redlock("redlock-fenced-incr", "each server has its own counter, and the fencing token is the highest of them", lock.With("fence", "in-script")),
	} {
		flaw.Flawed = true
		entries = append(entries, flaw)
	}
	return entries
}

// redlock returns the published algorithm with some changes.
func redlock(name, doc string, changes ...lock.Change) lock.Entry {
	published := func(p *lock.Params) {
		p.TTL, p.NodeTimeout = 10*time.Second, 50*time.Millisecond
		p.Retry = lock.Retry{Attempts: 10, Delay: 200 * time.Millisecond, Jitter: 100 * time.Millisecond}
	}
	e := preset(name, doc, append([]lock.Change{published}, changes...)...)
	e.Topology, e.New = lock.Topology{Nodes: 5}, newQuorum
	return e
}

// withClaims returns an entry with these claims.
func withClaims(claims lock.Claims, e lock.Entry) lock.Entry {
	e.Claims = claims
	return e
}
