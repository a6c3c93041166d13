package keyspace

import (
	"bufio"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"lockquake/sim/redis/resp"
)

// store has the data: miniredis without a socket, and an expiry of our own.
//
// A key exists as long as the clock, in whole milliseconds, is not past its deadline; in that very
// millisecond it still exists. Just before a command runs, miniredis gets the remaining time of the
// keys that the command names, and just after it the deadlines are read back. So the cost does not
// depend on the number of keys, and a clock that is set back works as in Redis.
type store struct {
	redis     *miniredis.Miniredis
	db        *miniredis.RedisDB // the only database
	peer      *server.Peer
	out       output
	now       time.Time
	deadlines map[string]int64 // Unix milliseconds
	commands  map[string]bool  // by name: whether miniredis has the command; filled on demand

	// touched is called for each key that a command names, before it runs. expired is called for
	// each key whose deadline has passed, after it was removed.
	touched, expired func(key string)

	// follows reports whether the server is a replica, which expires nothing. It hides expired keys
	// from the command that names them, and restores them afterwards.
	follows func() bool
	hidden  []hidden

	waiters waiters
	missing string // the first thing that a command needed and that is not simulated
}

// hidden is an expired key of a replica that is restored after the command.
type hidden struct {
	key   string
	image Image
}

// output collects the bytes that miniredis sends to its client.
type output struct{ bytes []byte }

func (o *output) Write(b []byte) (int, error) {
	o.bytes = append(o.bytes, b...)
	return len(b), nil
}

// present is added to a time to live, since for miniredis no time left means no deadline.
const present = time.Nanosecond

func newStore(h Hooks) (*store, error) {
	s := &store{
		redis:     miniredis.NewMiniRedis(),
		deadlines: map[string]int64{},
		commands:  map[string]bool{},
		touched:   h.Named,
		expired:   h.Expired,
		follows:   h.Follows,
		waiters:   waiters{watching: map[string][]*Connection{}, blocked: map[string][]*Blocked{}},
	}
	// miniredis registers its commands only at the first connection.
	conn, err := s.redis.Dial()
	if err != nil {
		return nil, fmt.Errorf("redis: start the keyspace: %w", err)
	}
	if err := conn.Close(); err != nil {
		return nil, fmt.Errorf("redis: start the keyspace: %w", err)
	}
	s.redis.Seed(1)
	s.db = s.redis.DB(0)
	s.peer = server.NewPeer(bufio.NewWriter(&s.out))
	return s, nil
}

// setTime sets the clock. Redis reads it once for a command or a script.
func (s *store) setTime(now time.Time) {
	s.now = now
	s.redis.SetTime(now.Truncate(time.Millisecond))
}

// run runs one command. Its name is in lower case.
func (s *store) run(args []string) resp.Reply {
	s.waiters.begin()
	reply, ok := s.direct(args)
	if !ok {
		reply = s.indirect(args)
	}
	if len(s.waiters.named) > 0 {
		s.detectChanges(args, &reply)
	}
	return reply
}

// hasCommand reports whether miniredis has the command.
func (s *store) hasCommand(name string) bool {
	if name == "substr" {
		return true
	}
	known, asked := s.commands[name]
	if !asked {
		known = s.redis.Server().IsRegisteredCommand(name)
		s.commands[name] = known
	}
	return known
}

// indirect runs a command with the dispatcher of miniredis.
func (s *store) indirect(args []string) resp.Reply {
	name := args[0]
	if notSimulated(name, args) {
		return s.refuse(name)
	}
	if !s.hasCommand(name) {
		return s.refuse(name)
	}
	if reply, ok := s.deadline(args); ok {
		return reply
	}
	var keys []string
	span := keysOf(name)
	if span == (keySpan{}) {
		keys, span.step = s.db.Keys(), 1 // in order of their names
	} else if end := min(span.end(len(args)), len(args)); span.first < end {
		keys = args[span.first:end]
	}
	s.beforeCommand(keys, span.step)
	if reply, ok := s.clockCommand(name, args); ok {
		return reply
	}
	if reply := s.guard(args); reply != nil {
		s.afterCommand(keys, span.step)
		return *reply
	}
	moved := s.deadlines[args[min(1, len(args)-1)]]
	reply := s.dispatch(args)
	s.afterCommand(keys, span.step)
	switch name {
	case "sinterstore", "sdiffstore", "sunionstore":
		// miniredis keeps an empty set.
		if reply.Kind == resp.Integer && reply.Int == 0 {
			s.put(args[1], Image{})
		}
	case "rename", "renamenx", "copy":
		// miniredis could lose a deadline that is far away, and gives a copy the deadline of the
		// old value.
		if reply.Int == 1 || reply.Kind == resp.Status {
			s.persist(args[2])
			if moved != 0 {
				s.deadlines[args[2]] = moved
			}
		}
	case "lmove", "rpoplpush", "smove":
		// miniredis deletes a key whose only element it takes, with its deadline, even if it puts the
		// element back.
		if args[1] == args[2] && moved != 0 && s.db.Exists(args[1]) {
			s.deadlines[args[1]] = moved
		}
	}
	return reply
}

// end returns the index behind the last key among n words.
func (k keySpan) end(n int) int {
	if k.last < 0 {
		return n + k.last + 1
	}
	return k.last + 1
}

// beforeCommand expires the keys that are due, and tells miniredis the time to live of the others.
func (s *store) beforeCommand(keys []string, step int) {
	for i := 0; i < len(keys); i += step {
		key := keys[i]
		s.touchKey(key)
		if deadline, ok := s.deadlines[key]; ok {
			s.db.SetTTL(key, s.timeToLive(deadline))
		}
	}
}

// timeToLive returns the time to live of a key for miniredis. It is limited, since a time.Duration
// has a smaller range than the milliseconds of a deadline.
func (s *store) timeToLive(deadline int64) time.Duration {
	const longest = int64(math.MaxInt64/time.Millisecond) - 1
	return time.Duration(min(deadline-s.now.UnixMilli(), longest))*time.Millisecond + present
}

// afterCommand reads back the times to live that a command has left.
func (s *store) afterCommand(keys []string, step int) {
	for i := 0; i < len(keys); i += step {
		key := keys[i]
		left := s.db.TTL(key)
		if deadline, ok := s.deadlines[key]; ok && left == s.timeToLive(deadline) {
			continue
		}
		if left > 0 {
			s.deadlines[key] = s.now.UnixMilli() + left.Milliseconds()
		} else {
			delete(s.deadlines, key)
		}
	}
}

// expire removes the key if its deadline has passed, and reports whether it did.
func (s *store) expire(key string) bool {
	deadline, ok := s.deadlines[key]
	if !ok || s.now.UnixMilli() <= deadline {
		return false
	}
	s.modified(key)
	if s.follows() {
		s.hidden = append(s.hidden, hidden{key, s.image(key)})
		s.put(key, Image{})
		return true
	}
	s.db.Del(key)
	delete(s.deadlines, key)
	s.expired(key)
	return true
}

// reveal restores the keys that were hidden from a command.
func (s *store) reveal() {
	for _, h := range s.hidden {
		s.put(h.key, h.image)
	}
	s.hidden = s.hidden[:0]
}

// dispatch runs the command in miniredis and parses its reply.
func (s *store) dispatch(args []string) resp.Reply {
	s.out.bytes = s.out.bytes[:0]
	if args[0] == "xadd" {
		args = slices.Clone(args) // a stream keeps the slice, which belongs to the caller
	}
	s.redis.Server().Dispatch(s.peer, args)
	s.peer.Flush()
	reply, _, err := resp.ParseRESP(s.out.bytes)
	if err != nil {
		return resp.Errorf("ERR lockquake cannot read the answer to %s: %v", strings.ToUpper(args[0]), err)
	}
	rewriteScores(args, &reply)
	switch args[0] {
	case "sinter", "sdiff", "sunion":
		// miniredis returns them in the order of a map.
		sort.Slice(reply.Elems, func(i, j int) bool { return reply.Elems[i].Text < reply.Elems[j].Text })
	}
	return reply
}

// clockCommand answers the commands that only read the clock or a deadline, and reports whether the
// command is one of them.
func (s *store) clockCommand(name string, args []string) (resp.Reply, bool) {
	if name == "time" && len(args) == 1 {
		micros := s.now.UnixMicro()
		return resp.Reply{Kind: resp.Array, Elems: []resp.Reply{
			{Kind: resp.Bulk, Text: strconv.FormatInt(micros/1e6, 10)},
			{Kind: resp.Bulk, Text: strconv.FormatInt(micros%1e6, 10)},
		}}, true
	}
	if len(args) != 2 {
		return resp.Reply{}, false
	}
	var answer func(deadline int64) int64
	// Redis rounds to the nearest second. The sum of both may be too large.
	const half, second = 500, 1000
	nearest := func(millis int64) int64 { return millis/second + (millis%second+half)/second }
	switch name {
	case "pttl":
		answer = func(deadline int64) int64 { return deadline - s.now.UnixMilli() }
	case "ttl":
		answer = func(deadline int64) int64 { return nearest(deadline - s.now.UnixMilli()) }
	case "pexpiretime":
		answer = func(deadline int64) int64 { return deadline }
	case "expiretime":
		answer = nearest
	default:
		return resp.Reply{}, false
	}
	reply := resp.Reply{Kind: resp.Integer, Int: -1}
	if deadline, ok := s.deadlines[args[1]]; ok {
		reply.Int = answer(deadline)
	} else if !s.db.Exists(args[1]) {
		reply.Int = -2
	}
	return reply, true
}
