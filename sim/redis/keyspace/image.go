package keyspace

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"lockquake/sim/redis/resp"
)

// Image is the contents of a key. It is never modified. The zero value is a missing key.
type Image struct {
	build    []string // the command that creates it; nil: the key is missing
	deadline int64    // Unix milliseconds; 0: none
}

// IsThere reports whether the key exists.
func (i Image) IsThere() bool { return i.build != nil }

// Equal reports whether a client sees no difference between the two.
func (i Image) Equal(other Image) bool {
	return i.deadline == other.deadline && slices.Equal(i.build, other.build)
}

// Get returns the answer of GET at that time.
func (i Image) Get(now time.Time) resp.Reply {
	switch {
	case i.build == nil, i.deadline != 0 && now.UnixMilli() > i.deadline:
		return resp.Reply{Kind: resp.Nil}
	case i.build[0] != "set":
		return wrongType()
	}
	return resp.Reply{Kind: resp.Bulk, Text: i.build[2]}
}

// Image returns the contents of the key. A stream or a HyperLogLog counts as a missing key.
func (k *Keyspace) Image(key string) Image { return k.store.image(key) }

// Images returns the contents of all keys.
func (k *Keyspace) Images() map[string]Image {
	all := map[string]Image{}
	for _, key := range k.store.db.Keys() {
		if i := k.store.image(key); i.build != nil {
			all[key] = i
		}
	}
	return all
}

// Put sets the contents of the key. It calls no hook.
func (k *Keyspace) Put(key string, i Image) { k.store.put(key, i) }

// Replace replaces all data by the images. It calls no hook.
func (k *Keyspace) Replace(images map[string]Image) {
	s := k.store
	s.redis.FlushAll()
	clear(s.deadlines)
	for key := range s.waiters.watching {
		s.modified(key)
	}
	for _, key := range slices.Sorted(maps.Keys(images)) {
		s.put(key, images[key])
	}
}

func (s *store) image(key string) Image {
	// The only errors of miniredis are a missing key and a wrong type. Neither can happen, since
	// the type was just read.
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
