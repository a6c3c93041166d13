package checker

import (
	"cmp"
	"fmt"
	"slices"

	"lockquake/history"
)

// jobs counts the pieces of work that were asked for, and those that were
// finished. A piece is a section. Where several sections are asked for one unit
// of work, such as the tick of a schedule, the unit is the piece.
//
// A piece is finished if its work was done, and no stale write undid it: one of a
// section that had read the item before.
func (in *input) jobs() (asked, finished int64) {
	undone := in.undone()
	units := map[string]bool{} // finished or not
	for _, s := range in.sections {
		done := in.done(s) && !undone[s]
		switch {
		case s.Unit != "":
			units[s.Unit] = units[s.Unit] || done
		case done:
			finished++
			asked++
		default:
			asked++
		}
	}
	for _, done := range units { // the order does not matter to a count
		asked++
		if done {
			finished++
		}
	}
	return asked, finished
}

// done reports whether the work of s ended without an error, and the last write of
// each item took effect. What the lock answers afterwards does not count: whether
// the answer is right is for other checks. Work that commits after the release is
// done only by its commit, which it may never come to.
func (in *input) done(s *history.Section) bool {
	if s.Leave == 0 || s.BodyErr != "" || len(in.without(s)) > 0 {
		return false
	}
	return in.Meta.Commit == "" || slices.ContainsFunc(s.Ops, func(o *history.Op) bool {
		return o.Write() && in.effect(o) == accepted
	})
}

// undone lists the sections whose last write of an item was replaced by one that
// was based on an older value. An earlier write of a section is part of its last
// one, which goes on from it.
func (in *input) undone() map[*history.Section]bool {
	type write struct {
		at      int64
		section *history.Section
		read    int64 // when the section read the item before; 0: it did not
	}
	writes := map[string][]write{} // by item
	for _, s := range in.sections {
		for i, o := range s.Ops {
			if !o.Write() || in.effect(o) != accepted {
				continue
			}
			w := write{at: moment(o), section: s}
			for _, before := range s.Ops[:i] {
				if before.Item == o.Item && in.effect(before) == accepted {
					w.read = moment(before)
				}
			}
			writes[o.Item] = append(writes[o.Item], w)
		}
	}
	lost := map[*history.Section]bool{}
	for _, list := range writes { // the order does not matter to a set
		slices.SortFunc(list, func(a, b write) int { return cmp.Compare(a.at, b.at) })
		last := map[*history.Section]int{}
		for i, w := range list {
			last[w.section] = i
		}
		for i, w := range list {
			for j := i - 1; j >= 0 && w.read != 0 && list[j].at > w.read; j-- {
				if list[j].section != w.section && last[list[j].section] == j {
					lost[list[j].section] = true
				}
			}
		}
	}
	return lost
}

// fewFinished is how many jobs there are for each finished one if a lock was hardly
// tested.
const fewFinished = 100

// Untested says why the runs say too little about a lock that was not seen to
// fail: hardly any work was finished under it. It is "" if enough was.
func (m *Metrics) Untested() string {
	switch {
	case m.Finished == 0:
		return fmt.Sprintf("finished 0 of %d, so nothing was tested", m.Jobs)
	case m.Finished*fewFinished < m.Jobs:
		return fmt.Sprintf("finished %d of %d, less than 1 %%, so hardly anything was tested", m.Finished, m.Jobs)
	}
	return ""
}
