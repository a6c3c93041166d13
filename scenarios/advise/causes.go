package advise

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/internal/draw"
	"lockquake/lock"
)

// cause is a case of the scenario: one kind of faults.
type cause struct {
	name  string
	class lock.Class // "" for none
	with  string     // completes "runs with ..."
	about string     // a comment in the file
	fault string     // entries of the file, without case and class
	// suits reports whether the faults can hit a candidate. nil: they can hit all.
	suits func(c candidate) bool
}

// afterGrant is the case of a failover that loses a grant.
const afterGrant = "failover-after-grant"

// Other cases that are looked up by their names.
const (
	crashed    = "crashes"
	cutOff     = "cut-off"
	lateWrites = "late-writes"
)

// late is how much later a late packet arrives.
func late() Spread {
	return Spread{Dist: draw.Dist{Kind: draw.Lognormal, Median: 500 * time.Millisecond, P99: 10 * time.Second}}
}

// causes lists the causes that the inputs imply. Those of other servers than the lock in question has
// are for its neighbours.
func (in *Inputs) causes(dir string) []cause {
	w := in.world()
	every := func(d time.Duration) string { return fmt.Sprintf("every: {dist: exponential, mean: %s}", brief(d)) }
	upTo := func(d time.Duration) string {
		return fmt.Sprintf("{dist: uniform, min: 0s, max: %s}", brief(d))
	}
	single := func(c candidate) bool { return c.topology.Nodes <= 1 && c.topology.Members <= 1 && !c.replica }
	several := func(c candidate) bool { return c.topology.Nodes > 1 || c.topology.Members > 1 }
	var all []cause
	if in.Pauses.long() > 0 {
		all = append(all, cause{
			name: "pauses", class: lock.ClassPause, with: "pauses of the workers", about: "a process stops, and its lease runs on",
			fault: fmt.Sprintf("pause: {target: each worker, %s, for: %s}", every(w.pauses), in.Pauses.text(dir)),
		})
	}
	all = append(all,
		cause{
			name: crashed, class: lock.ClassCrash, with: "crashes of the workers", about: "a process ends, and starts again",
			fault: fmt.Sprintf("crash: {target: each worker, %s, for: %s}", every(w.faults), upTo(w.away)),
		},
		cause{
			name: cutOff, class: lock.ClassDelay, with: fmt.Sprintf("workers cut off from the lock for up to %s", brief(w.cutOff)), about: "a worker cannot reach the lock, and can reach its resource",
			fault: fmt.Sprintf("partition: {from: each worker, to: lock, mode: drop, %s, for: %s}", every(w.faults), upTo(w.cutOff)),
		},
		cause{
			name: "lost-replies", class: lock.ClassUnknown, with: "lost replies of the lock's servers", about: "a request takes effect, and its reply is lost",
			fault: fmt.Sprintf("partition: {from: lock, to: each worker, mode: drop, %s, for: %s}", every(w.faults), upTo(5*time.Second)),
		},
		cause{
			name: lateWrites, class: lock.ClassDelay, with: "late packets to the resource (p99 10s)", about: "a packet is late: a write reaches the resource long after it was sent",
			fault: fmt.Sprintf("latency: {from: each worker, to: resource, add: %s, %s, for: %s}", late().text(dir), every(w.faults/2), brief(w.away)),
		},
	)
	if in.Topology == Failover {
		all = append(all,
			cause{
				name: "failover", class: lock.ClassServer, with: "failovers at random times", about: "the primary crashes, and the replica takes over (servers.failover)",
				fault: fmt.Sprintf("crash: {target: lock, %s, for: %v}", every(w.faults), 3*w.failover), suits: func(c candidate) bool { return c.replica },
			},
			cause{
				name: afterGrant, class: lock.ClassServer, with: "a failover within milliseconds after a grant", about: "the primary crashes right after a grant, which the replica may not have (servers.lag)",
				fault: fmt.Sprintf("when: {worker: worker-1, point: acquired, nth: 1}, crash: {target: lock, for: %v}", 3*w.failover), suits: func(c candidate) bool { return c.replica },
			},
		)
	}
	if in.Topology == Database {
		all = append(all, cause{
			name: "resets", class: lock.ClassSession, with: "connections that break", about: "a connection breaks, and a lock of its session ends with it",
			fault: fmt.Sprintf("reset: {from: each worker, to: lock, %s}", every(w.faults)),
		})
	}
	return append(all,
		cause{
			name: "leader-change", class: lock.ClassServer, with: "leader changes", about: "the leader of the cluster stops to lead for a while",
			fault: fmt.Sprintf("leader-change: {target: lock, %s, for: %s}", every(w.faults), upTo(5*time.Second)),
			suits: func(c candidate) bool { return c.topology.Members > 1 },
		},
		cause{
			name: "restart", class: lock.ClassServer, with: "restarts of the lock's server", about: "the server crashes, and starts again with what it keeps (servers.persistence: Redis keeps nothing)",
			fault: fmt.Sprintf("crash: {target: lock, %s, for: %s}", every(w.faults), upTo(5*time.Second)), suits: single,
		},
		cause{
			name: "server-restart", class: lock.ClassServer, with: "restarts of one of the servers", about: "one of several servers crashes, and starts again with what it keeps",
			fault: fmt.Sprintf("crash: {target: lock-1, %s, for: %s}", every(w.faults), upTo(5*time.Second)), suits: several,
		},
	)
}

// text returns the entry of a cause in the file.
func (c cause) text() string {
	return fmt.Sprintf("  - {case: %s, class: %s, optional: true, %s}", c.name, string(c.class), c.fault)
}

// hits reports whether the faults of a cause can hit a candidate.
func (c cause) hits(of candidate) bool { return c.suits == nil || c.suits(of) }

// used returns the causes that can hit one of the candidates.
func used(causes []cause, all []candidate) []cause {
	return slices.DeleteFunc(causes, func(c cause) bool { return !slices.ContainsFunc(all, c.hits) })
}

// comment returns text as comment lines with an indent.
func comment(indent, text string) string {
	return indent + "# " + strings.ReplaceAll(text, "\n", "\n"+indent+"# ") + "\n"
}
