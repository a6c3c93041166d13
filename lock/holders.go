package lock

import (
	"slices"
	"time"
)

// Holders reads the holders of a lock from its records at a server. It is a pure
// function of the state. It returns nil for a free lock, and an error if it cannot
// read the records.
type Holders func(State) ([]Holder, error)

// State is the state of one lock at its server, at one time.
type State struct {
	// Key is the argument of [Locker.Acquire].
	Key string
	// Records lists the records of the lock that exist, in the order of
	// [Entry.Records].
	Records []Record
	// Now is the time of the server's clock.
	Now time.Time
	// Permits is the number of permits of the lock; 0: its strategy is not a [Semaphore].
	Permits int
}

// Record returns the record of that name, of the kind RecordAbsent if it does not
// exist.
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

// Record is one record of a server, such as a key of Redis with its value.
type Record struct {
	Name string
	Kind Kind
	Text string // of a string
	// Members are the fields of a hash by name, the items of a list in order, the
	// members of a set by name, and those of a sorted set by score.
	Members []Member
	// End is the time at which the server drops the record, by its clock; zero: never.
	End time.Time
}

// Equal reports whether two records have the same name, value and end.
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

// Mode is the mode in which a holder has a lock: exclusive or shared.
type Mode string

// The modes.
const (
	ModeExclusive Mode = ""
	// ModeShared: the holder is one of several readers, or owns a permit.
	ModeShared Mode = "shared"
)

// Holder is one holder of a lock.
type Holder struct {
	// Owner identifies the holder. No two holders have the same.
	Owner string
	Mode  Mode
	// Token is the fencing token of the grant, 0 if the records have none.
	Token int64
	// End is the end of the lease by the server's clock: from then on any worker may
	// take the lock. Zero: the lease ends with the first record.
	End time.Time
	// For is the length of the lease, counted from the last change of the records, in locks whose
	// waiters measure by their own clocks how long the records have not changed. 0: End decides.
	For time.Duration
}
