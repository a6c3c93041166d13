package postgres

import "lockquake/sim/postgres/engine"

// Database returns the database of the server.
func (s *Server) Database() *engine.Database { return s.db }

// Backend returns the session of a process that a client uses now, or that the pooler keeps; nil if
// there is none.
func (s *Server) Backend(pid uint32) *engine.Session {
	for session := range s.sessions {
		if session.PID() == int(pid) {
			return session
		}
	}
	for _, b := range s.pooler.free {
		if b.PID() == int(pid) {
			return b.Session
		}
	}
	return nil
}
