package run

import (
	"errors"
	"slices"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/sim/backend"
)

// transactional is the resource in the database of its lock.
type transactional struct{ *requests }

// By implements lock.Transactional.
func (t transactional) By(session any) lock.Resource {
	return requests{t.call, t.by(session, false)}
}

// In implements lock.Transactional.
func (t transactional) In(session any) (lock.Resource, func(error)) {
	s := t.by(session, true)
	return requests{t.call, s}, s.ended
}

// by returns the way through a session of the strategy, in a transaction that is open or by statements on
// their own.
func (c *call) by(session any, open bool) *statements {
	return &statements{call: c, by: c.access.(backend.SessionAccess).By(session), open: open}
}

// statements is the way of requests that are statements of a session of the strategy.
type statements struct {
	*call
	by   backend.Access
	open bool // in a transaction, whose writes take effect when it commits
	// pending are the writes of the transaction that were done or may have been, with one of each
	// item that was done: a later write of the same item replaces the earlier one.
	pending []history.Event
}

func (s *statements) through() backend.Access { return s.by }

func (s *statements) pends(item string) bool {
	return slices.ContainsFunc(s.pending, func(e history.Event) bool { return e.Key == item })
}

// answered records what the worker learned of a request. The outcome of a write in a transaction is
// known when that has ended.
func (s *statements) answered(e *history.Event) {
	if !s.open || e.Op != "write" || e.Type == history.Fail {
		s.run.record(e)
		return
	}
	s.pending = slices.DeleteFunc(s.pending, func(earlier history.Event) bool {
		if earlier.Key != e.Key || e.Type != history.OK {
			return false
		}
		earlier.Type, earlier.Err = history.Fail, "replaced by a later write of the transaction"
		s.run.record(&earlier)
		return true
	})
	s.pending = append(s.pending, *e)
}

// ended records the outcome of the transaction's writes.
func (s *statements) ended(err error) {
	for _, e := range s.pending {
		switch {
		case err == nil:
			s.run.record(&e)
			continue
		case errors.Is(err, lock.ErrUnknown):
			e.Type = history.Info
		default:
			e.Type = history.Fail
		}
		e.Err = text(err)
		s.run.record(&e)
	}
	s.pending, s.open = nil, false
}

// severalInDatabase is the resource of several sections in the database of their locks.
type severalInDatabase struct{ several }

// By implements lock.Transactional.
func (s severalInDatabase) By(session any) lock.Resource {
	return severalOf(s.calls, func(c *call) lock.Conditional { return requests{c, c.by(session, false)} })
}

// In implements lock.Transactional.
func (s severalInDatabase) In(session any) (lock.Resource, func(error)) {
	var parts []*statements
	r := severalOf(s.calls, func(c *call) lock.Conditional {
		part := c.by(session, true)
		parts = append(parts, part)
		return requests{c, part}
	})
	return r, func(err error) {
		for _, part := range parts {
			part.ended(err)
		}
	}
}
