package lua

import (
	"context"
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"lockquake/sim/redis/resp"
)

// State is the Lua state in which all scripts of a server run. No script can change it for the next
// one, except for the random numbers. It is for one goroutine at a time.
type State struct {
	cache     *Cache
	lua       *lua.LState
	globals   *lua.LTable // the globals that scripts may read
	redis     lua.LValue  // one of them
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

// Restart starts the random numbers again, as a restart of the server does.
func (s *State) Restart() { s.random = firstRandom }

// Close gives the state back to its cache, for the next server.
func (s *State) Close() {
	s.call, s.refuse = nil, nil
	s.cache.putBack(s)
}

// Function is a compiled script of one State.
type Function struct{ lua *lua.LFunction }

// Compile compiles a script with this SHA-1, or takes it from the cache. The error has one line.
func (s *State) Compile(sha, text string) (Function, error) {
	proto, err := s.cache.compile(sha, text)
	if err != nil {
		return Function{}, errors.New(resp.OneLine(err.Error()))
	}
	f := s.lua.NewFunctionFromProto(proto)
	f.Env = s.env
	return Function{f}, nil
}

// Run runs a script, which messages name by its SHA-1, with its KEYS and ARGV. It returns the answer
// of EVAL.
func (s *State) Run(f Function, sha string, keys, argv []string) (reply resp.Reply) {
	L := s.lua
	L.SetTop(0)
	s.setValues(&s.keys, keys)
	s.setValues(&s.argv, argv)
	s.steps.left = maxSteps
	L.Push(f.lua)
	n := int(f.lua.Proto.NumParameters)
	if n > 0 { // those of arguments
		L.Push(s.redis)
		L.Push(s.keys.now.table)
		L.Push(s.argv.now.table)
	}
	defer func() {
		if _, full := recover().(*lua.ApiError); full {
			L.SetTop(0)
			reply = s.refuse("a script that needs more than Lua's stack")
		}
	}()
	err := L.PCall(n, 1, s.handler)
	if s.steps.left <= 0 {
		s.refuse(fmt.Sprintf("a script of more than %d instructions", maxSteps))
	}
	if err != nil {
		return scriptError(err, sha)
	}
	reply = fromLua(L.Get(1), 0)
	L.SetTop(0)
	return reply
}

// values has the tables of strings that scripts get as KEYS or ARGV.
type values struct {
	name   string
	tables [4]*stringTable // by the number of strings, the last one for that many or more; nil: there is none
	now    *stringTable    // the one that the scripts see
}

// stringTable is a table of strings. A script that gets as many strings, usually the same ones, reuses it;
// no script can keep it.
type stringTable struct {
	table *lua.LTable
	items []lua.LValue
	last  lua.LValue // the position of the last item; Lua's nil: there is none
}

// setValues sets the strings of the table.
func (s *State) setValues(v *values, items []string) {
	at := &v.tables[min(len(items), len(v.tables)-1)]
	if !(*at).fits(len(items)) {
		*at = newStringTable(s.lua, len(items))
	}
	now := *at
	if now != v.now {
		v.now = now
		s.globals.RawSetString(v.name, now.table)
	}
	for i, item := range items {
		if now.items[i] != lua.LString(item) {
			now.items[i] = lua.LString(item)
		}
		now.table.RawSetInt(i+1, now.items[i])
	}
}

func newStringTable(L *lua.LState, n int) *stringTable {
	t := &stringTable{L.CreateTable(n, 0), make([]lua.LValue, n), lua.LNil}
	if n > 0 {
		t.last = lua.LNumber(n)
	}
	return t
}

// fits reports whether the table has exactly n items, whatever the last script has done to it.
func (t *stringTable) fits(n int) bool {
	if t == nil || len(t.items) != n || t.table.MaxN() != n || t.table.Metatable != lua.LNil {
		return false
	}
	more, _ := t.table.Next(t.last)
	return more == lua.LNil
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

func newState(c *Cache) *State {
	s := &State{
		cache: c,
		lua: lua.NewState(lua.Options{
			SkipOpenLibs: true, CallStackSize: maxCalls, MinimizeStackMemory: true, RegistryMaxSize: maxRegistry, RegistryGrowStep: 1 << 12,
		}),
		protected: map[*lua.LTable]bool{},
		steps:     &stepLimit{Context: context.Background(), over: make(chan struct{})},
		random:    firstRandom,
		keys:      values{name: "KEYS"},
		argv:      values{name: "ARGV"},
	}
	close(s.steps.over)
	L := s.lua
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
	s.globals = s.chooseGlobals()
	s.redis = s.globals.RawGetString("redis")
	s.env = s.protect(s.globals)
	s.globals.RawSetString("_G", s.env)
	s.handler = L.NewFunction(locateError)
	L.SetContext(s.steps)
	return s
}
