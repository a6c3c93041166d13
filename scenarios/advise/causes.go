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
	rate  string     // how often and how long, in words; "" if the inputs say all of it
	fault string     // entries of the file, without case and class
	// suits reports whether the faults can hit a candidate. nil: they can hit all.
	suits func(c candidate) bool
}

// afterGrant is the case of a failover that loses a grant.
const afterGrant = "failover-after-grant"

// Other cases that are looked up by their names.
const (
	paused     = "pauses"
	crashed    = "crashes"
	cutOff     = "cut-off"
	lateWrites = "late-writes"
)

// Lengths of faults that do not follow from the inputs.
const (
	lostReplies = 5 * time.Second // at most
	serverAway  = 5 * time.Second // at most
)

// late is how much later a late packet arrives.
func late() Spread {
	return Spread{Dist: draw.Dist{Kind: draw.Lognormal, Median: 500 * time.Millisecond, P99: 10 * time.Second}}
}

// every and upTo are the parameters of a fault that comes at random times.
func every(d time.Duration) string {
	return fmt.Sprintf("every: {dist: exponential, mean: %s}", brief(d))
}

func upTo(d time.Duration) string {
	return fmt.Sprintf("{dist: uniform, min: 0s, max: %s}", brief(d))
}

// rated says how often a fault comes and how long it lasts.
func rated(mean, longest time.Duration) string {
	return fmt.Sprintf("about every %s, for up to %s", brief(mean), brief(longest))
}

// causes lists the causes that the inputs imply. Those of other servers than the lock in question has
// are for its neighbours.
func (in *Inputs) causes(dir string) []cause {
	w := in.world()
	var all []cause
	if in.Pauses.long() > 0 {
		c := cause{
			name: paused, class: lock.ClassPause, with: "pauses of the workers", about: "a process stops, and its lease runs on",
			fault: fmt.Sprintf("pause: {target: each worker, %s, for: %s}", every(w.pauses), in.Pauses.text(dir)),
		}
		if in.Pauses.Every == 0 {
			c.rate = fmt.Sprintf("of each worker about every %s", brief(w.pauses))
		}
		all = append(all, c)
	}
	all = append(all, in.workerCauses(w, dir)...)
	if in.Topology == Failover {
		all = append(all, failoverCauses(w)...)
	}
	if in.Topology == Database {
		all = append(all, cause{
			name: "resets", class: lock.ClassSession, with: "connections that break", about: "a connection breaks, and a lock of its session ends with it",
			rate:  fmt.Sprintf("of each worker about every %s", brief(w.faults)),
			fault: fmt.Sprintf("reset: {from: each worker, to: lock, %s}", every(w.faults)),
		})
	}
	return append(all, serverCauses(w)...)
}

// workerCauses lists the faults of workers and of their links.
func (in *Inputs) workerCauses(w world, dir string) []cause {
	return []cause{
		{
			name: crashed, class: lock.ClassCrash, with: "crashes of the workers", about: "a process ends, and starts again",
			rate:  "of each worker " + rated(w.faults, w.away),
			fault: fmt.Sprintf("crash: {target: each worker, %s, for: %s}", every(w.faults), upTo(w.away)),
		},
		{
			name: cutOff, class: lock.ClassDelay, with: "workers cut off from the lock for up to " + brief(w.cutOff), about: "a worker cannot reach the lock, and can reach its resource",
			rate:  "each worker " + rated(w.faults, w.cutOff),
			fault: fmt.Sprintf("partition: {from: each worker, to: lock, mode: drop, %s, for: %s}", every(w.faults), upTo(w.cutOff)),
		},
		{
			name: "lost-replies", class: lock.ClassUnknown, with: "lost replies of the lock's servers", about: "a request takes effect, and its reply is lost",
			rate:  "to each worker " + rated(w.faults, lostReplies),
			fault: fmt.Sprintf("partition: {from: lock, to: each worker, mode: drop, %s, for: %s}", every(w.faults), upTo(lostReplies)),
		},
		{
			name: lateWrites, class: lock.ClassDelay, with: "late packets to the resource (p99 10s)", about: "a packet is late: a write reaches the resource long after it was sent",
			rate:  fmt.Sprintf("from each worker about every %s, for %s; a packet is late by p50 %s, p99 %s", brief(w.faults/2), brief(w.away), late().Median, late().P99),
			fault: fmt.Sprintf("latency: {from: each worker, to: resource, add: %s, %s, for: %s}", late().text(dir), every(w.faults/2), brief(w.away)),
		},
	}
}

// failoverCauses lists the faults of a primary with a replica.
func failoverCauses(w world) []cause {
	suits := func(c candidate) bool { return c.replica }
	return []cause{
		{
			name: "failover", class: lock.ClassServer, with: "failovers at random times", about: "the primary crashes, and the replica takes over (servers.failover)",
			rate:  "about every " + brief(w.faults),
			fault: fmt.Sprintf("crash: {target: lock, %s, for: %v}", every(w.faults), 3*w.failover), suits: suits,
		},
		{
			name: afterGrant, class: lock.ClassServer, with: "a failover right after a grant, placed once in each run", about: "the primary crashes right after a grant, which the replica may not have (servers.lag)",
			rate:  "one in each run, right after the first grant of worker-1",
			fault: fmt.Sprintf("when: {worker: worker-1, point: acquired, nth: 1}, crash: {target: lock, for: %v}", 3*w.failover), suits: suits,
		},
	}
}

// serverCauses lists the faults of the other servers.
func serverCauses(w world) []cause {
	return []cause{
		{
			name: "leader-change", class: lock.ClassServer, with: "leader changes", about: "the leader of the cluster stops to lead for a while",
			rate:  rated(w.faults, serverAway),
			fault: fmt.Sprintf("leader-change: {target: lock, %s, for: %s}", every(w.faults), upTo(serverAway)),
			suits: func(c candidate) bool { return c.topology.Members > 1 },
		},
		{
			name: "restart", class: lock.ClassServer, with: "restarts of the lock's server", about: "the server crashes, and starts again with what it keeps (servers.persistence: Redis keeps nothing)",
			rate:  rated(w.faults, serverAway),
			fault: fmt.Sprintf("crash: {target: lock, %s, for: %s}", every(w.faults), upTo(serverAway)),
			suits: func(c candidate) bool { return c.topology.Nodes <= 1 && c.topology.Members <= 1 && !c.replica },
		},
		{
			name: "server-restart", class: lock.ClassServer, with: "restarts of one of the servers", about: "one of several servers crashes, and starts again with what it keeps",
			rate:  rated(w.faults, serverAway),
			fault: fmt.Sprintf("crash: {target: lock-1, %s, for: %s}", every(w.faults), upTo(serverAway)),
			suits: func(c candidate) bool { return c.topology.Nodes > 1 || c.topology.Members > 1 },
		},
	}
}

// asked reports whether an input that was given names the cause: the pauses, or the faults of the servers of
// the lock in question.
func (in *Inputs) asked(c cause) bool {
	given := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(in.given, name) })
	}
	switch c.class {
	case lock.ClassPause:
		return given("pauses")
	case lock.ClassServer, lock.ClassSession:
		return given("topology", "lock") && c.hits(in.base())
	default:
		return false
	}
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
