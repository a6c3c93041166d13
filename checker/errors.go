package checker

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

func errorsCheck() Check {
	return Check{
		Name:  "errors",
		Doc:   "every answer is true, and preserves the result of the work",
		Did:   "gave a caller the wrong answer",
		About: Service, Rank: 6,
		Unit: "a section whose answer is not true",
		run:  answers,
	}
}

// answers judges the answers of the strategies by what really happened. These are the rules:
//
//   - not obtained: another section's grant was in the way or may have been, and the section is not
//     left with a grant of its own. See free and watches.
//   - lost, of a section that was not let in: a server had given it the lock, or its session may have ended while it
//     waited. See sessionOver.
//   - refused, of a section that was not let in: never right, since the section has sent nothing to
//     the resource.
//   - conflict: no write of the section took effect. See repeatable.
//   - lost: the grant had ended before, other than by the section's own release; or the lease was
//     over by the holder's own clock, which may be earlier. A strategy that doubts its lock when it
//     cannot reach the servers may also answer so after a fault. See lost.
//   - ok: a server had granted the lock, the work was done, its last write of each item took effect,
//     and the release ended the grant. See letInWithoutGrant.
//   - An error of the body is part of the answer. If the body ended without an error, and its last write of
//     each item took effect, the answer may only be ok, lost, unknown or conflict.
//   - No error justifies that the strategy ends the process.
//
// Unknown is always allowed, since no history shows that a client could have known.
func answers(in *input, r *Result) {
	for _, s := range in.Sections {
		if s.Return == 0 {
			in.exited(s, r)
			continue
		}
		r.Applies = true
		if !s.Entered() {
			in.notLetIn(s, r)
		}
		in.body(s, r)
		in.repeatable(s, r)
		h := in.Holding(s)
		if h == nil {
			in.letInWithoutGrant(s, r)
			continue
		}
		events := func() []int64 { return []int64{s.Grant, s.Enter, s.Told, s.Leave, s.Return} }
		switch {
		case s.Told != 0 || s.Class == history.ClassLost:
			in.lost(s, h, r)
		case s.Class != history.ClassOK || s.Leave == 0 || h.GivenBack(s.Return):
		case h.Held(s.Return):
			in.violated(r, s, events(), "not released: %s ended with ok, and the server still held lock %s for it", evidence.NameOf(s), s.Key)
		default:
			loss := h.Loss()
			how := howLost(loss)
			switch {
			case loss.Type == history.Expired:
			case loss.Type == history.Granted || loss.With != "":
				how = "been lost " + how
			default:
				how = "been " + how
			}
			in.violated(r, s, append(events(), loss.Seq), "ok though lost: %s ended with ok, but its grant of lock %s had %s before",
				evidence.NameOf(s), s.Key, how)
		}
	}
}

// exited judges a section whose process ended. A crash that a fault caused has no error text.
func (in *input) exited(s *history.Section, r *Result) {
	if !s.Crashed {
		return
	}
	if err := in.Event(s.Crash).Err; err != "" {
		r.Applies = true
		in.violated(r, s, []int64{s.Call, s.Enter, s.Crash}, "exited: the strategy of %s ended its process (%s)", evidence.NameOf(s), err)
	}
}

// notLetIn judges the answer of a section that was not let in.
func (in *input) notLetIn(s *history.Section, r *Result) {
	events := []int64{s.Call, s.Return}
	switch {
	case s.Class == history.ClassNotObtained:
		in.obtained(s, r)
		if in.free(s) && !in.watches(s) {
			in.violated(r, s, events, "not obtained from a free lock: %s was told so, but no other section had lock %s or asked for it", evidence.NameOf(s), s.Key)
		}
	case s.Class == history.ClassLost && in.free(s) && !in.sessionOver(s):
		in.violated(r, s, events, "lost though never held: %s was told that it had lost lock %s, which no server had given to it", evidence.NameOf(s), s.Key)
	case s.Class == history.ClassRefused:
		in.violated(r, s, events, "refused though never asked: %s was told that the resource had refused its token, and it had asked the resource for nothing", evidence.NameOf(s))
	}
}

// letInWithoutGrant judges a section that was let in without a grant of its own. The answer ok is
// wrong if a server records grants of the lock, and has held none for the worker since the call. A
// grant that the worker had before is enough: a re-entrant lock needs no second one, and an owner
// may use a grant that an earlier request has got. If the servers record no grants of the lock, the
// section is not judged.
func (in *input) letInWithoutGrant(s *history.Section, r *Result) {
	if s.Class != history.ClassOK || !s.Entered() || in.Meta.Keeps || in.Meta.LockFree {
		return
	}
	grants := in.Ledger().Locks[s.Key]
	if len(grants) == 0 {
		return
	}
	for _, g := range slices.Backward(evidence.GivenBefore(grants, s.Enter)) {
		if g.Worker == s.Worker && g.Held(s.Call) {
			return
		}
	}
	in.violated(r, s, []int64{s.Call, s.Enter, s.Return}, "ok though never granted: %s was let in and ended with ok, and no server had given it lock %s",
		evidence.NameOf(s), s.Key)
}

// free reports whether nothing was in the way of a section. From its call to its return no server
// gave it the lock, refused it, or held the lock for another section, and no other section asked
// for the lock. What a crashed or unsure process left behind may be in the way for another lease
// and answer timeout; the same is true after a fault. A server that answers an error is not such a
// fault, since an error is not a refusal and the section knows about it.
//
// If no server recorded grants of the lock, or the section asked for several locks at once, free
// returns false.
func (in *input) free(s *history.Section) bool {
	return in.untaken(s) && !in.wanted(s, in.OfLock(s.Key))
}

// sessionOver reports whether the session of a waiter may have ended before it was let in. A lock with sessions answers lost
// then, since no other owner was in its way. A service of several members has sessions, and so has a lock without leases.
func (in *input) sessionOver(s *history.Section) bool {
	_, lease := in.Ledger().Locks[s.Key][0].Leases()
	return (lease == 0 || in.Meta.Members > 0) && in.Meta.TTL > 0 && s.ReturnAt-s.CallAt >= in.Meta.TTL
}

// untaken is the part of free that concerns the servers and the faults.
func (in *input) untaken(s *history.Section) bool {
	book := in.Ledger()
	w, grants := book.Attempt(s), book.Locks[s.Key]
	if len(grants) == 0 || len(s.Others) > 0 || len(w.Grants) > 0 || w.Refusal != nil || in.Disturbed(s.Worker, s.CallAt, s.ReturnAt, history.EffectFails) {
		return false
	}
	return !slices.ContainsFunc(grants, func(g *evidence.Grant) bool { return g.Given.Seq < s.Return && g.Held(s.Call) })
}

// watches reports whether the section may still have had to watch the last grant of its lock, which expired and was not
// released. In DynamoDB and Kubernetes no server ends a lease: a worker takes the lock over when it has seen no change of its
// record for a lease. Several servers that have to agree end their leases themselves.
func (in *input) watches(s *history.Section) bool {
	given := evidence.GivenBefore(in.Ledger().Locks[s.Key], s.Return)
	if in.Quorum() > 1 || len(given) == 0 {
		return false
	}
	last := given[len(given)-1]
	if last.Ended == nil || last.Ended.Type != history.Expired {
		return false
	}
	_, lease := last.Leases()
	return s.ReturnAt-s.CallAt <= lease+recoveryMargin+in.underWay()
}

// wanted is the part of free that concerns other sections: it reports whether one of the given sections
// of the lock was in the way of s, or may have left something behind that was.
func (in *input) wanted(s *history.Section, sections []*history.Section) bool {
	return slices.ContainsFunc(sections, func(x *history.Section) bool {
		_, gone := in.SectionEnd(x)
		if x.Crashed || unsure(x) {
			gone += in.AnswerTimeout() + in.Meta.TTL
		}
		return x != s && x.CallAt <= s.ReturnAt && s.CallAt <= gone
	})
}

// obtained judges whether a section that answered "not obtained" had obtained the lock. It had, if a
// quorum granted the lock to one attempt and still held it at the answer (a grant that ended earlier
// may have come too late to be used). It also had, if only its own grant was in its way.
func (in *input) obtained(s *history.Section, r *Result) {
	w := in.Ledger().Attempt(s)
	given := map[string]int{} // by owner: the number of grants that are still held
	for _, g := range w.Grants {
		if g.Given.Seq > s.Return {
			continue // the request arrived after the answer
		}
		if g.Held(s.Return) {
			given[g.Given.Owner]++
		}
		if given[g.Given.Owner] >= in.Quorum() || in.Quorum() == 1 && g.OwnRefusal != nil && !w.Refused {
			in.violated(r, s, []int64{s.Call, g.Given.Seq, s.Return}, "not obtained: %s was told so, but the server had given it lock %s", evidence.NameOf(s), s.Key)
			return
		}
	}
}

// body judges how the answer reports the result of the work.
func (in *input) body(s *history.Section, r *Result) {
	events := func() []int64 { return []int64{s.Call, s.Enter, s.Leave, s.Return} }
	switch {
	case !s.Entered() && s.Class == history.ClassOK:
		in.violated(r, s, events(), "skipped: %s ended with ok, and its work was never begun", evidence.NameOf(s))
	case s.Leave == 0:
	case s.BodyErr != "" && !strings.Contains(s.Err, s.BodyErr):
		in.violated(r, s, events(), "masked: the work of %s failed (%s), and its strategy answered %s", evidence.NameOf(s), s.BodyErr, answered(s))
	case s.BodyErr != "":
	case s.Class != history.ClassOK && s.Class != history.ClassLost && s.Class != history.ClassUnknown && s.Class != history.ClassConflict:
		if len(in.ineffective(s)) > 0 {
			return // the work failed, and the recorder has left out its error
		}
		in.violated(r, s, events(), "masked: the work of %s was done, and its strategy answered %s (%s)", evidence.NameOf(s), answered(s), s.Err)
	case s.Class == history.ClassOK:
		for _, o := range in.ineffective(s) {
			if o.Invoke > s.Return {
				continue // written after the answer
			}
			in.violated(r, s, append(events(), o.Invoke, o.Applied, o.Return), "masked: %s ended with ok, and its write of %q to item %s had no effect",
				evidence.NameOf(s), o.Value, o.Item)
		}
	}
}

// repeatable judges the answer conflict. It says that the section had no effect, so that its work can
// be done again.
func (in *input) repeatable(s *history.Section, r *Result) {
	if s.Class != history.ClassConflict {
		return
	}
	for _, o := range s.Ops {
		if o.Write() && in.Effect(o) == evidence.Accepted {
			in.violated(r, s, append(evidence.EventsOf(o), s.Call, s.Return), "conflict though done: %s ended as if it had had no effect, and its write of %q to item %s had taken effect",
				evidence.NameOf(s), o.Value, o.Item)
		}
	}
}

// ineffective returns, for each item, the last write of s if it certainly had no effect. A conditional
// write that repeats an earlier one does not count if that one took effect.
func (in *input) ineffective(s *history.Section) []*history.Op {
	var missing []*history.Op
	for i, o := range s.Ops {
		e := in.Effect(o)
		if !o.Write() || e == evidence.Accepted || e == evidence.Maybe {
			continue
		}
		if e == evidence.Refused && history.IsKeyed(o.Item) {
			continue // the work learns from it that an earlier request took effect
		}
		again := slices.ContainsFunc(s.Ops[i+1:], func(later *history.Op) bool { return later.Write() && later.Item == o.Item })
		repeats := o.If != nil && slices.ContainsFunc(s.Ops, func(before *history.Op) bool {
			return before.Write() && before.Item == o.Item && before.Value == o.Value && in.Effect(before) == evidence.Accepted
		})
		if !again && !repeats {
			missing = append(missing, o)
		}
	}
	return missing
}

// askedFor returns a lower bound of the time from which a section counts the lease of its grant. A client
// whose answers are lost repeats its request, for a lease at most, and counts from the first copy, which the
// server may have refused.
func (in *input) askedFor(s *history.Section, h *evidence.Holding, lease time.Duration) time.Duration {
	asked, given := h.Asked(), h.Grants[0].Given
	if in.Disturbed(s.Worker, asked, given.At, history.EffectFails) {
		return max(s.CallAt, min(asked, cmp.Or(given.Sent, given.At)-lease))
	}
	return asked
}

// lost judges the first time that a section was told of a loss. The lease of a holder is over by its
// own clock at the earliest one lease after it asked for the lock, or after it sent the last renewal
// that it knew of. Several servers are asked one after another, so the oldest of their last renewals
// counts. A renewal does not count if the holder's clock was wrong, or if the section had held the
// lock for the maximum hold time.
func (in *input) lost(s *history.Section, h *evidence.Holding, r *Result) {
	at, atTime := s.Told, s.ToldAt
	if at == 0 {
		at, atTime = s.Return, s.ReturnAt
	}
	if !h.Held(at) && !h.GivenBack(evidence.Forever) {
		return
	}
	lease := h.Lease() // a new leader may have prolonged it, which the holder does not know
	if counted := cmp.Or(in.Meta.Counted, in.Meta.TTL); lease == 0 || counted != 0 && counted < lease {
		lease = counted
	}
	from, did, slack := in.askedFor(s, h, lease), "asked for", clockSlack
	if !in.clockFaulty(s.Worker, s.CallAt, atTime) && !in.heldLongest(s, lease, atTime) {
		if renewed := in.lastRenewed(h, atTime); renewed > from {
			from, did, slack = renewed, "renewed", clockSlack+max(in.opening(), in.underWay())
		}
	}
	if lease != 0 && atTime >= from+lease-in.margin(lease)-slack {
		return
	}
	if in.Meta.Doubts && toldInside(s) && (in.late(lease) || in.Disturbed(s.Worker, s.EnterAt, atTime, history.EffectFails)) {
		return
	}
	events := []int64{s.Grant, s.Enter, at}
	if e := h.Loss(); e != nil {
		events = append(events, e.Seq)
	}
	in.violated(r, s, events, "lost though held: %s was told that it had lost lock %s, which it had %s %s before and which the server held for it",
		evidence.NameOf(s), s.Key, did, atTime-from)
}

// late reports whether the messages of the run were so slow that a client may have got no answer in time without a fault. The
// clients of ZooKeeper ask after a third of their session, and give up a connection after two thirds without an answer.
func (in *input) late(session time.Duration) bool {
	const third, roundTrip = 3, 2
	return third*roundTrip*in.Meta.Slowest >= session
}

// lastRenewed returns a lower bound of the time at which the holder sent the last renewal that it knew of at the given time.
// It is the earliest such time of several servers, and 0 if a server has no such renewal.
func (in *input) lastRenewed(h *evidence.Holding, at time.Duration) time.Duration {
	var earliest time.Duration
	for i, g := range h.Grants {
		e, from := in.lastKnown(g, at)
		if e == nil {
			return 0
		}
		if i == 0 || from < earliest {
			earliest = from
		}
	}
	return earliest
}

// toldInside reports whether the holder of a section that has returned was told of a loss before the answer. A run records the answer
// itself too, at the time of the return. A doubt about the servers does not excuse that one: the release
// has reached a server.
func toldInside(s *history.Section) bool {
	return s.Entered() && s.Told != 0 && s.ToldAt < s.ReturnAt
}
