package story

import (
	"fmt"
	"slices"
	"time"

	"lockquake/history"
	"lockquake/reports/words"
)

// tellSection adds the line for an event of a section: its call, its entry, its end.
func (t *teller) tellSection(e *history.Event, s *history.Section) {
	id := sectionID{e.Worker, e.Section}
	switch e.Type {
	case history.AcquireCalled:
		t.current[e.Worker], t.asking[asker{e.Worker, s.Key}] = id, id
		t.step[e.Worker] = "while it asks for the lock"
	case history.Acquired:
		t.holders = append(t.holders, id)
		t.step[e.Worker] = "right after it got in"
		also := []int64{s.Grant}
		if !t.refused[id] {
			also = append(also, s.Call)
		}
		t.sayWith(e, also, e.Worker, turning, "%s%s", t.entry(e, s), t.which(s.Key))
	case history.Told:
		t.leave(id)
		if s.Return == 0 || s.ReturnAt != e.At { // else the line of its end covers it
			t.say(e, e.Worker, turning, "is told that it lost the lock%s", t.which(s.Key))
		}
	case history.ReleaseCalled:
		t.leave(id)
		t.step[e.Worker] = "while it gives the lock back"
		if e.Err != "" && s.Class == history.ClassOK {
			t.say(e, e.Worker, waiting, "stops its work: %s", words.Plain(e.Err, 60))
		}
	default: // Released
		t.leave(id)
		t.step[e.Worker] = "between two sections"
		if text, w := t.ending(e, s); text != "" {
			var also []int64
			if !t.freed[id] {
				also = append(also, s.Leave)
			}
			if s.ToldAt == e.At {
				also = append(also, s.Told)
			}
			t.sayWith(e, also, e.Worker, w, "%s%s", text, t.which(s.Key))
		}
	}
}

func (t *teller) leave(id sectionID) {
	t.holders = slices.DeleteFunc(t.holders, func(other sectionID) bool { return other == id })
}

// entry describes how a worker enters its section, and whether it has a grant.
func (t *teller) entry(e *history.Event, s *history.Section) string {
	text, has := "gets the lock", t.lock(s.Key).has(e.Worker)
	switch {
	case s.Again:
		text = "does its work again"
	case !t.hasServers:
		text = "enters its section"
	case s.Grant == 0 && has:
		text = "enters with the lease that it has"
	case s.Grant == 0:
		text = "enters without a grant"
	case !has && t.run.History.Meta.Quorum > 1 && !t.won[sectionID{e.Worker, e.Section}]:
		text = "enters without a majority of the servers"
	case !has:
		text = "learns of its grant, which is over"
	case t.scope.waits && t.scope.events[s.Call] && e.At-s.CallAt >= time.Second:
		text += " after " + words.Short(e.At-s.CallAt)
	}
	if e.Token != 0 {
		text += fmt.Sprintf(", token %d", e.Token)
	}
	return text
}

// ending describes the end of a section, "" if the lines of the server already do.
func (t *teller) ending(e *history.Event, s *history.Section) (string, weight) {
	verb := "ends: "
	if !s.Entered() {
		verb = "gives up: "
	}
	switch e.Class {
	case history.ClassOK:
		switch {
		case !t.hasServers:
			return "leaves its section", routine
		case !s.Entered():
			return "ends: ok, and its work was never begun", work
		case t.lock(s.Key).has(e.Worker):
			return "ends, and keeps its lease", waiting
		case t.freed[sectionID{e.Worker, e.Section}]:
			return "", routine // the server's line covers it
		}
		return "ends: ok, though its lease was over", waiting
	case history.ClassNotObtained, history.ClassCancelled:
		return verb + answer(e) + t.leftBehind(e, s), waiting
	case history.ClassLost, history.ClassUnknown, history.ClassRefused:
	default:
	}
	return verb + answer(e) + t.leftBehind(e, s), work
}

// leftBehind says what is still open when a section ends with an error: the lease of its worker, or its request for the lock.
func (t *teller) leftBehind(e *history.Event, s *history.Section) string {
	switch {
	case !t.hasServers:
	case s.Entered() && s.Grant != 0 && t.lock(s.Key).has(e.Worker):
		return "; its lease goes on"
	case !s.Entered():
		return t.unanswered(s)
	}
	return ""
}

// unanswered says that the request of a section for the lock was neither granted nor refused, for instance since its client
// cannot connect. It says nothing if the server may have let the request wait for the holder.
func (t *teller) unanswered(s *history.Section) string {
	if t.answered[sectionID{s.Worker, s.N}] || !t.refuses && t.lock(s.Key).worker != "" {
		return ""
	}
	return "; its request got no answer"
}

// answer names the class of a strategy's answer in words.
func answer(e *history.Event) string {
	switch e.Class {
	case history.ClassOK:
		return "ok"
	case history.ClassNotObtained:
		return "lock not obtained"
	case history.ClassLost:
		return "told that the lock was lost"
	case history.ClassUnknown:
		return "outcome unknown"
	case history.ClassCancelled:
		return "cancelled"
	case history.ClassRefused:
		return "refused by the resource"
	default: // ClassOther
		return words.Plain(e.Err, 60)
	}
}
