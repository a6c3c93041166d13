package engine

import (
	"slices"

	"lockquake/sim/postgres/sql"
)

// level is how long a session holds a lock.
type level uint8

const (
	untilCommit level = iota
	untilUnlock
)

// object is the sort of thing that is locked.
type object uint8

const (
	advisory object = iota
	relation
	tuple
	transactionID
)

// lock is a lock of the lock manager with its queue. Locks on rows are made of them, see rowlock.go.
type lock struct {
	object object
	name   LockName // of an advisory lock; the table of others
	owner  *Session // the session whose transaction this is, while it is in progress
	holds  []*hold
	queue  []*Session
}

// hold is a session's share of a lock.
type hold struct {
	lock    *lock
	session *Session
	modes   modes
	count   [lastMode + 1][2]int32 // by mode and level
}

func (l *lock) of(s *Session) *hold {
	for _, h := range l.holds {
		if h.session == s {
			return h
		}
	}
	return nil
}

// held returns the modes that a session holds.
func (l *lock) held(s *Session) modes {
	if l.owner == s {
		return exclusive.bit()
	}
	if h := l.of(s); h != nil {
		return h.modes
	}
	return 0
}

// free reports whether no other session holds the lock in a conflicting mode.
func (l *lock) free(s *Session, m mode) bool {
	if l.owner != nil && l.owner != s {
		return false
	}
	conflicts := m.conflicts()
	for _, h := range l.holds {
		if h.session != s && h.modes&conflicts != 0 {
			return false
		}
	}
	return true
}

// wanted returns the modes for which sessions wait.
func (l *lock) wanted() modes {
	var set modes
	for _, w := range l.queue {
		set |= w.want.bit()
	}
	return set
}

// grant makes the session a holder.
func (l *lock) grant(s *Session, m mode, lv level) {
	h := l.of(s)
	if h == nil {
		h = s.db.newHold()
		h.lock, h.session = l, s
		l.holds = append(l.holds, h)
		s.holds = append(s.holds, h)
	}
	h.modes |= m.bit()
	h.count[m][lv]++
	l.changed(s.db)
}

// changed calls the hook about an advisory lock.
func (l *lock) changed(d *Database) {
	if l.object == advisory && d.hooks.Locks != nil {
		d.hooks.Locks(l.name)
	}
}

// acquire takes the lock for the session, or waits for it in the queue. Without wait it returns false instead of waiting.
func (l *lock) acquire(s *Session, m mode, lv level, wait bool) (bool, error) {
	if h := l.of(s); h != nil && h.modes&m.bit() != 0 {
		l.grant(s, m, lv)
		return true, nil
	}
	if m.conflicts()&l.wanted() == 0 && l.free(s, m) {
		l.grant(s, m, lv)
		return true, nil
	}
	if !wait {
		return false, nil
	}
	place, granted, deadlock := l.place(s, m)
	if granted {
		l.grant(s, m, lv)
		return true, nil
	}
	l.queue = slices.Insert(l.queue, place, s)
	s.awaits, s.want, s.wantLevel = l, m, lv
	if deadlock {
		err := s.deadlockError([]*Session{s, l.queue[place+1]})
		s.leaveQueue()
		return false, err
	}
	return true, s.await()
}

// place returns the place of a new request in the queue, and whether it need not wait. A session that holds the lock already
// goes before the first that waits for it; deadlock reports that this one and the session block each other.
func (l *lock) place(s *Session, m mode) (at int, granted, deadlock bool) {
	mine := l.held(s)
	if mine == 0 {
		return len(l.queue), false, false
	}
	var ahead modes
	for i, w := range l.queue {
		if w.want.conflicts()&mine != 0 {
			if m.conflicts()&l.held(w) != 0 {
				return i, false, true
			}
			return i, m.conflicts()&ahead == 0 && l.free(s, m), false
		}
		ahead |= w.want.bit()
	}
	return len(l.queue), false, false
}

// leaveQueue takes a session out of the queue in which it waits.
func (s *Session) leaveQueue() {
	l := s.awaits
	if l == nil {
		return
	}
	s.awaits = nil
	l.queue = slices.DeleteFunc(l.queue, func(w *Session) bool { return w == s })
	l.wake(s.db)
}

// wake grants the lock to those in the queue that need not wait any longer.
func (l *lock) wake(d *Database) {
	var ahead modes
	for i := 0; i < len(l.queue); {
		w := l.queue[i]
		if w.want.conflicts()&ahead != 0 || !l.free(w, w.want) {
			ahead |= w.want.bit()
			i++
			continue
		}
		l.queue = slices.Delete(l.queue, i, i+1)
		w.awaits = nil
		l.grant(w, w.want, w.wantLevel)
		d.ready(w)
	}
	if l.object == advisory && len(l.holds) == 0 && len(l.queue) == 0 {
		delete(d.advisory, l.name)
	}
}

// release undoes one acquisition. It reports whether there was one.
func (l *lock) release(s *Session, m mode, lv level) bool {
	h := l.of(s)
	if h == nil || h.count[m][lv] == 0 {
		return false
	}
	h.count[m][lv]--
	h.tidy(m)
	l.changed(s.db)
	if h.modes&m.bit() == 0 {
		s.db.drop(h)
		l.wake(s.db)
	}
	return true
}

// tidy removes the mode from the hold if its last acquisition was undone.
func (h *hold) tidy(m mode) {
	if h.count[m][untilCommit] == 0 && h.count[m][untilUnlock] == 0 {
		h.modes &^= m.bit()
	}
	if h.modes == 0 {
		h.lock.holds = slices.DeleteFunc(h.lock.holds, func(o *hold) bool { return o == h })
	}
}

// drop removes a hold without modes from its session.
func (d *Database) drop(h *hold) {
	if h.modes != 0 {
		return
	}
	h.session.holds = slices.DeleteFunc(h.session.holds, func(o *hold) bool { return o == h })
	*h = hold{}
	d.spare = append(d.spare, h)
}

func (d *Database) newHold() *hold {
	if n := len(d.spare); n > 0 {
		h := d.spare[n-1]
		d.spare = d.spare[:n-1]
		return h
	}
	return &hold{}
}

// releaseAll undoes all acquisitions of the session at a level, advisory locks after the others.
func (s *Session) releaseAll(lv level) {
	for _, advisories := range []bool{false, true} {
		for i := 0; i < len(s.holds); {
			h := s.holds[i]
			if (h.lock.object == advisory) != advisories || !h.clear(lv) {
				i++
				continue
			}
			l := h.lock
			l.changed(s.db)
			s.db.drop(h)
			l.wake(s.db)
			if i < len(s.holds) && s.holds[i] == h {
				i++
			}
		}
	}
}

// clear undoes the acquisitions of a hold at a level. It reports whether there were any.
func (h *hold) clear(lv level) bool {
	any := false
	for m := accessShare; m <= lastMode; m++ {
		if h.count[m][lv] > 0 {
			h.count[m][lv] = 0
			h.tidy(m)
			any = true
		}
	}
	return any
}

// notAvailable is the error of NOWAIT and of lock_timeout.
func notAvailable(format string, args ...any) error { return sql.Errorf("55P03", format, args...) }
