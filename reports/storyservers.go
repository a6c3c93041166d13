package reports

import (
	"cmp"
	"slices"

	"lockquake/history"
)

// ofOneOfServers tells what one of several servers did. The lock is whose most
// of them hold it for; what a single one does is told only where somebody else
// has a hand in it.
func (t *teller) ofOneOfServers(e *history.Event) {
	before, held := t.lease, t.leases[e.Node]
	switch e.Type {
	case history.Granted:
		t.leases[e.Node] = lease{worker: e.Worker, until: e.Until, token: e.Token}
	case history.Refused:
		t.repeat(e, t.current[e.Worker], waiting, "asks for the lock: refused", "refused")
	case history.Renewed:
		held.until = e.Until
		t.leases[e.Node] = held
	default: // Freed, Expired, Evicted
		delete(t.leases, e.Node)
	}
	t.lease = t.majority()
	if e.Type == history.Freed && held.worker != "" && e.Worker != "" && e.Worker != held.worker {
		t.say(e, e.Worker, turning, "frees the lease of %s on %s", held.worker, e.Node)
	}
	if before.worker == "" || before.worker == t.lease.worker {
		return
	}
	switch of := t.ofCurrent(e, before.worker); {
	case e.Type == history.Freed && e.Worker == before.worker:
		t.say(of, before.worker, routine, "releases the lock")
	case t.believesItself(before.worker):
		t.say(of, e.Node, turning, "loses %s's key, and with it the majority, unknown to %[1]s", before.worker)
	default:
		t.say(of, e.Node, waiting, "loses %s's key, and with it the majority", before.worker)
	}
}

// majority is the lease of the worker that enough servers hold the lock for,
// until they will be too few.
func (t *teller) majority() lease {
	quorum := t.run.History.Meta.Quorum
	byWorker := map[string][]lease{}
	for _, l := range t.leases {
		byWorker[l.worker] = append(byWorker[l.worker], l)
	}
	for worker, list := range byWorker {
		if len(list) < quorum { // two of them cannot both have enough
			continue
		}
		slices.SortFunc(list, func(a, b lease) int { return cmp.Compare(a.until, b.until) })
		last := list[len(list)-quorum]
		return lease{worker: worker, until: last.until, token: last.token}
	}
	return lease{}
}
