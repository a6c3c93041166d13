package redis

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// generator makes sequences of commands by chance, in which keys, types and
// times meet each other often.
//
// It leaves out what the simulation does not promise to answer as Redis does:
//
//   - TIME by itself, whose microseconds nobody can foresee; scripts read it;
//   - DBSIZE and KEYS, which in Redis count keys that have expired but were not
//     yet looked at;
//   - the order of a hash table, in HGETALL, SMEMBERS and their like: replies
//     are sorted before they are compared, and scripts do not see them;
//   - integers in arguments with a plus sign, a leading zero or blanks, which
//     some commands of the simulation take and Redis does not;
//   - numbers that contain a byte of 0, at which C stops reading;
//   - what is drawn by chance (SPOP, SRANDMEMBER, RANDOMKEY), and math.random
//     without a seed, which goes on from script to script;
//   - WATCH, blocking commands, streams, geography, bits and HyperLogLogs;
//   - texts in JSON that are not UTF-8, and the order of the keys of an object;
//   - RESP3, and scripts that answer its types;
//   - load, loadstring, coroutines, the collector of garbage, struct and
//     cmsgpack, and error({}), which ends Redis 7.0.15 with a signal.
type generator struct {
	*rand.Rand
	loaded []string // scripts that the sequence has made known
}

// templates are the commands. A word with a $ is replaced by words that chance
// chooses; a template that is listed twice is drawn twice as often.
func templates() []string {
	return []string{
		"SET $k $v $set", "SET $k $v $set", "SET $k $v $set", "SET $k $v NX PX $ms", "SET $k $v NX PX $ms",
		"GET $k", "GET $k", "GET $k", "SETNX $k $v", "SETEX $k $s $v", "PSETEX $k $ms $v",
		"GETSET $k $v", "GETDEL $k", "GETEX $k $getex", "GETEX $k $getex", "APPEND $k $v", "STRLEN $k",
		"SETRANGE $k $offset $v", "GETRANGE $k $i $i", "SUBSTR $k $i $i", "MSET $k $v $k $v", "MSETNX $k $v $k $v", "MGET $k $k $k",
		"INCR $k", "INCR $k", "DECR $k", "INCRBY $k $n", "DECRBY $k $n", "INCRBYFLOAT $k $f", "HINCRBYFLOAT $hash $m $f",
		"DEL $any", "DEL $any $any", "UNLINK $any $any", "EXISTS $any $any", "EXISTS $any", "TYPE $any", "RENAME $any $any", "RENAMENX $any $any",
		"COPY $any $any", "COPY $any $any REPLACE", "TOUCH $any $any",
		"EXPIRE $any $s $cond", "EXPIRE $any $s $cond", "PEXPIRE $any $ms $cond", "PEXPIRE $any $ms $cond", "PEXPIRE $any $ms $cond",
		"EXPIREAT $any $at $cond", "PEXPIREAT $any $at $cond", "TTL $any", "PTTL $any", "PTTL $any", "PTTL $any", "PERSIST $any", "EXPIRETIME $any",
		"PEXPIRETIME $any",
		"HSET $hash $m $v", "HSET $hash $m $n $m $v", "HGET $hash $m", "HDEL $hash $m", "HINCRBY $hash $m $n", "HEXISTS $hash $m",
		"HGETALL $hash", "HLEN $hash", "HSETNX $hash $m $v", "HMGET $hash $m $m", "HKEYS $hash", "HVALS $hash", "HSTRLEN $hash $m",
		"SADD $members $m $m", "SREM $members $m", "SISMEMBER $members $m", "SCARD $members", "SMEMBERS $members", "SMISMEMBER $members $m $m",
		"LPUSH $list $v $v", "RPUSH $list $v", "LPOP $list", "LPOP $list $n", "RPOP $list", "LLEN $list", "LRANGE $list $i $i", "LINDEX $list $i",
		"LREM $list $i $v", "LTRIM $list $i $i", "LSET $list $i $v", "LPUSHX $list $v",
		"ZADD $ranks $zadd $score $m", "ZADD $ranks $score $m $score $m", "ZREM $ranks $m", "ZRANGE $ranks $i $i", "ZRANGE $ranks $i $i WITHSCORES",
		"ZRANK $ranks $m", "ZREVRANK $ranks $m", "ZSCORE $ranks $m", "ZCARD $ranks", "ZREMRANGEBYSCORE $ranks $bound $bound",
		"ZRANGEBYSCORE $ranks $bound $bound", "ZRANGEBYSCORE $ranks $bound $bound WITHSCORES LIMIT 0 2", "ZINCRBY $ranks $score $m",
		"ZCOUNT $ranks $bound $bound", "ZPOPMIN $ranks", "ZREMRANGEBYRANK $ranks $i $i", "ZREVRANGE $ranks $i $i",
		"PING", "ECHO $v", "PUBLISH $k $v", "WAIT 0 0", "NONSENSE $k", "EXEC", "DISCARD", "SELECT 0",
	}
}

// one returns one of the words.
func (g *generator) one(words ...string) string { return words[g.IntN(len(words))] }

// chance is true in percent of a hundred cases.
func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// fill returns the words for a word of a template.
func (g *generator) fill(word string) []string {
	some := func(words ...string) []string { return []string{g.one(words...)} }
	lines := func(lines ...string) []string {
		var words []string
		for word := range strings.FieldsSeq(g.one(lines...)) {
			words = append(words, g.fill(word)...)
		}
		return words
	}
	switch word {
	case "$k":
		return some("a", "a", "a", "a", "a", "b", "b", "b", "c", "h")
	case "$hash":
		return some("h", "h", "h", "h", "h", "h", "a")
	case "$members":
		return some("m", "m", "m", "m", "m", "m", "a")
	case "$list":
		return some("l", "l", "l", "l", "l", "l", "a")
	case "$ranks":
		return some("z", "z", "z", "z", "z", "z", "a")
	case "$any":
		return some("a", "a", "a", "a", "b", "b", "c", "h", "m", "l", "z")
	case "$v":
		return some("me", "you", "me", "you", "", "5", "41", "1.5", "9223372036854775807", "two words", "\xff\x00\r\n", "08")
	case "$n":
		return some("1", "2", "-1", "0", "10", "-7", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "x")
	case "$f":
		return some("1", "0.5", "-2.25", "0.1", "0.2", "1e17", "3.0e-3", "inf", "x")
	case "$i":
		return some("0", "1", "-1", "2", "-2", "5", "-100")
	case "$offset":
		return some("0", "1", "7", "-1")
	case "$ms":
		return some("1", "2", "3", "1", "2", "3", "500", "1499", "1500", "60000", "0", "-1", "9223372036854775807", "x", "100000000000000")
	case "$s":
		return some("1", "60", "0", "-1", "9223372036854775807", "x", "100000000000")
	case "$at":
		return some("0", "1", "-5", "99999999999", "99999999999499", "99999999999500", "9223372036854775807", "x")
	case "$m":
		return some("me", "you", "f", "5", "")
	case "$score":
		return some("0", "1", "2", "-1.5", "0.1", "1700000000123", "inf", "-inf", "1e20", "x")
	case "$bound":
		return some("-inf", "+inf", "0", "(0", "1", "(2", "1700000000123", "x")
	case "$set":
		return lines("", "", "NX", "XX", "GET", "KEEPTTL", "PX $ms", "EX $s", "PXAT $at", "EXAT $at", "NX PX $ms", "PX $ms NX",
			"XX PX $ms", "NX GET", "XX GET PX $ms", "xx keepttl", "NX XX", "KEEPTTL PX $ms", "EX 1 PX 1", "PX", "BOGUS", "PERSIST")
	case "$getex":
		return lines("", "PX $ms", "EX $s", "PXAT $at", "EXAT $at", "PERSIST", "persist", "PERSIST PX 5", "KEEPTTL", "EX", "NX")
	case "$cond":
		return lines("", "", "", "NX", "XX", "GT", "LT", "gt", "XX GT", "XX LT", "NX XX", "GT LT", "NX GT", "BOGUS")
	case "$zadd":
		return lines("", "NX", "XX", "GT", "LT", "CH", "INCR", "NX XX", "GT LT", "XX CH", "NX INCR", "XX INCR", "GT INCR", "LT INCR", "NX CH", "GT CH", "XX GT", "XX LT CH")
	}
	return []string{word}
}

// command returns a command, which is sometimes malformed.
func (g *generator) command() []string {
	var words []string
	for word := range strings.FieldsSeq(g.one(templates()...)) {
		words = append(words, g.fill(word)...)
	}
	switch {
	case g.chance(97):
	case g.chance(50):
		words = words[:g.IntN(len(words))+1]
	default:
		words = append(words, g.fill("$v")...)
	}
	if g.chance(5) {
		words[0] = strings.ToLower(words[0])
	}
	return words
}

// plain returns a command whose reply has an order, and which is allowed in a script or a
// transaction.
func (g *generator) plain() []string {
	for {
		words := g.command()
		switch strings.ToLower(words[0]) {
		case "exec", "discard":
			continue
		}
		if unordered(words) == 0 {
			return words
		}
	}
}

// sequence returns a random sequence.
func (g *generator) sequence() sequence {
	var s sequence
	const shortest, spread = 10, 15
	for n := shortest + g.IntN(spread); len(s) < n; {
		switch {
		case g.chance(60):
			s = append(s, g.command())
		case g.chance(25):
			s = append(s, []string{pause, strconv.Itoa(1 + g.IntN(3))})
		case g.chance(15):
			s = append(s, g.transaction()...)
		case g.chance(20):
			s = append(s, g.scriptCommand())
		case g.chance(50):
			s = append(s, g.lockScript())
		default:
			s = append(s, g.eval(g.script()))
		}
	}
	return s
}

func (g *generator) transaction() sequence {
	s := sequence{{"MULTI"}}
	for range g.IntN(4) {
		s = append(s, g.plain())
	}
	if g.chance(10) {
		s = append(s, []string{"MULTI"})
	}
	if g.chance(10) {
		return append(s, []string{"DISCARD"})
	}
	return append(s, []string{"EXEC"})
}

// scriptCommand returns a command about scripts.
func (g *generator) scriptCommand() []string {
	text := lockScripts()[g.lockName()]
	switch g.IntN(6) {
	case 0:
		g.loaded = append(g.loaded, text)
		return []string{"SCRIPT", "LOAD", text}
	case 1:
		return []string{"SCRIPT", "EXISTS", shaOf(text), strings.ToUpper(shaOf(text)), "00"}
	case 2:
		return []string{"SCRIPT", "FLUSH", g.one("SYNC", "ASYNC", "BOGUS")}
	case 3:
		return []string{"SCRIPT", g.one("FLUSH", "LOAD", "EXISTS", "BOGUS")}
	case 4:
		return []string{"EVAL", "return 1", g.one("x", "-1", "5", "0")}
	}
	return []string{"SCRIPT", "LOAD", "return ("}
}

func (g *generator) lockName() string {
	return g.one("release", "renew", "recreate", "fenced", "incr", "publish", "delete3", "touch", "obtainAll", "refreshAll",
		"releaseAll", "minTTL", "reenter", "leave", "semaphore", "permit", "renewPermit", "freePermit", "reader", "renewReaders", "writer", "enter", "exit", "queue", "deadline", "deadline", "deadline")
}

// lockScript returns a call of a lock's script with arguments that mostly fit.
func (g *generator) lockScript() []string {
	text, command := lockScripts()[g.lockName()], "EVAL"
	if len(g.loaded) > 0 && g.chance(60) {
		text, command = g.one(g.loaded...), "EVALSHA"
	}
	g.loaded = append(g.loaded, text)
	var keys []string
	switch text {
	case lockScripts()["reenter"], lockScripts()["leave"], lockScripts()["enter"], lockScripts()["exit"]:
		keys = g.fill("$hash")
	case lockScripts()["semaphore"], lockScripts()["permit"], lockScripts()["renewPermit"], lockScripts()["freePermit"]:
		keys = g.fill("$ranks")
	case lockScripts()["reader"], lockScripts()["renewReaders"]:
		keys = slices.Concat(g.fill("$ranks"), g.fill("$k"), g.fill("$k"))
	case lockScripts()["writer"]:
		keys = slices.Concat(g.fill("$k"), g.fill("$ranks"), g.fill("$k"))
	case lockScripts()["queue"]:
		keys = []string{g.fill("$k")[0], g.fill("$list")[0]}
	default:
		keys = g.fill("$k")
		if strings.Contains(text, "KEYS[2]") || strings.Contains(text, "KEYS)") {
			keys = append(keys, g.fill("$k")...)
		}
	}
	arg := g.one("me", "you")
	if text == lockScripts()["deadline"] {
		arg = g.one("-1", "0", "0", "1", "2", "3", "100000")
	}
	words := []string{command, text}
	if command == "EVALSHA" {
		words[1] = shaOf(text)
		if g.chance(5) {
			words[1] = strings.Repeat("0", 40)
		}
	}
	words = append(append(words, strconv.Itoa(len(keys))), keys...)
	words = append(words, arg, g.fill("$ms")[0], g.one("1", "2"))
	if g.chance(10) {
		words = words[:len(words)-2]
	}
	return words
}

// eval returns a call of a script, with the keys and arguments that it may use.
func (g *generator) eval(text string) []string {
	command := "EVAL"
	if g.chance(10) {
		command = "EVAL_RO"
	}
	return append(append([]string{command, text, "1"}, g.fill("$k")...), g.fill("$v")...)
}

// script returns a script that calls some commands, or does something forbidden.
func (g *generator) script() string {
	switch g.IntN(11) {
	case 0:
		return "return " + g.call("call")
	case 1:
		return "return " + g.call("pcall")
	case 2:
		return fmt.Sprintf("return {%s, %s, %s}", g.call("pcall"), g.call("pcall"), g.call("pcall"))
	case 3:
		return fmt.Sprintf("if %s then return %s end return false", g.call("call"), g.call("call"))
	case 4:
		return fmt.Sprintf("local a, b = %s, %s local function s(x) if type(x) == 'table' then return x.err or x.ok or #x end return tostring(x) end return {type(a), s(a), type(b), s(b)}",
			g.call("pcall"), g.call("pcall"))
	case 5:
		return fmt.Sprintf("local ok, e = pcall(function() return %s end) return {tostring(ok), type(e), e}", g.call("call"))
	case 6:
		return fmt.Sprintf("local n = 0 for i = 1, 3 do local r = %s if r and type(r) ~= 'table' then n = n + 1 end end return n", g.call("pcall"))
	case 7:
		return fmt.Sprintf("%s\nreturn redis.call('GET', KEYS[1])", g.call("call"))
	}
	if g.chance(60) {
		return "return " + libraryCall(g.Rand)
	}
	return g.one("x = 1", "return x", "return redis.call('NONSENSE')", "return redis.call('GET')", "return redis.call('MULTI')",
		"return redis.call('GET', {})", "error('boom')", "error({err='MY boom'})", "return redis.error_reply('MY reply')",
		"return redis.status_reply('FINE')", "return {1, 2.9, 'x', false, true, {ok='y'}, nil, 3}", "return tonumber(ARGV[1])",
		"redis.call = nil", "return 1 + {}", "return #ARGV[1] .. KEYS[1]", "return redis.sha1hex(ARGV[1])",
		"return cjson.decode(cjson.encode({KEYS[1]}))[1] == KEYS[1]", "return 2^40 .. ''")
}

// call returns the text of a call of redis.call or redis.pcall.
func (g *generator) call(function string) string {
	var args []string
	for i, word := range g.plain() {
		switch {
		case i == 1 && g.chance(50):
			args = append(args, "KEYS[1]")
		case i > 1 && g.chance(20):
			args = append(args, "ARGV[1]")
		default:
			args = append(args, luaQuote(word))
		}
	}
	return fmt.Sprintf("redis.%s(%s)", function, strings.Join(args, ", "))
}

// luaQuote writes a text as a literal of Lua.
func luaQuote(text string) string {
	b := []byte{'\''}
	for i := range len(text) {
		if c := text[i]; c >= ' ' && c < 0x7f && c != '\'' && c != '\\' {
			b = append(b, c)
		} else {
			b = fmt.Appendf(b, "\\%03d", c)
		}
	}
	return string(append(b, '\''))
}
