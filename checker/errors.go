package checker

import (
	"slices"
	"strings"
	"time"

	"lockquake/history"
)

// answers judges what the strategies answered by what had truly happened.
//
//   - not obtained: somebody else's grant was in the way, or may have been, and
//     none was given to the section that it is left with. See free.
//   - lost, of a section that was never let in: a server had given it the lock.
//   - refused, of such a section: never, since it has asked the resource for nothing.
//   - lost: the grant had ended before, and not by the section's own release;
//     or its lease was over by the holder's own clock, which may be earlier.
//   - ok: the work was done, its last write of each item took effect, and the
//     release ended the grant.
//   - An error of the body is in the answer, and work that ended without one
//     fails by lost and unknown only.
//   - No error is one for which the lock may end the process.
//
// Unknown is always a fitting answer: no history shows what nobody answered.
func answers(in *input, r *Result) {
	for _, s := range in.sections {
		if s.Return == 0 {
			in.exited(s, r)
			continue
		}
		r.Applies = true
		if !s.Entered() {
			in.notLetIn(s, r)
		}
		in.body(s, r)
		h := in.holding(s)
		if h == nil {
			continue
		}
		events := []int64{s.Grant, s.Enter, s.Told, s.Leave, s.Return}
		switch {
		case s.Told != 0 || s.Class == history.ClassLost:
			in.lost(s, h, r)
		case s.Class != history.ClassOK || s.Leave == 0 || h.givenBack(s.Return):
		case h.held(s.Return):
			in.violated(r, s, events, "not released: %s ended with ok, and the server still held lock %s for it", nameOf(s), s.Key)
		default:
			loss := h.loss()
			in.violated(r, s, append(events, loss.Seq), "ok though lost: %s ended with ok, but its grant of lock %s had been %s before",
				nameOf(s), s.Key, loss.Type)
		}
	}
}

// exited judges a section that has no answer. A crash that is a fault has no
// error.
func (in *input) exited(s *history.Section, r *Result) {
	if !s.Crashed {
		return
	}
	if err := in.Events[s.Crash-1].Err; err != "" {
		r.Applies = true
		in.violated(r, s, []int64{s.Call, s.Enter, s.Crash}, "exited: the strategy of %s ended its process (%s)", nameOf(s), err)
	}
}

// notLetIn judges the answer of a section that was not let in.
func (in *input) notLetIn(s *history.Section, r *Result) {
	events := []int64{s.Call, s.Return}
	switch {
	case s.Class == history.ClassNotObtained:
		if !in.gotSomething(s, r) && in.free(s) {
			in.violated(r, s, events, "not obtained from a free lock: %s was told so, but no other section had lock %s or asked for it", nameOf(s), s.Key)
		}
	case s.Class == history.ClassLost && in.free(s):
		in.violated(r, s, events, "lost though never held: %s was told that it had lost lock %s, which no server had given to it", nameOf(s), s.Key)
	case s.Class == history.ClassRefused:
		in.violated(r, s, events, "refused though never asked: %s was told that the resource had refused its token, and it had asked the resource for nothing", nameOf(s))
	}
}

// free reports whether nothing at all was in the way of a section: from its call to
// its return no server gave the lock to it, refused it, or held it for another
// section, and no other section asked for it. A process that crashed, or did not know what became of
// its requests, may have left something behind for a lease and an answer, as may
// faults. A server that answers an error is no such fault: the error is no
// refusal, and the section that gets it knows that.
//
// Where no server speaks of the lock, the history does not say that it was free.
func (in *input) free(s *history.Section) bool {
	book := in.ledger()
	w, grants := book.attempt(s), book.locks[s.Key]
	if len(grants) == 0 || len(w.grants) > 0 || w.refusal != nil || in.disturbed(s.Worker, s.CallAt, s.ReturnAt, history.EffectFails) {
		return false
	}
	if slices.ContainsFunc(grants, func(g *grant) bool { return g.given.Seq < s.Return && g.held(s.Call) }) {
		return false
	}
	return !slices.ContainsFunc(in.sections, func(x *history.Section) bool {
		_, gone := in.ended(x)
		if x.Crashed || unsure(x) {
			gone += in.answer() + in.Meta.TTL
		}
		return x != s && x.Key == s.Key && x.CallAt <= s.ReturnAt && s.CallAt <= gone
	})
}

// gotSomething judges a section that answered "not obtained", and reports whether it
// had obtained the lock. It had, if a quorum granted the lock to one attempt and still
// held it at the answer; an earlier end may have come too late to be of use. It also
// had, if only its own grant kept it out.
func (in *input) gotSomething(s *history.Section, r *Result) bool {
	w := in.ledger().attempt(s)
	given := map[string]int{} // by owner: grants that are still there
	for _, g := range w.grants {
		if g.given.Seq > s.Return {
			continue // a request that came later than the answer
		}
		if g.held(s.Return) {
			given[g.given.Owner]++
		}
		if given[g.given.Owner] >= in.quorum() || in.quorum() == 1 && g.own != nil && !w.refused {
			in.violated(r, s, []int64{s.Call, g.given.Seq, s.Return}, "not obtained: %s was told so, but the server had given it lock %s", nameOf(s), s.Key)
			return true
		}
	}
	return false
}

// body judges how the answer treats the result of the work.
func (in *input) body(s *history.Section, r *Result) {
	events := []int64{s.Call, s.Enter, s.Leave, s.Return}
	switch {
	case !s.Entered() && s.Class == history.ClassOK:
		in.violated(r, s, events, "skipped: %s ended with ok, and its work was never begun", nameOf(s))
	case s.Leave == 0:
	case s.BodyErr != "" && !strings.Contains(s.Err, s.BodyErr):
		in.violated(r, s, events, "masked: the work of %s failed (%s), and its strategy answered %s", nameOf(s), s.BodyErr, answered(s))
	case s.BodyErr != "":
	case s.Class != history.ClassOK && s.Class != history.ClassLost && s.Class != history.ClassUnknown:
		in.violated(r, s, events, "masked: the work of %s was done, and its strategy answered %s (%s)", nameOf(s), answered(s), s.Err)
	case s.Class == history.ClassOK:
		for _, o := range in.without(s) {
			if o.Invoke > s.Return {
				continue // the answer came first
			}
			in.violated(r, s, append(events, o.Invoke, o.Applied, o.Return), "masked: %s ended with ok, and its write of %q to item %s had no effect",
				nameOf(s), o.Value, o.Item)
		}
	}
}

// without lists the writes of s that certainly had no effect, but for those
// after which it has written the item again.
func (in *input) without(s *history.Section) []*history.Op {
	last := map[string]*history.Op{}
	for _, o := range s.Ops {
		if o.Write() {
			last[o.Item] = o
		}
	}
	var missing []*history.Op
	for _, o := range s.Ops {
		if e := in.effect(o); last[o.Item] == o && e != accepted && e != maybe {
			missing = append(missing, o)
		}
	}
	return missing
}

// lost judges a section that was told of a loss, the first time that it was.
func (in *input) lost(s *history.Section, h *holding, r *Result) {
	at, atTime := s.Told, s.ToldAt
	if at == 0 {
		at, atTime = s.Return, s.ReturnAt
	}
	if !h.held(at) && !h.givenBack(forever) {
		return
	}
	lease := h.lease()
	if lease == 0 || in.Meta.TTL != 0 && in.Meta.TTL < lease {
		lease = in.Meta.TTL
	}
	if lease != 0 && atTime >= h.asked()+lease-in.drift(lease)-clockSlack {
		return
	}
	events := []int64{s.Grant, s.Enter, at}
	if e := h.loss(); e != nil {
		events = append(events, e.Seq)
	}
	in.violated(r, s, events, "lost though held: %s was told that it had lost lock %s, which it had asked for %s before and which the server held for it",
		nameOf(s), s.Key, atTime-h.asked())
}

// drift is what a holder may take off its lease for clocks that differ, where
// several servers have to agree.
func (in *input) drift(lease time.Duration) time.Duration {
	if in.quorum() == 1 {
		return 0
	}
	const share = 50 // 2 %
	return lease / share
}
