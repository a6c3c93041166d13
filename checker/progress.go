package checker

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

func progressCheck() Check {
	return Check{
		Name:  "progress",
		Doc:   "a waiter gets the lock or an answer within a bound, and every section ends",
		Did:   "left a worker waiting too long",
		About: Service, Rank: 6,
		Unit: "a section that waited too long, or did not end", NoRate: "a worker that never continues counts once, however long the run is",
		run: progress,
	}
}

// progress looks for waiters that wait for the lock or for its answer longer than [input.patience], for
// sections that never end, for waiters that sleep while the lock is free, and for acquires that go on after
// their context has ended, see [input.unheeded]. How long the body takes does not count.
//
// A holder may keep the lock for the maximum hold time, so a wait may take as long. A deadlock does not get this time: no
// holder in it is at work.
//
// A section that is open at the end of the run never ends. A fault that is over by then excuses it
// only if the run may have been cut off while a client still waited for an answer. If the run was stopped
// since nothing went on for a long time, an open section is unknown, unless faults hindered its worker
// since its last step, or it waits for a holder that they hindered: a message that is delayed by minutes may
// still be under way.
//
// A free lock must not refuse all workers for longer than in.patience either, see turnedAway.
//
// Two kinds of time do not count. The first is when faults hindered the worker, see [evidence.Evidence.Hindered].
// The second is when the server held the lock for a worker that was alive but stopped, or whose delayed messages had
// not arrived yet.
func progress(in *input, r *Result) {
	r.Applies = len(in.Sections) > 0
	p := progressing{input: in, result: r, known: map[string]evidence.Stretches{}}
	p.bound, p.release = in.patience()
	in.turnedAway(p.bound, r)
	for _, s := range in.Sections {
		switch { // the first violation of a section counts
		case p.starves(s), p.oversleeps(s), p.goesOn(s), p.hangs(s):
		default:
			p.judgeEnd(s)
		}
	}
}

// progressing judges the sections of a history one after another. Each of its methods finds one kind of violation of a
// section, and reports whether it found one.
type progressing struct {
	*input
	result         *Result
	bound, release time.Duration                 // see patience
	known          map[string]evidence.Stretches // by lock, see frozenAt
}

// frozenAt is frozen, computed once for each lock. It is needed only for long waits.
func (p *progressing) frozenAt(key string) evidence.Stretches {
	list, ok := p.known[key]
	if !ok {
		list = p.frozen(key)
		p.known[key] = list
	}
	return list
}

// starves looks for a wait for the lock that is too long.
func (p *progressing) starves(s *history.Section) bool {
	entered := p.WaitEnd(s)
	short := p.bound - p.Meta.MaxHold // of a deadlock
	if entered-s.CallAt <= short {
		return false
	}
	aside := evidence.Union(slices.Concat(p.Hindered(s.Worker), p.frozenAt(s.Key)))
	waited := aside.Outside(s.CallAt, entered)
	what, bound := "deadlock", short
	others, circle := p.lasting(s, short, entered)
	if circle == "" {
		bound = p.bound
		if others, circle = p.deadlock(s, s.CallAt+bound); circle == "" {
			what = "starved"
		}
	}
	if waited <= bound {
		return false
	}
	p.result.find(Invalid, append(waitOf(s), others...), "%s: %s waited for lock %s for %s, more than %s%s",
		what, evidence.NameOf(s), s.Key, waited, bound, circle)
	return true
}

// lasting looks for a deadlock that lasts for longer than d while s waits, before the given time. Its results are those
// of deadlock.
func (p *progressing) lasting(s *history.Section, d, until time.Duration) (events []int64, text string) {
	events, text = p.deadlock(s, s.CallAt+d)
	began := s.CallAt
	for _, seq := range events {
		began = max(began, p.Event(seq).At)
	}
	if text == "" || began+d >= until {
		return nil, ""
	}
	if later, _ := p.deadlock(s, began+d); !slices.Equal(later, events) {
		return nil, ""
	}
	return events, text
}

// oversleeps looks for a wait while the lock was free.
func (p *progressing) oversleeps(s *history.Section) bool {
	slept, from := p.overslept(s, p.WaitEnd(s))
	if slept <= oversleep+2*p.Meta.Slowest {
		return false
	}
	p.result.find(Invalid, waitOf(s), "overslept: lock %s was free for %s, from %s on, while %s waited for it", s.Key, slept, from, evidence.NameOf(s))
	return true
}

// goesOn looks for an acquire that goes on after its context has ended.
func (p *progressing) goesOn(s *history.Section) bool {
	did, after, ended := p.unheeded(s, p.WaitEnd(s))
	if did == "" {
		return false
	}
	p.result.find(Invalid, append(waitOf(s), ended), "unheeded: %s %s lock %s %s after its context had ended", evidence.NameOf(s), did, s.Key, after)
	return true
}

// hangs looks for a release that takes too long.
func (p *progressing) hangs(s *history.Section) bool {
	_, out := p.WorkEnd(s)
	_, until := p.SectionEnd(s)
	if until-out <= p.release {
		return false
	}
	waited := p.Hindered(s.Worker).Outside(out, until)
	if waited <= p.release {
		return false
	}
	p.result.find(Invalid, stepsOf(s), "hung: the release of %s took %s, more than %s", evidence.NameOf(s), waited, p.release)
	return true
}

// judgeEnd judges a section that is open at the end of the run.
func (p *progressing) judgeEnd(s *history.Section) {
	gone, end := p.SectionEnd(s)
	switch {
	case gone != evidence.Forever:
	case p.Meta.Stopped != history.StopCalm:
		if !p.excused(s, end) {
			p.neverEnds(s, end)
		}
	case !p.awaits(s, end) && (s.Entered() || !p.frozenAt(s.Key).Covers(end)):
		p.result.find(Unknown, stepsOf(s), "not ended: %s was still open when the run was stopped, since no section had been let in or had ended for a long time", evidence.NameOf(s))
	}
}

// neverEnds reports a section that is open at the end of the run, and the deadlock that its worker is in.
func (p *progressing) neverEnds(s *history.Section, end time.Duration) {
	before := end - 1 // an open wait lasts until the end
	if waiting := p.waiting(s.Worker, before); waiting != nil {
		if others, circle := p.deadlock(waiting, before); circle != "" {
			p.result.find(Invalid, append(waitOf(waiting), others...), "deadlock: %s never ended, and its worker waits for lock %s%s",
				evidence.NameOf(s), waiting.Key, circle)
			return
		}
	}
	p.result.find(Invalid, stepsOf(s), "never ended: %s was still open at the end of the run", evidence.NameOf(s))
}

// stepsOf lists the events of entering, leaving and ending s.
func stepsOf(s *history.Section) []int64 {
	return []int64{s.Call, s.Enter, s.Leave, s.Return, s.Crash}
}

// waitOf lists the first and last event of the wait of s.
func waitOf(s *history.Section) []int64 {
	if !s.Entered() {
		return stepsOf(s)
	}
	return []int64{s.Call, s.Enter}
}

// excused reports whether a fault explains that s never ended: a fault that never ended, or one
// after which the client may still have waited for an answer. It is not excused if the run is
// complete, or if since its last step s had more undisturbed time than an answer takes.
func (in *input) excused(s *history.Section, end time.Duration) bool {
	return in.HinderedForGood(s.Worker) || !in.complete() && in.awaits(s, end)
}

// awaits reports whether a fault explains that s has not ended yet: from the last step of s to the end, faults
// hindered its worker all the time but for what an answer takes.
func (in *input) awaits(s *history.Section, end time.Duration) bool {
	hindered := in.Hindered(s.Worker)
	last := max(s.CallAt, s.EnterAt, s.LeaveAt)
	return hindered.Covers(end) && hindered.Outside(last, end) <= in.AnswerTimeout()
}

// complete reports whether the history covers a whole run and not only its beginning: it ends with
// the resource's final values.
func (in *input) complete() bool {
	return len(in.Events) > 0 && in.Events[len(in.Events)-1].Type == history.Final
}

// deadlock describes a deadlock: at the given time s waits for a lock whose holder waits for another
// lock, and so on back to one of these workers. It returns the events of the cycle and its text, ""
// if there is no deadlock. A section that has been given its lock waits only for the answer.
func (in *input) deadlock(s *history.Section, at time.Duration) (events []int64, text string) {
	form := "; %s has it and waits for %s"
	waiting := map[string]bool{s.Worker: true}
	for next := s; ; {
		has := in.holder(next.Key, at)
		if has == nil || has.Section == next || !in.alive(has, at) {
			return nil, ""
		}
		events = append(events, has.Given.Seq)
		if waiting[has.Worker] {
			return events, text + fmt.Sprintf(", which %s has", has.Worker)
		}
		waiting[has.Worker] = true
		if next = in.waiting(has.Worker, at); next == nil {
			return nil, ""
		}
		text += fmt.Sprintf(form, has.Worker, next.Key)
		form = ", which %s has and waits for %s"
		events = append(events, next.Call)
	}
}

// alive reports whether the section that has a grant was open at the given time: it had neither
// returned nor crashed.
func (in *input) alive(g *evidence.Grant, at time.Duration) bool {
	if g.Section == nil {
		return false
	}
	_, gone := in.SectionEnd(g.Section)
	return g.Section.CallAt <= at && at < gone
}

// holder returns the grant of a lock that was in force at the given time, nil if there was none.
func (in *input) holder(key string, at time.Duration) *evidence.Grant {
	for _, g := range in.Ledger().Locks[key] {
		if g.Given.At <= at && (g.Ended == nil || g.Ended.At > at) {
			return g
		}
	}
	return nil
}

// waiting returns the section in which a worker waits for a lock at the given time, nil if it does
// not wait.
func (in *input) waiting(worker string, at time.Duration) *history.Section {
	for _, s := range in.Sections {
		if s.Worker == worker && s.CallAt <= at && at < in.WaitEnd(s) {
			return s
		}
	}
	return nil
}

// Patience returns how long a call may take. Longest is the longest work of a section, and maxHold
// the maximum time for which a lock is kept, 0 if there is none.
func Patience(ttl, longest time.Duration, workers int, maxHold time.Duration) time.Duration {
	return patience + patientLeases*(ttl+longest) + patientTurns*time.Duration(workers)*longest + maxHold
}

// patience returns how long a call of this history may take until the section is let in, and how long a release may
// take. Only for the former does a turn of a worker include its messages: otherwise slow releases would excuse each other.
func (in *input) patience() (wait, release time.Duration) {
	run := in.surveyed()
	of := func(turn time.Duration) time.Duration {
		return Patience(in.Meta.TTL, turn, run.Workers, in.Meta.MaxHold)
	}
	return of(run.Longest + run.Messages), of(run.Longest)
}

// surveyed returns the survey of the run that the history is, or of which it is a part.
func (in *input) surveyed() *survey {
	if in.run != nil {
		return in.run
	}
	if in.whole == nil {
		in.whole = &survey{}
		in.whole.add(in)
		in.whole.end()
	}
	return in.whole
}

// underWay returns how long the messages of a section are under way, at the median. It is added to bounds that a message
// may exceed.
func (in *input) underWay() time.Duration { return in.surveyed().Messages }

// messages returns how long a section waited for messages from its grant to the end of its release, and how long the
// next acquire waits for a request and its answer, each of which takes as long as the answer to this section did. It
// returns false if the section was not let in or has not ended, if it asked for several locks at once, which it may get one
// after another, or if a fault hindered its worker.
func (in *input) messages(s *history.Section) (time.Duration, bool) {
	if !s.Entered() || s.Return == 0 || s.Leave == 0 || len(s.Others) > 0 {
		return 0, false
	}
	from := s.EnterAt
	if s.Grant != 0 {
		from = s.GrantAt
	}
	if in.Hindered(s.Worker).Touches(from, s.ReturnAt) {
		return 0, false
	}
	const answers = 3
	d := answers*(s.EnterAt-from) + s.ReturnAt - s.LeaveAt
	for _, o := range s.Ops {
		if o.Return != 0 && o.Return < s.Leave {
			d += o.ReturnAt - o.InvokeAt
		}
	}
	return d, true
}

// worked returns how long the body of s was at work until to: it was not stopped, and did not wait
// for the resource or for another lock. So a body that hangs does not extend the patience.
func (in *input) worked(s *history.Section, to time.Duration) time.Duration {
	idle := slices.Clone(in.Stopped()[s.Worker])
	for i, o := range s.Ops {
		next := s.Leave
		if i+1 < len(s.Ops) {
			next = s.Ops[i+1].Invoke
		}
		if next == 0 || o.Return < next { // otherwise the body went on: a write in a transaction is answered by the commit
			idle = append(idle, evidence.Stretch{From: o.InvokeAt, To: answeredBy(o, to)})
		}
	}
	within, _ := slices.BinarySearchFunc(in.Sections, s.Enter, func(x *history.Section, seq int64) int { return cmp.Compare(x.Call, seq) })
	for _, inner := range in.Sections[within:] {
		if inner.CallAt >= to {
			break
		}
		if inner.Worker == s.Worker {
			idle = append(idle, evidence.Stretch{From: inner.CallAt, To: in.WaitEnd(inner)})
		}
	}
	return evidence.Union(idle).Outside(s.EnterAt, to)
}

// frozen returns when the servers held a lock for a worker that was alive but stopped, or whose messages came after the
// end of the fault that had delayed them: from that end on, those between it and the lock, and those of operations of its
// section that wait for the resource.
func (in *input) frozen(key string) evidence.Stretches {
	type late struct{ lock, resource evidence.Stretches }
	var list []evidence.Stretch
	known := map[string]late{} // by worker
	for _, g := range in.Ledger().Locks[key] {
		x, ok := known[g.Worker]
		if !ok {
			x = late{in.Late(g.Worker, evidence.Serves), in.Late(g.Worker, func(node string) bool { return node == "resource" })}
			known[g.Worker] = x
		}
		held := in.Lasted(g)
		s := g.Section
		if s != nil && s.Crashed {
			held.To = min(held.To, s.CrashAt)
		}
		for _, times := range []evidence.Stretches{in.Stopped()[g.Worker], x.lock} {
			list = append(list, times.Within(held.From, held.To)...)
		}
		if s == nil || len(x.resource) == 0 {
			continue
		}
		for _, o := range s.Ops {
			list = append(list, x.resource.Within(max(held.From, o.InvokeAt), min(held.To, answeredBy(o, held.To)))...)
		}
	}
	return evidence.Union(list)
}

// answeredBy returns when an operation was answered, otherwise to.
func answeredBy(o *history.Op, to time.Duration) time.Duration {
	if o.Return == 0 {
		return to
	}
	return o.ReturnAt
}

// overslept returns the longest time, with its start, in which the lock was free while s waited for
// it and no fault was in its way. A section that asks for several locks at once waits for each of
// them while another worker has one.
func (in *input) overslept(s *history.Section, until time.Duration) (longest, from time.Duration) {
	if until-s.CallAt <= oversleep {
		return 0, 0
	}
	if len(in.Ledger().Locks[s.Key]) == 0 {
		return 0, 0 // no server recorded this lock
	}
	taken := []evidence.Stretch{{From: until, To: until}}
	taken = append(taken, in.HeldAt(s.Key).Near(s.CallAt, until)...)
	for _, key := range s.Others {
		for _, g := range in.Ledger().Locks[key] {
			if g.Worker != s.Worker {
				taken = append(taken, in.Lasted(g))
			}
		}
	}
	last := s.CallAt
	for _, x := range evidence.Union(slices.Concat(taken, in.Stopped()[s.Worker].Near(s.CallAt, until), in.Troubled().Near(s.CallAt, until))) {
		if free := min(x.From, until) - last; free > longest {
			longest, from = free, last
		}
		last = max(last, x.To)
	}
	return longest, from
}
