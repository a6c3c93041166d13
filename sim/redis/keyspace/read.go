package keyspace

import (
	"iter"
	"time"
)

// What is read and done here is no command of a client: no hook is told of it,
// unless a key expires.

// SetTime sets the clock, which each command sets as well.
func (k *Keyspace) SetTime(now time.Time) { k.store.setTime(now) }

// Expire drops the key if its deadline has passed, and reports whether it did. The
// key of a replica is only hidden until the next command is over.
func (k *Keyspace) Expire(key string) bool { return k.store.expire(key) }

// Deadline returns the last millisecond at which the key is there, in Unix time, 0
// for one that does not expire.
func (k *Keyspace) Deadline(key string) int64 { return k.store.deadlines[key] }

// Type returns the word of TYPE for what the key holds, "" for a key that is not
// there.
func (k *Keyspace) Type(key string) string { return k.store.db.Type(key) }

// Text returns the string that a key holds, and reports whether it holds one.
func (k *Keyspace) Text(key string) (string, bool) {
	text, err := k.store.db.Get(key)
	return text, err == nil
}

// Member is one of the parts of what a key holds.
type Member struct {
	Name  string  // of a field of a hash, of a member of a set or a sorted set
	Value string  // of a field of a hash, of an item of a list
	Score float64 // of a member of a sorted set
}

// Members goes through what a hash, list, set or sorted set consists of, in its
// order, or else in that of the names.
func (k *Keyspace) Members(key string) iter.Seq[Member] {
	return func(yield func(Member) bool) {
		db := k.store.db
		// The errors are a missing key and a wrong type, and neither can be: it was
		// just asked for the type.
		var names []string
		member := func(name string) Member { return Member{Name: name} }
		switch db.Type(key) {
		case "hash":
			names, _ = db.HKeys(key)
			member = func(name string) Member { return Member{Name: name, Value: db.HGet(key, name)} }
		case "list":
			names, _ = db.List(key)
			member = func(item string) Member { return Member{Value: item} }
		case "set":
			names, _ = db.Members(key)
		case "zset":
			names, _ = db.ZMembers(key)
			member = func(name string) Member {
				score, _ := db.ZScore(key, name)
				return Member{Name: name, Score: score}
			}
		}
		for _, name := range names {
			if !yield(member(name)) {
				return
			}
		}
	}
}

// Living returns the keys that match the glob pattern and that the function
// accepts, in order of their names. Those whose deadline has passed expire.
func (k *Keyspace) Living(now time.Time, pattern string, accepts func(key string) bool) []string {
	k.store.setTime(now)
	defer k.store.reveal()
	var keys []string
	for _, elem := range k.store.dispatch([]string{"keys", pattern}).Elems {
		if accepts(elem.Text) && !k.store.expire(elem.Text) {
			keys = append(keys, elem.Text)
		}
	}
	return keys
}
