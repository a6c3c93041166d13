package redis

import (
	"time"

	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/sim/redis/keyspace"
)

// Delete removes keys that match the glob pattern, "" for every lock's key, as
// a third party or an eviction does: all of them, or with pick one that it
// draws. A grant that ends so is reported as evicted. Delete returns the keys,
// in order of their names; a server that is down has none.
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
		if s.journal != nil {
			s.journal.pass([]string{key})
		}
	}
	return keys
}

// SetStale lets every GET outside of scripts be answered from a keyspace that
// stops now until it is that far behind, and from then on stays so: what a
// replica that lags shows to its readers. 0 ends it at once. A key whose
// deadline has passed is not there for such a reader either.
func (s *Server) SetStale(by time.Duration) {
	s.staleBy = by
	switch {
	case by <= 0:
		s.staleBy = 0
		s.keys.DivertGets(nil)
		if j := s.journal; j != nil {
			j.stale = nil
			if j.disk == nil && j.send == nil {
				s.journal = nil
			}
		}
		return
	case s.journal == nil:
		s.beginJournal(s.images())
	case s.journal.stale == nil:
		s.journal.stale = s.journal.since()
	}
	s.keys.DivertGets(s.staleGet)
}

// staleGet answers a GET as the past does. A replica has none.
func (s *Server) staleGet(key string) (keyspace.Reply, bool) {
	if s.journal == nil || s.journal.stale == nil {
		return keyspace.Reply{}, false
	}
	return s.journal.stale.until(s.node.World().Time() - s.staleBy)[key].Get(s.now()), true
}
