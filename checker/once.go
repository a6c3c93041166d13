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
		Doc:  "no unit of work, such as a tick, takes effect twice, or stays undone unnoticed",
		Did:  "did a piece of work twice or never",
		DidIn: map[string]string{
			"cron":      "ran a tick twice or never",
			"reminders": "sent a reminder twice or never",
			"triggers":  "fired a trigger twice or never",
			"discount":  "applied a discount twice or never",
			"charge":    "charged a card twice or never",
			"jobs":      "did a job twice or never",
			"migration": "ran a migration step twice or never",
			"steal":     "did a job twice",
		},
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
// A unit that was not done is a violation only if nobody could have noticed: each section that was
// asked for it was done, or was told that another one had the lock. If a section crashed, failed or
// does not know its outcome, the loss can be noticed. A job of the workload steal is not missed: it stays
// in its queue until a worker sees that it is done.
func once(in *input, r *Result) {
	var asked []*history.Section
	for _, s := range in.Sections {
		if s.Unit != "" {
			asked = append(asked, s)
		}
	}
	cut, queued := in.cutShort(), in.Meta.Workload == "steal"
	for _, sections := range groups(asked, func(s *history.Section) string { return s.Unit }) {
		r.Applies = true
		unit := sections[0].Unit
		done, perhaps := in.effects(sections)
		switch {
		case len(done) > 1:
			events, within, who := repeated(done)
			r.find(Invalid, events, "twice: %s took effect %d times within %s, by %s", unit, len(done), within, who)
		case len(done)+perhaps > 1:
			r.find(Unknown, nil, "cannot tell: whether %s took effect more than once, since nobody knows what became of %d writes", unit, perhaps)
		case len(done)+perhaps == 0 && !queued && !slices.ContainsFunc(sections, noticeable) && !cut[unit]:
			var events []int64
			for _, s := range sections {
				events = append(events, s.Call, s.Enter, s.Return)
			}
			who := fmt.Sprintf("all %d sections that were", len(sections))
			if len(sections) == 1 {
				who = evidence.NameOf(sections[0]) + " was"
			}
			r.find(Invalid, events, "missed: %s asked for %s and ended without an error or left it to another, and nobody did it", who, unit)
		}
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
// job would have been tried again. It is nil for workloads whose units no worker has for itself.
func (in *input) cutShort() map[string]bool {
	if in.Meta.Workload != "jobs" {
		return nil
	}
	cut, at := map[string]bool{}, map[string]string{}
	for i := range in.Events {
		switch e := &in.Events[i]; e.Type {
		case history.AcquireCalled:
			at[e.Worker] = e.Unit
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
	return s.Return == 0 || s.Crashed || s.Class != history.ClassOK && s.Class != history.ClassNotObtained
}
