package store

import (
	"cmp"
	"slices"

	"lockquake/lock/etcd"
)

// Range reads the keys as a member with a view has them. It does not check the request.
func (s *Store) Range(r *etcd.Range, v View) (*etcd.Response, error) {
	rev := r.Revision
	switch {
	case rev > v.Revision:
		return nil, etcd.ErrFutureRevision()
	case rev <= 0:
		rev = v.Revision
	}
	if rev < v.Compacted {
		return nil, etcd.ErrCompacted()
	}
	answer := &etcd.Response{Revision: v.Revision}
	for _, key := range within(s.keysAt(rev), r.Keys) {
		if kv := s.get(key, rev); kv != nil {
			answer.Count++
			answer.KVs = append(answer.KVs, kv.KeyValue)
		}
	}
	if r.CountOnly {
		answer.KVs = nil
		return answer, nil
	}
	// Without an order etcd reads one key more than the limit, and sorts those.
	if n := r.Limit + 1; r.Limit > 0 && r.Order == etcd.Unordered && !bounded(r) && int64(len(answer.KVs)) > n {
		answer.KVs = answer.KVs[:n]
	}
	answer.KVs = slices.DeleteFunc(answer.KVs, func(kv etcd.KeyValue) bool { return outside(r, &kv) })
	sortKeys(answer.KVs, r)
	if r.Limit > 0 && int64(len(answer.KVs)) > r.Limit {
		answer.KVs, answer.More = answer.KVs[:r.Limit], true
	}
	if r.KeysOnly {
		for i := range answer.KVs {
			answer.KVs[i].Value = ""
		}
	}
	return answer, nil
}

// keysAt returns a sorted list with all keys that exist as of a revision, and perhaps others.
func (s *Store) keysAt(rev int64) []string {
	if rev >= s.head {
		return s.living
	}
	return s.sorted
}

// bounded reports whether a request has bounds.
func bounded(r *etcd.Range) bool {
	return r.MinMod != 0 || r.MaxMod != 0 || r.MinCreate != 0 || r.MaxCreate != 0
}

// outside reports whether a key is outside of the bounds of a request.
func outside(r *etcd.Range, kv *etcd.KeyValue) bool {
	return r.MaxMod != 0 && kv.Mod > r.MaxMod || r.MinMod != 0 && kv.Mod < r.MinMod ||
		r.MaxCreate != 0 && kv.Create > r.MaxCreate || r.MinCreate != 0 && kv.Create < r.MinCreate
}

// sortKeys sorts keys, which are in the order of their names.
func sortKeys(list []etcd.KeyValue, r *etcd.Range) {
	if r.Order == etcd.Unordered && r.By == etcd.ByKey {
		return
	}
	slices.SortStableFunc(list, func(a, b etcd.KeyValue) int {
		c := compareField(r.By, &a, &b)
		if r.Order == etcd.Descending {
			return -c
		}
		return c
	})
}

func compareField(f etcd.Field, a, b *etcd.KeyValue) int {
	switch f {
	case etcd.ByVersion:
		return cmp.Compare(a.Version, b.Version)
	case etcd.ByCreate:
		return cmp.Compare(a.Create, b.Create)
	case etcd.ByMod:
		return cmp.Compare(a.Mod, b.Mod)
	case etcd.ByValue:
		return cmp.Compare(a.Value, b.Value)
	case etcd.ByLease:
		return cmp.Compare(a.Lease, b.Lease)
	case etcd.ByKey:
	}
	return cmp.Compare(a.Key, b.Key)
}
