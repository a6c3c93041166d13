package store

import (
	"fmt"

	"lockquake/lock/etcd"
)

// CrashError says that a transaction crashes every member of a real etcd 3.4, each time that it starts again: the
// transaction deletes a key with a range that has no end, and then puts the key with IgnoreValue or IgnoreLease.
type CrashError struct{ Key string }

func (e *CrashError) Error() string {
	return fmt.Sprintf("a transaction that crashes etcd 3.4: it deletes the key %q and then keeps its value or its lease", e.Key)
}

// txn is a set of changes with one revision.
type txn struct {
	store   *Store
	changes int
	crash   *CrashError // nil: none
}

func (s *Store) begin() *txn { return &txn{store: s} }

func (t *txn) end() {
	if t.changes > 0 {
		t.store.rev++
	}
}

// next is the revision of the changes.
func (t *txn) next() int64 { return t.store.rev + 1 }

// view is the state that the transaction sees.
func (t *txn) view() View {
	v := t.store.View()
	if t.changes > 0 {
		v.Revision++
	}
	return v
}

// transact executes a request about keys.
func (s *Store) transact(r etcd.Request) (*etcd.Response, error) {
	if err := Check(r); err != nil {
		return nil, err
	}
	if r, ok := r.(*etcd.Range); ok {
		return s.Range(r, s.View())
	}
	// A put of its own looks for its lease first, one in a transaction for its key.
	if p, ok := r.(*etcd.Put); ok && p.Lease != 0 && s.leases[p.Lease] == nil {
		return nil, etcd.ErrLeaseNotFound()
	}
	path := s.decide(r, s.View(), nil)
	if err := possible(r, s.checkPut, path); err != nil {
		return nil, err
	}
	if err := possible(r, checkRange(s.View()), path); err != nil {
		return nil, err
	}
	t := s.begin()
	answer := t.do(r, path)
	t.end()
	if t.crash != nil {
		return nil, t.crash
	}
	if _, ok := r.(*etcd.Txn); ok {
		answer.Revision = s.rev
	}
	return answer, nil
}

// Read executes a request that only reads, on what a member has applied.
func (s *Store) Read(r etcd.Request, v View) (*etcd.Response, error) {
	t, ok := r.(*etcd.Txn)
	if !ok {
		return s.Range(r.(*etcd.Range), v)
	}
	path := s.decide(r, v, nil)
	if err := possible(r, checkRange(v), path); err != nil {
		return nil, err
	}
	answer := &etcd.Response{Revision: v.Revision, Succeeded: path[t]}
	for _, op := range path.of(t) {
		one, err := s.Range(op.(*etcd.Range), v)
		if err != nil {
			return nil, err
		}
		answer.Results = append(answer.Results, *one)
	}
	return answer, nil
}

// branches maps a transaction to whether its comparisons hold.
type branches map[*etcd.Txn]bool

// decide evaluates the comparisons of a transaction and of the transactions in it, before anything
// is changed.
func (s *Store) decide(r etcd.Request, v View, path branches) branches {
	t, ok := r.(*etcd.Txn)
	if !ok {
		return path
	}
	if path == nil {
		path = branches{}
	}
	path[t] = true
	for i := range t.If {
		path[t] = path[t] && s.holds(&t.If[i], v)
	}
	for _, op := range path.of(t) {
		s.decide(op, v, path)
	}
	return path
}

// of returns the operations that a transaction executes.
func (p branches) of(t *etcd.Txn) []etcd.Request {
	if p[t] {
		return t.Then
	}
	return t.Else
}

// possible returns the first error of check for the operations that will be executed.
func possible(r etcd.Request, check func(etcd.Request) error, path branches) error {
	t, ok := r.(*etcd.Txn)
	if !ok {
		return check(r)
	}
	for _, op := range path.of(t) {
		if err := possible(op, check, path); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) checkPut(r etcd.Request) error {
	put, ok := r.(*etcd.Put)
	switch {
	case !ok:
		return nil
	case (put.IgnoreValue || put.IgnoreLease) && s.get(put.Key, s.rev) == nil:
		return etcd.ErrKeyNotFound()
	case put.Lease != 0 && s.leases[put.Lease] == nil:
		return etcd.ErrLeaseNotFound()
	}
	return nil
}

func checkRange(v View) func(etcd.Request) error {
	return func(r etcd.Request) error {
		read, ok := r.(*etcd.Range)
		switch {
		case !ok || read.Revision == 0:
			return nil
		case read.Revision > v.Revision:
			return etcd.ErrFutureRevision()
		case read.Revision < v.Compacted:
			return etcd.ErrCompacted()
		}
		return nil
	}
}

// holds evaluates a comparison. All keys of the range must fulfil it.
func (s *Store) holds(c *etcd.Compare, v View) bool {
	found := false
	for _, key := range within(s.keysAt(v.Revision), c.Keys) {
		if kv := s.get(key, v.Revision); kv != nil {
			if !fulfils(c, &kv.KeyValue) {
				return false
			}
			found = true
		}
	}
	// A key that does not exist has no value, and zeros.
	return found || c.Field != etcd.ByValue && fulfils(c, &etcd.KeyValue{})
}

func fulfils(c *etcd.Compare, kv *etcd.KeyValue) bool {
	result := compareField(c.Field, kv, &etcd.KeyValue{Create: c.Number, Mod: c.Number, Version: c.Number, Lease: c.Number, Value: c.Value})
	switch c.Is {
	case etcd.Equal:
		return result == 0
	case etcd.NotEqual:
		return result != 0
	case etcd.Greater:
		return result > 0
	default:
		return result < 0
	}
}

// do executes an operation, which cannot fail any more.
func (t *txn) do(r etcd.Request, path branches) *etcd.Response {
	switch r := r.(type) {
	case *etcd.Range:
		answer, err := t.store.Range(r, t.view())
		if err != nil {
			panic(err) // checkRange has accepted it
		}
		return answer
	case *etcd.Put:
		return t.put(r)
	case *etcd.Delete:
		return t.deleteRange(r)
	case *etcd.Txn:
		answer := &etcd.Response{Succeeded: path[r]}
		for _, op := range path.of(r) {
			answer.Results = append(answer.Results, *t.do(op, path))
		}
		return answer
	}
	panic("store: an operation of another kind")
}

func (t *txn) put(r *etcd.Put) *etcd.Response {
	s := t.store
	rev := t.next()
	answer := &etcd.Response{Revision: rev}
	v := version{KeyValue: etcd.KeyValue{Key: r.Key, Value: r.Value, Create: rev, Mod: rev, Version: 1, Lease: r.Lease}}
	old := s.get(r.Key, rev)
	if old == nil && (r.IgnoreValue || r.IgnoreLease) { // it was there before the transaction, see checkPut
		t.crash = &CrashError{r.Key}
	}
	var held int64
	if old != nil {
		held = old.Lease
		v.Create, v.Version = old.Create, old.Version+1
		if r.IgnoreValue {
			v.Value = old.Value
		}
		if r.IgnoreLease {
			v.Lease = old.Lease
		}
		if r.PrevKV {
			answer.KVs = []etcd.KeyValue{old.KeyValue}
		}
	}
	s.add(v)
	t.changes++
	s.attach(r.Key, held, v.Lease)
	return answer
}

func (t *txn) deleteRange(r *etcd.Delete) *etcd.Response {
	s := t.store
	answer := &etcd.Response{}
	for _, key := range append([]string(nil), within(s.living, r.Keys)...) {
		if r.PrevKV {
			answer.KVs = append(answer.KVs, s.get(key, t.next()).KeyValue)
		}
		t.delete(key)
		answer.Deleted++
	}
	answer.Revision = t.view().Revision
	return answer
}

func (t *txn) delete(key string) {
	s := t.store
	rev := t.next()
	s.attach(key, s.get(key, rev).Lease, 0)
	s.add(version{etcd.KeyValue{Key: key, Mod: rev}, true})
	t.changes++
}
