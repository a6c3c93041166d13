package redis

import (
	"slices"

	"lockquake/sim"
	"lockquake/sim/redis/resp"
)

// waiter is a WAIT that has not been answered.
type waiter struct {
	replicas int64 // the number of replicas that it waits for
	offset   int64 // number of the last write that they must have
	timer    *sim.WallTimer
	answer   func(resp.Reply)
}

// wait runs a WAIT. It answers with the number of replicas that have acknowledged all writes that
// the connection has seen, as soon as there are enough or the timeout is over.
func (s *Server) wait(c *sim.Call, args []string, answer func(resp.Reply)) {
	replicas, timeout, failed := s.keys.ParseWait(args)
	if failed != nil {
		answer(*failed)
		return
	}
	w := &waiter{replicas: replicas, answer: answer}
	w.offset = connectionOf(c.Session).seen
	s.seen(c)
	if n := s.acknowledged(w.offset); n >= replicas {
		answer(resp.Reply{Kind: resp.Integer, Int: n})
		return
	}
	s.waiters = append(s.waiters, w)
	if timeout > 0 {
		w.timer = s.node.AtWall(s.node.Now().Add(timeout), func() { s.endWait(w) })
	}
}

// endWait answers a waiter with the present number.
func (s *Server) endWait(w *waiter) {
	s.waiters = slices.DeleteFunc(s.waiters, func(other *waiter) bool { return other == w })
	if w.timer != nil {
		w.timer.Stop()
	}
	w.answer(resp.Reply{Kind: resp.Integer, Int: s.acknowledged(w.offset)})
}

// answerWaiters answers the waiters for which there are enough replicas.
func (s *Server) answerWaiters() {
	for _, w := range slices.Clone(s.waiters) {
		if s.acknowledged(w.offset) >= w.replicas {
			s.endWait(w)
		}
	}
}

// forgetWaiters drops all waiters and watches, since their connections are about to break.
func (s *Server) forgetWaiters() {
	for _, w := range s.waiters {
		if w.timer != nil {
			w.timer.Stop()
		}
	}
	s.waiters = nil
	for _, w := range s.blocked {
		if w.timer != nil {
			w.timer.Stop()
		}
	}
	s.blocked = nil
	s.keys.DisconnectAll()
}

// acknowledged returns how many replicas have all writes up to offset.
func (s *Server) acknowledged(offset int64) int64 {
	if s.group != nil && s.group.acked >= offset {
		return 1
	}
	return 0
}

// offset returns the number of the last write.
func (s *Server) offset() int64 {
	if s.group == nil {
		return 0
	}
	return s.group.offset
}

// seen records that a command of the connection was answered. A later WAIT on it waits for all
// writes so far, by any connection.
func (s *Server) seen(c *sim.Call) {
	if s.group == nil {
		return
	}
	connectionOf(c.Session).seen = s.group.offset
}
