package holders

import (
	"slices"
	"time"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/sim"
)

// Options are the parts of a server that its ledger uses.
type Options struct {
	Node *sim.Node
	// Now is the clock by which leases end: the wall clock of the node, or with Monotonic a clock
	// that cannot be set.
	Now       func() time.Time
	Monotonic bool
	// Record receives the events of the grants. The server fills in time and node.
	Record func(history.Event)
	// Due is called when a lease of the lock may have ended. The server removes expired records and
	// calls Settle.
	Due func(key string)
	// Doubted is called if a command did something that no sound lock does, so that the holders may
	// have been read wrongly: it overwrote a lease that had not ended, or wrote one that had
	// already ended. It may be nil.
	Doubted func(key, why string)
}

// Ledger knows who held the locks of one server at the last Settle.
type Ledger struct {
	Options
	locks   map[string]*entry
	waiting map[waiter]*[]namedValue
	matched []bool // for each holder of the current Settle: it was there before
}

// entry is one lock.
type entry struct {
	key    string
	grants []*grant
	freed  string // the owner whose grant a command ended last
}

// grant is one holder.
type grant struct {
	lock.Holder
	worker string        // the worker that it was granted to
	over   bool          // its lease is over, but its record is still there
	due    time.Duration // the true time of its end, if the lease has a For
	timer  *sim.WallTimer
	number int // incremented when the timer is armed or stopped
}

// New returns the ledger of a server without locks.
func New(o Options) *Ledger {
	return &Ledger{Options: o, locks: map[string]*entry{}, waiting: map[waiter]*[]namedValue{}}
}

// Cause says why the holders of a lock may have changed.
type Cause struct {
	// Ends is the event of a grant that has ended: Freed by a command, Expired by the clock,
	// Evicted by anything else.
	Ends history.Type
	// Restored means that the data of the server was replaced. Given says which workers had the
	// lock in that data.
	Restored bool
	Given    []Given

	// The following fields are of a command.

	Worker, Op string
	Request    int64
	Sent       time.Duration
	Again      bool // a second copy of the request
	// Values are the arguments of the command.
	Values []string
	// Waits means that the command, if it changes nothing, may be that of a waiter. The waiter is
	// recognised by one of the Values when the lock is handed over. Names means that any command
	// may be that of a waiter, and that Values of all earlier commands count too.
	Waits, Names bool
	// Asks means that the command asked for the lock. It has got the lock if an owner is among Own.
	Asks bool
	Own  []string
}

// Given is an owner and the worker that its grant was given to.
type Given struct{ Owner, Worker string }

// Given returns the holders of a lock.
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

// Keys returns the locks that have holders, in no particular order.
func (l *Ledger) Keys() []string {
	var keys []string
	for key, e := range l.locks {
		if len(e.grants) > 0 {
			keys = append(keys, key)
		}
	}
	return keys
}

// Inherit takes over the holders of another server's ledger. The caller then has to call Settle
// with the data of this server.
func (l *Ledger) Inherit(from *Ledger) {
	for _, e := range from.locks {
		for _, g := range e.grants {
			g.stop()
		}
	}
	l.locks, from.locks = from.locks, map[string]*entry{}
}

// Settle compares the holders of a lock now with those before, and records the events. Changed says
// whether the records of the lock have changed.
func (l *Ledger) Settle(key string, now []lock.Holder, changed bool, c *Cause) {
	e := l.locks[key]
	if e == nil {
		if len(now) == 0 && !c.Names {
			return
		}
		e = &entry{key: key}
		l.locks[key] = e
	}
	l.expireLeases(e)
	if l.lateRenewal(e, now, c) {
		return
	}
	settled, freed := l.compare(e, now, changed, c)
	for i := range now {
		if !l.matched[i] && l.add(e, now[i], freed, c) {
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

// expireLeases records the ends of leases that the clock has ended.
func (l *Ledger) expireLeases(e *entry) {
	for _, g := range e.grants {
		if !g.over && l.isOver(g) {
			l.end(e, g, &Cause{Ends: history.Expired})
		}
	}
}

// lateRenewal records a renewal of a grant that was freed before, and reports whether c is one. It
// changes nothing else.
func (l *Ledger) lateRenewal(e *entry, now []lock.Holder, c *Cause) bool {
	if c.Op != "renew" || e.freed == "" || !names(c.Values, e.freed) ||
		slices.ContainsFunc(now, func(h lock.Holder) bool { return h.Owner == e.freed }) {
		return false
	}
	l.Record(c.event(history.NotRenewed, e.key, e.freed))
	return true
}

// compare matches the grants with the holders of now, and records renewals and ends. It reports
// whether it recorded anything, and whether a command has freed a grant.
func (l *Ledger) compare(e *entry, now []lock.Holder, changed bool, c *Cause) (settled, freed bool) {
	l.matched = append(l.matched[:0], make([]bool, len(now))...)
	kept := e.grants[:0]
	for _, g := range e.grants {
		i := l.find(g, now)
		switch {
		case i >= 0 && g.over && c.Op != "renew" && !l.isOver(&grant{Holder: now[i], due: l.due(g, now[i], changed)}):
			// The same owner acquires the lock again after its lease had ended.
		case i >= 0:
			l.matched[i] = true
			kept = append(kept, g)
			settled = l.update(e, g, now[i], changed, c) || settled
		case !g.over:
			settled, freed = true, c.Ends == history.Freed
			l.end(e, g, c)
		case c.Ends == history.Freed && c.Worker == g.worker && c.Op != "acquire" && names(c.Values, g.Owner):
			settled = true // it releases an expired lease that no other owner has taken over
			l.end(e, g, c)
		}
	}
	clear(e.grants[len(kept):])
	e.grants = kept
	return settled, freed
}

// find returns the index of the holder with the owner of g, -1 if there is none.
func (l *Ledger) find(g *grant, now []lock.Holder) int {
	for i := range now {
		if !l.matched[i] && now[i].Owner == g.Owner {
			return i
		}
	}
	return -1
}

// update compares a grant with the same holder as it is now, and reports whether it recorded
// anything.
func (l *Ledger) update(e *entry, g *grant, h lock.Holder, changed bool, c *Cause) bool {
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
	case over: // a release may leave the record with a lease that is over
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

// add records a new holder, and reports whether it recorded anything. Freed says that the same
// command has freed a grant.
func (l *Ledger) add(e *entry, h lock.Holder, freed bool, c *Cause) bool {
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
	case waited: // another worker's command has handed the lock over
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

// end records the end of a grant.
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

// refuse records a command that asked for the lock and did not get it.
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
