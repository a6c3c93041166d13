package store

import (
	"slices"

	"lockquake/lock/etcd"
)

// Check returns the error of a request that etcd refuses whatever it stores.
func Check(r etcd.Request) error {
	if err := wellFormed(r); err != nil {
		return err
	}
	if t, ok := r.(*etcd.Txn); ok {
		for _, branch := range [][]etcd.Request{t.Then, t.Else} {
			if _, _, err := overlaps(branch); err != nil {
				return err
			}
		}
	}
	return nil
}

func wellFormed(r etcd.Request) error {
	switch r := r.(type) {
	case *etcd.Range:
		return needKey(r.Key)
	case *etcd.Delete:
		return needKey(r.Key)
	case *etcd.Put:
		switch {
		case r.Key == "":
			return etcd.ErrEmptyKey()
		case r.IgnoreValue && r.Value != "":
			return etcd.ErrValueProvided()
		case r.IgnoreLease && r.Lease != 0:
			return etcd.ErrLeaseProvided()
		}
	case *etcd.Txn:
		for _, c := range r.If {
			if c.Key == "" {
				return etcd.ErrEmptyKey()
			}
		}
		for _, op := range slices.Concat(r.Then, r.Else) {
			if err := wellFormed(op); err != nil {
				return err
			}
		}
	}
	return nil
}

func needKey(key string) error {
	if key == "" {
		return etcd.ErrEmptyKey()
	}
	return nil
}

// overlaps returns an error if a list of operations puts a key twice, or puts and deletes it.
// Otherwise it returns the keys that it puts and the ranges that it deletes. etcd does not notice
// that a range without an end overlaps.
func overlaps(ops []etcd.Request) (puts map[string]bool, deletes []etcd.Keys, err error) {
	puts = map[string]bool{}
	for _, op := range ops {
		if d, ok := op.(*etcd.Delete); ok {
			deletes = append(deletes, d.Keys)
		}
	}
	put := func(key string, allowed map[string]bool) bool {
		deleted := slices.ContainsFunc(deletes, func(k etcd.Keys) bool { return k.End != etcd.FromKey && Contains(k, key) })
		if deleted || puts[key] && !allowed[key] {
			return false
		}
		puts[key] = true
		return true
	}
	for _, op := range ops {
		t, ok := op.(*etcd.Txn)
		if !ok {
			continue
		}
		var branch map[string]bool // the puts of the first branch: the second one may put them too
		var gone []etcd.Keys
		for _, ops := range [][]etcd.Request{t.Then, t.Else} {
			keys, ranges, err := overlaps(ops)
			if err != nil {
				return nil, nil, err
			}
			for key := range keys { // in any order: only whether one of them fails counts
				if !put(key, branch) {
					return nil, nil, etcd.ErrDuplicateKey()
				}
			}
			branch, gone = keys, append(gone, ranges...)
		}
		deletes = append(deletes, gone...)
	}
	for _, op := range ops {
		if p, ok := op.(*etcd.Put); ok && !put(p.Key, nil) {
			return nil, nil, etcd.ErrDuplicateKey()
		}
	}
	return puts, deletes, nil
}
