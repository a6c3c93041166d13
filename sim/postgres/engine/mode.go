package engine

import "fmt"

// LockName is the name of an advisory lock or, if Table is not empty, of a row.
type LockName struct {
	Table, Key string // a row and its primary key as a text
	ID         int64  // an advisory lock; of two integers, the first is in the upper half
	Pair       bool   // the advisory lock has two integers
}

// Advisory returns the name of the advisory lock of one bigint.
func Advisory(id int64) LockName { return LockName{ID: id} }

// AdvisoryPair returns the name of the advisory lock of two integers.
func AdvisoryPair(a, b int32) LockName {
	return LockName{ID: int64(a)<<32 | int64(uint32(b)), Pair: true}
}

// String returns the name as a user of SQL would write it, such as "7", "1,2" or "items/a".
func (n LockName) String() string {
	switch {
	case n.Table != "":
		return n.Table + "/" + n.Key
	case n.Pair:
		return fmt.Sprintf("%d,%d", int32(n.ID>>32), int32(n.ID))
	}
	return fmt.Sprint(n.ID)
}

// Holder is a session that holds a lock.
type Holder struct {
	Session     *Session
	Shared      bool
	Count       int  // how many times it has acquired the lock
	Transaction bool // until the end of its transaction
}

// mode is a mode of a lock of PostgreSQL's lock manager.
type mode uint8

const (
	accessShare mode = iota + 1
	rowShare
	rowExclusive
	shareUpdateExclusive
	share
	shareRowExclusive
	exclusive
	accessExclusive
	lastMode = accessExclusive
)

// modes is a set of modes.
type modes uint16

func (m mode) bit() modes { return 1 << m }

// conflicts returns the modes that conflict with a mode.
func (m mode) conflicts() modes {
	const all = 1<<(lastMode+1) - 2
	switch m {
	case accessShare:
		return 1 << accessExclusive
	case rowShare:
		return 1<<exclusive | 1<<accessExclusive
	case rowExclusive:
		return 1<<share | 1<<shareRowExclusive | 1<<exclusive | 1<<accessExclusive
	case shareUpdateExclusive:
		return all &^ (1<<accessShare | 1<<rowShare | 1<<rowExclusive)
	case share:
		return all &^ (1<<accessShare | 1<<rowShare | 1<<share)
	case shareRowExclusive:
		return all &^ (1<<accessShare | 1<<rowShare)
	case exclusive:
		return all &^ (1 << accessShare)
	default:
		return all
	}
}

func (m mode) String() string {
	return [...]string{
		"", "AccessShareLock", "RowShareLock", "RowExclusiveLock", "ShareUpdateExclusiveLock", "ShareLock", "ShareRowExclusiveLock", "ExclusiveLock",
		"AccessExclusiveLock",
	}[m]
}
