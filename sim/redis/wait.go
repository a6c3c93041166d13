package redis

import (
	"slices"
	"strings"
	"time"

	"lockquake/sim"
)

// waiter is a WAIT that has not been answered.
type waiter struct {
	replicas int64 // for so many it waits
	offset   int64 // they are to have all writes up to this
	timer    *sim.WallTimer
	answer   func(Reply)
}

// wait carries out a WAIT: it answers how many replicas have acknowledged all that
// the connection has seen written, as soon as they are as many as asked for or the
// time is over.
func (s *Server) wait(c *sim.Call, args []string, answer func(Reply)) {
	replicas, timeout, failed := parseWait(args, s.engine.readOnly())
	if failed != nil {
		answer(*failed)
		return
	}
	if failed := s.engine.refused(s.engine.lower(args), false); failed != nil {
		answer(*failed)
		return
	}
	w := &waiter{replicas: replicas, answer: answer}
	w.offset = connectionOf(c.Session).seen
	s.seen(c)
	if n := s.acknowledged(w.offset); n >= replicas {
		answer(Reply{Kind: Integer, Int: n})
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
	w.answer(Reply{Kind: Integer, Int: s.acknowledged(w.offset)})
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
	a := &s.engine.store.attention
	for _, list := range a.blocked {
		for _, b := range list {
			if b.timer != nil {
				b.timer.Stop()
			}
		}
	}
	clear(a.blocked)
	clear(a.watching)
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

// wait is a WAIT in a transaction. It does not block, and counts who had
// everything that was written before the transaction began.
func (e *engine) wait(args []string) Reply {
	if _, _, failed := parseWait(args, e.readOnly()); failed != nil {
		return *failed
	}
	return Reply{Kind: Integer, Int: e.atMulti}
}

// parseWait reads WAIT's arguments. A timeout of 0 is none. A replica has nobody
// to wait for.
func parseWait(args []string, onReplica bool) (replicas int64, timeout time.Duration, failed *Reply) {
	fail := func(r Reply) (int64, time.Duration, *Reply) { return 0, 0, &r }
	if len(args) != 3 {
		return fail(wrongArity("wait"))
	}
	if onReplica {
		return fail(errorReply("ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) writes to replicas are just local and are not propagated."))
	}
	replicas, ok := parseInt(args[1])
	if !ok {
		return fail(*notAnInteger())
	}
	millis, ok := parseInt(args[2])
	switch {
	case !ok:
		return fail(errorReply("ERR timeout is not an integer or out of range"))
	case millis < 0:
		return fail(errorReply("ERR timeout is negative"))
	}
	const longest = 1 << 40 // beyond the end of any run
	return replicas, time.Duration(min(millis, longest)) * time.Millisecond, nil
}

// firstBlocking returns the place of the first command that may block, outside
// of a transaction, or behind the last command. transaction: one is open.
func firstBlocking(commands [][]string, transaction bool) int {
	for i, words := range commands {
		switch {
		case len(words) == 0:
		case strings.EqualFold(words[0], "multi"):
			transaction = true
		case strings.EqualFold(words[0], "exec"), strings.EqualFold(words[0], "discard"):
			transaction = false
		case blocks(words) && !transaction:
			return i
		}
	}
	return len(commands)
}
