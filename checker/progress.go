package checker

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"lockquake/history"
)

// progress looks for workers that wait for the lock, or for an answer of it,
// beyond all patience, and for sections that never end. How long the body
// takes is not the lock's affair.
//
// A section that is open at the end of the run never ends. A fault that is over by
// then explains it only if the run may have been cut off in the time in which a
// client still waits for an answer.
//
// Nor may a lock that is free turn everybody away for longer than that patience, see
// turnedAway.
//
// Nor may a waiter sleep beside a lock that is free. While something was wrong
// with a link or a server, and for as long after that as a client waits for
// an answer, nobody can say what a waiter was kept by.
//
// The time does not count in which the worker was stopped, or something was
// wrong with its links and messages or with a server, though of several servers
// one must not matter, nor that in which the server held the lock for a worker that was alive and stopped.
func progress(in *input, r *Result) {
	r.Applies = len(in.sections) > 0
	bound := in.patience()
	in.turnedAway(bound, r)
	end := in.endAt()
	frozen := map[string]stretches{} // by lock; made when a wait is long enough to ask
	for _, s := range in.sections {
		entered := in.waited(s)
		_, out := in.left(s)
		gone, until := in.ended(s)
		if entered-s.CallAt > bound {
			if _, ok := frozen[s.Key]; !ok {
				frozen[s.Key] = in.frozen(s.Key)
			}
			aside := union(slices.Concat(in.hindered(s.Worker), frozen[s.Key]))
			if waited := aside.beside(s.CallAt, entered); waited > bound {
				what := "starved"
				others, circle := in.circle(s, s.CallAt+bound)
				if circle != "" {
					what = "deadlock"
				}
				r.find(Invalid, append(waitOf(s), others...), "%s: %s waited for lock %s for %s, more than %s%s", what, nameOf(s), s.Key, waited, bound, circle)
				continue
			}
		}
		if slept, from := in.overslept(s, entered); slept > oversleep {
			r.find(Invalid, waitOf(s), "overslept: lock %s was free for %s, from %s on, while %s waited for it", s.Key, slept, from, nameOf(s))
			continue
		}
		if until-out > bound {
			if waited := in.hindered(s.Worker).beside(out, until); waited > bound {
				r.find(Invalid, stepsOf(s), "hung: the release of %s took %s, more than %s", nameOf(s), waited, bound)
				continue
			}
		}
		if gone == forever && in.Meta.Stopped == history.StopCalm {
			r.find(Unknown, stepsOf(s), "not ended: %s was still open when the run was stopped, since no section had been let in or had ended for a long time", nameOf(s))
			continue
		}
		if gone == forever && !in.kept(s, end) {
			r.find(Invalid, stepsOf(s), "never ended: %s was still open at the end of the run", nameOf(s))
		}
	}
}

// stepsOf lists the events of the steps that s may have come to.
func stepsOf(s *history.Section) []int64 {
	return []int64{s.Call, s.Enter, s.Leave, s.Return, s.Crash}
}

// waitOf lists the events between which s waited.
func waitOf(s *history.Section) []int64 {
	if !s.Entered() {
		return stepsOf(s)
	}
	return []int64{s.Call, s.Enter}
}

// kept reports whether a fault explains that s has no end: one that has no end
// itself, or one after which the client may still have waited for
// an answer. A run that is over waits for nothing, and a section that had more time
// than an answer takes since its last step was kept by something else.
func (in *input) kept(s *history.Section, end time.Duration) bool {
	inForce := func(f fault) bool { return f.open && !in.elsewhere(f, s.Worker) && !in.spared(f.Target) }
	if slices.ContainsFunc(in.faults(), inForce) {
		return true
	}
	hindered := in.hindered(s.Worker)
	last := max(s.CallAt, s.EnterAt, s.LeaveAt)
	return !in.over() && hindered.covers(end) && hindered.beside(last, end) <= in.answer()
}

// over reports whether the history is of a whole run, and not of its beginning: it
// says what the resource held at the end.
func (in *input) over() bool {
	return len(in.Events) > 0 && in.Events[len(in.Events)-1].Type == history.Final
}

// circle says who waits for whom, if s waits at that time for a lock whose holder
// waits for another one, and so on until it is one of these again. It returns the
// events of it too.
func (in *input) circle(s *history.Section, at time.Duration) (events []int64, text string) {
	form := "; %s has it and waits for %s"
	waiting := map[string]bool{s.Worker: true}
	for key := s.Key; ; {
		has := in.holder(key, at)
		if has == nil || !in.alive(has, at) {
			return nil, ""
		}
		events = append(events, has.given.Seq)
		if waiting[has.worker] {
			return events, text + fmt.Sprintf(", which %s has", has.worker)
		}
		waiting[has.worker] = true
		next := in.waiting(has.worker, at)
		if next == nil {
			return nil, ""
		}
		text += fmt.Sprintf(form, has.worker, next.Key)
		form = ", which %s has and waits for %s"
		events = append(events, next.Call)
		key = next.Key
	}
}

// alive reports whether the section that a grant was given to was still open at
// some time: it had neither returned nor crashed.
func (in *input) alive(g *grant, at time.Duration) bool {
	if g.section == nil {
		return false
	}
	_, gone := in.ended(g.section)
	return g.section.CallAt <= at && at < gone
}

// holder returns the grant of a lock that is live at some time, nil if there is
// none.
func (in *input) holder(key string, at time.Duration) *grant {
	for _, g := range in.ledger().locks[key] {
		if g.given.At <= at && (g.ended == nil || g.ended.At > at) {
			return g
		}
	}
	return nil
}

// waiting returns the section in which a worker waits for a lock at some time,
// nil if it does not.
func (in *input) waiting(worker string, at time.Duration) *history.Section {
	for _, s := range in.sections {
		if s.Worker == worker && s.CallAt <= at && at < in.waited(s) {
			return s
		}
	}
	return nil
}

// Patience returns how long a call may take where the longest work of a section
// takes that long, and maxHold is the bound on how long a lock is kept, if it has
// one.
func Patience(ttl, longest time.Duration, workers int, maxHold time.Duration) time.Duration {
	return patience + patientLeases*(ttl+longest) + patientTurns*time.Duration(workers)*longest + maxHold
}

// patience returns how long a call of this history may take.
func (in *input) patience() time.Duration {
	longest := time.Duration(0)
	workers := map[string]bool{}
	for _, s := range in.sections {
		workers[s.Worker] = true
		if _, to := in.left(s); s.Entered() && to-s.EnterAt > longest {
			longest = max(longest, in.worked(s, to))
		}
	}
	return Patience(in.Meta.TTL, longest, len(workers), in.Meta.MaxHold)
}

// worked returns how long the body of s was at work until to: it was not
// stopped, and did not wait for the resource or for another lock. A body that
// hangs is no measure of anything.
func (in *input) worked(s *history.Section, to time.Duration) time.Duration {
	idle := slices.Clone(in.stopped()[s.Worker])
	for _, o := range s.Ops {
		x := stretch{o.InvokeAt, to}
		if o.Return != 0 {
			x.to = o.ReturnAt
		}
		idle = append(idle, x)
	}
	within, _ := slices.BinarySearchFunc(in.sections, s.Enter, func(x *history.Section, seq int64) int { return cmp.Compare(x.Call, seq) })
	for _, inner := range in.sections[within:] {
		if inner.CallAt >= to {
			break
		}
		if inner.Worker == s.Worker {
			idle = append(idle, stretch{inner.CallAt, in.waited(inner)})
		}
	}
	return union(idle).beside(s.EnterAt, to)
}

// frozen returns when the servers held a lock for a worker that was alive but
// stopped.
func (in *input) frozen(key string) stretches {
	var list []stretch
	for _, g := range in.ledger().locks[key] {
		held := in.lasted(g)
		if s := g.section; s != nil && s.Crashed {
			held.to = min(held.to, s.CrashAt)
		}
		list = append(list, in.stopped()[g.worker].within(held.from, held.to)...)
	}
	return union(list)
}

// overslept returns the longest time, and its begin, for which the lock was
// free while s waited for it and nothing was in its way.
func (in *input) overslept(s *history.Section, until time.Duration) (longest, from time.Duration) {
	if until-s.CallAt <= oversleep {
		return 0, 0
	}
	grants := in.ledger().locks[s.Key]
	if len(grants) == 0 {
		return 0, 0 // no server speaks of this lock
	}
	taken := []stretch{{until, until}}
	for _, g := range grants {
		taken = append(taken, in.lasted(g))
	}
	last := s.CallAt
	for _, x := range union(slices.Concat(taken, in.stopped()[s.Worker], in.troubled())) {
		if free := min(x.from, until) - last; free > longest {
			longest, from = free, last
		}
		last = max(last, x.to)
	}
	return longest, from
}
