package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

func onceCheck() Check {
	return Check{
		Name: "once",
		Doc:  "no unit of work, such as a tick, takes effect twice, or silently stays undone",
		Did:  "did a piece of work twice",
		DidIn: map[string]string{
			"cron":      "ran a tick twice",
			"reminders": "sent a reminder twice",
			"triggers":  "fired a trigger twice",
			"discount":  "applied a discount twice",
			"charge":    "charged a card twice",
			"jobs":      "did a job twice",
			"migration": "ran a migration step twice",
			"steal":     "did a job twice",
		},
		Or: "missed a piece of work",
		OrIn: map[string]string{
			"cron":      "missed a tick",
			"reminders": "missed a reminder",
			"triggers":  "missed a trigger",
			"discount":  "missed a discount",
			"charge":    "missed a charge",
			"jobs":      "missed a job",
			"migration": "missed a migration step",
			"steal":     "missed a job",
		},
		kinds: func(m *Metrics) (did, or int64) { return m.DoneTwice, m.Missed },
		About: Corruption, Rank: 2,
		Workloads: []string{"cron", "reminders", "triggers", "discount", "charge", "jobs", "migration", "steal"},
		Unit:      "a piece of work that was done more than once, or never",
		run:       once,
	}
}

// once looks for units of work, such as a tick of a schedule, that took effect more than once. A
// write counts if its item has the name of the unit, inside or outside of the resource, and its
// section was asked for that unit.
//
// A unit that was not done is a violation only if no worker could have noticed: each section that was
// asked for it was done, or was told that another one had the lock. If a section crashed, failed or
// does not know its outcome, the loss can be noticed. A job of the workload steal is not missed: it stays
// in its queue until a worker sees that it is done.
func once(in *input, r *Result) {
	in.eachUnit(func(u unit) {
		r.Applies = true
		switch {
		case len(u.done) > 1:
			events, within, who := repeated(u.done)
			r.find(Invalid, events, "twice: %s took effect %d times within %s, by %s", u.name, len(u.done), within, who)
		case len(u.done)+u.perhaps > 1:
			r.find(Unknown, nil, "cannot tell: whether %s took effect more than once, since nobody knows what became of %d writes", u.name, u.perhaps)
		case u.missed():
			var events []int64
			for _, s := range u.sections {
				events = append(events, s.Call, s.Enter, s.Return)
			}
			who := fmt.Sprintf("%d sections were", len(u.sections))
			if len(u.sections) == 1 {
				who = evidence.NameOf(u.sections[0]) + " was"
			}
			r.find(Invalid, events, "missed: %s asked for %s and %s, and nobody did it", who, u.name, u.silence())
		}
	})
}

// measureUnits adds the figures of units of work.
func (in *input) measureUnits(m *Metrics) {
	if !onceCheck().AppliesTo(in.Meta.Workload) {
		return
	}
	in.eachUnit(func(u unit) {
		switch {
		case len(u.done) > 1:
			m.DoneTwice++
		case u.missed():
			m.Missed++
		}
		if u.undone() && slices.ContainsFunc(u.sections, func(s *history.Section) bool { return s.Class == history.ClassNotObtained }) {
			m.Left++
		}
	})
}

// unit is a unit of work with the sections that were asked for it.
type unit struct {
	name     string
	sections []*history.Section
	done     []done // its effects
	perhaps  int    // number of writes that may have taken effect
	later    bool   // it would have been done later than the run ended
	queued   bool   // it stays in its queue until it is done
}

// undone reports whether no section did the unit.
func (u unit) undone() bool { return len(u.done)+u.perhaps == 0 && !u.later }

// missed reports whether the unit is undone and no worker could have noticed.
func (u unit) missed() bool {
	return u.undone() && !u.queued && !slices.ContainsFunc(u.sections, noticeable)
}

// silence says how the sections of a missed unit ended.
func (u unit) silence() string {
	refused := 0
	for _, s := range u.sections {
		if s.Class == history.ClassNotObtained {
			refused++
		}
	}
	switch refused {
	case 0:
		return "ended without an error"
	case len(u.sections):
		return "did not get the lock"
	}
	return "ended without an error or did not get the lock"
}

// eachUnit calls visit for each unit of work, in the order of their first sections.
func (in *input) eachUnit(visit func(u unit)) {
	var asked []*history.Section
	for _, s := range in.Sections {
		if s.Unit != "" {
			asked = append(asked, s)
		}
	}
	cut := in.cutShort()
	for _, sections := range groups(asked, func(s *history.Section) string { return s.Unit }) {
		u := unit{name: sections[0].Unit, sections: sections, later: cut[sections[0].Unit], queued: in.Meta.Workload == "steal"}
		u.done, u.perhaps = in.effects(sections)
		visit(u)
	}
}

// done is one effect of a unit of work.
type done struct {
	op      *history.Op
	section *history.Section
	at      time.Duration
}

// repeated returns the events of effects, the time that lies between the first and the last, and who
// caused them.
func repeated(list []done) (events []int64, within time.Duration, who string) {
	var names []string
	for _, e := range list {
		events = append(events, evidence.EventsOf(e.op)...)
		names = append(names, evidence.NameOf(e.section))
	}
	return events, list[len(list)-1].at - list[0].at, strings.Join(names, ", ")
}

// effects returns the writes of the sections that took effect, in order, and the number of those
// that may have.
func (in *input) effects(sections []*history.Section) (list []done, perhaps int) {
	for _, s := range sections {
		for _, o := range s.Ops {
			switch e := in.Effect(o); {
			case !o.Write() || history.Inside(o.Item) != s.Unit || e == evidence.Dropped || e == evidence.Refused:
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

// cutShort returns the jobs that their workers were at when their processes or the run ended. Such a
// job would have been tried again, unless its section had ended with ok. It is nil for workloads whose units
// no worker has for itself.
func (in *input) cutShort() map[string]bool {
	if in.Meta.Workload != "jobs" {
		return nil
	}
	cut, at := map[string]bool{}, map[string]string{}
	for i := range in.Events {
		switch e := &in.Events[i]; e.Type {
		case history.AcquireCalled:
			at[e.Worker] = e.Unit
		case history.Released:
			if e.Class == history.ClassOK {
				delete(at, e.Worker)
			}
		case history.Crashed:
			cut[at[e.Worker]] = true
		default:
		}
	}
	for _, unit := range at {
		cut[unit] = true
	}
	return cut
}

// noticeable reports whether the section's end shows that it may not have done its work.
func noticeable(s *history.Section) bool {
	return s.Return == 0 || s.Class != history.ClassOK && s.Class != history.ClassNotObtained
}
