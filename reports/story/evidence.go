package story

import (
	"cmp"
	"slices"

	"lockquake/history"
	"lockquake/reports/words"
)

// proves reports whether an event is evidence, or belongs to an operation that is. An
// info event and the begin of a fault are not evidence by their operation alone.
func (t *teller) proves(e *history.Event) bool {
	return t.scope.events[e.Seq] || t.scope.requests[e.Request] && e.Type != history.Info && e.Type != history.FaultBegin
}

// untoldEvidence returns the events of the evidence that have no line.
func (t *teller) untoldEvidence() map[int64]bool {
	untold := map[int64]bool{}
	for seq := range t.scope.events {
		request := t.run.History.Events[seq-1].Request
		if !slices.ContainsFunc(t.lines, func(l Line) bool {
			return l.Seq == seq && l.weight == evidence || slices.Contains(l.tells, seq) || t.scope.requests[request] && l.request == request
		}) {
			untold[seq] = true
		}
	}
	return untold
}

// tellPlainly adds a line for an event of the evidence that has no line in other stories.
func (t *teller) tellPlainly(e *history.Event) {
	text := words.Plain(string(e.Type), 30)
	actor := cmp.Or(e.Worker, e.Node, "resource")
	switch e.Type {
	case history.AcquireCalled:
		text = "asks for the lock" + t.which(e.Key)
	case history.Granted:
		actor, text = t.primaries.At(e), "gives the lock to "+e.Worker+t.which(e.Key)
	case history.Freed:
		text = "releases the lock" + t.onServer(e)
		if t.grantedSince(e) {
			text = "frees its own key" + t.onServer(e) + ": an earlier release of it arrives"
		}
	case history.Expired, history.Evicted:
		actor, text = t.primaries.At(e), "ends the lease of "+e.Worker+t.which(e.Key)
	case history.Told:
		text = "is told that it lost the lock"
	case history.ReleaseCalled:
		text = "has done its work"
		if e.Err != "" {
			text = "stops its work: " + words.Plain(e.Err, 60)
		}
	case history.Released:
		text = "ends: " + answer(e)
	case history.Invoke:
		if o := t.ops[e.Request]; o != nil {
			text = "sends its " + describe(o)
		}
	default:
	}
	t.say(e, actor, evidence, "%s", text)
}

// markDecisive marks the line that completes the violation: the write that loses an
// update, or else the last line of the evidence. It prefers lines with events that the
// check judges.
func (t *teller) markDecisive() {
	decisive, best := -1, 0
	begun := map[sectionID]bool{}
	for i := range t.lines {
		line := &t.lines[i]
		rank := 2
		switch {
		case !line.Evidence:
			continue
		case line.loses:
			rank = 3
		case t.scope.begins && line.request != 0 && begun[t.workOf(line)]:
			rank = 1
		case t.scope.spans && line.ending, t.scope.leases && !isLeaseEvent(t.run.History.Events[line.Seq-1].Type):
			rank = 1
		}
		if line.request != 0 {
			begun[t.workOf(line)] = true
		}
		if rank >= best {
			decisive, best = i, rank
		}
	}
	if decisive >= 0 {
		t.lines[decisive].Decisive = true
	}
}

// workOf returns the section whose work a line of an operation belongs to.
func (t *teller) workOf(l *Line) sectionID {
	o := t.ops[l.request]
	if o == nil {
		return sectionID{}
	}
	return sectionID{o.Worker, o.Section}
}

// isLeaseEvent reports whether an event changes a lease.
func isLeaseEvent(e history.Type) bool { return ByServer(e) || e == history.NotRenewed }

// tellUnended adds lines at the end of the run for the sections of the evidence that
// have not ended, and for the holders that a waiter waits for.
func (t *teller) tellUnended(final *history.Event) {
	var open []*history.Section
	for id, section := range t.sections {
		holds := t.scope.waits && section.Entered() && t.scope.Tells(id.worker, id.n)
		if section.Return == 0 && !section.Crashed && (holds || t.scope.events[section.Call]) {
			open = append(open, section)
		}
	}
	slices.SortFunc(open, func(a, b *history.Section) int { return cmp.Compare(a.Call, b.Call) })
	for _, section := range open {
		delete(t.sections, sectionID{section.Worker, section.N}) // told once
		e := *final
		e.Worker, e.Section = section.Worker, section.N
		if t.say(&e, section.Worker, evidence, "%s%s", t.unended(section), t.which(section.Key)) {
			line := &t.lines[len(t.lines)-1]
			line.ending, line.Evidence = false, t.scope.events[section.Call]
		}
	}
}

// unended says what a section does that has not ended when the run is over. If nothing could happen any more, it does so
// forever.
func (t *teller) unended(s *history.Section) string {
	idle := t.run.History.Meta.Stopped == history.StopIdle
	switch {
	case s.Leave != 0 && idle:
		return "waits forever for the end of its release"
	case s.Leave != 0:
		return "still waits for the end of its release"
	case s.Entered() && idle && t.run.History.Meta.Workload == "nested" && t.step[s.Worker] == "after its read":
		return "waits forever for its own lock: its inner section asks for it"
	case s.Entered() && idle:
		return "waits forever in its section, " + t.step[s.Worker]
	case s.Entered():
		return "is still in its section, " + t.step[s.Worker]
	case idle:
		return "waits forever for the lock" + t.unanswered(s)
	}
	return "still waits for the lock" + t.unanswered(s)
}

// grantedSince reports whether a server gave its key to a worker after the worker had sent the release that frees it.
func (t *teller) grantedSince(freed *history.Event) bool {
	for _, e := range slices.Backward(t.run.History.Events[:freed.Seq-1]) {
		if e.Type == history.Granted && e.Node == freed.Node && e.Key == freed.Key && e.Worker == freed.Worker {
			return freed.Sent != 0 && e.At > freed.Sent
		}
	}
	return false
}
