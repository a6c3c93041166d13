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
	for i := range t.lines {
		line := &t.lines[i]
		rank := 2
		switch {
		case !line.Evidence:
			continue
		case line.loses:
			rank = 3
		case t.scope.spans && line.ending, t.scope.leases && !isLeaseEvent(t.run.History.Events[line.Seq-1].Type):
			rank = 1
		}
		if rank >= best {
			decisive, best = i, rank
		}
	}
	if decisive >= 0 {
		t.lines[decisive].Decisive = true
	}
}

// isLeaseEvent reports whether an event changes a lease.
func isLeaseEvent(e history.Type) bool { return ByServer(e) || e == history.NotRenewed }

// tellUnended adds lines at the end of the run for the sections of the evidence that
// have not ended.
func (t *teller) tellUnended(final *history.Event) {
	var open []*history.Section
	for _, section := range t.sections {
		if section.Return == 0 && !section.Crashed && t.scope.events[section.Call] {
			open = append(open, section)
		}
	}
	slices.SortFunc(open, func(a, b *history.Section) int { return cmp.Compare(a.Call, b.Call) })
	for _, section := range open {
		delete(t.sections, sectionID{section.Worker, section.N}) // told once
		e, text := *final, "still waits for the lock"
		e.Worker, e.Section = section.Worker, section.N
		if section.Entered() {
			text = "is still in its section"
		}
		if t.say(&e, section.Worker, evidence, "%s%s", text, t.which(section.Key)) {
			line := &t.lines[len(t.lines)-1]
			line.ending, line.Evidence = false, true
		}
	}
}
