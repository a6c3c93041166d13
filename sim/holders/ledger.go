package holders

import (
	"slices"
	"time"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/sim"
)

// Options are what a server lends its ledger.
type Options struct {
	Node *sim.Node
	// Now is the clock by which leases end: the wall clock of the node, or with
	// Monotonic one that nobody can set.
	Now       func() time.Time
	Monotonic bool
	// Record receives what became of the grants. Time and node are filled in by the
	// server.
	Record func(history.Event)
	// Due is told that a lease of the lock may be over. The server drops the
	// records that are, and calls Settle.
	Due func(key string)
	// Doubted is told what a command did to a lock that no sound lock does whose
	// holders are read rightly: it overwrote a lease that was not over, or wrote one
	// that was over from the beginning. nil: nobody doubts it.
	Doubted func(key, why string)
}

// Ledger is who holds the locks of one server, as far as it was last settled.
type Ledger struct {
	Options
	locks   map[string]*entry
	waiting map[waiter][]named
	matched []bool // of the holders of the last Settle: they were there before
}

// entry is what is known of one lock.
type entry struct {
	key    string
	grants []*grant
	freed  string // the owner whose grant a command ended last
}

// grant is one holder.
type grant struct {
	lock.Holder
	worker string        // on whose behalf it was given
	over   bool          // its lease is over, and its record still there
	due    time.Duration // when a lease is over that lasts For
	timer  *sim.WallTimer
	number int // how often the timer was armed
}

// New returns a ledger of a server that holds nothing.
func New(o Options) *Ledger {
	return &Ledger{Options: o, locks: map[string]*entry{}, waiting: map[waiter][]named{}}
}

// Cause is why the holders of a lock may have changed.
type Cause struct {
	// Ends is what the end of a grant is called: Freed by a command, Expired by the
	// clock, Evicted by anything else.
	Ends history.Type
	// Restored: the data of the server was replaced. Given says who had it.
	Restored bool
	Given    []Given

	// What follows is of a command.

	Worker, Op string
	Request    int64
	Sent       time.Duration
	Again      bool // a second copy of the request
	// Values are the words of the command.
	Values []string
	// Waits: a command that leaves the lock as it was may be that of a waiter, who is
	// known by one of its Values when the lock is handed over. Names: so may any
	// other, and all of its values count from then on.
	Waits, Names bool
	// Asks: the command asked for the lock, and has got what it asked for if an
	// owner is among Own.
	Asks bool
	Own  []string
}

// Given is an owner, and the worker that its grant was given to.
type Given struct{ Owner, Worker string }

// Given lists who has the lock.
func (l *Ledger) Given(key string) []Given {
	e := l.locks[key]
	if e == nil {
		return nil
	}
	var list []Given
	for _, g := range e.grants {
		list = append(list, Given{g.Owner, g.worker})
	}
	return list
}

// Keys lists the locks that have holders, in no order.
func (l *Ledger) Keys() []string {
	var keys []string
	for key, e := range l.locks {
		if len(e.grants) > 0 {
			keys = append(keys, key)
		}
	}
	return keys
}

// Inherit takes over what another server was last known to hold. It must be
// settled with the data of this one.
func (l *Ledger) Inherit(from *Ledger) {
	for _, e := range from.locks {
		for _, g := range e.grants {
			g.stop()
		}
	}
	l.locks, from.locks = from.locks, map[string]*entry{}
}

// Settle is told who holds the lock now, and whether its records have changed.
func (l *Ledger) Settle(key string, now []lock.Holder, changed bool, c *Cause) {
	e := l.locks[key]
	if e == nil {
		if len(now) == 0 && !c.Names {
			return
		}
		e = &entry{key: key}
		l.locks[key] = e
	}
	l.lapse(e)
	if l.tooLate(e, now, c) {
		return
	}
	settled, freed := l.compare(e, now, changed, c)
	for i := range now {
		if !l.matched[i] && l.give(e, now[i], freed, c) {
			settled = true
		}
	}
	if c.Names || c.Waits && !settled && len(e.grants) > 0 {
		l.remember(key, c)
	}
	if !settled && c.Asks {
		l.refuse(e, c)
	}
}

// lapse reports the leases that the clock has ended.
func (l *Ledger) lapse(e *entry) {
	for _, g := range e.grants {
		if !g.over && l.isOver(g) {
			l.end(e, g, &Cause{Ends: history.Expired})
		}
	}
}

// tooLate reports a renewal of what was freed before, which leaves everything as
// it is.
func (l *Ledger) tooLate(e *entry, now []lock.Holder, c *Cause) bool {
	if c.Op != "renew" || e.freed == "" || !names(c.Values, e.freed) ||
		slices.ContainsFunc(now, func(h lock.Holder) bool { return h.Owner == e.freed }) {
		return false
	}
	l.Record(c.event(history.NotRenewed, e.key, e.freed))
	return true
}

// compare looks for the holders of before among those of now. It reports whether
// there was anything to report, and whether a command has freed a grant.
func (l *Ledger) compare(e *entry, now []lock.Holder, changed bool, c *Cause) (settled, freed bool) {
	l.matched = append(l.matched[:0], make([]bool, len(now))...)
	kept := e.grants[:0]
	for _, g := range e.grants {
		i := l.find(g, now)
		switch {
		case i >= 0 && g.over && c.Op != "renew" && !l.isOver(&grant{Holder: now[i], due: l.due(g, now[i], changed)}):
			// Its own owner takes the lock anew.
		case i >= 0:
			l.matched[i] = true
			kept = append(kept, g)
			settled = l.keep(e, g, now[i], changed, c) || settled
		case !g.over:
			settled, freed = true, c.Ends == history.Freed
			l.end(e, g, c)
		case c.Ends == history.Freed && c.Worker == g.worker && c.Op != "acquire" && names(c.Values, g.Owner):
			settled = true // it gives back what nobody has taken over
			l.end(e, g, c)
		}
	}
	clear(e.grants[len(kept):])
	e.grants = kept
	return settled, freed
}

// find returns the index of the holder that a grant has become, -1 for none.
func (l *Ledger) find(g *grant, now []lock.Holder) int {
	for i := range now {
		if !l.matched[i] && now[i].Owner == g.Owner {
			return i
		}
	}
	return -1
}

// keep compares a grant with the same holder as it is now, and reports whether
// there was anything to report.
func (l *Ledger) keep(e *entry, g *grant, h lock.Holder, changed bool, c *Cause) bool {
	due := l.due(g, h, changed)
	if due == g.due && h.End.Equal(g.End) && h.Mode == g.Mode {
		if c.Restored && !g.over {
			l.arm(e, g) // by the clock of this server
		}
		return false
	}
	was := g.over
	g.Holder, g.due = h, due
	switch over := l.isOver(g); {
	case over && was:
		return false
	case over: // a command that gives the lock back may leave its record there
		l.end(e, g, c)
		return true
	}
	g.over = false
	l.arm(e, g)
	event := c.event(history.Renewed, e.key, g.Owner)
	if c.Restored {
		event.Worker = g.worker
	}
	event.Until, event.Mode, event.Late = l.until(g), string(g.Mode), was
	l.Record(event)
	return true
}

// give reports a new holder, and whether there was anything to report. Freed: the
// same command has freed a grant.
func (l *Ledger) give(e *entry, h lock.Holder, freed bool, c *Cause) bool {
	g := &grant{Holder: h, worker: c.Worker, due: l.due(nil, h, true)}
	e.grants = append(e.grants, g)
	if g.over = l.isOver(g); g.over {
		l.doubt(e.key, "a lease in it is over as it is written", c)
		return false
	}
	event := c.event(history.Granted, e.key, h.Owner)
	next, sent, waited := "", time.Duration(0), false
	if !c.Restored && !names(c.Values, h.Owner) {
		next, sent, waited = l.waiter(e.key, h.Owner)
	}
	switch {
	case c.Restored:
		for _, given := range c.Given {
			if given.Owner == h.Owner {
				g.worker = given.Worker
			}
		}
	case waited: // what another one did hands it over
		g.worker, event.Sent = next, sent
	case freed:
		l.doubt(e.key, "a command put one value in the place of another", c)
	}
	event.Worker = g.worker
	l.arm(e, g)
	event.Until, event.Token, event.Mode = l.until(g), h.Token, string(h.Mode)
	l.Record(event)
	return true
}

func (l *Ledger) doubt(key, why string, c *Cause) {
	if l.Doubted != nil && c.Ends == history.Freed {
		l.Doubted(key, why)
	}
}

// end reports the end of a grant.
func (l *Ledger) end(e *entry, g *grant, c *Cause) {
	g.stop()
	late := g.over
	g.over = true
	event := history.Event{Type: c.Ends, Worker: g.worker, Key: e.key, Owner: g.Owner}
	if c.Ends == history.Freed {
		e.freed = g.Owner
		event = c.event(history.Freed, e.key, g.Owner)
		event.Late = late
	}
	l.Record(event)
}

// refuse reports a command that has asked for the lock and left it as it was.
func (l *Ledger) refuse(e *entry, c *Cause) {
	var first *grant
	for _, g := range e.grants {
		switch {
		case g.over:
		case names(c.Own, g.Owner):
			return
		case first == nil:
			first = g
		}
	}
	if first != nil {
		event := c.event(history.Refused, e.key, first.Owner)
		event.Until = l.until(first)
		l.Record(event)
	}
}

func (c *Cause) event(what history.Type, key, owner string) history.Event {
	return history.Event{Type: what, Worker: c.Worker, Request: c.Request, Key: key, Owner: owner, Sent: c.Sent, Again: c.Again}
}
