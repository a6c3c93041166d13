package run

import (
	"time"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/scenarios"
	"lockquake/sim/backend"
)

// A run goes on after its duration until every section that was begun has
// ended, every fault has run its course, and nothing is left to happen.
//
// Some runs cannot end: two workers each wait for the lock that the other one
// holds, or a crashed worker has left a lock that never expires. However often
// the workers poll, such a run shows no progress. It is stopped after a calm, a
// time in which no section is let in or ends and no fault begins.

// calm computes how long a run may go on without progress.
type calm struct {
	ttl, maxHold time.Duration
	workers      int
	messages     time.Duration // of a section and the next acquire, at most
	work         time.Duration // the longest work of a section so far
	length       time.Duration
}

// A calm is longer than the patience of the check progress by calmMargin, so that the check sees
// every wait that is too long.
const calmMargin = time.Minute

// include makes the calm long enough for work that takes d.
func (c *calm) include(d time.Duration) {
	if d > c.work || c.length == 0 {
		c.work = max(c.work, d)
		patience := func(messages time.Duration) time.Duration {
			return checker.Patience(c.ttl, c.work+messages, c.workers, c.maxHold)
		}
		c.length = max(calmMargin+patience(0), calmMargin/2+patience(c.messages))
	}
}

// messagesOf returns an upper bound of how long the messages of a section and of the next acquire take. It uses a high
// quantile of the latencies, which together exceed it only rarely.
func messagesOf(n scenarios.Network) time.Duration {
	const messages, share = 16, 0.9
	longest := n.Latency.Quantile(share)
	for _, link := range n.Links {
		longest = max(longest, link.Latency.Quantile(share))
	}
	return messages * longest
}

// progressed postpones the end of the run: something has ended now, or something began that takes
// time.
func (r *run) progressed(takes time.Duration) {
	r.world.Extend(r.world.Time() + takes + r.calm.length)
}

// ended notes that a worker has done all of its sections. Clients that keep a session send pings for ever, so
// a run with them never gets idle. It ends when all workers have ended and their leases have had time to expire.
func (r *run) ended(k *worker) {
	if k.atWork {
		k.atWork = false
		r.atWork--
	}
	if s, ok := r.cluster.(backend.Session); ok && r.atWork == 0 {
		const leases, more = 2, 10 * time.Second
		r.stopWhenQuiet(leases*s.Lease(r.calm.ttl) + more)
	}
}

// stopWhenQuiet ends the run when the given time has passed since all workers have ended and all faults are over.
func (r *run) stopWhenQuiet(after time.Duration) {
	r.world.At(max(r.world.Time(), r.healed)+after, func() {
		switch {
		case r.atWork > 0:
		case r.world.Time() < r.healed+after:
			r.stopWhenQuiet(after)
		default:
			r.world.Stop()
		}
	})
}

// open reports whether a section has not ended.
func open(s *history.Section) bool { return s.Return == 0 && !s.Crashed }

// stop returns why the run was stopped, if some of its sections did not end.
func (r *run) stop(unended bool) history.Stop {
	switch {
	case !unended:
		return history.StopNone
	case r.world.Limited():
		return history.StopCalm
	}
	return history.StopIdle
}
