package backend

import (
	"lockquake/history"
	"lockquake/lock"
)

// Locks says which records of a server are locks, and who is told what becomes of
// them.
type Locks struct {
	// Is reports whether a record belongs to a lock of the run.
	Is func(record string) bool
	// Of returns the lock that such a record belongs to, and Records the records of a
	// lock; nil for locks that have one record, which is called as they are.
	Of      func(record string) string
	Records func(name string) []string
	// Holders reads who holds a lock from its records. Nil stands for the string of its
	// only record, or with Guess for lock.ReadHolders. Unread is told of a lock
	// that they cannot read, and why; with Guess also of one that they seem to have
	// read wrong.
	Holders lock.Holders
	Guess   bool
	Unread  func(name, why string)
	// Record receives what truly happened to the locks: granted, refused, renewed,
	// freed, expired, evicted. The time is filled in by the receiver.
	Record func(history.Event)
}
