package etcd

// Request is a request of etcd's API: a *Range, *Put, *Delete, *Txn, *Compact, *Grant, *Revoke,
// *KeepAlive, *TimeToLive or *Leases. The first four can also be operations of a Txn.
type Request interface{ request() }

// Range reads the keys from Key to End.
type Range struct {
	Keys
	Limit        int64 // 0 for all
	Revision     int64 // 0 for the present one
	Order        Order
	By           Field
	Serializable bool // answered by the member itself, from the state that it has
	KeysOnly     bool
	CountOnly    bool
	// Bounds of the revisions of the keys, inclusive; 0 for none.
	MinMod, MaxMod, MinCreate, MaxCreate int64
}

// Keys is a range of keys: Key itself if End is "", all keys from Key if End is [FromKey], otherwise
// those from Key until before End.
type Keys struct{ Key, End string }

// FromKey is the End of a range without an end.
const FromKey = "\x00"

// Prefix returns the range of all keys that begin with prefix, which must end in an ASCII character.
func Prefix(prefix string) Keys {
	last := len(prefix) - 1
	return Keys{prefix, prefix[:last] + string(prefix[last]+1)}
}

// Put writes a key.
type Put struct {
	Key, Value  string
	Lease       int64 // 0 for none
	PrevKV      bool  // return the key as it was before
	IgnoreValue bool  // keep its value
	IgnoreLease bool  // keep its lease
}

// Delete deletes the keys from Key to End.
type Delete struct {
	Keys
	PrevKV bool
}

// Txn executes Then if all comparisons hold, and Else otherwise.
type Txn struct {
	If         []Compare
	Then, Else []Request
}

// Compare compares a field of all keys from Key to End with Number, or with Value if the field is
// the value. A key that does not exist has zeros, and no value.
type Compare struct {
	Keys
	Field  Field
	Is     Relation
	Number int64
	Value  string
}

// Compact discards the versions that a revision has replaced.
type Compact struct{ Revision int64 }

// Grant creates a lease.
type Grant struct {
	ID  int64 // 0: the server chooses one
	TTL int64 // in seconds
}

// Revoke ends a lease and deletes its keys.
type Revoke struct{ ID int64 }

// KeepAlive renews a lease. The TTL of the answer is 0 if there is no such lease.
type KeepAlive struct{ ID int64 }

// TimeToLive reads a lease. The TTL of the answer is -1 if there is no such lease.
type TimeToLive struct {
	ID   int64
	Keys bool // list the keys of the lease
}

// Leases lists all leases.
type Leases struct{}

func (*Range) request()      {}
func (*Put) request()        {}
func (*Delete) request()     {}
func (*Txn) request()        {}
func (*Compact) request()    {}
func (*Grant) request()      {}
func (*Revoke) request()     {}
func (*KeepAlive) request()  {}
func (*TimeToLive) request() {}
func (*Leases) request()     {}

// Order is the order of the keys of a Range.
type Order int

// The orders. Unordered is the ascending order of keys, or that of another field if By names one.
const (
	Unordered Order = iota
	Ascending
	Descending
)

// Field is a field of a key.
type Field int

// The fields.
const (
	ByKey Field = iota
	ByVersion
	ByCreate
	ByMod
	ByValue
	ByLease // of a Compare only
)

// Relation is the relation that a Compare asks for.
type Relation int

// The relations.
const (
	Equal Relation = iota
	Greater
	Less
	NotEqual
)
