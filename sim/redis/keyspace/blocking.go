package keyspace

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockquake/sim/redis/resp"
)

// Blocked is a command that waits for an element, such as BLPOP.
type Blocked struct {
	// Words are the command and its arguments, with the name in lower case.
	Words []string
	// Timeout is how long it waits; 0 means forever.
	Timeout time.Duration

	keys   []string
	kind   string                    // the type of the keys: list or zset
	fetch  func(key string) []string // returns the command that fetches an element
	named  bool                      // the reply begins with the name of the key
	answer func(resp.Reply)          // receives the reply
}

// Blocks reports whether a command may block.
func Blocks(words []string) bool {
	if len(words) == 0 || len(words[0]) == 0 {
		return false
	}
	switch words[0][0] {
	case 'b', 'B':
		switch strings.ToLower(words[0]) {
		case "blpop", "brpop", "blmove", "brpoplpush", "blmpop", "bzpopmin", "bzpopmax", "bzmpop":
			return true
		}
	case 'w', 'W':
		return strings.EqualFold(words[0], "wait")
	}
	return false
}

// FirstBlocking returns the index of the first of the commands that may block, or their number if
// none does. No command blocks in a transaction.
func (c *Connection) FirstBlocking(commands [][]string) int {
	transaction := c.open
	for i, words := range commands {
		switch {
		case len(words) == 0:
		case strings.EqualFold(words[0], "multi"):
			transaction = true
		case strings.EqualFold(words[0], "exec"), strings.EqualFold(words[0], "discard"):
			transaction = false
		case Blocks(words) && !transaction:
			return i
		}
	}
	return len(commands)
}

// Block runs a blocking command at the time now. If there is no element, it returns a Blocked to
// wait for.
func (k *Keyspace) Block(now time.Time, words []string) (resp.Reply, *Blocked) {
	k.store.setTime(now)
	args := slices.Clone(k.lower(words))
	reply, b := k.store.block(args)
	if b != nil {
		b.Words = args
	}
	return reply, b
}

// Await queues a blocked command. It calls answer with the reply as soon as there is one.
func (k *Keyspace) Await(b *Blocked, answer func(resp.Reply)) {
	b.answer = answer
	for _, key := range b.keys {
		if list := k.store.waiters.blocked[key]; !slices.Contains(list, b) {
			k.store.waiters.blocked[key] = append(list, b)
		}
	}
}

// Abandon ends the wait of a blocked command without an answer.
func (k *Keyspace) Abandon(b *Blocked) {
	for _, key := range b.keys {
		removeFrom(k.store.waiters.blocked, key, b)
	}
}

// ServeBlocked hands elements to blocked commands, in order of arrival, as long as there are both.
func (k *Keyspace) ServeBlocked() {
	a := &k.store.waiters
	for len(a.ready) > 0 {
		key := a.ready[0]
		a.ready = a.ready[1:]
		for _, b := range slices.Clone(a.blocked[key]) {
			if k.store.db.Type(key) != b.kind {
				continue
			}
			k.Abandon(b)
			b.answer(k.store.fetch(b, key))
		}
	}
}

// block runs a blocking command without waiting. If there is no element, it returns a Blocked to
// wait for.
func (s *store) block(args []string) (resp.Reply, *Blocked) {
	b, failed := s.parseBlocking(args)
	if failed != nil {
		return *failed, nil
	}
	for _, key := range b.keys {
		s.touchKey(key)
		switch s.db.Type(key) {
		case "":
		case b.kind:
			return s.fetch(b, key), nil
		default:
			return wrongType(), nil
		}
	}
	return resp.Reply{Kind: resp.Nil}, b
}

// fetch takes an element for a blocking command from a key that has one.
func (s *store) fetch(b *Blocked, key string) resp.Reply {
	reply := s.run(b.fetch(key))
	switch {
	case !b.named || reply.Kind == resp.Error:
		return reply
	case reply.Kind == resp.Array: // member and score
		return resp.Reply{Kind: resp.Array, Elems: append([]resp.Reply{{Kind: resp.Bulk, Text: key}}, reply.Elems...)}
	}
	return resp.Reply{Kind: resp.Array, Elems: []resp.Reply{{Kind: resp.Bulk, Text: key}, reply}}
}

// parseBlocking parses a blocking command.
func (s *store) parseBlocking(args []string) (*Blocked, *resp.Reply) {
	name, last := args[0], len(args)-1
	b := &Blocked{kind: "list", named: true, keys: args[1:last]}
	limit := args[last]
	switch name {
	case "blpop", "brpop":
		b.fetch = func(key string) []string { return []string{name[1:], key} }
	case "bzpopmin", "bzpopmax":
		b.kind = "zset"
		b.fetch = func(key string) []string { return []string{name[1:], key} }
	case "blmove":
		if !isEnd(args[3]) || !isEnd(args[4]) {
			return nil, syntaxError()
		}
		b.keys, b.named = args[1:2], false
		b.fetch = func(key string) []string { return []string{"lmove", key, args[2], args[3], args[4]} }
	case "brpoplpush":
		b.keys, b.named = args[1:2], false
		b.fetch = func(key string) []string { return []string{"rpoplpush", key, args[2]} }
	default:
		return s.parseBlockingMany(b, args)
	}
	var failed *resp.Reply
	b.Timeout, failed = s.parseTimeout(limit)
	return b, failed
}

func isEnd(word string) bool {
	return strings.EqualFold(word, "left") || strings.EqualFold(word, "right")
}

// parseBlockingMany parses BLMPOP or BZMPOP: timeout numkeys key [key ...] LEFT|RIGHT or MIN|MAX
// [COUNT count].
func (s *store) parseBlockingMany(b *Blocked, args []string) (*Blocked, *resp.Reply) {
	var failed *resp.Reply
	if b.Timeout, failed = s.parseTimeout(args[1]); failed != nil {
		return nil, failed
	}
	n, ok := parseInt(args[2])
	if !ok || n <= 0 {
		r := resp.Errorf("ERR numkeys should be greater than 0")
		return nil, &r
	}
	if n > int64(len(args))-4 {
		return nil, syntaxError()
	}
	b.keys, b.named = args[3:3+n], false
	options := args[3+n:]
	ends := []string{"left", "right"}
	if args[0] == "bzmpop" {
		b.kind, ends = "zset", []string{"min", "max"}
	}
	if !slices.Contains(ends, strings.ToLower(options[0])) {
		return nil, syntaxError()
	}
	switch {
	case len(options) == 1:
	case len(options) == 3 && strings.EqualFold(options[1], "count"):
		if count, ok := parseInt(options[2]); !ok || count <= 0 {
			r := resp.Errorf("ERR count should be greater than 0")
			return nil, &r
		}
	default:
		return nil, syntaxError()
	}
	b.fetch = func(key string) []string { return append([]string{args[0][1:], "1", key}, options...) }
	return b, nil
}

// parseTimeout parses the timeout of a blocking command, in seconds; 0 means none. For Redis an
// extremely long one is negative, since its milliseconds overflow.
func (s *store) parseTimeout(text string) (time.Duration, *resp.Reply) {
	fail := func(what string) (time.Duration, *resp.Reply) {
		r := resp.Errorf("ERR timeout is %s", what)
		return 0, &r
	}
	if lower := strings.ToLower(text); strings.Contains(lower, "0x") && !strings.Contains(lower, "p") {
		text += "p0"
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // it is infinite
	}
	millis := math.Ceil(seconds * millisPerSecond)
	const longest = 1 << 40 // beyond the end of any run
	switch {
	case err != nil || math.IsNaN(seconds) || strings.Contains(text, "_"):
		return fail("not a float or out of range")
	case millis < 0 || millis >= math.MaxInt64:
		return fail("negative")
	case millis > float64(math.MaxInt64-s.now.UnixMilli()):
		return fail("out of range")
	}
	return time.Duration(min(millis, longest)) * time.Millisecond, nil
}
