package checker

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

func onceCheck() Check {
	return Check{
		Name:  "once",
		Doc:   "no unit of work, such as a tick, takes effect twice, or stays undone unnoticed",
		About: Corruption, Rank: 2,
		Workloads: []string{"cron", "reminders", "triggers"},
		Unit:      "a piece of work that was done more than once, or never",
		run:       once,
	}
}

// once looks for units of work, such as a tick of a schedule, that took effect more than once. A
// write counts if its item has the name of the unit and its section was asked for that unit.
//
// A unit that was not done is a violation only if nobody could have noticed: each section that was
// asked for it was done, or was told that another one had the lock. If a section crashed, failed or
// does not know its outcome, the loss can be noticed.
func once(in *input, r *Result) {
	var asked []*history.Section
	for _, s := range in.Sections {
		if s.Unit != "" {
			asked = append(asked, s)
		}
	}
	for _, sections := range groups(asked, func(s *history.Section) string { return s.Unit }) {
		r.Applies = true
		unit := sections[0].Unit
		done, perhaps := in.effects(sections)
		switch {
		case len(done) > 1:
			var events []int64
			var who []string
			for _, e := range done {
				events = append(events, evidence.EventsOf(e.op)...)
				who = append(who, evidence.NameOf(e.section))
			}
			r.find(Invalid, events, "twice: %s took effect %d times within %s, by %s",
				unit, len(done), done[len(done)-1].at-done[0].at, strings.Join(who, ", "))
		case len(done)+perhaps > 1:
			r.find(Unknown, nil, "cannot tell: whether %s took effect more than once, since nobody knows what became of %d writes", unit, perhaps)
		case len(done)+perhaps == 0 && !slices.ContainsFunc(sections, noticeable):
			var events []int64
			for _, s := range sections {
				events = append(events, s.Call, s.Enter, s.Return)
			}
			r.find(Invalid, events, "missed: all %d sections that were asked for %s ended without an error or left it to another, and nobody did it",
				len(sections), unit)
		}
	}
}

// done is one effect of a unit of work.
type done struct {
	op      *history.Op
	section *history.Section
	at      time.Duration
}

// effects returns the writes of the sections that took effect, in order, and the number of those
// that may have.
func (in *input) effects(sections []*history.Section) (list []done, perhaps int) {
	for _, s := range sections {
		for _, o := range s.Ops {
			switch e := in.Effect(o); {
			case !o.Write() || o.Item != s.Unit || e == evidence.Dropped || e == evidence.Refused:
			case e == evidence.Maybe:
				perhaps++
			default:
				list = append(list, done{o, s, span(o).toAt})
			}
		}
	}
	slices.SortFunc(list, func(a, b done) int { return cmp.Compare(evidence.EffectSeq(a.op), evidence.EffectSeq(b.op)) })
	return list, perhaps
}

// noticeable reports whether the section's end shows that it may not have done its work.
func noticeable(s *history.Section) bool {
	return s.Return == 0 || s.Crashed || s.Class != history.ClassOK && s.Class != history.ClassNotObtained
}
