package checker

import (
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

// unheeded judges a section whose context ended while it waited for the lock. It returns what the acquire did later than
// heedBound and the messages of a section after that: it got the lock, or sent another request for it. It returns "" if the acquire gave up in time. The
// time in which another fault hindered the worker does not count. A request that undoes an earlier one is no request for
// the lock.
//
// The context may have ended just after the client had begun to open a connection for its request. The section then gets its
// answer after a few round trips. How long they take is known from the message of the grant, or that of the request.
//
// A section inside another one is not judged: its context may not end with that of the outer section. Neither is an owner
// that keeps its grant from section to section, and may ask for the lock on behalf of the next one.
func (in *input) unheeded(s *history.Section, until time.Duration) (did string, after time.Duration, ended int64) {
	end, bound := in.contextEnd(s, until), heedBound+in.underWay()
	if end == nil || until-end.At <= bound || in.Meta.Keeps || in.inside(s) {
		return "", 0, 0
	}
	did, last, message := "got", s.EnterAt, time.Duration(0)
	if !s.Entered() {
		did = "still asked for"
		last, message = in.lastAsked(s)
	} else if s.Grant != 0 {
		message = s.EnterAt - s.GrantAt
	}
	const roundTrips = 4
	bound += 2 * roundTrips * message
	hindered := in.HinderedBy(s.Worker, func(f evidence.Fault) bool { return f.Effect != history.EffectCancels })
	if after = hindered.Outside(end.At, max(last, end.At)); after <= bound {
		return "", 0, 0
	}
	return did, after, end.Seq
}

// contextEnd returns the first fault that ended the context of a section while it waited for the lock, nil if there is none.
func (in *input) contextEnd(s *history.Section, until time.Duration) *history.Event {
	for f := range in.FaultsOf(s.Worker) {
		if f.Effect == history.EffectCancels && f.Target == s.Worker && s.Call < f.Seq && f.At < until {
			return f.Event
		}
	}
	return nil
}

// inside reports whether a section was called by the work of another one.
func (in *input) inside(s *history.Section) bool {
	for _, outer := range in.Sections {
		if outer.Call >= s.Call {
			break
		}
		if end, _ := in.SectionEnd(outer); outer.Worker == s.Worker && end > s.Call {
			return true
		}
	}
	return false
}

// lastAsked returns when a section sent its last request for the lock that a server granted or refused, 0 if there is
// none, and after what time the server did that.
func (in *input) lastAsked(s *history.Section) (last, took time.Duration) {
	w := in.Ledger().Attempt(s)
	if r := w.Refusal; r != nil {
		last, took = r.Sent, r.At-r.Sent
	}
	for _, g := range w.Grants {
		if given := g.Given; given.Sent > last {
			last, took = given.Sent, given.At-given.Sent
		}
	}
	return last, took
}
