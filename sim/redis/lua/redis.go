package lua

import (
	"crypto/sha1"
	"encoding/hex"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"lockquake/sim/redis/resp"
)

// redisTable returns the library redis.
func (s *State) redisTable() *lua.LTable {
	L := s.lua
	t := L.NewTable()
	L.SetFuncs(t, map[string]lua.LGFunction{
		"call":         func(L *lua.LState) int { return s.redisCall(L, true) },
		"pcall":        func(L *lua.LState) int { return s.redisCall(L, false) },
		"error_reply":  errorReplyTable,
		"status_reply": statusReplyTable,
		"sha1hex":      sha1Hex,
		"log":          logNothing,
		"setresp":      s.setProtocol,
		"set_repl":     setReplication,
		"acl_check_cmd": func(*lua.LState) int {
			s.refuse("redis.acl_check_cmd")
			return 0
		},
		"debug":              func(*lua.LState) int { return 0 },
		"breakpoint":         func(L *lua.LState) int { return push(L, lua.LFalse) },
		"replicate_commands": func(L *lua.LState) int { return push(L, lua.LTrue) },
	})
	for level, name := range []string{"LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING"} {
		t.RawSetString(name, lua.LNumber(level))
	}
	for _, target := range []struct {
		name  string
		value int
	}{{"REPL_NONE", 0}, {"REPL_AOF", 1}, {"REPL_SLAVE", 2}, {"REPL_REPLICA", 2}, {"REPL_ALL", 3}} {
		t.RawSetString(target.name, lua.LNumber(target.value))
	}
	t.RawSetString("REDIS_VERSION", lua.LString(resp.Version))
	t.RawSetString("REDIS_VERSION_NUM", lua.LNumber(resp.VersionNumber))
	return t
}

// fail raises an error without the place in the script.
func fail(L *lua.LState, text string) int {
	L.Error(single(L, "err", "ERR "+text), 0)
	return 0
}

// oneString returns the only argument if it is a string.
func oneString(L *lua.LState) (string, bool) {
	text, ok := L.Get(1).(lua.LString)
	return string(text), ok && L.GetTop() == 1
}

const wrongArguments = "ERR wrong number or type of arguments"

func errorReplyTable(L *lua.LState) int {
	text, ok := oneString(L)
	if !ok {
		return push(L, single(L, "err", wrongArguments))
	}
	return push(L, single(L, "err", withCode(strings.TrimPrefix(text, "-"))))
}

func statusReplyTable(L *lua.LState) int {
	text, ok := oneString(L)
	if !ok {
		return push(L, single(L, "err", wrongArguments))
	}
	return push(L, single(L, "ok", text))
}

// sha1Hex treats an argument that is not a string as an empty one, as Redis does.
func sha1Hex(L *lua.LState) int {
	if L.GetTop() != 1 {
		return fail(L, "wrong number of arguments")
	}
	var text string
	switch v := L.Get(1).(type) {
	case lua.LString:
		text = string(v)
	case lua.LNumber:
		text = shortNumber(float64(v))
	}
	sum := sha1.Sum([]byte(text))
	return push(L, lua.LString(hex.EncodeToString(sum[:])))
}

// logNothing implements redis.log: it checks its arguments, but there is no log.
func logNothing(L *lua.LState) int {
	level, ok := L.Get(1).(lua.LNumber)
	switch {
	case L.GetTop() < 2:
		return fail(L, "redis.log() requires two arguments or more.")
	case !ok:
		return fail(L, "First argument must be a number (log level).")
	case level < 0 || level > 3:
		return fail(L, "Invalid debug level.")
	}
	return 0
}

func (s *State) setProtocol(L *lua.LState) int {
	version, ok := L.Get(1).(lua.LNumber)
	switch {
	case L.GetTop() != 1:
		return fail(L, "redis.setresp() requires one argument.")
	case !ok || version != 2 && version != 3:
		return fail(L, "RESP version must be 2 or 3.")
	case version == 3:
		s.refuse("redis.setresp(3)")
	}
	return 0
}

func setReplication(L *lua.LState) int {
	target, ok := L.Get(1).(lua.LNumber)
	switch {
	case L.GetTop() != 1:
		return fail(L, "redis.set_repl() requires two arguments.")
	case !ok || target < 0 || target > 3:
		return fail(L, "Invalid replication flags. Please use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.")
	}
	return 0
}

// withCode adds the general code to an error that is only one word.
func withCode(text string) string {
	if strings.Contains(text, " ") {
		return text
	}
	return "ERR " + text
}

func single(L *lua.LState, field, text string) *lua.LTable {
	t := L.CreateTable(0, 1)
	t.RawSetString(field, lua.LString(text))
	return t
}

// redisCall implements redis.call, which raises an error, and redis.pcall, which returns it.
func (s *State) redisCall(L *lua.LState, raise bool) int {
	reply := s.performCall(L)
	value := toLua(L, &reply)
	if failed, ok := value.(*lua.LTable); ok && reply.Kind == resp.Error {
		failed.RawSetString("ignore_error_stats_update", lua.LTrue)
	}
	if raise && reply.Kind == resp.Error {
		L.Error(value, 1)
	}
	return push(L, value)
}

func (s *State) performCall(L *lua.LState) resp.Reply {
	n := L.GetTop()
	if n == 0 {
		return resp.Errorf("ERR Please specify at least one argument for this redis lib call")
	}
	s.words = s.words[:0]
	for i := 1; i <= n; i++ {
		switch v := L.Get(i).(type) {
		case lua.LString:
			s.words = append(s.words, string(v))
		case lua.LNumber:
			s.words = append(s.words, formatNumber(float64(v)))
		default:
			return resp.Errorf("ERR Lua redis lib command arguments must be strings or integers")
		}
	}
	return s.call(s.words)
}
