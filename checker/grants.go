package checker

import (
	"slices"
	"time"

	"lockquake/history"
)

// place is one lock as one of the lock's servers knows it.
type place struct{ node, key string }

// grant is the life of one grant in the words of the server that gave it.
type grant struct {
	place
	worker  string           // on whose behalf it was given
	section *history.Section // that asked for it, see ledger.asking; nil: none
	given   *history.Event
	ended   *history.Event // nil: it was still held at the end of the history
	// asked is a time before which its section certainly did not begin to ask for
	// it. A holder counts its lease from there, and from before a dial.
	asked    time.Duration
	renewals []*history.Event
	refusals []*history.Event // of waiting sections that it was in the way of
	own      []*history.Event // those of its own section
	// revived: the server had let it go before, and then forgot that it had, as
	// a failover or a restart makes it.
	revived bool
}

// until returns when the server would let the grant go by itself, 0 if never.
func (g *grant) until() time.Duration {
	if n := len(g.renewals); n > 0 {
		return g.renewals[n-1].Until
	}
	return g.given.Until
}

// leases returns the shortest and the longest time for which the server gave
// or renewed the grant, both 0 if it has no end.
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

// lasted returns the time in which the server held the grant. What has no end
// lasts to the end of the history.
func (in *input) lasted(g *grant) stretch {
	if g.ended == nil {
		return stretch{g.given.At, in.endAt()}
	}
	return stretch{g.given.At, g.ended.At}
}

// givenBack reports whether the grant ended by the release of its section.
func (g *grant) givenBack() bool {
	e, s := g.ended, g.section
	return e != nil && e.Type == history.Freed && e.Worker == g.worker && s != nil && s.Leave != 0 && e.Seq > s.Leave
}

// ledger is what the lock servers did, grant by grant.
type ledger struct {
	grants  []*grant // in the order in which they were given
	locks   map[string][]*grant
	byEvent map[int64]*grant
	of      map[*history.Section][]*grant
	// refused are the sections that met a grant of another one.
	refused map[*history.Section]bool

	// declined are the renewals of what their own worker had freed before.
	declined []declined

	owners   map[string]*grant  // the last to each owner
	sections []*history.Section // not called yet
	called   map[asker][]*history.Section
	open     map[place]*grant
	refusal  map[*history.Section]*history.Event // the last
	freed    map[freer]*grant                    // the last
}

type asker struct{ worker, key string }

// freer is a worker whose own request freed what it had under a name.
type freer struct {
	place
	worker, owner string
}

// declined is a renewal that a server declined, and the grant that it was for.
type declined struct {
	event *history.Event
	grant *grant
}

// ledger returns the history's ledger. It is made when it is first asked for.
func (in *input) ledger() *ledger {
	if in.book == nil {
		in.book = &ledger{
			locks: map[string][]*grant{}, byEvent: map[int64]*grant{}, of: map[*history.Section][]*grant{}, refused: map[*history.Section]bool{},
			sections: in.sections, called: map[asker][]*history.Section{}, open: map[place]*grant{},
			refusal: map[*history.Section]*history.Event{}, freed: map[freer]*grant{}, owners: map[string]*grant{},
		}
		for i := range in.Events {
			in.book.add(&in.Events[i])
		}
	}
	return in.book
}

func (b *ledger) add(e *history.Event) {
	p := place{e.Node, e.Key}
	g := b.open[p]
	switch e.Type {
	case history.AcquireCalled:
		who := asker{e.Worker, e.Key}
		b.called[who] = append(b.called[who], b.sections[0])
		b.sections = b.sections[1:]
	case history.Granted:
		b.give(p, e)
	case history.Renewed:
		if g != nil && e.Owner == g.given.Owner {
			g.renewals = append(g.renewals, e)
		}
	case history.Refused:
		b.refuse(p, e)
	case history.NotRenewed:
		if freed := b.freed[freer{p, e.Worker, e.Owner}]; freed != nil {
			b.declined = append(b.declined, declined{e, freed})
		}
	case history.Freed, history.Expired, history.Evicted:
		if g != nil && (e.Owner == "" || e.Owner == g.given.Owner) {
			g.ended = e
			delete(b.open, p)
			if e.Type == history.Freed && e.Worker == g.worker {
				b.freed[freer{p, g.worker, g.given.Owner}] = g
			}
		}
	default:
	}
}

// asking returns the section that a server's answer was for: the last that the
// worker had called for the lock when it sent the request, which may have been
// under way for longer than its section was.
func (b *ledger) asking(e *history.Event) *history.Section {
	for _, s := range slices.Backward(b.called[asker{e.Worker, e.Key}]) {
		if e.Sent == 0 || e.Sent >= s.CallAt {
			return s
		}
	}
	return nil
}

func (b *ledger) give(p place, e *history.Event) {
	if before := b.open[p]; before != nil {
		before.ended = e
	}
	g := &grant{place: p, worker: e.Worker, section: b.asking(e), given: e}
	if before := b.owners[e.Owner]; before != nil && before.key == e.Key && before.worker == e.Worker && e.Request == 0 {
		g.section, g.revived = before.section, true
	}
	b.owners[e.Owner] = g
	b.grants = append(b.grants, g)
	b.locks[p.key] = append(b.locks[p.key], g)
	b.byEvent[e.Seq] = g
	b.open[p] = g
	if s := g.section; s != nil {
		g.asked = s.CallAt
		if last := b.refusal[s]; last != nil { // who was refused asked again only afterwards
			g.asked = max(g.asked, last.At)
		}
		b.of[s] = append(b.of[s], g)
	}
}

// refuse notes whose way was barred by whom. A section that has returned waits
// for nothing: the request was one that it had given up.
func (b *ledger) refuse(p place, e *history.Event) {
	s := b.asking(e)
	if s == nil || s.Return != 0 && s.Return < e.Seq {
		return
	}
	b.refusal[s] = e
	g := b.open[p]
	if g == nil || g.section != s {
		b.refused[s] = true
	}
	if g != nil {
		g.refusals = append(g.refusals, e)
		if g.section == s && (s.Enter == 0 || e.Seq < s.Enter) {
			g.own = append(g.own, e)
		}
	}
}
