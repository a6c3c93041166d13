package keyspace

import (
	"iter"
	"time"
)

// The functions in this file are not commands of a client: they call no hook, except when a key
// expires.

// SetTime sets the clock. Each command sets it as well.
func (k *Keyspace) SetTime(now time.Time) { k.store.setTime(now) }

// Expire removes the key if its deadline has passed, and reports whether it did. On a replica the
// key is only hidden until the next command has ended.
func (k *Keyspace) Expire(key string) bool { return k.store.expire(key) }

// Deadline returns the last millisecond in which the key exists, in Unix time; 0 if it does not
// expire.
func (k *Keyspace) Deadline(key string) int64 { return k.store.deadlines[key] }

// Type returns the type of the key's value as TYPE does, "" for a missing key.
func (k *Keyspace) Type(key string) string { return k.store.db.Type(key) }

// Text returns the string of a key, and reports whether the key has one.
func (k *Keyspace) Text(key string) (string, bool) {
	text, err := k.store.db.Get(key)
	return text, err == nil
}

// Member is an element of a value.
type Member struct {
	Name  string  // of a field of a hash, of a member of a set or a sorted set
	Value string  // of a field of a hash, of an item of a list
	Score float64 // of a member of a sorted set
}

// Members yields the elements of a hash, list, set or sorted set, in order of the value, or sorted
// by name if it has none.
func (k *Keyspace) Members(key string) iter.Seq[Member] {
	return func(yield func(Member) bool) {
		db := k.store.db
		// The only errors are a missing key and a wrong type. Neither can happen, since the type
		// was just read.
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

// Living returns the existing keys that match the glob pattern and that the function accepts,
// sorted. It expires keys that are due.
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
