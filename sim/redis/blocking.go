package redis

import (
	"slices"
	"strings"

	"lockquake/sim"
	"lockquake/sim/redis/keyspace"
	"lockquake/sim/redis/resp"
)

// blockedCommand is a command that blocks, with its session and timer.
type blockedCommand struct {
	blocked *keyspace.Blocked
	session *sim.Session
	timer   *sim.WallTimer // nil: it has no timeout
}

// block runs a command that may wait for others, and answers it when the wait is over.
func (s *Server) block(c *sim.Call, words []string, answer func(resp.Reply)) {
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
	w := &blockedCommand{blocked: b, session: c.Session}
	s.blocked = append(s.blocked, w)
	s.keys.Await(b, func(reply resp.Reply) {
		s.forget(w)
		s.settle(c, b.Words, &reply)
		answer(reply)
	})
	if b.Timeout > 0 {
		w.timer = s.node.AtWall(s.node.Now().Add(b.Timeout), func() {
			s.abandon(w)
			answer(resp.Reply{Kind: resp.Nil})
		})
	}
}

// abandon ends the wait of a blocked command, which gets nothing.
func (s *Server) abandon(w *blockedCommand) {
	s.keys.Abandon(w.blocked)
	s.forget(w)
}

func (s *Server) forget(w *blockedCommand) {
	s.blocked = slices.DeleteFunc(s.blocked, func(other *blockedCommand) bool { return other == w })
	if w.timer != nil {
		w.timer.Stop()
	}
}

// disconnect removes everything that an ended session waits for.
func (s *Server) disconnect(session *sim.Session) {
	if c, ok := session.Data.(*connection); ok {
		s.keys.Disconnect(&c.Connection)
	}
	for _, w := range slices.Clone(s.blocked) {
		if w.session == session {
			s.abandon(w)
		}
	}
}
