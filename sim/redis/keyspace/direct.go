package keyspace

import (
	"errors"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// direct carries out, without the detour over a reply in bytes, the commands
// that a waiting lock sends again and again: GET, DEL of one key, and SET of
// a key that must not be there, with an expiry. It reports whether this was
// one of them and went as it usually goes; all else takes the longer way.
func (s *store) direct(args []string) (Reply, bool) {
	switch {
	case args[0] == "get" && len(args) == 2:
		s.arrive(args[1])
		text, err := s.db.Get(args[1])
		if errors.Is(err, miniredis.ErrKeyNotFound) {
			return Reply{Kind: Nil}, true
		}
		return Reply{Kind: Bulk, Text: text}, err == nil
	case args[0] == "del" && len(args) == 2:
		s.arrive(args[1])
		delete(s.deadlines, args[1])
		if s.db.Del(args[1]) {
			return Reply{Kind: Integer, Int: 1}, true
		}
		return Reply{Kind: Integer}, true
	case args[0] == "set" && len(args) == 6:
		if life, ok := lifeIfNew(args[3:]); ok {
			return s.setIfNew(args[1], args[2], life), true
		}
	}
	return Reply{}, false
}

func (s *store) setIfNew(key, value string, life time.Duration) Reply {
	s.arrive(key)
	if s.db.Exists(key) || s.db.Set(key, value) != nil {
		return Reply{Kind: Nil}
	}
	s.deadlines[key] = s.now.UnixMilli() + life.Milliseconds()
	return okReply()
}

// arrive is what comes before a command that names the key.
func (s *store) arrive(key string) {
	s.touched(key)
	s.expire(key)
	if !s.attention.none() {
		s.attend(key)
	}
}

// lifeIfNew reads the options of a SET in the two orders that are common, PX
// ms NX and NX PX ms, with EX and seconds as well.
func lifeIfNew(options []string) (life time.Duration, ok bool) {
	unit, number, nx := options[0], options[1], options[2]
	if isNX(unit) {
		nx, unit, number = unit, number, options[2]
	}
	step := time.Millisecond
	switch unit {
	case "px", "PX":
	case "ex", "EX":
		step = time.Second
	default:
		return 0, false
	}
	const most = 1 << 31 // far from an overflow of a duration
	n, ok := parseInt(number)
	return time.Duration(n) * step, ok && n > 0 && n < most && isNX(nx)
}

func isNX(word string) bool { return word == "nx" || word == "NX" }
