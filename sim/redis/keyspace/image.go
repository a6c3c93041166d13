package keyspace

import (
	"maps"
	"slices"
	"strconv"
	"time"
)

// Image is what a key holds. Nobody changes one that has been made. The zero value
// is a key that is not there.
type Image struct {
	build    []string // the command that makes it from nothing; nil: the key is not there
	deadline int64    // Unix milliseconds; 0: none
}

// IsThere reports whether the key is there.
func (i Image) IsThere() bool { return i.build != nil }

// Equal reports whether both are the same to a client.
func (i Image) Equal(other Image) bool {
	return i.deadline == other.deadline && slices.Equal(i.build, other.build)
}

// Get returns what GET would answer at that time.
func (i Image) Get(now time.Time) Reply {
	switch {
	case i.build == nil, i.deadline != 0 && now.UnixMilli() > i.deadline:
		return Reply{Kind: Nil}
	case i.build[0] != "set":
		return wrongType()
	}
	return Reply{Kind: Bulk, Text: i.build[2]}
}

// Image returns what the key holds. A stream and a HyperLogLog pass for a key
// that is not there.
func (k *Keyspace) Image(key string) Image { return k.store.image(key) }

// Images returns all that the keyspace holds.
func (k *Keyspace) Images() map[string]Image {
	all := map[string]Image{}
	for _, key := range k.store.db.Keys() {
		if i := k.store.image(key); i.build != nil {
			all[key] = i
		}
	}
	return all
}

// Put lets the key hold what the image says. No hook is told.
func (k *Keyspace) Put(key string, i Image) { k.store.put(key, i) }

// Replace lets the keyspace hold the images and nothing else. No hook is told.
func (k *Keyspace) Replace(images map[string]Image) {
	s := k.store
	s.redis.FlushAll()
	clear(s.deadlines)
	for key := range s.attention.watching {
		s.modified(key)
	}
	for _, key := range slices.Sorted(maps.Keys(images)) {
		s.put(key, images[key])
	}
}

func (s *store) image(key string) Image {
	// The keyspace's errors are a missing key and a wrong type, and neither can
	// be: it was just asked for the type.
	i := Image{deadline: s.deadlines[key]}
	switch s.db.Type(key) {
	case "string":
		text, _ := s.db.Get(key)
		i.build = []string{"set", key, text}
	case "hash":
		fields, _ := s.db.HKeys(key)
		i.build = []string{"hset", key}
		for _, field := range fields {
			i.build = append(i.build, field, s.db.HGet(key, field))
		}
	case "list":
		items, _ := s.db.List(key)
		i.build = append([]string{"rpush", key}, items...)
	case "set":
		members, _ := s.db.Members(key)
		i.build = append([]string{"sadd", key}, members...)
	case "zset":
		members, _ := s.db.ZMembers(key)
		i.build = []string{"zadd", key}
		for _, member := range members {
			score, _ := s.db.ZScore(key, member)
			i.build = append(i.build, strconv.FormatFloat(score, 'g', -1, 64), member)
		}
	default:
		return Image{}
	}
	return i
}

func (s *store) put(key string, i Image) {
	s.modified(key)
	s.db.Del(key)
	delete(s.deadlines, key)
	if i.build == nil {
		return
	}
	s.dispatch(i.build)
	if i.deadline != 0 {
		s.deadlines[key] = i.deadline
	}
}
