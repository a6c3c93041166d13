package checker

import (
	"cmp"
	"slices"
	"time"

	"lockquake/history"
)

// place is a lock on one server.
type place struct{ node, key string }

func placeOf(e *history.Event) place { return place{e.Node, e.Key} }

// grant is one grant of a lock by a server, from its begin to its end.
type grant struct {
	place
	worker  string           // the worker that it was given to
	section *history.Section // the section that asked for it, see ledger.attemptOf; nil: none
	attempt *attempt         // the attempt of that section
	given   *history.Event
	ended   *history.Event // nil: still held at the end of the history
	// asked is a lower bound of the time at which the section began to ask for the grant. A holder
	// counts its lease from there, or even from before it dialled.
	asked    time.Duration
	renewals []*history.Event
	refusal  *history.Event // the last refusal of a waiting section because of this grant
	own      *history.Event // the last refusal of its own section
	shared   bool           // other shared grants may exist at the same time
	// revived means that the server had ended the grant, and then lost the record of that in a
	// failover or a restart.
	revived bool
}

// until returns when the grant expires, 0 if never.
func (g *grant) until() time.Duration {
	if n := len(g.renewals); n > 0 {
		return g.renewals[n-1].Until
	}
	return g.given.Until
}

// leases returns the shortest and the longest lease of the grant and its renewals, both 0 if it
// never expires.
func (g *grant) leases() (shortest, longest time.Duration) {
	add := func(e *history.Event) {
		if d := e.Until - e.At; e.Until != 0 {
			if shortest == 0 || d < shortest {
				shortest = d
			}
			longest = max(longest, d)
		}
	}
	add(g.given)
	for _, e := range g.renewals {
		add(e)
	}
	return shortest, longest
}

// held reports whether the server held the grant just after event seq.
func (g *grant) held(seq int64) bool { return g.ended == nil || g.ended.Seq > seq }

// lasted returns the time in which the server held the grant, at most until the end of the history.
func (in *evidence) lasted(g *grant) stretch {
	if g.ended == nil {
		return stretch{g.given.At, in.endAt()}
	}
	return stretch{g.given.At, g.ended.At}
}

// givenBack reports whether the grant was ended by a release of its own section.
func (g *grant) givenBack() bool {
	e, s := g.ended, g.section
	return e != nil && e.Type == history.Freed && e.Worker == g.worker && s != nil && s.Leave != 0 && e.Seq > s.Leave
}

// ledger lists the grants of the lock servers, with the requests that led to them.
type ledger struct {
	grants   []*grant            // in the order in which they were given
	locks    map[string][]*grant // the same, by key
	sections []*history.Section  // in the order of their calls
	attempts []attempt           // of the sections

	// declined are the renewals that came after their own worker had freed the grant.
	declined []declined

	owners map[string]*grant // the last grant of each owner
	calls  int               // how many sections were called
	called map[asker][]*attempt
	open   map[place][]*grant // the open grants: one, or several shared ones
	lapsed map[place][]*grant // grants that expired since the last one was given
	freed  map[freer]*grant   // the last freed grant
	room   []grant            // grants are allocated many at a time

	refusals, renewals int64
}

// attempt holds the requests of a section for its lock, and their outcome.
type attempt struct {
	section *history.Section
	grants  []*grant
	refusal *history.Event // the last one
	refused bool           // because of a grant of another section
	got     holding        // computed when first needed
}

type asker struct{ worker, key string }

// freer identifies a worker that freed its own grant, and the owner name of that grant.
type freer struct {
	place
	worker, owner string
}

// declined is a renewal that a server declined, and the grant that it was meant for.
type declined struct {
	event *history.Event
	grant *grant
}

// ledger returns the history's ledger, which it builds on first use.
func (in *evidence) ledger() *ledger {
	if in.book == nil {
		n := len(in.sections) // about as many grants, too
		in.book = &ledger{
			grants: make([]*grant, 0, n), sections: in.sections, attempts: make([]attempt, n), owners: make(map[string]*grant, n),
			locks: map[string][]*grant{}, called: map[asker][]*attempt{}, open: map[place][]*grant{}, lapsed: map[place][]*grant{}, freed: map[freer]*grant{},
		}
		if in.Meta.Unread != "" {
			return in.book // the recorded grants are only guesses
		}
		for i := range in.Events {
			in.book.add(&in.Events[i])
		}
	}
	return in.book
}

// attempt returns the requests of a section and their outcome.
func (b *ledger) attempt(s *history.Section) *attempt {
	i, _ := slices.BinarySearchFunc(b.sections, s.Call, func(s *history.Section, call int64) int { return cmp.Compare(s.Call, call) })
	return &b.attempts[i]
}

// givenAt returns the grant that began with an event, as a list of one.
func (b *ledger) givenAt(seq int64) []*grant {
	i, _ := slices.BinarySearchFunc(b.grants, seq, func(g *grant, seq int64) int { return cmp.Compare(g.given.Seq, seq) })
	return b.grants[i : i+1 : i+1]
}

func (b *ledger) add(e *history.Event) {
	switch e.Type {
	case history.AcquireCalled:
		who := asker{e.Worker, e.Key}
		w := &b.attempts[b.calls]
		w.section = b.sections[b.calls]
		b.called[who] = append(b.called[who], w)
		b.calls++
	case history.Granted:
		b.give(e)
	case history.Renewed:
		b.renewals++
		b.renew(e)
	case history.Refused:
		b.refusals++
		b.refuse(e)
	case history.NotRenewed:
		if freed := b.freed[freer{placeOf(e), e.Worker, e.Owner}]; freed != nil {
			b.declined = append(b.declined, declined{e, freed})
		}
	case history.Freed, history.Expired, history.Evicted:
		g := b.openGrant(placeOf(e), e.Owner)
		if g == nil && e.Late {
			g = b.revive(e)
		}
		if g != nil {
			b.end(g, e)
		}
	default:
	}
}

// openGrant returns the open grant of an owner, nil if there is none. If the server does not name
// the owner, it returns the first open grant.
func (b *ledger) openGrant(p place, owner string) *grant {
	for _, g := range b.open[p] {
		if owner == "" || owner == g.given.Owner {
			return g
		}
	}
	return nil
}

// end ends an open grant.
func (b *ledger) end(g *grant, e *history.Event) {
	g.ended = e
	b.open[g.place] = slices.DeleteFunc(b.open[g.place], func(other *grant) bool { return other == g })
	switch {
	case e.Type == history.Expired:
		b.lapsed[g.place] = append(b.lapsed[g.place], g)
	case e.Type == history.Freed && e.Worker == g.worker:
		b.freed[freer{g.place, g.worker, g.given.Owner}] = g
	}
}

// renew notes a renewal.
func (b *ledger) renew(e *history.Event) {
	g := b.openGrant(placeOf(e), e.Owner)
	if g == nil && e.Late {
		g = b.revive(e)
	}
	if g != nil {
		g.renewals = append(g.renewals, e)
		g.shared = e.Mode == shared
	}
}

// revive reopens a grant that has expired. The record of an expired lease may stay on the server.
// If its owner finds it before anybody else has taken the lock over, the owner has had the lock all
// the time.
func (b *ledger) revive(e *history.Event) *grant {
	p := placeOf(e)
	i := slices.IndexFunc(b.lapsed[p], func(g *grant) bool { return g.given.Owner == e.Owner })
	if i < 0 {
		return nil
	}
	g := b.lapsed[p][i]
	b.lapsed[p] = slices.Delete(b.lapsed[p], i, i+1)
	g.ended = nil
	b.open[p] = append(b.open[p], g)
	return g
}

// attemptOf returns the attempt that a server's answer belongs to: that of the last section that
// the worker had called for the lock when it sent the request. The request may arrive after that
// section has ended.
func (b *ledger) attemptOf(e *history.Event) *attempt {
	for _, w := range slices.Backward(b.called[asker{e.Worker, e.Key}]) {
		if e.Sent == 0 || e.Sent >= w.section.CallAt {
			return w
		}
	}
	return nil
}

func (b *ledger) give(e *history.Event) {
	p := placeOf(e)
	b.lapsed[p] = b.lapsed[p][:0]
	b.open[p] = slices.DeleteFunc(b.open[p], func(before *grant) bool {
		beside := before.shared && e.Mode == shared && before.given.Owner != e.Owner
		if !beside {
			before.ended = e
		}
		return !beside
	})
	w, revived := b.attemptOf(e), false
	if e.Request == 0 && e.Sent == 0 {
		if before := b.owners[e.Owner]; before != nil && before.key == e.Key && before.worker == e.Worker {
			w, revived = before.attempt, true
		}
	}
	if len(b.room) == cap(b.room) {
		b.room = make([]grant, 0, len(b.attempts)+1)
	}
	b.room = append(b.room, grant{place: p, worker: e.Worker, attempt: w, given: e, shared: e.Mode == shared, revived: revived})
	g := &b.room[len(b.room)-1]
	b.owners[e.Owner] = g
	b.grants = append(b.grants, g)
	b.locks[p.key] = append(b.locks[p.key], g)
	b.open[p] = append(b.open[p], g)
	if w != nil {
		g.section, g.asked = w.section, w.section.CallAt
		if w.refusal != nil { // a refused section asks again only afterwards
			g.asked = max(g.asked, w.refusal.At)
		}
		if w.grants == nil { // nearly always there is only one
			w.grants = b.grants[len(b.grants)-1 : len(b.grants) : len(b.grants)]
		} else {
			w.grants = append(w.grants, g)
		}
	}
}

// refuse records a refusal, and the grants that caused it. A section that has returned does not
// wait: the client had given up on that request.
func (b *ledger) refuse(e *history.Event) {
	w := b.attemptOf(e)
	if w == nil {
		return
	}
	s := w.section
	if s.Return != 0 && s.Return < e.Seq {
		return
	}
	w.refusal = e
	if len(b.open[placeOf(e)]) == 0 {
		w.refused = true
	}
	for _, g := range b.open[placeOf(e)] {
		g.refusal = e
		if g.section != s {
			w.refused = true
		} else if s.Enter == 0 || e.Seq < s.Enter {
			g.own = e
		}
	}
}
