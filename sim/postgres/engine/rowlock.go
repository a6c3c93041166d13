package engine

import (
	"slices"

	"lockquake/sim/postgres/sql"
)

// strength is how strong a lock on a row is.
type strength uint8

const (
	forKeyShare strength = iota
	forShare
	forNoKeyUpdate
	forUpdate
)

// blocks reports whether two transactions cannot have these locks on a row together.
func (a strength) blocks(b strength) bool {
	switch a {
	case forKeyShare:
		return b == forUpdate
	case forShare:
		return b >= forNoKeyUpdate
	case forNoKeyUpdate:
		return b >= forShare
	default:
		return true
	}
}

// mode returns the mode of the lock on the tuple for which a session waits before it waits for the holders.
func (a strength) mode() mode {
	return [...]mode{accessShare, rowShare, exclusive, accessExclusive}[a]
}

// policy names the reaction of a statement to a locked row.
type policy uint8

const (
	block policy = iota
	nowait
	skipLocked
)

// locker is a transaction that has locked or changed a row.
type locker struct {
	txn      *transaction
	strength strength
	name     LockName // of the row when it was locked, for the hook
}

// outcome is the result of an attempt to lock a version of a row.
type outcome uint8

const (
	locked outcome = iota
	changed
	deleted
	skipped
)

// lockVersion locks a row for the transaction of the session, if v is still its newest version. It waits for those that hold
// the row in a conflicting strength: at first in the queue of the version, then for each transaction.
func (s *Session) lockVersion(r *row, v *version, want strength, p policy) (o outcome, err error) {
	queued := false
	defer func() {
		if queued {
			v.tuple.release(s, want.mode(), untilCommit)
		}
	}()
	for {
		o := r.fate(s.txn, v, want)
		lockers := r.lockers
		if o != locked {
			// Someone else may lock a version that was replaced: then it is not over with it.
			lockers = v.members
			if !running(lockers) {
				return o, nil
			}
		}
		other, member := conflict(lockers, s.txn, want)
		if o == locked && other == nil {
			r.lock(s, want)
			return locked, nil
		}
		switch {
		case other == nil && (queued || member):
			return o, nil
		case other != nil && p != block:
			return skipped, r.unavailable(p)
		case !queued && !member:
			if v.tuple == nil {
				v.tuple = &lock{object: tuple, name: LockName{Table: r.table.name}}
			}
			if queued, err = v.tuple.acquire(s, want.mode(), untilCommit, p == block); err != nil {
				queued = false
				return skipped, err
			}
			if !queued {
				return skipped, r.unavailable(p)
			}
			continue
		}
		if err := s.waitFor(other); err != nil {
			return skipped, err
		}
	}
}

// lockLatest is lockVersion of the newest version, whatever happened to v. A repeatable read transaction fails if v is not
// the newest.
func (s *Session) lockLatest(r *row, v *version, want strength, p policy) (*version, outcome, error) {
	for {
		o, err := s.lockVersion(r, v, want, p)
		if err != nil || o == locked || o == skipped {
			return v, o, err
		}
		if s.txn.repeatable {
			return nil, o, concurrent(changed)
		}
		for {
			if o == deleted {
				return nil, o, nil
			}
			w := r.writer(s.txn)
			if w == nil {
				break
			}
			if p != block {
				return nil, skipped, r.unavailable(p)
			}
			if err := s.waitFor(w); err != nil {
				return nil, o, err
			}
			if latest := r.latest(s.txn); latest == nil || latest.values == nil {
				o = deleted
			}
		}
		v = r.latest(s.txn)
	}
}

// unavailable returns the error about a row that another transaction has locked: none if the statement skips it.
func (r *row) unavailable(p policy) error {
	if p == skipLocked {
		return nil
	}
	return notAvailable("could not obtain lock on row in relation \"%s\"", r.table.name)
}

// concurrent is the error of a repeatable read transaction.
func concurrent(o outcome) error {
	if o == deleted {
		return sql.Errorf("40001", "could not serialize access due to concurrent delete")
	}
	return sql.Errorf("40001", "could not serialize access due to concurrent update")
}

// fate returns what has happened to a version that a statement has found. A version can be locked for its key if no lock that
// excludes this has replaced it.
func (r *row) fate(t *transaction, v *version, want strength) outcome {
	latest := r.latest(t)
	switch {
	case latest == v:
		return locked
	case latest == nil || latest.values == nil:
		return deleted
	case want != forKeyShare:
		return changed
	}
	for ; latest != nil && latest != v; latest = latest.older {
		if latest.by == forUpdate {
			return changed
		}
	}
	return locked
}

// held returns how strong the lock of a transaction on the row is.
func (r *row) held(t *transaction) strength {
	for _, l := range r.lockers {
		if l.txn == t {
			return l.strength
		}
	}
	return forKeyShare
}

// running reports whether one of the transactions has not ended.
func running(list []locker) bool {
	return slices.ContainsFunc(list, func(l locker) bool { return l.txn.lock.owner != nil })
}

// conflict returns a transaction whose lock on a row excludes the wanted one, nil if there is none. Member reports whether the
// session's own transaction has locked the row.
func conflict(list []locker, t *transaction, want strength) (other *transaction, member bool) {
	for _, l := range list {
		switch {
		case l.txn == t:
			member = true
		case other == nil && l.strength.blocks(want) && l.txn.lock.owner != nil:
			other = l.txn
		}
	}
	return other, member
}

// lock adds the session's transaction to those that have locked the row.
func (r *row) lock(s *Session, want strength) {
	hook := s.db.hooks.Locks
	for i := range r.lockers {
		if l := &r.lockers[i]; l.txn == s.txn {
			if l.strength < want {
				l.strength = want
				if hook != nil {
					hook(l.name)
				}
			}
			return
		}
	}
	l := locker{txn: s.txn, strength: want}
	if hook != nil {
		l.name = r.lockName()
	}
	r.lockers = append(r.lockers, l)
	s.txn.locked = append(s.txn.locked, r)
	if r.head.txn != nil && r.head.txn != s.txn {
		v := r.latest(s.txn)
		v.members = append(v.members, l)
	}
	if hook != nil {
		hook(l.name)
	}
}

// unlock removes a transaction from those that have locked the row.
func (r *row) unlock(t *transaction) {
	i := slices.IndexFunc(r.lockers, func(l locker) bool { return l.txn == t })
	name := r.lockers[i].name
	r.lockers = slices.Delete(r.lockers, i, i+1)
	if hook := t.session.db.hooks.Locks; hook != nil {
		hook(name)
	}
}

// lockName returns the name of the lock of a row that has a version.
func (r *row) lockName() LockName {
	for v := r.head; v != nil; v = v.older {
		if v.values != nil {
			return LockName{Table: r.table.name, Key: r.table.keyText(v.values)}
		}
	}
	return LockName{Table: r.table.name}
}

// rowHolders returns the sessions whose transactions have locked or changed a row.
func (d *Database) rowHolders(n LockName) []Holder {
	var list []Holder
	d.rowsOf(n, func(t *table, r *row) {
		if r.head == nil || r.head.values == nil || t.keyText(r.head.values) != n.Key {
			return
		}
		for _, l := range r.lockers {
			list = append(list, Holder{l.txn.session, l.strength <= forShare, 1, true})
		}
	})
	return list
}

// rowsOf calls do for the rows that may have a primary key.
func (d *Database) rowsOf(n LockName, do func(t *table, r *row)) {
	t := d.find(n.Table, nil)
	if t == nil {
		return
	}
	rows := t.rows
	if t.primary && len(t.keys[0].columns) == 1 {
		key, err := read(n.Key, t.columns[t.keys[0].columns[0]].typ)
		if err != nil {
			return
		}
		rows = t.keys[0].entries[key]
	}
	for _, r := range rows {
		do(t, r)
	}
}
