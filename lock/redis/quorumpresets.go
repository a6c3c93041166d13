package redis

import (
	"time"

	"lockquake/lock"
)

// quorums lists the locks that take a key of a quorum of servers. Each
// is the published algorithm with a part or a number changed.
func quorums() []lock.Entry {
	delayed := redlock("redlock-delayed-restart", "redlock, with servers that stay silent for the longest TTL after a restart", nil)
	delayed.Topology.DelayedRestart = true
	entries := []lock.Entry{
		redlock("redlock", "SET NX PX on 5 independent servers at once, and a majority within the lease is a grant", nil),
		delayed,
		redlock("redlock-extend", "redlock, extended on a majority at half of the validity that is left, until the work is done", func(p *lock.Params) {
			p.Check, p.Renewal, p.MaxHold = lock.CheckClock, lock.RenewalWatchdog, 10*time.Minute
		}),
	}
	for _, flaw := range []lock.Entry{
		redlock("redlock-fixed-drift", "drift is a constant, and the time that an acquire took is read from the wall clock", func(p *lock.Params) {
			p.Validity, p.Drift = lock.ValidityWall, 200*time.Millisecond
			p.Retry = lock.Retry{Attempts: 3, Delay: 100 * time.Millisecond, Doubling: true, Random: true}
		}),
		redlock("redlock-counts-refusals", "every answer that is no error counts for the majority: excludes nobody", func(p *lock.Params) {
			p.Vote = lock.VoteAnswered
		}),
		redlock("redlock-no-validity", "a majority is a grant, however long it took", func(p *lock.Params) {
			p.Validity = lock.ValidityNone
		}),
		redlock("redlock-no-node-timeout", "waits for every server: one that is frozen holds up every acquire", func(p *lock.Params) {
			p.NodeTimeout = 0
		}),
		redlock("redlock-token-per-call", "one value for all attempts of a call: a late release of one undoes the next", func(p *lock.Params) {
			p.Owner = lock.OwnerCall
		}),
		redlock("redlock-release-answered", "a release is a success when a majority answered, whatever it said", func(p *lock.Params) {
			p.Release = lock.ReleaseIgnored
		}),
		redlock("redlock-extend-late", "extended 2/3 of the TTL after the acquire has returned, whatever that took", func(p *lock.Params) {
			p.Renewal, p.RenewShare, p.MaxHold = lock.RenewalLate, 2.0/3, 10*time.Minute
		}),
		redlock("redlock-extend-deaf", "an extension that fails is the last, and tells nobody", func(p *lock.Params) {
			p.Renewal, p.MaxHold = lock.RenewalDeaf, 10*time.Minute
		}),
		redlock("redlock-handle-zombie", "an extension under way at the release brings the handle back to life", func(p *lock.Params) {
			p.Renewal, p.RenewShare, p.MaxHold = lock.RenewalZombie, 1.0/2, 10*time.Minute
		}),
		redlock("redlock-fenced-incr", "each server counts for itself, and the fence is the highest of their counters", func(p *lock.Params) {
			p.Fence = lock.FenceInScript
		}),
	} {
		flaw.Flawed = true
		entries = append(entries, flaw)
	}
	return entries
}

// redlock is the published algorithm with something changed.
func redlock(name, doc string, change func(*lock.Params)) lock.Entry {
	e := preset(name, doc, func(p *lock.Params) {
		p.TTL, p.NodeTimeout = 10*time.Second, 50*time.Millisecond
		p.Retry = lock.Retry{Attempts: 10, Delay: 200 * time.Millisecond, Jitter: 100 * time.Millisecond}
		if change != nil {
			change(p)
		}
	})
	e.Topology, e.New = lock.Topology{Nodes: 5}, newRedlock
	return e
}
