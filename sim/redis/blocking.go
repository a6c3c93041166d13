package redis

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockquake/sim"
)

// blocked is a command that waits for an element, such as BLPOP, with the first
// words of the command that fetches it.
type blocked struct {
	keys    []string
	kind    string                    // of a key that has elements: list or zset
	fetch   func(key string) []string // the command that fetches one
	named   bool                      // the reply begins with the name of the key
	timeout time.Duration             // 0: none

	call   *sim.Call
	words  []string
	timer  *sim.WallTimer
	answer func(Reply)
}

// blocks reports whether a command may wait for others before it is answered.
func blocks(words []string) bool {
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

// block carries out a blocking command without waiting. It returns what is to be
// waited for if there is no element.
func (s *store) block(args []string) (Reply, *blocked) {
	b, failed := s.parseBlocking(args)
	if failed != nil {
		return *failed, nil
	}
	for _, key := range b.keys {
		s.arrive(key)
		switch s.db.Type(key) {
		case "":
		case b.kind:
			return s.fetch(b, key), nil
		default:
			return wrongType(), nil
		}
	}
	return Reply{Kind: Nil}, b
}

// fetch takes an element for a blocking command from a key that has one.
func (s *store) fetch(b *blocked, key string) Reply {
	reply := s.run(b.fetch(key))
	switch {
	case !b.named || reply.Kind == Error:
		return reply
	case reply.Kind == Array: // member and score
		return Reply{Kind: Array, Elems: append([]Reply{{Kind: Bulk, Text: key}}, reply.Elems...)}
	}
	return Reply{Kind: Array, Elems: []Reply{{Kind: Bulk, Text: key}, reply}}
}

// parseBlocking reads a blocking command.
func (s *store) parseBlocking(args []string) (*blocked, *Reply) {
	name, last := args[0], len(args)-1
	b := &blocked{kind: "list", named: true, keys: args[1:last]}
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
	var failed *Reply
	b.timeout, failed = s.parseTimeout(limit)
	return b, failed
}

func isEnd(word string) bool {
	return strings.EqualFold(word, "left") || strings.EqualFold(word, "right")
}

// parseBlockingMany reads BLMPOP or BZMPOP: timeout numkeys key [key ...]
// LEFT|RIGHT or MIN|MAX [COUNT count].
func (s *store) parseBlockingMany(b *blocked, args []string) (*blocked, *Reply) {
	var failed *Reply
	if b.timeout, failed = s.parseTimeout(args[1]); failed != nil {
		return nil, failed
	}
	n, ok := parseInt(args[2])
	if !ok || n <= 0 {
		r := errorReply("ERR numkeys should be greater than 0")
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
			r := errorReply("ERR count should be greater than 0")
			return nil, &r
		}
	default:
		return nil, syntaxError()
	}
	b.fetch = func(key string) []string { return append([]string{args[0][1:], "1", key}, options...) }
	return b, nil
}

// parseTimeout reads the timeout of a blocking command, in seconds. 0 is none. One
// that is far too long is negative to Redis, as its milliseconds overflow.
func (s *store) parseTimeout(text string) (time.Duration, *Reply) {
	fail := func(what string) (time.Duration, *Reply) {
		r := errorReply("ERR timeout is %s", what)
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

// suspend carries out a command that may wait for others, and answers it when
// that is over.
func (s *Server) suspend(c *sim.Call, words []string, answer func(Reply)) {
	if strings.EqualFold(words[0], "wait") {
		s.wait(c, words, answer)
		return
	}
	e := s.engine
	e.store.setTime(s.now())
	args := slices.Clone(e.lower(words))
	if failed := e.rejection(words[0], args, false); failed != nil {
		answer(*failed)
		return
	}
	reply, b := e.store.block(args)
	if b == nil {
		s.settle(c, words, &reply)
		answer(reply)
		s.serveBlocked()
		return
	}
	b.call, b.words, b.answer = c, args, answer
	for _, key := range b.keys {
		if list := e.store.attention.blocked[key]; !slices.Contains(list, b) {
			e.store.attention.blocked[key] = append(list, b)
		}
	}
	if b.timeout > 0 {
		b.timer = s.node.AtWall(s.node.Now().Add(b.timeout), func() {
			s.forgetBlocked(b)
			b.answer(Reply{Kind: Nil})
		})
	}
}

// serveBlocked hands elements to the commands that are blocked on a key, in the
// order in which they came, as long as there are both.
func (s *Server) serveBlocked() {
	a, store := &s.engine.store.attention, s.engine.store
	for len(a.ready) > 0 {
		key := a.ready[0]
		a.ready = a.ready[1:]
		for _, b := range slices.Clone(a.blocked[key]) {
			if store.db.Type(key) != b.kind {
				continue
			}
			s.forgetBlocked(b)
			reply := store.fetch(b, key)
			s.settle(b.call, b.words, &reply)
			b.answer(reply)
		}
	}
}

// forgetBlocked ends the wait of a blocked command.
func (s *Server) forgetBlocked(b *blocked) {
	for _, key := range b.keys {
		removeFrom(s.engine.store.attention.blocked, key, b)
	}
	if b.timer != nil {
		b.timer.Stop()
	}
}

// leave forgets what a session that has ended waits for.
func (s *Server) leave(session *sim.Session) {
	a := &s.engine.store.attention
	if c, ok := session.Data.(*connection); ok {
		s.engine.store.unwatch(c)
	}
	var gone []*blocked
	for _, list := range a.blocked {
		for _, b := range list {
			if b.call.Session == session {
				gone = append(gone, b)
			}
		}
	}
	for _, b := range gone {
		s.forgetBlocked(b)
	}
}
