package redis

import (
	"slices"

	"lockquake/sim"
	"lockquake/sim/redis/keyspace"
)

// waiter is a WAIT that has not been answered.
type waiter struct {
	replicas int64 // the number that it waits for
	offset   int64 // they are to have all writes up to this
	timer    *sim.WallTimer
	answer   func(keyspace.Reply)
}

// wait carries out a WAIT: it answers how many replicas have acknowledged all that
// the connection has seen written, as soon as they are as many as asked for or the
// time is over.
func (s *Server) wait(c *sim.Call, args []string, answer func(keyspace.Reply)) {
	replicas, timeout, failed := s.keys.ParseWait(args)
	if failed != nil {
		answer(*failed)
		return
	}
	w := &waiter{replicas: replicas, answer: answer}
	w.offset = connectionOf(c.Session).seen
	s.seen(c)
	if n := s.acknowledged(w.offset); n >= replicas {
		answer(keyspace.Reply{Kind: keyspace.Integer, Int: n})
		return
	}
	s.waiters = append(s.waiters, w)
	if timeout > 0 {
		w.timer = s.node.AtWall(s.node.Now().Add(timeout), func() { s.endWait(w) })
	}
}

// endWait answers a waiter, whatever there is to say.
func (s *Server) endWait(w *waiter) {
	s.waiters = slices.DeleteFunc(s.waiters, func(other *waiter) bool { return other == w })
	if w.timer != nil {
		w.timer.Stop()
	}
	w.answer(keyspace.Reply{Kind: keyspace.Integer, Int: s.acknowledged(w.offset)})
}

// answerWaiters answers those that wait for no more than what is there.
func (s *Server) answerWaiters() {
	for _, w := range slices.Clone(s.waiters) {
		if s.acknowledged(w.offset) >= w.replicas {
			s.endWait(w)
		}
	}
}

// forgetWaiters drops all who wait and watch: their connections are about to break.
func (s *Server) forgetWaiters() {
	for _, w := range s.waiters {
		if w.timer != nil {
			w.timer.Stop()
		}
	}
	s.waiters = nil
	for _, w := range s.suspended {
		if w.timer != nil {
			w.timer.Stop()
		}
	}
	s.suspended = nil
	s.keys.DisconnectAll()
}

// acknowledged returns how many replicas have all writes up to offset.
func (s *Server) acknowledged(offset int64) int64 {
	if s.group != nil && s.group.acked >= offset {
		return 1
	}
	return 0
}

// offset is the number of the last write.
func (s *Server) offset() int64 {
	if s.group == nil {
		return 0
	}
	return s.group.offset
}

// seen notes that the connection has seen a command carried out: a WAIT on it
// waits for whatever had been written by then, by anybody.
func (s *Server) seen(c *sim.Call) {
	if s.group == nil {
		return
	}
	connectionOf(c.Session).seen = s.group.offset
}
