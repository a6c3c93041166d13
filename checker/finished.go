package checker

import (
	"slices"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

// jobs counts the jobs that were asked for and those that were finished. A job is a section with those
// that repeat its work, or a unit of work, such as a tick of a schedule, if several sections are asked
// for one unit. A section that failed before it was let in, such as one whose server was down, is an
// attempt only: the next section of the worker for that lock goes on with its job.
//
// A job is finished if its work was done, and no stale write undid it. A candidate that is not
// elected has no job.
func (in *input) jobs() (asked, finished int64) {
	undone := in.undone()
	type work struct{ worker, lock string }
	units := map[string]bool{} // finished or not
	failing := map[work]bool{} // what has only failed attempts so far
	for _, s := range in.Sections {
		done := in.done(s) && !undone[s]
		switch {
		case s.Unit != "":
			units[s.Unit] = units[s.Unit] || done
		default:
			if done {
				finished++
			}
			if !s.Again && !failing[work{s.Worker, s.Key}] && (!in.elects() || s.Entered()) {
				asked++
			}
			failing[work{s.Worker, s.Key}] = failed(s) && !s.Again && !in.elects()
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

// failed reports whether a section was answered with an error before it was let in. A refusal is no error, and neither
// is the end of the caller's context.
func failed(s *history.Section) bool {
	return s.Return != 0 && !s.Entered() && s.Class != history.ClassNotObtained && s.Class != history.ClassCancelled
}

// done reports whether the work of s ended without an error and its last write of each item took
// effect. The lock's answer does not count, since other checks judge it. Work that commits after
// the release is done only if the commit took effect.
func (in *input) done(s *history.Section) bool {
	if s.Leave == 0 || s.BodyErr != "" || len(in.ineffective(s)) > 0 {
		return false
	}
	return in.Meta.Commit == "" || slices.ContainsFunc(s.Ops, func(o *history.Op) bool {
		return o.Write() && in.Effect(o) == evidence.Accepted
	})
}

// undone returns the sections whose last write of an item was overwritten by a section that had
// read the item before that write. Only the last write of a section counts, since it builds on the
// earlier ones.
func (in *input) undone() map[*history.Section]bool {
	type write struct {
		at      int64
		section *history.Section
		read    int64 // when the section read the item before; 0: it did not
		last    bool  // of the section
	}
	writes := map[string][]write{} // by item
	for _, s := range in.Sections {
		for i, o := range s.Ops {
			if !o.Write() || in.Effect(o) != evidence.Accepted {
				continue
			}
			w := write{at: evidence.EffectSeq(o), section: s, last: true}
			for _, before := range s.Ops[:i] {
				if before.Item == o.Item && in.Effect(before) == evidence.Accepted {
					w.read = evidence.EffectSeq(before)
				}
			}
			list := writes[o.Item]
			for j := len(list) - 1; j >= 0 && list[j].section == s; j-- {
				if list[j].at < w.at {
					list[j].last = false
				} else {
					w.last = false
				}
			}
			writes[o.Item] = append(list, w)
		}
	}
	lost := map[*history.Section]bool{}
	for _, list := range writes { // the order does not matter to a set
		evidence.SortBy(list, func(w *write) int64 { return w.at })
		for i, w := range list {
			for j := i - 1; j >= 0 && w.read != 0 && list[j].at > w.read; j-- {
				if list[j].section != w.section && list[j].last {
					lost[list[j].section] = true
				}
			}
		}
	}
	return lost
}

// elects reports whether the sections of the run stand for election: those that are not elected are no
// jobs.
func (in *input) elects() bool {
	return in.Meta.Workload == "leader" || in.Meta.Workload == "leader-election"
}
