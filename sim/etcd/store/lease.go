package store

import (
	"maps"
	"slices"

	"lockquake/lock/etcd"
)

// longestTTL is the maximum TTL in seconds.
const longestTTL = 9_000_000_000

// lease is a lease with its keys.
type lease struct {
	ttl  int64
	keys map[string]bool
}

func (s *Store) grant(r *etcd.Grant) (*etcd.Response, error) {
	id := r.ID
	for id == 0 || r.ID == 0 && s.leases[id] != nil {
		s.lastLease++
		id = s.lastLease
	}
	switch {
	case r.TTL > longestTTL:
		return nil, etcd.ErrTTLTooLarge()
	case s.leases[id] != nil:
		return nil, etcd.ErrLeaseExists()
	}
	l := &lease{ttl: max(r.TTL, s.minTTL), keys: map[string]bool{}}
	s.leases[id] = l
	return &etcd.Response{Revision: s.rev, ID: id, TTL: l.ttl}, nil
}

// revoke ends a lease. Its keys are deleted in one revision.
func (s *Store) revoke(r *etcd.Revoke) (*etcd.Response, error) {
	l := s.leases[r.ID]
	if l == nil {
		return nil, etcd.ErrLeaseNotFound()
	}
	t := s.begin()
	for _, key := range slices.Sorted(maps.Keys(l.keys)) {
		t.delete(key)
	}
	delete(s.leases, r.ID)
	t.end()
	return &etcd.Response{Revision: s.rev}, nil
}

// TTL returns the granted TTL of a lease in seconds, 0 if there is no such lease.
func (s *Store) TTL(id int64) int64 {
	if l := s.leases[id]; l != nil {
		return l.ttl
	}
	return 0
}

// KeysOf returns the keys of a lease, sorted.
func (s *Store) KeysOf(id int64) []string {
	if l := s.leases[id]; l != nil {
		return slices.Sorted(maps.Keys(l.keys))
	}
	return nil
}

// Leases returns the IDs of all leases, sorted.
func (s *Store) Leases() []int64 { return slices.Sorted(maps.Keys(s.leases)) }

// attach moves a key from one lease to another; 0 is none.
func (s *Store) attach(key string, from, to int64) {
	if l := s.leases[from]; l != nil {
		delete(l.keys, key)
	}
	if l := s.leases[to]; l != nil {
		l.keys[key] = true
	}
}
