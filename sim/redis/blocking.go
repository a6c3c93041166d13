package redis

import (
	"slices"
	"strings"

	"lockquake/sim"
	"lockquake/sim/redis/keyspace"
)

// suspended is a blocked command, with what the server knows of it.
type suspended struct {
	blocked *keyspace.Blocked
	session *sim.Session
	timer   *sim.WallTimer // nil: it waits for ever
}

// suspend carries out a command that may wait for others, and answers it when
// that is over.
func (s *Server) suspend(c *sim.Call, words []string, answer func(keyspace.Reply)) {
	if strings.EqualFold(words[0], "wait") {
		s.wait(c, words, answer)
		return
	}
	if failed := s.keys.Rejection(words); failed != nil {
		answer(*failed)
		return
	}
	reply, b := s.keys.Block(s.now(), words)
	if b == nil {
		s.settle(c, words, &reply)
		answer(reply)
		s.keys.ServeBlocked()
		return
	}
	w := &suspended{blocked: b, session: c.Session}
	s.suspended = append(s.suspended, w)
	s.keys.Await(b, func(reply keyspace.Reply) {
		s.forget(w)
		s.settle(c, b.Words, &reply)
		answer(reply)
	})
	if b.Timeout > 0 {
		w.timer = s.node.AtWall(s.node.Now().Add(b.Timeout), func() {
			s.abandon(w)
			answer(keyspace.Reply{Kind: keyspace.Nil})
		})
	}
}

// abandon ends the wait of a blocked command, which gets no element.
func (s *Server) abandon(w *suspended) {
	s.keys.Abandon(w.blocked)
	s.forget(w)
}

func (s *Server) forget(w *suspended) {
	s.suspended = slices.DeleteFunc(s.suspended, func(other *suspended) bool { return other == w })
	if w.timer != nil {
		w.timer.Stop()
	}
}

// leave forgets what a session that has ended waits for.
func (s *Server) leave(session *sim.Session) {
	if c, ok := session.Data.(*connection); ok {
		s.keys.Disconnect(&c.Connection)
	}
	for _, w := range slices.Clone(s.suspended) {
		if w.session == session {
			s.abandon(w)
		}
	}
}
