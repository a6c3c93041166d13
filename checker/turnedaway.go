package checker

import (
	"cmp"
	"slices"
	"time"

	"lockquake/history"
)

// turnedAway looks for locks that are free and turn everybody away: a row of
// sections of any workers that all ended without having been let in, with no section
// let in between them, over more time than the bound.
//
// Time counts in which the lock was free: no server held it, no section was inside,
// and no waiting worker was stopped or had just crashed. Of the time in which no
// section asks no more counts than 1/turnedAwayTimes of the bound, so that a few
// sections that kept each other out, hours apart, are no row. A section that was
// cancelled, or that a fault may have kept from the lock, says nothing of the lock.
func (in *input) turnedAway(bound time.Duration, r *Result) {
	hindered := map[string]stretches{} // by worker
	for _, group := range groups(in.sections, lockOf) {
		var current row
		for _, s := range decided(group) {
			switch {
			case s.Entered():
				in.judgeRow(current, group, bound, r)
				current = row{since: s.EnterAt}
			case s.Class != history.ClassCancelled:
				if _, ok := hindered[s.Worker]; !ok {
					hindered[s.Worker] = in.hindered(s.Worker)
				}
				if !hindered[s.Worker].touches(s.CallAt, s.ReturnAt) {
					current.sections = append(current.sections, s)
				}
			}
		}
		in.judgeRow(current, group, bound, r)
	}
}

// decided lists the sections that were let in or turned away, in the order in which
// they were.
func decided(group []*history.Section) []*history.Section {
	at := func(s *history.Section) int64 { return cmp.Or(s.Enter, s.Return) }
	list := slices.DeleteFunc(slices.Clone(group), func(s *history.Section) bool { return at(s) == 0 })
	slices.SortFunc(list, func(a, b *history.Section) int { return cmp.Compare(at(a), at(b)) })
	return list
}

// row is sections that were turned away one after another, since somebody was let in.
type row struct {
	sections []*history.Section
	since    time.Duration
}

// judgeRow judges a row of sections of a group.
func (in *input) judgeRow(x row, group []*history.Section, bound time.Duration, r *Result) {
	if len(x.sections) < 2 {
		return
	}
	first, last := x.sections[0], x.sections[len(x.sections)-1]
	var asked []stretch
	for _, s := range x.sections {
		asked = append(asked, stretch{max(s.CallAt, x.since), min(s.ReturnAt+bound/turnedAwayTimes, last.ReturnAt)})
	}
	whole := union(asked)
	if last.ReturnAt-whole[0].from <= bound {
		return
	}
	taken := in.taken(group)
	free := time.Duration(0)
	for _, part := range whole {
		free += taken.beside(part.from, part.to)
	}
	if free > bound {
		r.find(Invalid, []int64{first.Call, first.Return, last.Call, last.Return},
			"turned away: lock %s was free for %s, more than %s, and none of the %d sections that asked for it from %s on was let in",
			first.Key, free, bound, len(x.sections), whole[0].from)
	}
}

// taken returns when the lock that the sections of a group asked for was not free,
// or something was in everybody's way.
func (in *input) taken(group []*history.Section) stretches {
	list := slices.Clone(in.hindered("")) // by faults of servers
	for _, g := range in.ledger().locks[group[0].Key] {
		list = append(list, in.lasted(g))
	}
	for _, s := range group {
		_, until := in.ended(s)
		if s.Entered() {
			_, left := in.left(s)
			list = append(list, stretch{s.EnterAt, left})
		}
		if s.Crashed { // it may have had the lock, or a place in a queue
			list = append(list, stretch{s.CrashAt, s.CrashAt + in.Meta.TTL})
		}
		list = append(list, in.stopped()[s.Worker].within(s.CallAt, until)...)
	}
	return union(list)
}
