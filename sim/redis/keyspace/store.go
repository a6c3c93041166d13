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
)

// store is the keyspace: miniredis without a socket, and an expiry of our own.
//
// A key lives as long as the clock, in whole milliseconds, is not past its
// deadline; at that very millisecond it is still there. The keyspace below is
// told how much is left of the keys that a command names just before it runs,
// and asked for what it made of it just after. So nothing depends on how many
// keys there are, and a clock that is set back works as in Redis.
type store struct {
	redis     *miniredis.Miniredis
	db        *miniredis.RedisDB // the only one that it has
	peer      *server.Peer
	out       output
	now       time.Time
	deadlines map[string]int64 // Unix milliseconds
	commands  map[string]bool  // by name: whether there is such a command, as far as asked

	// touched is told every key that a command names, before it runs. expired
	// is told every key whose deadline has passed, after it is gone.
	touched, expired func(key string)

	// follows: it is that of a replica, which expires nothing. What has expired
	// is hidden from the command that names it, and is there again afterwards.
	follows func() bool
	hidden  []hidden

	attention attention
	missing   string // what was asked for first that is not simulated
}

// hidden is a key that is there again after a command, and what it holds.
type hidden struct {
	key   string
	image Image
}

// output collects what miniredis writes to its client.
type output struct{ bytes []byte }

func (o *output) Write(b []byte) (int, error) {
	o.bytes = append(o.bytes, b...)
	return len(b), nil
}

// present marks a key whose time to live is below a millisecond: to the
// keyspace below, no time left is no deadline.
const present = time.Nanosecond

func newStore(h Hooks) (*store, error) {
	s := &store{
		redis:     miniredis.NewMiniRedis(),
		deadlines: map[string]int64{},
		commands:  map[string]bool{},
		touched:   h.Named,
		expired:   h.Expired,
		follows:   h.Follows,
		attention: attention{watching: map[string][]*Connection{}, blocked: map[string][]*Blocked{}},
	}
	// The commands are there only after a first connection.
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

// run carries out one command on the keyspace. Its name is in lower case.
func (s *store) run(args []string) Reply {
	s.attention.begin()
	reply, ok := s.direct(args)
	if !ok {
		reply = s.indirect(args)
	}
	if len(s.attention.named) > 0 {
		s.noticed(args, &reply)
	}
	return reply
}

// knows reports whether the keyspace has a command of that name.
func (s *store) knows(name string) bool {
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

// indirect carries out a command by the keyspace's own dispatcher.
func (s *store) indirect(args []string) Reply {
	name := args[0]
	if notSimulated(name, args) {
		return s.refuse(name)
	}
	if !s.knows(name) {
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
	s.before(keys, span.step)
	if reply, ok := s.clockCommand(name, args); ok {
		return reply
	}
	if reply := s.guard(args); reply != nil {
		s.after(keys, span.step)
		return *reply
	}
	moved := s.deadlines[args[min(1, len(args)-1)]]
	reply := s.dispatch(args)
	s.after(keys, span.step)
	switch name {
	case "sinterstore", "sdiffstore", "sunionstore":
		// The keyspace below keeps an empty set.
		if reply.Kind == Integer && reply.Int == 0 {
			s.put(args[1], Image{})
		}
	case "rename", "renamenx", "copy":
		// The keyspace below could lose a deadline that is far away, and leaves
		// a copy the deadline of what was there before.
		if reply.Int == 1 || reply.Kind == Status {
			s.persist(args[2])
			if moved != 0 {
				s.deadlines[args[2]] = moved
			}
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

// before drops those keys whose deadline has passed, and tells the keyspace
// how long the others have to live.
func (s *store) before(keys []string, step int) {
	for i := 0; i < len(keys); i += step {
		key := keys[i]
		s.arrive(key)
		if deadline, ok := s.deadlines[key]; ok {
			s.db.SetTTL(key, s.left(deadline))
		}
	}
}

// left is how long the keyspace below is told that a key has to live. A
// duration ends long before the milliseconds of a deadline do.
func (s *store) left(deadline int64) time.Duration {
	const longest = int64(math.MaxInt64/time.Millisecond) - 1
	return time.Duration(min(deadline-s.now.UnixMilli(), longest))*time.Millisecond + present
}

// after takes over the times to live that a command has left behind.
func (s *store) after(keys []string, step int) {
	for i := 0; i < len(keys); i += step {
		key := keys[i]
		left := s.db.TTL(key)
		if deadline, ok := s.deadlines[key]; ok && left == s.left(deadline) {
			continue
		}
		if left > 0 {
			s.deadlines[key] = s.now.UnixMilli() + left.Milliseconds()
		} else {
			delete(s.deadlines, key)
		}
	}
}

// expire drops the key if its deadline has passed, and reports whether it did.
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

// reveal ends what a command has hidden.
func (s *store) reveal() {
	for _, h := range s.hidden {
		s.put(h.key, h.image)
	}
	s.hidden = s.hidden[:0]
}

// dispatch hands the command to miniredis and reads its reply.
func (s *store) dispatch(args []string) Reply {
	s.out.bytes = s.out.bytes[:0]
	if args[0] == "xadd" {
		args = slices.Clone(args) // a stream keeps the words, which belong to the caller
	}
	s.redis.Server().Dispatch(s.peer, args)
	s.peer.Flush()
	reply, _, err := ParseRESP(s.out.bytes)
	if err != nil {
		return Errorf("ERR lockquake cannot read the answer to %s: %v", strings.ToUpper(args[0]), err)
	}
	rewriteScores(args, &reply)
	switch args[0] {
	case "sinter", "sdiff", "sunion":
		// Their order is that of a map.
		sort.Slice(reply.Elems, func(i, j int) bool { return reply.Elems[i].Text < reply.Elems[j].Text })
	}
	return reply
}

// clockCommand answers the commands that only read the clock or a deadline,
// and reports whether this is one.
func (s *store) clockCommand(name string, args []string) (Reply, bool) {
	if name == "time" && len(args) == 1 {
		micros := s.now.UnixMicro()
		return Reply{Kind: Array, Elems: []Reply{
			{Kind: Bulk, Text: strconv.FormatInt(micros/1e6, 10)},
			{Kind: Bulk, Text: strconv.FormatInt(micros%1e6, 10)},
		}}, true
	}
	if len(args) != 2 {
		return Reply{}, false
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
		return Reply{}, false
	}
	reply := Reply{Kind: Integer, Int: -1}
	if deadline, ok := s.deadlines[args[1]]; ok {
		reply.Int = answer(deadline)
	} else if !s.db.Exists(args[1]) {
		reply.Int = -2
	}
	return reply, true
}
