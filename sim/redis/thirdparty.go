package redis

import (
	"time"

	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/sim/redis/keyspace"
	"lockquake/sim/redis/resp"
)

// Delete removes keys, as a third party or an eviction does: those that match the glob pattern, or
// all keys of locks if the pattern is "". With pick it removes only one of them, which it draws.
// Grants that end so are recorded as evicted. It returns the removed keys, sorted; none if the
// server is down.
func (s *Server) Delete(pattern string, pick *draw.Draw) []string {
	if s.node.Down() {
		return nil
	}
	accepts := s.options.Locks
	if pattern != "" {
		accepts = func(string) bool { return true }
	} else {
		pattern = "*"
	}
	keys := s.keys.Living(s.now(), pattern, accepts)
	if pick != nil && len(keys) > 0 {
		i := pick.Int64N(int64(len(keys)))
		keys = keys[i : i+1]
	}
	for _, key := range keys {
		s.keys.Put(key, keyspace.Image{})
		s.watch.ended(key, history.Evicted)
		if s.log != nil {
			s.log.pass([]string{key})
		}
	}
	return keys
}

// SetStale makes the server answer each GET outside of scripts like a replica that lags: from a
// copy that stops at its present state until it lags by the given time, and then follows with that
// lag. SetStale(0) ends that at once. A key whose deadline has passed is missing in the copy too.
func (s *Server) SetStale(by time.Duration) {
	s.staleBy = by
	switch {
	case by <= 0:
		s.staleBy = 0
		s.keys.DivertGets(nil)
		if j := s.log; j != nil {
			j.stale = nil
			if j.disk == nil && j.send == nil {
				s.log = nil
			}
		}
		return
	case s.log == nil:
		s.beginLog(s.images())
	case s.log.stale == nil:
		s.log.stale = s.log.newCopy()
	}
	s.keys.DivertGets(s.staleGet)
}

// staleGet answers a GET from the copy. A replica has none.
func (s *Server) staleGet(key string) (resp.Reply, bool) {
	if s.log == nil || s.log.stale == nil {
		return resp.Reply{}, false
	}
	return s.log.stale.advance(s.node.World().Time() - s.staleBy)[key].Get(s.now()), true
}
