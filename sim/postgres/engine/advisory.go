package engine

import "strings"

// advisoryFunctions returns the functions of that name on advisory locks.
func advisoryFunctions(name string) []builtin {
	if name == "pg_advisory_unlock_all" {
		return []builtin{{typ: VoidType, volatile: true, f: func(s *Session, _ [3]any) (any, error) {
			s.unlockAll()
			return Void{}, nil
		}}}
	}
	var m mode = exclusive
	plain, shared := strings.CutSuffix(name, "_shared")
	if shared {
		m = share
	}
	var f func(s *Session, n LockName) (any, error)
	typ := VoidType
	switch plain {
	case "pg_advisory_lock", "pg_advisory_xact_lock":
		lv := untilUnlock
		if plain == "pg_advisory_xact_lock" {
			lv = untilCommit
		}
		f = func(s *Session, n LockName) (any, error) {
			_, err := s.db.advisoryLock(n).acquire(s, m, lv, true)
			return Void{}, err
		}
	case "pg_try_advisory_lock", "pg_try_advisory_xact_lock":
		lv := untilUnlock
		if plain == "pg_try_advisory_xact_lock" {
			lv = untilCommit
		}
		typ = Bool
		f = func(s *Session, n LockName) (any, error) { return s.db.advisoryLock(n).acquire(s, m, lv, false) }
	case "pg_advisory_unlock":
		typ = Bool
		f = func(s *Session, n LockName) (any, error) {
			l := s.db.advisory[n]
			return l != nil && l.release(s, m, untilUnlock), nil
		}
	default:
		return nil
	}
	return []builtin{
		{args: []Type{Int8}, typ: typ, volatile: true, f: func(s *Session, a [3]any) (any, error) {
			return f(s, Advisory(a[0].(int64)))
		}},
		{args: []Type{Int4, Int4}, typ: typ, volatile: true, f: func(s *Session, a [3]any) (any, error) {
			return f(s, AdvisoryPair(int32(a[0].(int64)), int32(a[1].(int64))))
		}},
	}
}

// advisoryLock returns the advisory lock of that name.
func (d *Database) advisoryLock(n LockName) *lock {
	l := d.advisory[n]
	if l == nil {
		l = &lock{object: advisory, name: n}
		d.advisory[n] = l
	}
	return l
}

// unlockAll releases the advisory locks that the session has taken until it unlocks them.
func (s *Session) unlockAll() { s.releaseAll(untilUnlock) }
