package evidence

import (
	"time"

	"lockquake/history"
)

// Place is a lock on one server.
type Place struct{ node, Key string }

// PlaceOf returns the lock that an event of a server is about.
func PlaceOf(e *history.Event) Place { return Place{e.Node, e.Key} }

// Grant is one grant of a lock by a server, from its begin to its end.
type Grant struct {
	Place
	Worker  string           // the worker that it was given to
	Section *history.Section // the section that asked for it, see attemptOf; nil: none
	Attempt *Attempt         // the attempt of that section
	Given   *history.Event
	Ended   *history.Event // nil: still held at the end of the history
	// asked is a lower bound of the time at which the section began to ask for the grant. A holder
	// counts its lease from there, or even from before it dialled.
	asked      time.Duration
	Renewals   []*history.Event
	Refusal    *history.Event // the last refusal of a waiting section because of this grant
	OwnRefusal *history.Event // the last refusal of its own section
	shared     bool           // other shared grants may exist at the same time
	alone      bool           // the server had no other grant of the lock when it gave this one, and none that it revived later
	// Revived means that the server had ended the grant, and then lost the record of that in a
	// failover or a restart.
	Revived bool
	// handed means that the section had asked before, and was granted the lock at the instant at
	// which the grant of another worker ended: it had waited in the server's queue.
	handed bool
}

// Until returns when the grant expires, 0 if never.
func (g *Grant) Until() time.Duration {
	if n := len(g.Renewals); n > 0 {
		return g.Renewals[n-1].Until
	}
	return g.Given.Until
}

// Leases returns the shortest and the longest lease of the grant and its renewals, both 0 if it
// never expires.
func (g *Grant) Leases() (shortest, longest time.Duration) {
	add := func(e *history.Event) {
		if d := e.Until - e.At; e.Until != 0 {
			if shortest == 0 || d < shortest {
				shortest = d
			}
			longest = max(longest, d)
		}
	}
	add(g.Given)
	for _, e := range g.Renewals {
		add(e)
	}
	return shortest, longest
}

// Held reports whether the server held the grant just after event seq.
func (g *Grant) Held(seq int64) bool { return g.Ended == nil || g.Ended.Seq > seq }

// Lasted returns the time in which the server held the grant, at most until the end of the history.
func (in *Evidence) Lasted(g *Grant) Stretch {
	if g.Ended == nil {
		return Stretch{g.Given.At, in.EndAt()}
	}
	return Stretch{g.Given.At, g.Ended.At}
}

// HeldAt returns when the servers held a lock, for any worker.
func (in *Evidence) HeldAt(key string) Stretches {
	held, ok := in.held[key]
	if !ok {
		var list []Stretch
		for _, g := range in.Ledger().Locks[key] {
			list = append(list, in.Lasted(g))
		}
		held = Union(list)
		if in.held == nil {
			in.held = map[string]Stretches{}
		}
		in.held[key] = held
	}
	return held
}

// givenBack reports whether the grant was ended by a release of its own section.
func (g *Grant) givenBack() bool {
	e, s := g.Ended, g.Section
	return e != nil && e.Type == history.Freed && e.Worker == g.Worker && s != nil && s.Leave != 0 && e.Seq > s.Leave
}
