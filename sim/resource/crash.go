package resource

import "lockquake/sim"

// Crash ends the server. Values survive, and so do marks except under Volatile. A write between its
// check and its effect is lost.
func (s *Server) Crash() {
	if s.node.Down() {
		return
	}
	s.crashes++
	if s.policy == Volatile {
		for _, it := range s.items {
			it.marks = marks{}
		}
	}
	s.node.Crash()
}

// Restart makes a crashed server listen again.
func (s *Server) Restart() { s.node.Restart() }

// Fail implements sim.Failer: the answer is an error, and the request has no effect.
func (s *Server) Fail(c *sim.Call, text string) { c.Reply(&Reply{Failed: text}) }
