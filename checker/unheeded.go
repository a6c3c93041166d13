package checker

import (
	"time"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

// unheeded judges a section whose context ended while it waited for the lock. It returns what the acquire did later than
// heedBound after that: it got the lock, or sent another request for it. It returns "" if the acquire gave up in time. The
// time in which another fault hindered the worker does not count. A request that undoes an earlier one is no request for
// the lock.
//
// A section inside another one is not judged: its context may not end with that of the outer section. Neither is an owner
// that keeps its grant from section to section, and may ask for the lock on behalf of the next one.
func (in *input) unheeded(s *history.Section, until time.Duration) (did string, after time.Duration, ended int64) {
	end := in.contextEnd(s, until)
	if end == nil || until-end.At <= heedBound || in.Meta.Keeps || in.inside(s) {
		return "", 0, 0
	}
	did, last := "got", s.EnterAt
	if !s.Entered() {
		did, last = "still asked for", in.lastAsked(s)
	}
	hindered := in.HinderedBy(s.Worker, func(f evidence.Fault) bool { return f.Effect != history.EffectCancels })
	if after = hindered.Outside(end.At, max(last, end.At)); after <= heedBound {
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
// none.
func (in *input) lastAsked(s *history.Section) time.Duration {
	w := in.Ledger().Attempt(s)
	var last time.Duration
	if w.Refusal != nil {
		last = w.Refusal.Sent
	}
	for _, g := range w.Grants {
		last = max(last, g.Given.Sent)
	}
	return last
}
