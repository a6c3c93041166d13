package etcd

// KeyValue is a key with its value.
type KeyValue struct {
	Key, Value string
	Create     int64 // revision of its creation, the fencing token of a lock
	Mod        int64 // revision of its last change
	Version    int64 // number of its changes since its creation, from 1
	Lease      int64 // 0 for none
}

// Response is the response to a Request. Fields that the request does not have are zero.
type Response struct {
	Revision int64 // of the store
	// Of a Range, and of a Put or Delete with PrevKV. Count counts the keys without the limit and
	// the bounds.
	KVs   []KeyValue
	Count int64
	More  bool
	// Deleted is the number of keys that a Delete has deleted.
	Deleted int64
	// Of a Txn: whether its comparisons held, and the responses to its operations.
	Succeeded bool
	Results   []Response
	// Of leases. TTL is in seconds; that of a TimeToLive is the rest.
	ID, TTL, Granted int64
	Keys             []string
	IDs              []int64 // in no particular order
}

// Event is a change of a key.
type Event struct {
	Deleted bool
	KV      KeyValue  // of a deletion: the key, and the revision as Mod
	Prev    *KeyValue // nil: there was none, it was not asked for, or it was compacted
}

// Changes is a message to a watcher.
type Changes struct {
	Revision int64
	Events   []Event
	// Compacted is set if the watch was ended because its revision was compacted: the revision of
	// the compaction.
	Compacted int64
	Ended     bool   // the server ended the watch
	Reason    string // why, if not by compaction
}
