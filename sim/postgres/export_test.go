package postgres

import "lockquake/sim/postgres/engine"

// Database returns the database of the server.
func (s *Server) Database() *engine.Database { return s.db }

// Backend returns the session of a process, nil if there is none.
func (s *Server) Backend(pid uint32) *engine.Session {
	for session := range s.sessions { // no two have the same process
		if session.PID() == int(pid) {
			return session
		}
	}
	return nil
}
