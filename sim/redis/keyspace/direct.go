package keyspace

import (
	"errors"
	"time"

	"github.com/alicebob/miniredis/v2"

	"lockquake/sim/redis/resp"
)

// direct is a fast path for the commands that locks repeat: GET, DEL of one key, INCR, and SET with
// NX and an expiry. It avoids encoding and parsing a reply. It reports whether it has handled
// the command; all others take the path of indirect.
func (s *store) direct(args []string) (resp.Reply, bool) {
	switch {
	case args[0] == "get" && len(args) == 2:
		s.touchKey(args[1])
		text, err := s.db.Get(args[1])
		if errors.Is(err, miniredis.ErrKeyNotFound) {
			return resp.Reply{Kind: resp.Nil}, true
		}
		return resp.Reply{Kind: resp.Bulk, Text: text}, err == nil
	case args[0] == "del" && len(args) == 2:
		s.touchKey(args[1])
		delete(s.deadlines, args[1])
		if s.db.Del(args[1]) {
			return resp.Reply{Kind: resp.Integer, Int: 1}, true
		}
		return resp.Reply{Kind: resp.Integer}, true
	case args[0] == "incr" && len(args) == 2:
		s.touchKey(args[1])
		if failed := s.guardSum(args[1], "1", false); failed != nil {
			return *failed, true
		}
		n, err := s.db.Incr(args[1], 1)
		return resp.Reply{Kind: resp.Integer, Int: int64(n)}, err == nil
	case args[0] == "set" && len(args) == 6:
		if life, ok := ttlIfNew(args[3:]); ok {
			return s.setIfNew(args[1], args[2], life), true
		}
	}
	return resp.Reply{}, false
}

func (s *store) setIfNew(key, value string, life time.Duration) resp.Reply {
	s.touchKey(key)
	if s.db.Exists(key) || s.db.Set(key, value) != nil {
		return resp.Reply{Kind: resp.Nil}
	}
	s.deadlines[key] = s.now.UnixMilli() + life.Milliseconds()
	return resp.OK()
}

// touchKey prepares a key that a command names: it calls the hook, expires the key if it is due,
// and records its contents if it is watched.
func (s *store) touchKey(key string) {
	s.touched(key)
	s.expire(key)
	if !s.waiters.none() {
		s.noteBefore(key)
	}
}

// ttlIfNew parses the options of a SET in the two usual orders, PX ms NX and NX PX ms, or with EX
// and seconds.
func ttlIfNew(options []string) (life time.Duration, ok bool) {
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
