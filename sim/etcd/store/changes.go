package store

import (
	"cmp"
	"slices"

	"lockquake/lock/etcd"
)

// Changes returns the events of the keys of a watch from one revision to another, as a member has
// them that has applied the second one and compacted to compacted. At the compacted revision itself
// the server has only what a reader still needs, so deletions are missing there.
func (s *Store) Changes(w *etcd.Watch, from, to, compacted int64) []etcd.Event {
	first, _ := slices.BinarySearchFunc(s.log, from, func(e entry, rev int64) int { return cmp.Compare(e.rev, rev) })
	var events []etcd.Event
	for _, e := range s.log[first:] {
		switch {
		case e.rev > to:
			return events
		case !Contains(w.Keys, e.key), e.deleted && w.NoDelete, !e.deleted && w.NoPut:
			continue
		case e.rev <= compacted && (e.deleted || s.get(e.key, compacted) == nil):
			continue
		}
		event := etcd.Event{Deleted: e.deleted, KV: e.kv}
		if before := e.rev - 1; w.PrevKV && (e.deleted || e.kv.Create != e.kv.Mod) && before >= compacted {
			if v := s.get(e.key, before); v != nil {
				kv := v.KeyValue
				event.Prev = &kv
			}
		}
		events = append(events, event)
	}
	return events
}
