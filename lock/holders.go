package lock

import (
	"slices"
	"time"
)

// Holders reads who holds a lock from what its server holds of it. It is a pure
// function of the state: no holder is nil, and an error says that it cannot
// tell.
type Holders func(State) ([]Holder, error)

// State is what a server holds of one lock at one moment.
type State struct {
	// Key is the lock, as [Locker.Acquire] is told.
	Key string
	// Records are the records of the lock that are there, in the order of
	// [Entry.Records].
	Records []Record
	// Now is the server's clock.
	Now time.Time
}

// Record returns the record of that name. One that is not there has the kind
// RecordAbsent.
func (s State) Record(name string) Record {
	for _, r := range s.Records {
		if r.Name == name {
			return r
		}
	}
	return Record{Name: name}
}

// Kind is the kind of a record.
type Kind string

// The kinds of record. A row of a table and a document are hashes.
const (
	RecordAbsent Kind = ""
	RecordString Kind = "string"
	RecordHash   Kind = "hash"
	RecordList   Kind = "list"
	RecordSet    Kind = "set"
	RecordZSet   Kind = "sorted set"
	RecordOther  Kind = "record of another kind"
)

// Record is one record of a server: a key of Redis with what it holds.
type Record struct {
	Name string
	Kind Kind
	Text string // of a string
	// Members are the fields of a hash by name, the items of a list in order, the
	// members of a set by name, and those of a sorted set by score.
	Members []Member
	// End is when the server drops the record, by its clock; zero: never.
	End time.Time
}

// Equal reports whether two records hold the same until the same time.
func (r Record) Equal(other Record) bool {
	return r.Name == other.Name && r.Kind == other.Kind && r.Text == other.Text && r.End.Equal(other.End) && slices.Equal(r.Members, other.Members)
}

// Member is one member of a record.
type Member struct {
	Name  string  // of a field of a hash, of a member of a set or a sorted set
	Value string  // of a field of a hash, of an item of a list
	Score float64 // of a member of a sorted set
}

// Field returns the value of a field of a hash, "" if it has no such field.
func (r Record) Field(name string) string {
	for _, m := range r.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return ""
}

// Mode says whether a holder excludes all others.
type Mode string

// The modes.
const (
	ModeExclusive Mode = ""
	// ModeShared: one of several readers, or the owner of a permit.
	ModeShared Mode = "shared"
)

// Holder is one holder of a lock.
type Holder struct {
	// Owner is the value that tells this holder from the others. No two have the same.
	Owner string
	Mode  Mode
	// Token is the fence token of the grant, 0 if the records show none.
	Token int64
	// End is when the lease ends, by the server's clock: from then on anybody may
	// take the lock. Zero stands for the end of the first record.
	End time.Time
	// For is how long the lease lasts after the last change of the records, by
	// everybody's own clock: the lease of a lock whose waiters measure how long the
	// record has not changed. 0: End decides.
	For time.Duration
}
