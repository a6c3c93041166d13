package checker

import (
	"cmp"
	"slices"
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

// turnedAway looks for locks that are free but refuse all workers: a streak of sections of any
// workers that all ended without having been let in, over more time than the bound, with no section
// let in between.
//
// Only time in which the lock was free counts: no server held it, no section was inside, and no
// waiting worker was stopped or had just crashed. Of each pause between the sections, at most
// 1/turnedAwayTimes of the bound counts, so that a few refusals that are hours apart are not a
// streak. A section that was cancelled, or that a fault may have kept from the lock, is not part of
// a streak.
//
// A lock may also refuse one worker only, see neverServed.
func (in *input) turnedAway(bound time.Duration, r *Result) {
	hindered := map[string]evidence.Stretches{} // by worker
	for _, group := range groups(in.Sections, lockOf) {
		var current streak
		for _, s := range decided(group) {
			switch {
			case s.Entered():
				in.judgeStreak(current, group, bound, r)
				current = streak{since: s.EnterAt}
			case s.Class != history.ClassCancelled:
				if _, ok := hindered[s.Worker]; !ok {
					hindered[s.Worker] = in.Hindered(s.Worker)
				}
				if !hindered[s.Worker].Touches(s.CallAt, s.ReturnAt) {
					current.sections = append(current.sections, s)
				}
			}
		}
		in.judgeStreak(current, group, bound, r)
		for _, own := range groups(group, func(s *history.Section) string { return s.Worker }) {
			in.neverServed(own, group, r)
		}
	}
}

// neverServed looks for a worker that is never let in, although others are: patientTurns of its sections
// in a row ended with unknown. A section does not count if a fault may have been in its way, or if the
// lock was not free for it. Own are the sections of that worker among those of a lock.
func (in *input) neverServed(own, group []*history.Section, r *Result) {
	var row []*history.Section
	for i, s := range own {
		if !s.Entered() && s.Class == history.ClassUnknown {
			row = append(row, s)
		}
		if s.Entered() || i == len(own)-1 {
			in.judgeRow(row, group, r)
			row = nil
		}
	}
}

// judgeRow judges the sections of a worker that ended with unknown, and between which it was not let in.
func (in *input) judgeRow(row, group []*history.Section, r *Result) {
	if len(row) < patientTurns {
		return
	}
	worker := row[0].Worker
	hindered := in.Hindered(worker)
	others := slices.DeleteFunc(slices.Clone(group), func(s *history.Section) bool { return s.Worker == worker })
	row = slices.DeleteFunc(row, func(s *history.Section) bool {
		return hindered.Touches(s.CallAt, s.ReturnAt) || !in.untaken(s) || in.wanted(s, others)
	})
	if len(row) < patientTurns {
		return
	}
	first, last := row[0], row[len(row)-1]
	r.find(Invalid, []int64{first.Call, first.Return, last.Call, last.Return},
		"never served: %s asked for lock %s %d times from %s on and was never let in, and each time the lock was free and the answer unknown",
		worker, first.Key, len(row), first.CallAt)
}

// decided returns the sections that were let in or turned away, in the order in which that
// happened.
func decided(group []*history.Section) []*history.Section {
	at := func(s *history.Section) int64 { return cmp.Or(s.Enter, s.Return) }
	list := slices.DeleteFunc(slices.Clone(group), func(s *history.Section) bool { return at(s) == 0 })
	slices.SortFunc(list, func(a, b *history.Section) int { return cmp.Compare(at(a), at(b)) })
	return list
}

// streak is a list of sections that were turned away one after another, after a section was let in.
type streak struct {
	sections []*history.Section
	since    time.Duration
}

// judgeStreak judges a streak of sections of a group.
func (in *input) judgeStreak(x streak, group []*history.Section, bound time.Duration, r *Result) {
	if len(x.sections) < 2 {
		return
	}
	first, last := x.sections[0], x.sections[len(x.sections)-1]
	var asked []evidence.Stretch
	for _, s := range x.sections {
		asked = append(asked, evidence.Stretch{From: max(s.CallAt, x.since), To: min(s.ReturnAt+bound/turnedAwayTimes, last.ReturnAt)})
	}
	whole := evidence.Union(asked)
	if last.ReturnAt-whole[0].From <= bound {
		return
	}
	taken := in.taken(group)
	free := time.Duration(0)
	for _, part := range whole {
		free += taken.Outside(part.From, part.To)
	}
	if free > bound {
		r.find(Invalid, []int64{first.Call, first.Return, last.Call, last.Return},
			"turned away: lock %s was free for %s, more than %s, and none of the %d sections that asked for it from %s on was let in",
			first.Key, free, bound, len(x.sections), whole[0].From)
	}
}

// taken returns when the lock of a group of sections was not free, or a fault hindered all
// workers.
func (in *input) taken(group []*history.Section) evidence.Stretches {
	list := slices.Concat(in.Hindered(""), in.HeldAt(group[0].Key)) // hindered because of faults of servers
	for _, s := range group {
		_, until := in.SectionEnd(s)
		if s.Entered() {
			_, left := in.WorkEnd(s)
			list = append(list, evidence.Stretch{From: s.EnterAt, To: left})
		}
		if s.Crashed { // it may have had the lock, or a place in a queue
			list = append(list, evidence.Stretch{From: s.CrashAt, To: s.CrashAt + in.Meta.TTL})
		}
		list = append(list, in.Stopped()[s.Worker].Within(s.CallAt, until)...)
	}
	return evidence.Union(list)
}
