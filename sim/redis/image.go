package redis

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"lockquake/sim/holders"
)

// image is what a key holds. Nobody changes one that has been made.
type image struct {
	build    []string        // the command that makes it from nothing; nil: the key is not there
	deadline int64           // Unix milliseconds; 0: none
	given    []holders.Given // who has the lock that the key belongs to
}

// equal reports whether both are the same to a client.
func (i image) equal(other image) bool {
	return i.deadline == other.deadline && slices.Equal(i.build, other.build)
}

// image returns what the key holds. A stream and a HyperLogLog pass for a key
// that is not there.
func (s *store) image(key string) image {
	// The keyspace's errors are a missing key and a wrong type, and neither can
	// be: it was just asked for the type.
	i := image{deadline: s.deadlines[key]}
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
		return image{}
	}
	return i
}

// images returns all that the keyspace holds.
func (s *store) images() map[string]image {
	all := map[string]image{}
	for _, key := range s.db.Keys() {
		if i := s.image(key); i.build != nil {
			all[key] = i
		}
	}
	return all
}

// put lets the key hold what the image says.
func (s *store) put(key string, i image) {
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

// replace lets the keyspace hold the images and nothing else.
func (s *store) replace(images map[string]image) {
	s.redis.FlushAll()
	clear(s.deadlines)
	for key := range s.attention.watching {
		s.modified(key)
	}
	for _, key := range slices.Sorted(maps.Keys(images)) {
		s.put(key, images[key])
	}
}

// effect is what a command, or the clock, has made of a key.
type effect struct {
	at    time.Duration // true time
	key   string
	image image
}

// apply takes an effect over into the images.
func apply(images map[string]image, e effect) {
	if e.image.build == nil {
		delete(images, e.key)
	} else {
		images[e.key] = e.image
	}
}

// past is a keyspace as it was some time ago.
type past struct {
	images map[string]image
	later  []effect // that are not yet part of it, in order
}

// until moves it on to a moment of true time, with what happened at that
// instant, and returns what it held then. It does not go back.
func (p *past) until(moment time.Duration) map[string]image {
	n := 0
	for n < len(p.later) && p.later[n].at <= moment {
		apply(p.images, p.later[n])
		n++
	}
	p.later = slices.Delete(p.later, 0, n)
	return p.images
}
