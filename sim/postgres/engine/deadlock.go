package engine

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/sim/postgres/sql"
)

// blockers returns the sessions that a session waits for: those that hold its lock in a conflicting mode, then those that wait before it
// for a conflicting mode.
func (s *Session) blockers() (hard, soft []*Session) {
	l := s.awaits
	if l == nil {
		return nil, nil
	}
	conflicts := s.want.conflicts()
	if l.owner != nil && l.owner != s {
		hard = append(hard, l.owner)
	}
	for _, h := range l.holds {
		if h.session != s && h.modes&conflicts != 0 {
			hard = append(hard, h.session)
		}
	}
	for _, w := range l.queue {
		if w == s {
			break
		}
		if w.want.bit()&conflicts != 0 && !slices.Contains(hard, w) {
			soft = append(soft, w)
		}
	}
	return hard, soft
}

// edge is a session that waits before another in a queue and so blocks it.
type edge struct{ waiter, blocker *Session }

// search looks for a cycle of sessions that wait for each other.
type search struct {
	visited []*Session
	path    []*Session
	soft    []edge // the edges of the path that are soft
}

// from returns whether a cycle leads from s back to the start of the search.
func (c *search) from(s *Session) bool {
	if i := slices.Index(c.visited, s); i >= 0 {
		return i == 0 && len(c.path) > 0
	}
	c.visited = append(c.visited, s)
	c.path = append(c.path, s)
	hard, soft := s.blockers()
	if slices.ContainsFunc(hard, c.from) {
		return true
	}
	for _, b := range soft {
		c.soft = append(c.soft, edge{s, b})
		if c.from(b) {
			return true
		}
		c.soft = c.soft[:len(c.soft)-1]
	}
	c.path = c.path[:len(c.path)-1]
	return false
}

// checkDeadlock runs when a session has waited for deadlock_timeout. It ends the wait of the session if it is in a cycle that another order
// of the queues does not dissolve.
func (s *Session) checkDeadlock() {
	if s.awaits == nil {
		return
	}
	if cycle := s.resolve(8); cycle != nil {
		err := s.deadlockError(cycle)
		s.interrupt(err)
	}
}

// resolve looks for a cycle through the session and tries to dissolve it by a change of the order of a queue. It returns the cycle that remains,
// nil if there is none.
func (s *Session) resolve(depth int) []*Session {
	c := &search{}
	if !c.from(s) {
		return nil
	}
	for _, e := range c.soft {
		l := e.waiter.awaits
		before := slices.Clone(l.queue)
		l.queue = slices.DeleteFunc(l.queue, func(w *Session) bool { return w == e.waiter })
		l.queue = slices.Insert(l.queue, slices.Index(l.queue, e.blocker), e.waiter)
		if depth > 0 && s.resolve(depth-1) == nil {
			l.wake(s.db)
			return nil
		}
		l.queue = before
	}
	return c.path
}

func (s *Session) deadlockError(cycle []*Session) error {
	var lines []string
	for i, w := range cycle {
		if w.awaits == nil {
			continue
		}
		lines = append(lines, fmt.Sprintf("Process %d waits for %s on %s; blocked by process %d.", w.pid, w.want, w.awaits.describe(),
			cycle[(i+1)%len(cycle)].pid))
	}
	err := sql.Errorf("40P01", "deadlock detected")
	err.Detail = strings.Join(lines, "\n")
	return err
}

// describe returns what the lock is about, in the words of PostgreSQL where these have no number that only a real server has.
func (l *lock) describe() string {
	switch l.object {
	case relation:
		return "relation " + l.name.Table
	case tuple:
		return "tuple of relation " + l.name.Table
	case transactionID:
		return "transaction"
	default:
		sub := 1
		if l.name.Pair {
			sub = 2
		}
		return fmt.Sprintf("advisory lock [5,%d,%d,%d]", uint32(l.name.ID>>32), uint32(l.name.ID), sub)
	}
}
