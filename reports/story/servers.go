package story

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/reports/words"
)

// lease is the lease of a lock, as its servers have it. The zero value is a free lock.
type lease struct {
	worker string
	until  time.Duration
	token  int64
	owner  string // its name at the server; "" if the lock has several servers
	shared bool
}

// lockState is the state of a lock while a history is walked.
type lockState struct {
	lease                   // the last one that was granted and has not ended
	beside []lease          // those of other owners at the same time: that share the lock, or that a wrong lock has given
	nodes  map[string]lease // by server, if the lock has several
}

// grant adds the lease of a grant. It ends that of the same owner, and an exclusive grant ends exclusive ones.
func (l *lockState) grant(e *history.Event) {
	now := lease{worker: e.Worker, until: e.Until, token: e.Token, owner: e.Owner, shared: e.Mode == shared}
	if l.worker != "" {
		l.beside = append(l.beside, l.lease)
	}
	l.beside = slices.DeleteFunc(l.beside, func(before lease) bool { return before.owner == now.owner || !before.shared && !now.shared })
	l.lease = now
}

// of returns the lease of an owner, nil if others have the lock. If the servers do not name both owners, it is the last one.
func (l *lockState) of(owner string) *lease {
	for i := range l.beside {
		if l.beside[i].owner == owner {
			return &l.beside[i]
		}
	}
	if l.owner == owner || l.owner == "" || owner == "" {
		return &l.lease
	}
	return nil
}

// end ends the lease of an owner. It changes nothing if only others have the lock: the lease had ended before.
func (l *lockState) end(owner string) {
	ended := l.of(owner)
	switch {
	case ended == nil:
		return
	case ended != &l.lease:
		l.beside = slices.DeleteFunc(l.beside, func(other lease) bool { return other.owner == owner })
	case len(l.beside) == 0:
		l.lease = lease{}
	default:
		last := len(l.beside) - 1
		l.lease, l.beside = l.beside[last], l.beside[:last]
	}
}

// has reports whether a worker has a lease.
func (l *lockState) has(worker string) bool {
	return l.worker == worker || slices.ContainsFunc(l.beside, func(other lease) bool { return other.worker == worker })
}

// shared is the mode of a grant that shares the lock with others.
const shared = "shared"

// lock returns the state of a lock.
func (t *teller) lock(key string) *lockState {
	if t.locks[key] == nil {
		t.locks[key] = &lockState{nodes: map[string]lease{}}
	}
	return t.locks[key]
}

// tellServer adds the line for an event of the lock's server.
func (t *teller) tellServer(e *history.Event) {
	if e.Type == history.Granted || e.Type == history.Refused {
		t.answered[t.asking[asker{e.Worker, e.Key}]] = true
	}
	if t.run.History.Meta.Quorum > 1 {
		t.tellOneOfServers(e)
		return
	}
	l := t.lock(e.Key)
	own := l.of(e.Owner)
	var held lease
	if own != nil {
		held = *own
	}
	switch e.Type {
	case history.Granted:
		l.grant(e)
		if s := t.byGrant[e.Seq]; s != nil {
			l.token = s.Token // the server may not know the token; the line comes when the section is entered
			return
		}
		t.say(t.forAsker(e, e.Worker), t.primaries.At(e), turning, "%s%s", t.unusedGrant(e), t.which(e.Key))
	case history.Refused:
		t.tellRefused(e)
	case history.Renewed:
		if own == nil || e.Late && held.worker == "" {
			l.grant(e)
			t.say(t.forAsker(e, e.Worker), e.Worker, turning, "renews its lease, which was over%s", t.which(e.Key))
			return
		}
		own.until, own.shared = e.Until, e.Mode == shared
		id := t.asking[asker{held.worker, e.Key}]
		switch {
		case t.changes[change{e.At, history.Promoted}] || t.changes[change{e.At, history.Restarted}]:
			t.say(t.forAsker(e, held.worker), t.primaries.At(e), waiting, "moves the end of %s's lease%s", held.worker, t.which(e.Key))
		case e.Worker != "" && e.Worker != held.worker:
			t.say(e, e.Worker, turning, "renews the lease of %s%s", held.worker, t.which(e.Key))
		case held.shared && !own.shared:
			t.say(t.forAsker(e, held.worker), held.worker, turning, "no longer shares the lock%s", t.which(e.Key))
		case own.shared && !held.shared:
			t.say(t.forAsker(e, held.worker), held.worker, turning, "shares the lock from now on%s", t.which(e.Key))
		case held.until == 0:
			t.say(t.forAsker(e, held.worker), held.worker, routine, "sets the end of its lease%s", t.which(e.Key))
		default:
			t.repeat(e, id, id.worker, routine, "renews its lease", "renews its lease")
		}
	case history.Freed:
		l.end(e.Owner)
		t.tellFreed(e, held.worker)
	default: // Expired, Evicted
		l.end(e.Owner)
		of := t.forAsker(e, held.worker)
		if t.believesItself(held.worker, e.Key) {
			text := t.leaseEnd(e, held.worker)
			whom := held.worker
			if strings.HasPrefix(text, whom) {
				whom = "it"
			}
			t.say(of, t.primaries.At(e), cause, "%s, unknown to %s%s", text, whom, t.which(e.Key))
		} else if held.worker != "" && t.say(of, t.primaries.At(e), waiting, "%s%s", t.leaseEnd(e, held.worker), t.which(e.Key)) {
			t.lines[len(t.lines)-1].frees = true
		}
	}
}

// tellRefused adds the line for a request that did not get the lock. A server takes the renewal of a library for such a
// request if its goroutine uses the context of the acquire. It is sent after the worker has got the lock, as the
// request of an inner section for the same lock is.
func (t *teller) tellRefused(e *history.Event) {
	id := t.asking[asker{e.Worker, e.Key}]
	if s := t.sections[id]; s != nil && s.Entered() && e.Sent >= s.EnterAt {
		if t.run.History.Meta.Workload == "nested" {
			t.repeat(e, id, id.worker, turning, "asks for its lock again: refused", "its inner section is refused")
			return
		}
		t.repeat(e, id, id.worker, turning, "its renewal is refused", "its renewal is refused")
		return
	}
	t.refused[id] = true
	t.repeat(e, id, id.worker, waiting, "asks for the lock: refused", "refused")
}

// isSecondCopy reports whether an event is the effect of the second copy of a duplicated
// command: it comes at least the length of the fault after the first copy.
func (t *teller) isSecondCopy(e *history.Event) bool {
	fault, copied := t.copied[e.Request]
	return copied && e.At >= fault.Until && e.At-fault.Until < fault.Until-fault.At
}

// copyText says which request has arrived a second time.
func (t *teller) copyText(e *history.Event) string {
	op, _ := atPoint(words.Plain(t.copied[e.Request].Point, 30))
	return "its " + op + " arrives a second time"
}

// unusedGrant describes a grant with which no worker enters a section.
func (t *teller) unusedGrant(e *history.Event) string {
	switch {
	case t.isSecondCopy(e):
		return "grants " + e.Worker + " the lock again: " + t.copyText(e)
	case e.Request == 0 && t.changes[change{e.At, history.Promoted}]:
		return "takes over, with a lease of " + e.Worker + " that was over"
	case e.Request == 0 && t.changes[change{e.At, history.Restarted}]:
		return "comes back with a lease of " + e.Worker + " that was over"
	case t.believesItself(e.Worker, e.Key) && t.run.History.Meta.Workload == "nested":
		return "gives " + e.Worker + " the lock again, for its inner section"
	case t.believesItself(e.Worker, e.Key):
		return "sets the lease of " + e.Worker + " again"
	}
	return "grants " + e.Worker + " the lock, and " + e.Worker + " never learns of it"
}

// tellFreed adds the line for a lease that a command of a worker ended.
func (t *teller) tellFreed(e *history.Event, holder string) {
	id := t.asking[asker{e.Worker, e.Key}]
	s := t.sections[id]
	where := t.onServer(e)
	if t.isSecondCopy(e) {
		where += ": " + t.copyText(e)
	}
	switch {
	case holder != "" && e.Worker != "" && e.Worker != holder: // the line belongs to the holder's section
		t.say(t.forAsker(e, holder), e.Worker, cause, "frees the lease of %s%s", holder, where)
	case t.isSecondCopy(e):
		t.say(t.forAsker(e, e.Worker), e.Worker, turning, "frees its own lease%s", where)
	case t.fromEarlierSection(e, s):
		t.say(t.forAsker(e, e.Worker), e.Worker, turning, "frees its own lease%s: an earlier release of it arrives", where)
	default:
		var also []int64
		if s != nil {
			t.freed[id] = true
			if s.Leave != 0 && s.Leave < e.Seq {
				also = append(also, s.Leave)
			}
			if s.Return > e.Seq && s.Class == history.ClassOK {
				also = append(also, s.Return)
			}
		}
		t.tellRelease(t.forAsker(e, holder), also, cmp.Or(e.Worker, holder), where)
	}
}

// tellRelease adds the line for an ordinary release.
func (t *teller) tellRelease(e *history.Event, also []int64, actor, where string) {
	unused := ""
	if s := t.sections[sectionID{e.Worker, e.Section}]; s != nil && (!s.Entered() || e.Seq < s.Enter) {
		unused = " unused"
	}
	if t.sayWith(e, also, actor, routine, "releases the lock%s%s", unused, where) {
		t.lines[len(t.lines)-1].ending = true
	}
}

// fromEarlierSection reports whether a release that frees the lease of a section was sent
// before that section was entered.
func (t *teller) fromEarlierSection(e *history.Event, s *history.Section) bool {
	return s != nil && s.Entered() && e.Seq > s.Enter && e.Sent != 0 && e.Sent < s.EnterAt
}

// onServer returns the suffix that names the server, if the lock has several, and the
// lock, if the story is about several.
func (t *teller) onServer(e *history.Event) string {
	if t.run.History.Meta.Quorum > 1 {
		return " on " + words.Plain(e.Node, 24) + t.which(e.Key)
	}
	return t.which(e.Key)
}

// leaseEnd explains why the lease of a worker ended without a command: expiry, failover,
// restart, a fault, the end of its session or an eviction.
func (t *teller) leaseEnd(e *history.Event, worker string) string {
	switch {
	case e.Type == history.Expired:
		return worker + "'s lease ends"
	case t.changes[change{e.At, history.Promoted}]:
		return "takes over, without the lease of " + worker
	case t.changes[change{e.At, history.Restarted}]:
		return "comes back without the lease of " + worker
	}
	if t.leaseEnder != nil && t.leaseEnder.At == e.At {
		if fault, ok := faultEventOf(t.run, t.leaseEnder).fault.(faults.LeaseEnder); ok {
			return fault.EndsLease(worker)
		}
	}
	if e.With != "" {
		return worker + "'s " + e.With + " ends, and with it its lock"
	}
	return worker + "'s lease is evicted"
}

// forAsker returns a server's event with the worker and the section that it concerns:
// the last section in which the worker asked for the lock.
func (t *teller) forAsker(e *history.Event, worker string) *history.Event {
	of := t.inSection(e, t.asking[asker{worker, e.Key}])
	of.Worker = worker
	return of
}

func (t *teller) inSection(e *history.Event, id sectionID) *history.Event {
	of := *e
	of.Worker, of.Section = cmp.Or(id.worker, e.Worker), id.n
	return &of
}

// tellOneOfServers adds the line for an event of one of several servers. The holder of
// the lock is the worker that a quorum of them hold it for. An event of a single server
// has a line only if it ends a quorum, or frees the key of another worker.
func (t *teller) tellOneOfServers(e *history.Event) {
	l := t.lock(e.Key)
	before, held := l.lease, l.nodes[e.Node]
	switch e.Type {
	case history.Granted:
		l.nodes[e.Node] = lease{worker: e.Worker, until: e.Until, token: e.Token}
	case history.Refused:
		t.tellRefused(e)
	case history.Renewed:
		held.until = e.Until
		l.nodes[e.Node] = held
	default: // Freed, Expired, Evicted
		delete(l.nodes, e.Node)
	}
	l.lease = t.majority(l.nodes)
	t.won[t.asking[asker{l.worker, e.Key}]] = true
	if e.Type == history.Freed && held.worker != "" && e.Worker != "" && e.Worker != held.worker {
		t.tellFreed(e, held.worker)
	}
	if before.worker == "" || before.worker == l.worker {
		return
	}
	switch of := t.forAsker(e, before.worker); {
	case e.Type == history.Freed && e.Worker == before.worker && t.fromEarlierSection(e, t.sections[sectionID{of.Worker, of.Section}]):
		t.say(of, before.worker, turning, "frees its own key%s: an earlier release of it arrives", t.onServer(e))
	case e.Type == history.Freed && e.Worker == before.worker:
		t.freed[sectionID{of.Worker, of.Section}] = true
		t.tellRelease(of, nil, before.worker, t.which(e.Key))
	default:
		text, w := "loses "+before.worker+"'s key, and with it the majority", waiting
		if t.believesItself(before.worker, e.Key) {
			text, w = text+", unknown to "+before.worker, cause
		}
		t.repeat(of, sectionID{of.Worker, of.Section}, e.Node, w, text, text)
	}
}

// majority returns the lease of the worker that has a quorum of the servers. It ends when
// fewer servers than a quorum hold the lock for the worker.
func (t *teller) majority(nodes map[string]lease) lease {
	quorum := t.run.History.Meta.Quorum
	byWorker := map[string][]lease{}
	for _, l := range nodes {
		byWorker[l.worker] = append(byWorker[l.worker], l)
	}
	for worker, list := range byWorker {
		if len(list) < quorum { // only one worker can have a quorum
			continue
		}
		slices.SortFunc(list, func(a, b lease) int { return cmp.Compare(a.until, b.until) })
		last := list[len(list)-quorum]
		return lease{worker: worker, until: last.until, token: last.token}
	}
	return lease{}
}

// leaseCell names the holder of the lock at the servers. In a story about several locks it
// names the holder of each.
func (t *teller) leaseCell() string {
	if !t.hasServers {
		return "-"
	}
	if len(t.scope.locks) <= 1 {
		for _, key := range t.scope.locks {
			return t.lock(key).cell()
		}
		return "free"
	}
	var held []string
	for _, key := range t.scope.locks {
		if l := t.lock(key); l.worker != "" {
			held = append(held, key+": "+l.worker)
		}
	}
	if held == nil {
		return "free"
	}
	return words.Plain(strings.Join(held, ", "), 48)
}

func (l *lockState) cell() string {
	switch {
	case l.worker == "":
		return "free"
	case len(l.beside) > 0:
		return words.Plain(fmt.Sprintf("%s and %d more", l.worker, len(l.beside)), 40)
	}
	cell := l.worker
	if l.until != 0 {
		cell += " " + words.Seconds(l.until, time.Millisecond) + "s"
	}
	if l.token != 0 {
		cell += fmt.Sprintf(" #%d", l.token)
	}
	return words.Plain(cell, 40)
}

// ByServer reports whether a lock server, not a worker, emits such an event.
func ByServer(t history.Type) bool {
	switch t {
	case history.Granted, history.Refused, history.Renewed, history.Freed, history.Expired, history.Evicted:
		return true
	default:
		return false
	}
}
