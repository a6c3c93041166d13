package keyspace

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	lua "github.com/yuin/gopher-lua"

	"lockquake/sim/redis/resp"
)

// sandbox is the Lua state in which all scripts of a server run. No script can change it for the
// next one.
type sandbox struct {
	state     *lua.LState
	globals   *lua.LTable // the globals that scripts may read
	env       *lua.LTable // the scripts' global table: an empty one in front of globals
	protected map[*lua.LTable]bool
	handler   *lua.LFunction
	steps     *stepLimit
	random    randomNumbers
	call      func(words []string) resp.Reply
	refuse    func(what string) resp.Reply
	words     []string // the words of a call, reused
	keys      values
	argv      values
}

// maxSteps is the maximum number of instructions of a script. Redis would instead answer nobody
// until somebody kills the script.
const maxSteps = 10_000_000

// The maximum depth of calls, as in Lua 5.1, and the maximum number of their values.
const (
	maxCalls    = 20_000
	maxRegistry = 1 << 20
)

var errTooManySteps = errors.New("lockquake stops a script after 10000000 instructions")

// stepLimit counts the instructions of a script. gopher-lua asks a context before each instruction
// whether it is done.
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

func newSandbox() *sandbox {
	b := &sandbox{
		state: lua.NewState(lua.Options{
			SkipOpenLibs: true, CallStackSize: maxCalls, MinimizeStackMemory: true, RegistryMaxSize: maxRegistry, RegistryGrowStep: 1 << 12,
		}),
		protected: map[*lua.LTable]bool{},
		steps:     &stepLimit{Context: context.Background(), over: make(chan struct{})},
		random:    firstRandom,
		keys:      values{name: "KEYS"},
		argv:      values{name: "ARGV"},
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
	openLibraries(L)
	b.globals = b.chooseGlobals()
	b.env = b.protect(b.globals)
	b.globals.RawSetString("_G", b.env)
	b.handler = L.NewFunction(locateError)
	L.SetContext(b.steps)
	return b
}

// chooseGlobals returns the global names of scripts in Redis.
func (b *sandbox) chooseGlobals() *lua.LTable {
	L := b.state
	all := L.G.Global
	globals := L.NewTable()
	for _, name := range []string{
		"assert", "getmetatable", "ipairs", "next", "pairs", "rawequal", "rawget",
		"select", "type", "unpack", "xpcall", "_VERSION",
	} {
		globals.RawSetString(name, all.RawGetString(name))
	}
	L.SetFuncs(globals, map[string]lua.LGFunction{
		"error": raise, "pcall": protectedCall, "rawset": b.rawSet, "setmetatable": b.setMetatable,
		"tonumber": coerced(toNumber, ".n"), "tostring": toString, operandName: operand,
	})
	for _, part := range loopParts() {
		globals.RawSetString(loopName(part), L.NewFunction(loopValue(part)))
	}
	numbers := all.RawGetString(lua.MathLibName).(*lua.LTable)
	numbers.RawSetString("random", L.NewFunction(coerced(b.mathRandom, "n")))
	numbers.RawSetString("randomseed", L.NewFunction(coerced(b.mathSeed, "n")))
	globals.RawSetString(lua.MathLibName, b.protect(numbers))
	globals.RawSetString(lua.TabLibName, b.protect(all.RawGetString(lua.TabLibName).(*lua.LTable)))
	// The library of strings is also the metatable of every string.
	text := all.RawGetString(lua.StringLibName).(*lua.LTable)
	text.RawSetString("__index", b.protect(text))
	text.RawSetString("__metatable", lua.LFalse)
	globals.RawSetString(lua.StringLibName, b.protect(text))
	globals.RawSetString("redis", b.protect(b.redisTable()))
	globals.RawSetString("cjson", b.protect(jsonTable(L)))
	globals.RawSetString("bit", b.protect(bitTable(L)))

	missing := L.NewTable()
	missing.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		switch name := L.ToString(2); name {
		case "coroutine", "collectgarbage", "gcinfo", "load", "loadstring", "struct", "cmsgpack":
			b.refuse(name + " in a script")
		}
		L.RaiseError("Script attempted to access nonexistent global variable '%s'", L.ToString(2))
		return 0
	}))
	globals.Metatable = missing
	return globals
}

// protect returns a read-only view of t.
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
		return modifyReadOnly(L)
	}
	L.RawSet(t, L.CheckAny(2), L.CheckAny(3))
	return 0
}

// setMetatable implements setmetatable.
func (b *sandbox) setMetatable(L *lua.LState) int {
	t := L.CheckTable(1)
	if b.protected[t] {
		return modifyReadOnly(L)
	}
	if meta, ok := t.Metatable.(*lua.LTable); ok && meta.RawGetString("__metatable") != lua.LNil {
		L.RaiseError("cannot change a protected metatable")
	}
	L.SetMetatable(t, L.Get(2))
	L.SetTop(1)
	return 1
}

// modifyReadOnly raises the same error without the place in the script.
func modifyReadOnly(L *lua.LState) int { return fail(L, "Attempt to modify a readonly table") }

// protectedCall implements pcall. Of an error table of Redis it returns only the text.
func protectedCall(L *lua.LState) int {
	L.CheckAny(1)
	err := L.PCall(L.GetTop()-1, lua.MultRet, nil)
	if err == nil {
		L.Insert(lua.LTrue, 1)
		return L.GetTop()
	}
	object := lua.LValue(lua.LString(err.Error()))
	if failed, ok := errors.AsType[*lua.ApiError](err); ok {
		object = failed.Object
	}
	if t, ok := object.(*lua.LTable); ok {
		if text, ok := t.RawGetString("err").(lua.LString); ok {
			object = text
		}
	}
	L.Push(lua.LFalse)
	L.Push(object)
	return 2
}

// raise implements error, which converts a number to a string.
func raise(L *lua.LState) int {
	object := L.Get(1)
	if n, ok := object.(lua.LNumber); ok {
		object = lua.LString(shortNumber(float64(n)))
	}
	if text, ok := object.(lua.LString); ok {
		if level := L.OptInt(2, 1); level > 0 {
			object = lua.LString(errorPlace(L, level)) + text
		}
	}
	L.Error(object, 0)
	return 0
}

// randomNumbers is the random generator of Redis, which is the same on every machine: 48 bits, of
// which it returns the upper 31. It starts again with the server.
type randomNumbers uint64

// firstRandom is its initial state.
const firstRandom randomNumbers = 0x1234abcd330e

func (r *randomNumbers) seed(seed int32) {
	const begin = 0x330e
	*r = randomNumbers(uint32(seed))<<16 | begin
}

// next returns a number in [0, 1).
func (r *randomNumbers) next() float64 {
	const factor, summand, bits, hidden = 0x5deece66d, 0xb, 48, 17
	*r = (*r*factor + summand) & (1<<bits - 1)
	return float64(int64(*r>>hidden)%math.MaxInt32) / math.MaxInt32
}

// mathRandom implements math.random.
func (b *sandbox) mathRandom(L *lua.LState) int {
	drawn := b.random.next()
	low, high := int64(1), int64(0)
	switch L.GetTop() {
	case 0:
		return push(L, lua.LNumber(drawn))
	case 1:
		high = L.CheckInt64(1)
	case 2:
		low, high = L.CheckInt64(1), L.CheckInt64(2)
	default:
		L.RaiseError("wrong number of arguments")
	}
	if high < low {
		L.ArgError(L.GetTop(), "interval is empty")
	}
	return push(L, lua.LNumber(low+int64(math.Floor(drawn*float64(high-low+1)))))
}

func (b *sandbox) mathSeed(L *lua.LState) int {
	b.random.seed(int32(L.CheckInt64(1)))
	return 0
}

// formatNumber formats a number as Redis passes it to a command.
func formatNumber(f float64) string {
	switch n := truncate(f); {
	case f == 0 && math.Signbit(f):
		return "-0"
	case math.IsInf(f, 0) || math.IsNaN(f):
		return shortNumber(f)
	case float64(n) == f:
		return strconv.FormatInt(n, 10)
	}
	const digits = 17
	return strconv.FormatFloat(f, 'g', digits, 64)
}

// truncate removes the fraction. For numbers outside of int64 it returns the lowest int64, on every
// architecture.
func truncate(f float64) int64 {
	const beyond = 1 << 63
	if f >= -beyond && f < beyond {
		return int64(f)
	}
	return math.MinInt64
}

// function returns a compiled script as a function of this sandbox.
func (b *sandbox) function(proto *lua.FunctionProto) *lua.LFunction {
	f := b.state.NewFunctionFromProto(proto)
	f.Env = b.env
	return f
}

// run runs a script and returns its answer.
func (b *sandbox) run(f *lua.LFunction, sha string, keys, argv []string) (reply resp.Reply) {
	L := b.state
	L.SetTop(0)
	b.setValues(&b.keys, keys)
	b.setValues(&b.argv, argv)
	b.steps.left = maxSteps
	L.Push(f)
	defer func() {
		if _, full := recover().(*lua.ApiError); full {
			L.SetTop(0)
			reply = b.refuse("a script that needs more than Lua's stack")
		}
	}()
	err := L.PCall(0, 1, b.handler)
	if b.steps.left <= 0 {
		b.refuse(fmt.Sprintf("a script of more than %d instructions", maxSteps))
	}
	if err != nil {
		return scriptError(err, sha)
	}
	reply = fromLua(L.Get(1), 0)
	L.SetTop(0)
	return reply
}

// values is the table of strings that scripts get as KEYS or ARGV. The next script, which usually
// gets the same strings, reuses it; no script can keep it.
type values struct {
	name  string
	table *lua.LTable
	items []lua.LValue
	last  lua.LValue // the position of the last item; Lua's nil: there is none
}

// setValues sets the strings of the table.
func (b *sandbox) setValues(v *values, items []string) {
	if !v.fits(len(items)) {
		v.table, v.items, v.last = b.state.CreateTable(len(items), 0), make([]lua.LValue, len(items)), lua.LNil
		if len(items) > 0 {
			v.last = lua.LNumber(len(items))
		}
		b.globals.RawSetString(v.name, v.table)
	}
	for i, item := range items {
		if v.items[i] != lua.LString(item) {
			v.items[i] = lua.LString(item)
		}
		v.table.RawSetInt(i+1, v.items[i])
	}
}

// fits reports whether the table has exactly n items, whatever the last script has done to it.
func (v *values) fits(n int) bool {
	if v.table == nil || len(v.items) != n || v.table.MaxN() != n || v.table.Metatable != lua.LNil {
		return false
	}
	more, _ := v.table.Next(v.last)
	return more == lua.LNil
}

// locateError converts an error to a table like that of Redis, with the message and the line of the
// script.
func locateError(L *lua.LState) int {
	t, ok := L.Get(1).(*lua.LTable)
	if !ok {
		t = single(L, "err", "ERR "+L.ToStringMeta(L.Get(1)).String())
	}
	// The error is in the script, or in a Go function that it called.
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

// scriptError returns the answer to a script that ended with an error.
func scriptError(err error, sha string) resp.Reply {
	var failed *lua.ApiError
	if !errors.As(err, &failed) {
		return resp.Errorf("ERR %s", err.Error())
	}
	t, ok := failed.Object.(*lua.LTable)
	if !ok { // the stack had no space for the handler
		return resp.Errorf("ERR %s script: %s", failed.Object.String(), sha)
	}
	text := "ERR unknown error"
	if message, ok := t.RawGetString("err").(lua.LString); ok {
		text = string(message)
	}
	if line, ok := t.RawGetString("line").(lua.LNumber); ok {
		text = fmt.Sprintf("%s script: %s, on @%s:%d.", text, sha, chunkName, int(line))
	}
	return resp.Reply{Kind: resp.Error, Text: text}
}

// toLua converts a reply to a Lua value.
func toLua(L *lua.LState, r *resp.Reply) lua.LValue {
	switch r.Kind {
	case resp.Integer:
		return lua.LNumber(r.Int)
	case resp.Bulk:
		return lua.LString(r.Text)
	case resp.Status:
		return single(L, "ok", r.Text)
	case resp.Error:
		return single(L, "err", r.Text)
	case resp.Array:
		t := L.CreateTable(len(r.Elems), 0)
		for i := range r.Elems {
			t.RawSetInt(i+1, toLua(L, &r.Elems[i]))
		}
		return t
	case resp.Nil:
	}
	return lua.LFalse
}

// maxDepth is the maximum nesting of tables in a script's result.
const maxDepth = 7_900

// fromLua converts the result of a script to a reply. The value is inside depth tables.
func fromLua(v lua.LValue, depth int) resp.Reply {
	if depth > maxDepth {
		return resp.Errorf("ERR reached lua stack limit")
	}
	switch v := v.(type) {
	case lua.LString:
		return resp.Reply{Kind: resp.Bulk, Text: string(v)}
	case lua.LNumber:
		return resp.Reply{Kind: resp.Integer, Int: truncate(float64(v))}
	case lua.LBool:
		if v {
			return resp.Reply{Kind: resp.Integer, Int: 1}
		}
	case *lua.LTable:
		if text, ok := v.RawGetString("err").(lua.LString); ok {
			return resp.Reply{Kind: resp.Error, Text: resp.OneLine(string(text))}
		}
		if text, ok := v.RawGetString("ok").(lua.LString); ok {
			return resp.Reply{Kind: resp.Status, Text: resp.OneLine(string(text))}
		}
		reply := resp.Reply{Kind: resp.Array}
		for i := 1; ; i++ {
			elem := v.RawGetInt(i)
			if elem == lua.LNil {
				return reply
			}
			reply.Elems = append(reply.Elems, fromLua(elem, depth+1))
		}
	}
	return resp.Reply{Kind: resp.Nil}
}
