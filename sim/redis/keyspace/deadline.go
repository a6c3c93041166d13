package keyspace

import (
	"math"
	"strconv"
	"strings"

	"lockquake/sim/redis/resp"
)

// deadline runs the commands that set a deadline, by Redis's own rules for options and for numbers
// that are too large. It reports whether the command is one of them.
func (s *store) deadline(args []string) (resp.Reply, bool) {
	switch args[0] {
	case "set":
		return s.set(args[1], args[2], parseSetOptions(args[3:], false), "set"), true
	case "setex":
		return s.set(args[1], args[3], setOptions{flags: flagEX, number: args[2]}, "setex"), true
	case "psetex":
		return s.set(args[1], args[3], setOptions{flags: flagPX, number: args[2]}, "psetex"), true
	case "getex":
		return s.getEx(args[1], parseSetOptions(args[2:], true)), true
	case "persist":
		return s.persistCommand(args[1]), true
	case "expire":
		return s.expireCommand(args, s.now.UnixMilli(), millisPerSecond), true
	case "pexpire":
		return s.expireCommand(args, s.now.UnixMilli(), 1), true
	case "expireat":
		return s.expireCommand(args, 0, millisPerSecond), true
	case "pexpireat":
		return s.expireCommand(args, 0, 1), true
	}
	return resp.Reply{}, false
}

const millisPerSecond = 1000

// setFlags are the options of SET and GETEX.
type setFlags int

const (
	flagNX setFlags = 1 << iota
	flagXX
	flagGet
	flagKeepTTL
	flagPersist
	flagEX
	flagPX
	flagEXAT
	flagPXAT
	flagBad // a syntax error

	flagsTime = flagEX | flagPX | flagEXAT | flagPXAT
)

type setOptions struct {
	flags  setFlags
	number string // the time argument
}

// parseSetOptions parses what follows the value of SET, or the key of GETEX. An option may be
// repeated.
func parseSetOptions(words []string, getEx bool) setOptions {
	var o setOptions
	bad := setOptions{flags: flagBad}
	for i := 0; i < len(words); i++ {
		flag, excludes := setFlag(words[i])
		onlyGetEx, onlySet := flag == flagPersist, flag&(flagNX|flagXX|flagGet|flagKeepTTL) != 0
		if flag == 0 || o.flags&excludes != 0 || getEx && onlySet || !getEx && onlyGetEx {
			return bad
		}
		o.flags |= flag
		if flag&flagsTime != 0 {
			if i++; i == len(words) {
				return bad
			}
			o.number = words[i]
		}
	}
	return o
}

// setFlag returns the option of a word, 0 for none, and the options that it excludes.
func setFlag(word string) (flag, excludes setFlags) {
	const life = flagKeepTTL | flagPersist | flagsTime
	switch strings.ToLower(word) {
	case "nx":
		return flagNX, flagXX
	case "xx":
		return flagXX, flagNX
	case "get":
		return flagGet, 0
	case "keepttl":
		return flagKeepTTL, life &^ flagKeepTTL
	case "persist":
		return flagPersist, life &^ flagPersist
	case "ex":
		return flagEX, life &^ flagEX
	case "px":
		return flagPX, life &^ flagPX
	case "exat":
		return flagEXAT, life &^ flagEXAT
	case "pxat":
		return flagPXAT, life &^ flagPXAT
	}
	return 0, 0
}

// deadlineOf returns the deadline of the options, in Unix milliseconds, or the error to answer.
func (s *store) deadlineOf(o setOptions, command string) (int64, *resp.Reply) {
	n, ok := parseInt(o.number)
	if !ok {
		return 0, notAnInteger()
	}
	var base int64
	if o.flags&(flagEX|flagPX) != 0 {
		base = s.now.UnixMilli()
	}
	seconds := o.flags&(flagEX|flagEXAT) != 0
	if n <= 0 || seconds && n > math.MaxInt64/millisPerSecond {
		return 0, invalidExpire(command)
	}
	if seconds {
		n *= millisPerSecond
	}
	if n > math.MaxInt64-base {
		return 0, invalidExpire(command)
	}
	return n + base, nil
}

// set runs SET, SETEX and PSETEX.
func (s *store) set(key, value string, o setOptions, command string) resp.Reply {
	s.touchKey(key)
	if o.flags&flagBad != 0 {
		return *syntaxError()
	}
	var deadline int64
	if o.flags&flagsTime != 0 {
		var failed *resp.Reply
		if deadline, failed = s.deadlineOf(o, command); failed != nil {
			return *failed
		}
	}
	kind := s.db.Type(key)
	reply := resp.OK()
	if o.flags&flagGet != 0 {
		if kind != "" && kind != "string" {
			return wrongType()
		}
		reply = s.text(key)
	}
	if o.flags&flagNX != 0 && kind != "" || o.flags&flagXX != 0 && kind == "" {
		if o.flags&flagGet == 0 {
			reply = resp.Reply{Kind: resp.Nil}
		}
		return reply
	}
	s.db.Del(key)
	if err := s.db.Set(key, value); err != nil {
		return resp.Errorf("ERR lockquake cannot set a key: %v", err)
	}
	switch {
	case deadline != 0:
		s.deadlines[key] = deadline
	case o.flags&flagKeepTTL == 0:
		delete(s.deadlines, key)
	}
	return reply
}

// getEx runs GETEX.
func (s *store) getEx(key string, o setOptions) resp.Reply {
	s.touchKey(key)
	if o.flags&flagBad != 0 {
		return *syntaxError()
	}
	reply := s.text(key)
	if reply.Kind != resp.Bulk {
		return reply
	}
	if o.flags&flagPersist != 0 {
		s.persist(key)
	}
	if o.flags&flagsTime != 0 {
		deadline, failed := s.deadlineOf(o, "getex")
		if failed != nil {
			return *failed
		}
		s.liveUntil(key, deadline)
	}
	return reply
}

// expireCommand runs EXPIRE and its variants. The time argument is in units of that many
// milliseconds after base.
func (s *store) expireCommand(args []string, base, unit int64) resp.Reply {
	key := args[1]
	s.touchKey(key)
	var nx, xx, gt, lt bool
	for _, word := range args[3:] {
		switch strings.ToLower(word) {
		case "nx":
			nx = true
		case "xx":
			xx = true
		case "gt":
			gt = true
		case "lt":
			lt = true
		default:
			return resp.Errorf("ERR Unsupported option %s", untilNUL(word))
		}
	}
	switch {
	case nx && (xx || gt || lt):
		return resp.Errorf("ERR NX and XX, GT or LT options at the same time are not compatible")
	case gt && lt:
		return resp.Errorf("ERR GT and LT options at the same time are not compatible")
	}
	when, ok := parseInt(args[2])
	if !ok {
		return *notAnInteger()
	}
	if when > math.MaxInt64/unit || when < math.MinInt64/unit || when*unit > math.MaxInt64-base {
		return *invalidExpire(args[0])
	}
	when = when*unit + base
	present, expires := s.deadlines[key]
	switch {
	case !s.db.Exists(key),
		nx && expires,
		xx && !expires,
		gt && (!expires || when <= present),
		lt && expires && when >= present:
		return resp.Reply{Kind: resp.Integer}
	}
	s.liveUntil(key, when)
	return resp.Reply{Kind: resp.Integer, Int: 1}
}

// liveUntil sets the deadline of an existing key. If it is not in the future, the key is removed at
// once.
func (s *store) liveUntil(key string, deadline int64) {
	if deadline <= s.now.UnixMilli() {
		s.db.Del(key)
		delete(s.deadlines, key)
		return
	}
	s.deadlines[key] = deadline
}

// persistCommand runs PERSIST.
func (s *store) persistCommand(key string) resp.Reply {
	s.touchKey(key)
	if _, expires := s.deadlines[key]; !expires {
		return resp.Reply{Kind: resp.Integer}
	}
	s.persist(key)
	return resp.Reply{Kind: resp.Integer, Int: 1}
}

// persist removes a key's deadline.
func (s *store) persist(key string) {
	delete(s.deadlines, key)
	s.db.SetTTL(key, 0)
}

// text returns the answer of GET.
func (s *store) text(key string) resp.Reply {
	switch s.db.Type(key) {
	case "":
		return resp.Reply{Kind: resp.Nil}
	case "string":
		text, _ := s.db.Get(key) // it is there, and a string
		return resp.Reply{Kind: resp.Bulk, Text: text}
	}
	return wrongType()
}

// parseInt parses an integer as strictly as Redis: no plus sign, no leading zeros, no blanks.
func parseInt(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && (text == "0" || strings.TrimPrefix(text, "-")[0] >= '1')
}

func notAnInteger() *resp.Reply {
	r := resp.Errorf("ERR value is not an integer or out of range")
	return &r
}

func invalidExpire(command string) *resp.Reply {
	r := resp.Errorf("ERR invalid expire time in '%s' command", command)
	return &r
}

func wrongType() resp.Reply {
	return resp.Errorf("WRONGTYPE Operation against a key holding the wrong kind of value")
}
