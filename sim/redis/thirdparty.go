package redis

import (
	"time"

	"lockquake/history"
	"lockquake/internal/draw"
)

// Delete removes keys that match the glob pattern, "" for every lock's key, as
// a third party or an eviction does: all of them, or with pick one that it
// draws. A grant that ends so is reported as evicted. Delete returns the keys,
// in order of their names; a server that is down has none.
func (s *Server) Delete(pattern string, pick *draw.Draw) []string {
	if s.node.Down() {
		return nil
	}
	store := s.engine.store
	store.setTime(s.now())
	defer store.reveal()
	var keys []string
	for _, key := range store.matching(pattern, s.options.Locks) {
		if !store.expire(key) {
			keys = append(keys, key)
		}
	}
	if pick != nil && len(keys) > 0 {
		i := pick.Int64N(int64(len(keys)))
		keys = keys[i : i+1]
	}
	for _, key := range keys {
		store.put(key, image{})
		s.watch.ended(key, history.Evicted)
		if s.journal != nil {
			s.journal.pass([]string{key})
		}
	}
	return keys
}

// matching returns the keys that match the pattern, "" for those that are locks,
// in order of their names.
func (s *store) matching(pattern string, locks func(string) bool) []string {
	if pattern == "" {
		pattern = "*"
	} else {
		locks = func(string) bool { return true }
	}
	reply := s.dispatch([]string{"keys", pattern})
	var keys []string
	for _, elem := range reply.Elems {
		if locks(elem.Text) {
			keys = append(keys, elem.Text)
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
		s.staleBy, s.engine.stale = 0, nil
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
	s.engine.stale = s.staleGet
}

func (s *Server) staleGet(key string) Reply {
	if s.journal == nil || s.journal.stale == nil {
		return s.engine.store.run([]string{"get", key}) // a replica, which has no past
	}
	i := s.journal.stale.until(s.node.World().Time() - s.staleBy)[key]
	switch {
	case i.build == nil, i.deadline != 0 && s.now().UnixMilli() > i.deadline:
		return Reply{Kind: Nil}
	case i.build[0] != "set":
		return errorReply("WRONGTYPE Operation against a key holding the wrong kind of value")
	}
	return Reply{Kind: Bulk, Text: i.build[2]}
}
