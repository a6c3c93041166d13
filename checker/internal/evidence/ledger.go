package evidence

import (
	"cmp"
	"slices"

	"lockquake/history"
)

// Ledger lists the grants of the lock servers, with the requests that led to them.
type Ledger struct {
	Grants   []*Grant            // in the order in which they were given
	Locks    map[string][]*Grant // the same, by key
	sections []*history.Section  // in the order of their calls
	attempts []Attempt           // of the sections
	looked   int                 // position of the last section that Attempt was called for

	// Declined are the renewals that came after their own worker had freed the grant.
	Declined []Declined

	owners map[ownLock]*Grant // the last grant of each owner and lock
	calls  int                // how many sections were called
	called map[Asker][]*Attempt
	places map[Place]*state
	freed  map[freer]*Grant // the last freed grant
	room   []Grant          // grants are allocated many at a time

	Refusals, Renewals int64
}

// state is the present state of a lock on one server.
type state struct {
	open    []*Grant          // one, or several if one of them is shared
	lapsed  []*Grant          // exclusive, and expired since the last one was given
	readers map[string]*Grant // by owner: shared, and expired since the last exclusive one was given
	ended   *Grant            // the one that ended last
}

// at returns the state of a lock on one server.
func (b *Ledger) at(p Place) *state {
	s := b.places[p]
	if s == nil {
		s = &state{}
		b.places[p] = s
	}
	return s
}

// ownLock is a lock and the name of its owner. An owner name that the instances of a worker share is the
// same for all its locks.
type ownLock struct{ owner, key string }

// freer identifies a worker that freed its own grant, and the owner name of that grant.
type freer struct {
	Place
	worker, owner string
}

// Declined is a renewal that a server declined, and the grant that it was meant for.
type Declined struct {
	Event *history.Event
	Grant *Grant
}

// Ledger returns the history's ledger, which it builds on first use.
func (in *Evidence) Ledger() *Ledger {
	if in.book == nil {
		n := len(in.Sections) // about as many grants, too
		in.book = &Ledger{
			Grants: make([]*Grant, 0, n), sections: in.Sections, attempts: make([]Attempt, n), owners: make(map[ownLock]*Grant, n),
			Locks: map[string][]*Grant{}, called: map[Asker][]*Attempt{}, places: map[Place]*state{}, freed: map[freer]*Grant{},
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

// givenAt returns the grant that began with an event, as a list of one.
func (b *Ledger) givenAt(seq int64) []*Grant {
	i := len(GivenBefore(b.Grants, seq))
	return b.Grants[i : i+1 : i+1]
}

// GivenBefore returns the grants of a list that were given before event seq. The list is in the order in which they were given.
func GivenBefore(list []*Grant, seq int64) []*Grant {
	n, _ := slices.BinarySearchFunc(list, seq, func(g *Grant, seq int64) int { return cmp.Compare(g.Given.Seq, seq) })
	return list[:n]
}

// Next returns the grant that the same server gave at the instant at which g ended, to a request that it
// knew before: one that had waited in its queue. It returns nil if there is none.
func (b *Ledger) Next(g *Grant) *Grant {
	if g.Ended == nil {
		return nil
	}
	for _, next := range b.Grants[len(GivenBefore(b.Grants, g.Ended.Seq+1)):] {
		switch {
		case next.Given.At != g.Ended.At:
			return nil
		case next.Place == g.Place && next.Given.Sent != 0 && next.Given.Sent < g.Ended.At:
			return next
		}
	}
	return nil
}

func (b *Ledger) add(e *history.Event) {
	switch e.Type {
	case history.AcquireCalled:
		who := Asker{e.Worker, e.Key}
		w := &b.attempts[b.calls]
		w.section = b.sections[b.calls]
		b.called[who] = append(b.called[who], w)
		b.calls++
	case history.Granted:
		b.give(e)
	case history.Renewed:
		b.Renewals++
		b.renew(e)
	case history.Refused:
		b.Refusals++
		b.refuse(e)
	case history.NotRenewed:
		if freed := b.freed[freer{PlaceOf(e), e.Worker, e.Owner}]; freed != nil {
			b.Declined = append(b.Declined, Declined{e, freed})
		}
	case history.Freed, history.Expired, history.Evicted:
		for _, g := range b.affected(e) {
			b.end(g, e)
		}
	default:
	}
}

// affected returns the grants that a renewal or an end affects: the open grant of its owner, or all open grants of the lock if
// the server did not name the owner, now or when it gave one of them. A late event affects an expired grant.
func (b *Ledger) affected(e *history.Event) []*Grant {
	open := b.at(PlaceOf(e)).open
	unnamed := e.Owner == ""
	for i, g := range open {
		if !unnamed && g.Given.Owner == e.Owner {
			return open[i : i+1]
		}
	}
	switch {
	case unnamed || slices.ContainsFunc(open, func(g *Grant) bool { return g.Given.Owner == "" }):
		return slices.Clone(open)
	case e.Late:
		return b.revive(e)
	}
	return nil
}

// end ends an open grant.
func (b *Ledger) end(g *Grant, e *history.Event) {
	at := b.at(g.Place)
	g.Ended, at.ended = e, g
	at.open = slices.DeleteFunc(at.open, func(other *Grant) bool { return other == g })
	switch {
	case e.Type == history.Expired && g.shared:
		if at.readers == nil {
			at.readers = map[string]*Grant{}
		}
		at.readers[g.Given.Owner] = g
	case e.Type == history.Expired:
		at.lapsed = append(at.lapsed, g)
	case e.Type == history.Freed && e.Worker == g.Worker:
		b.freed[freer{g.Place, g.Worker, g.Given.Owner}] = g
	}
}

// renew notes a renewal.
func (b *Ledger) renew(e *history.Event) {
	for _, g := range b.affected(e) {
		g.Renewals = append(g.Renewals, e)
		g.shared = e.Mode == shared
	}
}

// revive reopens a grant that has expired, and returns it in a list. The record of an expired lease may stay on the server.
// If its owner finds it before anybody else has taken the lock over, the owner has had the lock all
// the time. Holders that share the lock do not take it over from each other.
func (b *Ledger) revive(e *history.Event) []*Grant {
	at := b.at(PlaceOf(e))
	g := at.readers[e.Owner]
	if i := slices.IndexFunc(at.lapsed, func(g *Grant) bool { return g.Given.Owner == e.Owner }); i >= 0 {
		g = at.lapsed[i]
		at.lapsed = slices.Delete(at.lapsed, i, i+1)
	}
	if g == nil {
		return nil
	}
	delete(at.readers, e.Owner)
	g.Ended = nil
	at.open = append(at.open, g)
	return at.open[len(at.open)-1:]
}

func (b *Ledger) give(e *history.Event) {
	p := PlaceOf(e)
	at := b.at(p)
	at.lapsed = at.lapsed[:0]
	if e.Mode == shared {
		delete(at.readers, e.Owner)
	} else {
		clear(at.readers)
	}
	at.open = slices.DeleteFunc(at.open, func(before *Grant) bool {
		if before.staysBeside(e) {
			return false
		}
		before.Ended = e
		return true
	})
	w, revived := b.attemptOf(e), false
	if e.Request == 0 && e.Sent == 0 {
		if before := b.owners[ownLock{e.Owner, e.Key}]; before != nil && before.Worker == e.Worker {
			w, revived = before.Attempt, true
		}
	}
	if len(b.room) == cap(b.room) {
		b.room = make([]Grant, 0, len(b.attempts)+1)
	}
	b.room = append(b.room, Grant{
		Place: p, Worker: e.Worker, Attempt: w, Given: e, shared: e.Mode == shared, alone: len(at.open)+len(at.readers) == 0, Revived: revived, handed: at.hands(e),
	})
	g := &b.room[len(b.room)-1]
	b.owners[ownLock{e.Owner, e.Key}] = g
	b.Grants = append(b.Grants, g)
	b.Locks[p.Key] = append(b.Locks[p.Key], g)
	at.open = append(at.open, g)
	if w != nil {
		g.Section, g.asked = w.section, w.section.CallAt
		// A refused section asks again only afterwards, unless its request has waited in the server's queue.
		if w.Refusal != nil && (e.Request == 0 || e.Request != w.Refusal.Request) {
			g.asked = max(g.asked, w.Refusal.At)
		}
		if w.Grants == nil { // nearly always there is only one
			w.Grants = b.Grants[len(b.Grants)-1 : len(b.Grants) : len(b.Grants)]
		} else {
			w.Grants = append(w.Grants, g)
		}
	}
}

// staysBeside reports whether an open grant goes on when the lock is given to another owner: its mode or that of the new grant is
// shared, so the server can have both. If only one of the two is shared, the lock is wrong, and the holder of the first has lost nothing.
func (g *Grant) staysBeside(e *history.Event) bool {
	other := g.Given.Owner != e.Owner
	if g.shared != (e.Mode == shared) { // without a name it may be the same owner
		return other && g.Given.Owner != "" && e.Owner != ""
	}
	return other && g.shared
}

// hands reports whether a grant is handed over to a worker that has waited in the server's queue: it
// begins at the instant at which that of another worker ended, and was asked for before.
func (s *state) hands(e *history.Event) bool {
	return s.ended != nil && s.ended.Ended != nil && s.ended.Ended.At == e.At && s.ended.Worker != e.Worker && e.Sent != 0 && e.Sent < e.At
}

// refuse records a refusal, and the grants that caused it. A section that has returned does not
// wait: the client had given up on that request.
func (b *Ledger) refuse(e *history.Event) {
	w := b.attemptOf(e)
	if w == nil {
		return
	}
	s := w.section
	if s.Return != 0 && s.Return < e.Seq {
		return
	}
	if before := w.Refusal; before != nil && !e.Again && (before.Node == e.Node || e.Sent > before.At) {
		w.Again = true
	}
	w.Refusal = e
	open := b.at(PlaceOf(e)).open
	if len(open) == 0 {
		w.Refused = true
	}
	for _, g := range open {
		g.Refusal = e
		if g.Section != s {
			w.Refused = true
		} else if s.Enter == 0 || e.Seq < s.Enter {
			g.OwnRefusal = e
		}
	}
}
