package checker

import (
	"fmt"

	"lockquake/checker/internal/evidence"
	"lockquake/history"
)

func ownershipCheck() Check {
	return Check{
		Name:  "ownership",
		Doc:   "a release or a renewal only changes the grant of its own section",
		Did:   "renewed or released another section's lease",
		About: Service, Rank: 6,
		OfHolders: true, OfGrants: true,
		Unit: "a section whose grant another request renewed or freed, or that renewed after its own release",
		run:  ownership,
	}
}

// ownership looks for renewals and releases that changed another section's grant: that of another
// worker, or a later one of the same worker. A release belongs to an earlier section if it was sent
// before the grant was asked for, or arrives while the section is still at work. A renewal is wrong
// once its section has released the lock, even if the server declines it.
//
// A section that returned without knowing the outcome of its requests may have a renewal under way.
// So may one that was told of a loss, since it did not wait for the answer, and a process that
// crashed. With several servers, a client may give up on some, and requests reach those late: late
// renewals on fewer than a quorum of servers do not keep the lock.
func ownership(in *input, r *Result) {
	var late []lateRenewal
	for _, g := range in.Ledger().Grants {
		r.Applies = true
		s := g.Section
		for _, e := range g.Renewals {
			switch {
			case e.Worker != "" && e.Worker != g.Worker:
				in.violated(r, changed(g), []int64{g.Given.Seq, e.Seq}, "renewed another's: %s renewed the grant of lock %s that %s had", e.Worker, g.Key, g.Worker)
			case s != nil && s.Return != 0 && e.Seq > s.Return && g.Given.Seq < s.Return && !unsure(s) && !sentBefore(e, s):
				text := fmt.Sprintf("lock %s was renewed %s after %s had ended", g.Key, e.At-s.ReturnAt, evidence.NameOf(s))
				late = append(late, lateRenewal{s, e.Node, []int64{g.Given.Seq, s.Return, e.Seq}, text})
			}
		}
		e := g.Ended
		switch {
		case e == nil || e.Type != history.Freed || e.Worker == "":
		case e.Worker != g.Worker:
			in.violated(r, changed(g), []int64{g.Given.Seq, e.Seq}, "freed another's: %s freed the grant of lock %s that %s had%s", e.Worker, g.Key, g.Worker, resendNote(e))
		case s == nil, s.Leave != 0 && g.Given.Seq > s.Leave: // its own release ends a grant that came too late
		case e.Sent != 0 && e.Sent < g.Given.Sent && in.Holding(s).Owner() == g.Given.Owner, in.atWork(s, g, e.Seq):
			in.violated(r, changed(g), []int64{g.Given.Seq, s.Enter, e.Seq, s.Leave}, "freed too early: an earlier release of %s freed lock %s, which the server had given to %s since%s",
				e.Worker, g.Key, evidence.NameOf(s), resendNote(e))
		}
	}
	late = append(late, in.lateRenewals()...)
	nodes := map[*history.Section]map[string]bool{} // the servers that the late renewals of a section reached
	for _, one := range late {
		if nodes[one.section] == nil {
			nodes[one.section] = map[string]bool{}
		}
		nodes[one.section][one.node] = true
	}
	for _, one := range late {
		if len(nodes[one.section]) >= in.Quorum() {
			in.violated(r, one.section, one.events, "renewed after release: %s", one.text)
		}
	}
}

// sentBefore reports whether a renewal had left before s returned that its lock was lost.
func sentBefore(e *history.Event, s *history.Section) bool {
	return s.Class == history.ClassLost && e.Sent != 0 && e.Sent <= s.ReturnAt
}

// changed returns the unit that counts once if another request changes the grant: its section,
// which may have grants of several servers, or the grant itself if it has no section.
func changed(g *evidence.Grant) any {
	if g.Section != nil {
		return g.Section
	}
	return g
}

// resendNote returns a note that a command arrived a second time, "" if it did not.
func resendNote(e *history.Event) string {
	if e.Again {
		return fmt.Sprintf("; it arrived a second time, %s after it was sent", readable(e.At-e.Sent))
	}
	return ""
}

// lateRenewal is a renewal that reached a server after its section had released the lock.
type lateRenewal struct {
	section *history.Section
	node    string
	events  []int64
	text    string
}

// atWork reports whether the section was let in with the grant, and at event seq was at work
// without having been told of a loss.
func (in *input) atWork(s *history.Section, g *evidence.Grant, seq int64) bool {
	left, _ := in.WorkEnd(s)
	return in.Holding(s).Includes(g) && (s.Told == 0 || s.Told > seq) && seq > s.Enter && seq < left
}

// lateRenewals looks for renewals that the server declined because their own section had freed the
// lock before: the section did not wait for them, or sent them afterwards. Two kinds do not count:
// a renewal under way for longer than a client waits for an answer, since the client had given up
// on it, and a second copy that the network made.
func (in *input) lateRenewals() []lateRenewal {
	var late []lateRenewal
	for _, d := range in.Ledger().Declined {
		e, g, freed := d.Event, d.Grant, d.Grant.Ended
		if g.Section == nil || g.Section.Crashed || e.Again {
			continue
		}
		if freed.Sent != 0 && e.Sent > freed.Sent || e.Sent > g.Given.At && e.At-e.Sent < in.AnswerTimeout() {
			text := fmt.Sprintf("%s asked for a renewal of lock %s, and the server came to it %s after the lock had been freed",
				evidence.NameOf(g.Section), g.Key, e.At-freed.At)
			late = append(late, lateRenewal{g.Section, e.Node, []int64{g.Given.Seq, freed.Seq, e.Seq}, text})
		}
	}
	return late
}
