package toy

import (
	"fmt"
	"time"

	"lockquake/history"
	"lockquake/lock/toy"
	"lockquake/sim"
	"lockquake/sim/backend"
)

// request is a Swap on its way.
type request struct{ toy.Swap }

func (q *request) AppendTrace(b []byte) []byte {
	return fmt.Appendf(b, "%s %q->%q", q.Key, q.Old, q.New)
}

// reply is the answer.
type reply struct{ swapped bool }

func (r *reply) AppendTrace(b []byte) []byte { return fmt.Appendf(b, "%t", r.swapped) }

// server implements sim.Server.
type server struct {
	node      *sim.Node
	locks     backend.Locks
	registers map[string]*register
}

type register struct {
	owner string
	end   *sim.WallTimer
}

func (s *server) Closed(*sim.Session, error) {}

func (s *server) Serve(c *sim.Call) {
	q := c.Req.(*request)
	held := ""
	if r := s.registers[q.Key]; r != nil {
		held = r.owner
	}
	swapped := held == q.Old
	if swapped {
		s.set(q.Key, q.New, q.TTL)
	}
	e := history.Event{Key: q.Key, Worker: c.Worker, Request: c.Request, Op: c.Op}
	switch {
	case q.New != "" && swapped:
		e.Type, e.Owner, e.Until = history.Granted, q.New, s.node.World().Time()+q.TTL
		s.tell(e)
	case q.New != "":
		e.Type, e.Owner = history.Refused, held
		s.tell(e)
	case swapped:
		e.Type, e.Owner = history.Freed, q.Old
		s.tell(e)
	}
	c.Applied()
	c.Reply(&reply{swapped})
}

// set gives a register an owner, "" for none.
func (s *server) set(key, owner string, ttl time.Duration) {
	if r := s.registers[key]; r != nil {
		r.end.Stop()
		delete(s.registers, key)
	}
	if owner == "" {
		return
	}
	s.registers[key] = &register{owner, s.node.AtWall(s.node.Now().Add(ttl), func() {
		delete(s.registers, key)
		s.tell(history.Event{Type: history.Expired, Key: key, Owner: owner})
	})}
}

func (s *server) tell(e history.Event) {
	if e.Node = s.node.Name(); s.locks.IsLock(e.Key) {
		s.locks.Record(e)
	}
}
