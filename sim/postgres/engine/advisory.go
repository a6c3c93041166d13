package engine

import "strings"

// advisoryFunctions returns the functions of that name on advisory locks.
func advisoryFunctions(name string) []builtin {
	if name == "pg_advisory_unlock_all" {
		return []builtin{{typ: VoidType, volatile: true, f: func(s *Session, _ [3]any) (any, error) {
			s.releaseAll(untilUnlock)
			return Void{}, nil
		}}}
	}
	m := exclusive
	plain, shared := strings.CutSuffix(name, "_shared")
	if shared {
		m = share
	}
	typ, lv := Bool, untilUnlock
	if strings.HasSuffix(plain, "_xact_lock") {
		lv = untilCommit
	}
	wait, unlock := false, false
	switch plain {
	case "pg_advisory_lock", "pg_advisory_xact_lock":
		typ, wait = VoidType, true
	case "pg_try_advisory_lock", "pg_try_advisory_xact_lock":
	case "pg_advisory_unlock":
		unlock = true
	default:
		return nil
	}
	f := func(s *Session, n LockName) (any, error) {
		if unlock {
			l := s.db.advisory[n]
			return l != nil && l.release(s, m, untilUnlock), nil
		}
		granted, err := s.db.advisoryLock(n).acquire(s, m, lv, wait)
		if wait {
			return Void{}, err
		}
		return granted, err
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
