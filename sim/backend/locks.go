package backend

import (
	"lockquake/history"
	"lockquake/lock"
)

// Locks tells a family which records of its servers are locks and who holds them, and
// records what happens to them.
type Locks struct {
	// IsLock reports whether a record belongs to a lock of the run. If it is nil, there is none.
	IsLock func(record string) bool
	// LockOf returns the lock of such a record, and Records returns the records of a lock.
	// Both are nil if each lock has one record with its own name.
	LockOf  func(record string) string
	Records func(name string) []string
	// Permits is how many permits each lock has; 0: none. With permits each holder has one of them, so its
	// grant is a shared one.
	Permits int
	// Holders reads the holders of a lock from its records. If it is nil, the owner is the
	// string in the lock's only record, or with Guess lock.ReadHolders reads it.
	Holders lock.Holders
	Guess   bool
	// Unread is called for a lock whose holders cannot be read, with the reason. With
	// Guess it is also called if they seem to have been read wrong.
	Unread func(name, why string)
	// Record records what happened to a lock at its server: granted, refused, renewed,
	// freed, expired, evicted. It sets the time of the event.
	Record func(history.Event)
}

// Of returns the lock of the run that a record belongs to, "" if it belongs to none.
func (l *Locks) Of(record string) string {
	switch {
	case l.IsLock == nil || !l.IsLock(record):
		return ""
	case l.LockOf != nil:
		return l.LockOf(record)
	}
	return record
}
