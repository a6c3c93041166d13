package redis

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// sandbox is the Lua in which scripts run: one state for all scripts of a
// server, which no script can change for the next one.
type sandbox struct {
	state     *lua.LState
	globals   *lua.LTable // what scripts may read
	env       *lua.LTable // what they see: an empty table in front of globals
	protected map[*lua.LTable]bool
	handler   *lua.LFunction
	steps     *stepLimit
	random    *rand.PCG
	call      func(words []string) Reply
	words     []string // of a call, reused
	keys      values
	argv      values
}

// maxSteps is how many instructions a script may run. Redis would stop
// answering everybody instead, until somebody kills the script.
const maxSteps = 10_000_000

var errTooManySteps = errors.New("lockquake stops a script after 10000000 instructions")

// stepLimit counts the instructions of a script. The Lua machine asks a
// context before each of them whether it is done.
type stepLimit struct {
	context.Context
	left int
	over chan struct{} // closed
}

func (l *stepLimit) Done() <-chan struct{} {
	if l.left <= 0 {
		return l.over
	}
	l.left--
	return nil
}

func (l *stepLimit) Err() error { return errTooManySteps }

func newSandbox(call func(words []string) Reply) *sandbox {
	b := &sandbox{
		state:     lua.NewState(lua.Options{SkipOpenLibs: true}),
		protected: map[*lua.LTable]bool{},
		steps:     &stepLimit{Context: context.Background(), over: make(chan struct{})},
		random:    rand.NewPCG(0, 0),
		call:      call,
	}
	close(b.steps.over)
	L := b.state
	for _, lib := range []struct {
		name string
		open lua.LGFunction
	}{
		{lua.BaseLibName, lua.OpenBase},
		{lua.TabLibName, lua.OpenTable},
		{lua.StringLibName, lua.OpenString},
		{lua.MathLibName, lua.OpenMath},
	} {
		L.Push(L.NewFunction(lib.open))
		L.Push(lua.LString(lib.name))
		L.Call(1, 0)
	}
	b.globals = b.chooseGlobals()
	b.env = b.protect(b.globals)
	b.globals.RawSetString("_G", b.env)
	b.handler = L.NewFunction(locateError)
	L.SetContext(b.steps)
	return b
}

// chooseGlobals returns the global names that scripts have in Redis.
func (b *sandbox) chooseGlobals() *lua.LTable {
	L := b.state
	all := L.G.Global
	globals := L.NewTable()
	for _, name := range []string{
		"assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall", "rawequal", "rawget",
		"select", "setmetatable", "tonumber", "tostring", "type", "unpack", "xpcall", "_VERSION",
	} {
		globals.RawSetString(name, all.RawGetString(name))
	}
	globals.RawSetString("rawset", L.NewFunction(b.rawSet))
	numbers := all.RawGetString(lua.MathLibName).(*lua.LTable)
	numbers.RawSetString("random", L.NewFunction(b.mathRandom))
	numbers.RawSetString("randomseed", L.NewFunction(b.mathSeed))
	globals.RawSetString(lua.MathLibName, b.protect(numbers))
	globals.RawSetString(lua.TabLibName, b.protect(all.RawGetString(lua.TabLibName).(*lua.LTable)))
	// The library of strings is also the metatable of every string.
	text := all.RawGetString(lua.StringLibName).(*lua.LTable)
	text.RawSetString("__index", b.protect(text))
	text.RawSetString("__metatable", lua.LFalse)
	globals.RawSetString(lua.StringLibName, b.protect(text))
	globals.RawSetString("redis", b.protect(b.redisTable()))

	missing := L.NewTable()
	missing.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		L.RaiseError("Script attempted to access nonexistent global variable '%s'", L.ToString(2))
		return 0
	}))
	globals.Metatable = missing
	return globals
}

// protect returns a table through which t can be read and not be written.
func (b *sandbox) protect(t *lua.LTable) *lua.LTable {
	front, meta := b.state.NewTable(), b.state.NewTable()
	meta.RawSetString("__index", t)
	meta.RawSetString("__newindex", b.state.NewFunction(readOnlyTable))
	meta.RawSetString("__metatable", lua.LFalse)
	front.Metatable = meta
	b.protected[front] = true
	return front
}

func readOnlyTable(L *lua.LState) int {
	L.RaiseError("Attempt to modify a readonly table")
	return 0
}

func (b *sandbox) rawSet(L *lua.LState) int {
	t := L.CheckTable(1)
	if b.protected[t] {
		return readOnlyTable(L)
	}
	L.RawSet(t, L.CheckAny(2), L.CheckAny(3))
	return 0
}

// mathRandom draws numbers that begin anew with every script, as in Redis.
func (b *sandbox) mathRandom(L *lua.LState) int {
	low, high := int64(1), int64(0)
	switch L.GetTop() {
	case 0:
		L.Push(lua.LNumber(rand.New(b.random).Float64()))
		return 1
	case 1:
		high = L.CheckInt64(1)
	default:
		low, high = L.CheckInt64(1), L.CheckInt64(2)
	}
	if high < low {
		L.ArgError(L.GetTop(), "interval is empty")
	}
	L.Push(lua.LNumber(low + rand.New(b.random).Int64N(high-low+1)))
	return 1
}

func (b *sandbox) mathSeed(L *lua.LState) int {
	b.random.Seed(uint64(L.CheckInt64(1)), 0)
	return 0
}

// redisTable is what scripts call redis.
func (b *sandbox) redisTable() *lua.LTable {
	L := b.state
	t := L.NewTable()
	L.SetFuncs(t, map[string]lua.LGFunction{
		"call":  func(L *lua.LState) int { return b.redisCall(L, true) },
		"pcall": func(L *lua.LState) int { return b.redisCall(L, false) },
		"error_reply": func(L *lua.LState) int {
			L.Push(single(L, "err", withCode(strings.TrimPrefix(L.CheckString(1), "-"))))
			return 1
		},
		"status_reply": func(L *lua.LState) int {
			L.Push(single(L, "ok", L.CheckString(1)))
			return 1
		},
		"sha1hex": func(L *lua.LState) int {
			sum := sha1.Sum([]byte(L.CheckString(1)))
			L.Push(lua.LString(hex.EncodeToString(sum[:])))
			return 1
		},
		"log": func(*lua.LState) int { return 0 },
		"replicate_commands": func(L *lua.LState) int {
			L.Push(lua.LTrue)
			return 1
		},
	})
	for level, name := range []string{"LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING"} {
		t.RawSetString(name, lua.LNumber(level))
	}
	t.RawSetString("REDIS_VERSION", lua.LString(redisVersion))
	return t
}

// withCode puts the general code before an error that is one word.
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

// redisCall is redis.call, which raises an error, or redis.pcall, which
// returns it.
func (b *sandbox) redisCall(L *lua.LState, raise bool) int {
	reply := b.performCall(L)
	value := toLua(L, &reply)
	if raise && reply.Kind == Error {
		L.Error(value, 1)
	}
	L.Push(value)
	return 1
}

func (b *sandbox) performCall(L *lua.LState) Reply {
	n := L.GetTop()
	if n == 0 {
		return errorReply("ERR Please specify at least one argument for this redis.call() call")
	}
	b.words = b.words[:0]
	for i := 1; i <= n; i++ {
		switch v := L.Get(i).(type) {
		case lua.LString:
			b.words = append(b.words, string(v))
		case lua.LNumber:
			b.words = append(b.words, formatNumber(float64(v)))
		default:
			return errorReply("ERR Lua redis lib command arguments must be strings or integers")
		}
	}
	return b.call(b.words)
}

// formatNumber writes a number as Redis hands it to a command.
func formatNumber(f float64) string {
	if n := truncate(f); float64(n) == f {
		return strconv.FormatInt(n, 10)
	}
	const digits = 17
	return strconv.FormatFloat(f, 'g', digits, 64)
}

// truncate cuts off the fraction. Outside the integers it returns the lowest
// of them, on every architecture.
func truncate(f float64) int64 {
	const beyond = 1 << 63
	if f >= -beyond && f < beyond {
		return int64(f)
	}
	return math.MinInt64
}

// function makes a script callable in this sandbox.
func (b *sandbox) function(proto *lua.FunctionProto) *lua.LFunction {
	f := b.state.NewFunctionFromProto(proto)
	f.Env = b.env
	return f
}

// run carries out a script and returns its answer.
func (b *sandbox) run(f *lua.LFunction, sha string, keys, argv []string) Reply {
	L := b.state
	L.SetTop(0)
	b.globals.RawSetString("KEYS", b.keys.list(L, keys))
	b.globals.RawSetString("ARGV", b.argv.list(L, argv))
	b.steps.left = maxSteps
	b.random.Seed(0, 0)
	L.Push(f)
	if err := L.PCall(0, 1, b.handler); err != nil {
		return scriptError(err, sha)
	}
	reply := fromLua(L.Get(1), 0)
	L.SetTop(0)
	return reply
}

// values are the strings that the last script was given, as Lua has them. The
// next one is mostly given the same.
type values []lua.LValue

// list makes a table of strings.
func (v *values) list(L *lua.LState, items []string) *lua.LTable {
	t := L.CreateTable(len(items), 0)
	for i, item := range items {
		switch {
		case i == len(*v):
			*v = append(*v, lua.LString(item))
		case (*v)[i] != lua.LString(item):
			(*v)[i] = lua.LString(item)
		}
		t.RawSetInt(i+1, (*v)[i])
	}
	return t
}

// locateError turns an error into the table that Redis makes of it: the
// message, and the line of the script at which it came up.
func locateError(L *lua.LState) int {
	t, ok := L.Get(1).(*lua.LTable)
	if !ok {
		t = single(L, "err", "ERR "+L.ToStringMeta(L.Get(1)).String())
	}
	// The error came up in the script, or in a function of ours that it called.
	for level := 1; level <= 2; level++ {
		frame, ok := L.GetStack(level)
		if !ok {
			break
		}
		if _, err := L.GetInfo("Sl", frame, lua.LNil); err == nil && frame.CurrentLine > 0 {
			t.RawSetString("line", lua.LNumber(frame.CurrentLine))
			break
		}
	}
	L.Push(t)
	return 1
}

// scriptError is the answer to a script that ended with an error.
func scriptError(err error, sha string) Reply {
	var failed *lua.ApiError
	if !errors.As(err, &failed) {
		return errorReply("ERR %s", err.Error())
	}
	t, ok := failed.Object.(*lua.LTable)
	if !ok {
		return errorReply("ERR %s", failed.Object.String())
	}
	text := "ERR unknown error"
	if message, ok := t.RawGetString("err").(lua.LString); ok {
		text = string(message)
	}
	if line, ok := t.RawGetString("line").(lua.LNumber); ok {
		text = fmt.Sprintf("%s script: %s, on @%s:%d.", text, sha, chunkName, int(line))
	}
	return Reply{Kind: Error, Text: text}
}

// toLua converts a reply into what a script sees of it.
func toLua(L *lua.LState, r *Reply) lua.LValue {
	switch r.Kind {
	case Integer:
		return lua.LNumber(r.Int)
	case Bulk:
		return lua.LString(r.Text)
	case Status:
		return single(L, "ok", r.Text)
	case Error:
		return single(L, "err", r.Text)
	case Array:
		t := L.CreateTable(len(r.Elems), 0)
		for i := range r.Elems {
			t.RawSetInt(i+1, toLua(L, &r.Elems[i]))
		}
		return t
	case Nil:
	}
	return lua.LFalse
}

// maxDepth is how deep the tables of an answer may lie in each other.
const maxDepth = 128

// fromLua converts what a script returns into a reply. The value lies in
// depth tables.
func fromLua(v lua.LValue, depth int) Reply {
	if depth > maxDepth {
		return errorReply("ERR reached lua stack limit")
	}
	switch v := v.(type) {
	case lua.LString:
		return Reply{Kind: Bulk, Text: string(v)}
	case lua.LNumber:
		return Reply{Kind: Integer, Int: truncate(float64(v))}
	case lua.LBool:
		if v {
			return Reply{Kind: Integer, Int: 1}
		}
	case *lua.LTable:
		if text, ok := v.RawGetString("err").(lua.LString); ok {
			return Reply{Kind: Error, Text: oneLine(string(text))}
		}
		if text, ok := v.RawGetString("ok").(lua.LString); ok {
			return Reply{Kind: Status, Text: oneLine(string(text))}
		}
		reply := Reply{Kind: Array}
		for i := 1; ; i++ {
			elem := v.RawGetInt(i)
			if elem == lua.LNil {
				return reply
			}
			reply.Elems = append(reply.Elems, fromLua(elem, depth+1))
		}
	}
	return Reply{Kind: Nil}
}
