package dynamodb

import (
	"path"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/sim/dynamodb/table"
)

// Crash takes the server out of service, until its node restarts. Its items survive, unless the data is lost.
func (s *Server) Crash(data faults.Data) {
	s.node.Crash() // resets the connections
	s.stale = nil
	if data == faults.DataLost {
		s.store.Clear()
		s.watch.lost()
	}
}

// Delete deletes items, as a third party does: those whose key, or record, matches the glob pattern, or
// with "" those of all locks. It returns the names of their records; none if the server is out of
// service.
func (s *Server) Delete(pattern string) []string {
	if s.node.Down() {
		return nil
	}
	var names []string
	for _, key := range s.store.Keys(LockTable) {
		record := LockTable + "/" + key
		if !s.watch.matches(pattern, key, record) {
			continue
		}
		names = append(names, record)
		change := table.Change{Table: LockTable, Key: key, Old: s.store.Item(LockTable, key)}
		s.store.Set(LockTable, key, nil)
		if s.stale != nil {
			s.stale.add(s.node.World().Time(), []table.Change{change})
		}
		s.watch.ended(record, history.Evicted)
	}
	return names
}

// matches reports whether Delete deletes an item.
func (w *watch) matches(pattern, key, record string) bool {
	if pattern == "" {
		return w.server.locks.Of(record) != ""
	}
	one, _ := path.Match(pattern, key) // a pattern that is malformed matches nothing
	other, _ := path.Match(pattern, record)
	return one || other
}
