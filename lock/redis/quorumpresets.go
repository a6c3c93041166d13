package redis

import (
	"time"

	"lockquake/lock"
)

// quorums lists the locks that take a key of a quorum of servers. Each
// is the published algorithm with a part or a number changed.
func quorums() []lock.Entry {
	const minority = "no corruption under the restart of a minority that keeps its data"
	delayed := claiming(plain("no corruption under restarts without data; sound service with the silent time allowed for"),
		redlock("redlock-delayed-restart", "redlock, with servers that stay silent for the longest TTL after a restart"))
	delayed.Topology.DelayedRestart = true
	entries := []lock.Entry{
		claiming(plain(minority), redlock("redlock", "SET NX PX on 5 independent servers at once, and a majority within the lease is a grant")),
		delayed,
		claiming(plain(minority), redlock("redlock-extend", "redlock, extended on a majority at half of the validity that is left, until the work is done", with("check", "clock"), with("renewal", "watchdog"), func(p *lock.Params) {
			p.MaxHold = 10 * time.Minute
		})),
	}
	for _, flaw := range []lock.Entry{
		redlock("redlock-fixed-drift", "drift is a constant, and the time that an acquire took is read from the wall clock", with("validity", "wall"), func(p *lock.Params) {
			p.Drift = 200 * time.Millisecond
			p.Retry = lock.Retry{Attempts: 3, Delay: 100 * time.Millisecond, Doubling: true, Random: true}
		}),
		redlock("redlock-counts-refusals", "every answer that is no error counts for the majority: excludes nobody", with("vote", "answered")),
		redlock("redlock-no-validity", "a majority is a grant, however long it took", with("validity", "none")),
		redlock("redlock-no-node-timeout", "waits for every server: one that is frozen holds up every acquire", func(p *lock.Params) {
			p.NodeTimeout = 0
		}),
		redlock("redlock-token-per-call", "one value for all attempts of a call: a late release of one undoes the next", with("owner", "call")),
		redlock("redlock-release-answered", "a release is a success when a majority answered, whatever it said", with("release", "ignored")),
		redlock("redlock-extend-late", "extended 2/3 of the TTL after the acquire has returned, whatever that took", with("renewal", "late"), func(p *lock.Params) {
			p.RenewShare, p.MaxHold = 2.0/3, 10*time.Minute
		}),
		redlock("redlock-extend-deaf", "an extension that fails is the last, and tells nobody", with("renewal", "deaf"), func(p *lock.Params) {
			p.MaxHold = 10 * time.Minute
		}),
		redlock("redlock-handle-zombie", "an extension under way at the release brings the handle back to life", with("renewal", "zombie"), func(p *lock.Params) {
			p.RenewShare, p.MaxHold = 1.0/2, 10*time.Minute
		}),
		redlock("redlock-fenced-incr", "each server counts for itself, and the fence is the highest of their counters", with("fence", "in-script")),
	} {
		flaw.Flawed = true
		entries = append(entries, flaw)
	}
	return entries
}

// redlock is the published algorithm with some changes.
func redlock(name, doc string, changes ...change) lock.Entry {
	published := func(p *lock.Params) {
		p.TTL, p.NodeTimeout = 10*time.Second, 50*time.Millisecond
		p.Retry = lock.Retry{Attempts: 10, Delay: 200 * time.Millisecond, Jitter: 100 * time.Millisecond}
	}
	e := preset(name, doc, append([]change{published}, changes...)...)
	e.Topology, e.New = lock.Topology{Nodes: 5}, newQuorum
	return e
}

func claiming(claims lock.Claims, e lock.Entry) lock.Entry {
	e.Claims = claims
	return e
}
