package resource

import "lockquake/sim"

// Crash ends the server. Values are durable and so are marks, except under
// Volatile. A write between its check and its effect is lost.
func (s *Server) Crash() {
	if s.node.Down() {
		return
	}
	s.life++
	if s.policy == Volatile {
		for _, it := range s.items {
			it.marks = marks{}
		}
	}
	s.node.Crash()
}

// Restart lets a server that has crashed listen again.
func (s *Server) Restart() { s.node.Restart() }

// Failure implements sim.Failer: the server answers with an error, and does
// nothing.
func (s *Server) Failure(_ *sim.Call, text string) any { return &Reply{Failed: text} }
