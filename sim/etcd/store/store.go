package store

import (
	"cmp"
	"slices"
	"strings"

	"lockquake/lock/etcd"
)

// Store has keys and leases.
type Store struct {
	minTTL    int64
	rev       int64 // of the last change
	head      int64 // of the last version: the next revision while a transaction changes keys
	compacted int64 // -1: nothing has been compacted
	keys      map[string]*chain
	sorted    []string // the keys with a version in memory
	living    []string // those that exist, sorted
	log       []entry  // in the order of the changes
	leases    map[int64]*lease
	lastLease int64
}

// chain has the versions of a key, in order.
type chain []version

// version is a key as a change has left it.
type version struct {
	etcd.KeyValue
	deleted bool
}

// entry names a change of a key.
type entry struct {
	rev     int64
	key     string
	deleted bool
	kv      etcd.KeyValue
}

// View is the state that a member has applied.
type View struct {
	Revision  int64
	Compacted int64
}

// New returns an empty store. It lengthens leases to at least minTTL seconds.
func New(minTTL int64) *Store {
	return &Store{minTTL: minTTL, rev: 1, compacted: -1, keys: map[string]*chain{}, leases: map[int64]*lease{}}
}

// Emptied returns an empty store that follows one whose data is lost. Lease IDs do not begin again: a real
// one has the ID of a member and the time in it, so an old session never meets a new lease.
func (s *Store) Emptied() *Store {
	n := New(s.minTTL)
	n.lastLease = s.lastLease
	return n
}

// View returns the present state.
func (s *Store) View() View { return View{s.rev, s.compacted} }

// Apply executes a request that changes the store.
func (s *Store) Apply(r etcd.Request) (*etcd.Response, error) {
	switch r := r.(type) {
	case *etcd.Put, *etcd.Delete, *etcd.Txn, *etcd.Range:
		return s.transact(r)
	case *etcd.Grant:
		return s.grant(r)
	case *etcd.Revoke:
		return s.revoke(r)
	case *etcd.Compact:
		return s.compact(r)
	}
	panic("store: a request that changes nothing")
}

// at returns the version of a key as of a revision, nil if it does not exist then.
func (c *chain) at(rev int64) *version {
	for i := len(*c) - 1; i >= 0; i-- {
		if v := &(*c)[i]; v.Mod <= rev {
			if v.deleted {
				return nil
			}
			return v
		}
	}
	return nil
}

// get returns a key as of a revision, nil if it does not exist then.
func (s *Store) get(key string, rev int64) *version {
	c := s.keys[key]
	if c == nil {
		return nil
	}
	return c.at(rev)
}

// add adds a version of a key. It keeps the sorted lists.
func (s *Store) add(v version) {
	c := s.keys[v.Key]
	if c == nil {
		c = &chain{}
		s.keys[v.Key] = c
		s.sorted = insert(s.sorted, v.Key)
	}
	*c = append(*c, v)
	s.head = v.Mod
	if v.deleted {
		s.living = remove(s.living, v.Key)
	} else {
		s.living = insert(s.living, v.Key)
	}
	s.log = append(s.log, entry{v.Mod, v.Key, v.deleted, v.KeyValue})
}

func insert(list []string, key string) []string {
	i, found := slices.BinarySearch(list, key)
	if found {
		return list
	}
	return slices.Insert(list, i, key)
}

func remove(list []string, key string) []string {
	if i, found := slices.BinarySearch(list, key); found {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// within returns the part of a sorted list that is in a range.
func within(list []string, k etcd.Keys) []string {
	from, found := slices.BinarySearch(list, k.Key)
	to := len(list)
	switch k.End {
	case "":
		if !found {
			return nil
		}
		to = from + 1
	case etcd.FromKey:
	default:
		to, _ = slices.BinarySearch(list, k.End)
	}
	return list[from:max(from, to)]
}

// Contains reports whether a key is in a range.
func Contains(k etcd.Keys, key string) bool {
	switch k.End {
	case "":
		return key == k.Key
	case etcd.FromKey:
		return key >= k.Key
	}
	return key >= k.Key && strings.Compare(key, k.End) < 0
}

// compact discards versions. Those that a member which is behind still needs stay in memory until
// Forget.
func (s *Store) compact(r *etcd.Compact) (*etcd.Response, error) {
	switch {
	case r.Revision <= s.compacted:
		return nil, etcd.ErrCompacted()
	case r.Revision > s.rev:
		return nil, etcd.ErrFutureRevision()
	}
	s.compacted = r.Revision
	return &etcd.Response{Revision: s.rev}, nil
}

// Forget frees the memory of versions that a compaction to rev has discarded.
func (s *Store) Forget(rev int64) {
	n, _ := slices.BinarySearchFunc(s.log, rev, func(e entry, rev int64) int { return cmp.Compare(e.rev, rev) })
	s.log = slices.Delete(s.log, 0, n)
	s.sorted = slices.DeleteFunc(s.sorted, func(key string) bool {
		c := s.keys[key]
		first := 0
		for i, v := range *c {
			if v.Mod <= rev {
				first = i
			}
		}
		if v := (*c)[first]; v.deleted && v.Mod <= rev && first == len(*c)-1 {
			delete(s.keys, key)
			return true
		}
		*c = slices.Delete(*c, 0, first)
		return false
	})
}
