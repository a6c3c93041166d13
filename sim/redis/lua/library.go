package lua

import (
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// The libraries of gopher-lua do not convert their arguments. Those of Lua 5.1 accept a string that
// contains a number as a number, as ARGV[1] often does, and a number as a string. So each argument
// is converted before the function gets it.

// libraryArguments returns the argument types of library functions: n is a number, s a string, and
// . anything. The last letter applies to all further arguments.
func libraryArguments() map[string]map[string]string {
	return map[string]map[string]string{
		lua.BaseLibName: {"unpack": ".nn.", "select": "n."},
		lua.StringLibName: {
			"sub": "snn.", "rep": "sn.", "byte": "snn.", "char": "n", "find": "ssn.", "match": "ssn.", "gmatch": "ss.", "gfind": "ss.",
			"gsub": "sssn.", "len": "s.", "upper": "s.", "lower": "s.", "reverse": "s.", "format": "s.",
		},
		lua.TabLibName: {"concat": ".snn.", "remove": ".n.", "insert": "."},
	}
}

// coerced returns a function that converts its arguments and calls f.
func coerced(f lua.LGFunction, takes string) lua.LGFunction {
	return func(L *lua.LState) int {
		for i := 1; i <= L.GetTop(); i++ {
			switch takes[min(i, len(takes))-1] {
			case 'n':
				if text, ok := L.Get(i).(lua.LString); ok {
					if n, ok := luaNumber(trimLua(string(text)), 10); ok && text != "#" {
						L.Replace(i, lua.LNumber(n))
					}
				}
			case 's':
				if n, ok := L.Get(i).(lua.LNumber); ok {
					L.Replace(i, lua.LString(shortNumber(float64(n))))
				}
			}
		}
		return f(L)
	}
}

// openLibraries replaces the functions that differ from Lua 5.1, and makes all functions convert
// their arguments.
func openLibraries(L *lua.LState) {
	own := map[string]map[string]lua.LGFunction{
		lua.BaseLibName: {"unpack": unpack},
		lua.StringLibName: {
			"format": formatText, "char": charText, "upper": upperText, "lower": lowerText, "find": limitedInit(L, "find"), "match": limitedInit(L, "match"),
			"gsub": substitute(L),
		},
		lua.TabLibName: {
			"concat": concatTable, "insert": insertTable, "remove": removeFromTable, "foreach": forEach, "foreachi": forEachIndex, "setn": obsolete,
		},
	}
	arguments := libraryArguments()
	for _, name := range []string{lua.BaseLibName, lua.StringLibName, lua.TabLibName} {
		library := L.G.Global
		if name != lua.BaseLibName {
			library = L.G.Global.RawGetString(name).(*lua.LTable)
		}
		for function, f := range own[name] {
			library.RawSetString(function, L.NewFunction(f))
		}
		for function, takes := range arguments[name] {
			if f, ok := library.RawGetString(function).(*lua.LFunction); ok && f.IsG && len(f.Upvalues) == 0 {
				library.RawSetString(function, L.NewFunction(coerced(f.GFunction, takes)))
			}
		}
	}
	L.G.Global.RawGetString(lua.MathLibName).(*lua.LTable).RawSetString("huge", lua.LNumber(math.Inf(1)))
}

// unpack implements unpack, which fails for more values than Lua's stack holds.
func unpack(L *lua.LState) int {
	t := L.CheckTable(1)
	first, last := L.OptInt(2, 1), L.OptInt(3, t.Len())
	const most = 8000
	if last-first+1+L.GetTop() >= most {
		L.RaiseError("too many results to unpack")
	}
	n := 0
	for i := first; i <= last; i++ {
		L.Push(t.RawGetInt(i))
		n++
	}
	return n
}

// limitedInit returns string.find or string.match with a start that is at most one beyond the end
// of the text.
func limitedInit(L *lua.LState, name string) lua.LGFunction {
	f := L.G.Global.RawGetString(lua.StringLibName).(*lua.LTable).RawGetString(name).(*lua.LFunction).GFunction
	return func(L *lua.LState) int {
		length, init := len(L.CheckString(1)), L.OptInt(3, 1)
		if init < 0 {
			init = max(1, init+length+1)
		}
		init = min(max(1, init), length+1)
		if L.GetTop() > 2 {
			L.Replace(3, lua.LNumber(init))
		}
		if name == "find" && L.CheckString(2) == "" {
			L.Push(lua.LNumber(init))
			L.Push(lua.LNumber(init - 1))
			return 2
		}
		return f(L)
	}
}

// substitute implements string.gsub, which allows a maximum of 0 replacements.
func substitute(L *lua.LState) lua.LGFunction {
	f := L.G.Global.RawGetString(lua.StringLibName).(*lua.LTable).RawGetString("gsub").(*lua.LFunction).GFunction
	return func(L *lua.LState) int {
		if L.GetTop() > 3 && L.OptInt(4, 1) <= 0 {
			L.Push(lua.LString(L.CheckString(1)))
			L.Push(lua.LNumber(0))
			return 2
		}
		return f(L)
	}
}

func charText(L *lua.LState) int {
	b := make([]byte, 0, L.GetTop())
	for i := 1; i <= L.GetTop(); i++ {
		c := L.CheckInt(i)
		if c < 0 || c > math.MaxUint8 {
			L.ArgError(i, "invalid value")
		}
		b = append(b, byte(c))
	}
	return push(L, lua.LString(b))
}

func upperText(L *lua.LState) int { return push(L, lua.LString(shifted(L.CheckString(1), 'a', 'z'))) }

func lowerText(L *lua.LState) int { return push(L, lua.LString(shifted(L.CheckString(1), 'A', 'Z'))) }

// shifted changes the case of the letters in a range. Like Redis, it handles ASCII letters only.
func shifted(text string, from, to byte) []byte {
	b := []byte(text)
	for i, c := range b {
		if c >= from && c <= to {
			b[i] = c ^ ('a' - 'A')
		}
	}
	return b
}

func concatTable(L *lua.LState) int {
	t, separator := L.CheckTable(1), L.OptString(2, "")
	first, last := L.OptInt(3, 1), L.OptInt(4, t.Len())
	var b strings.Builder
	for i := first; i <= last; i++ {
		if i > first {
			b.WriteString(separator)
		}
		switch v := t.RawGetInt(i).(type) {
		case lua.LString:
			b.WriteString(string(v))
		case lua.LNumber:
			b.WriteString(shortNumber(float64(v)))
		default:
			L.RaiseError("invalid value (%s) at index %d in table for 'concat'", v.Type(), i)
		}
	}
	return push(L, lua.LString(b.String()))
}

func insertTable(L *lua.LState) int {
	t := L.CheckTable(1)
	end := t.Len() + 1
	switch L.GetTop() {
	case 2:
		t.RawSetInt(end, L.Get(2))
	case 3:
		if text, ok := L.Get(2).(lua.LString); ok {
			if n, ok := luaNumber(trimLua(string(text)), 10); ok {
				L.Replace(2, lua.LNumber(n))
			}
		}
		at := L.CheckInt(2)
		for i := max(end, at); i > at; i-- {
			t.RawSetInt(i, t.RawGetInt(i-1))
		}
		t.RawSetInt(at, L.Get(3))
	default:
		L.RaiseError("wrong number of arguments to 'insert'")
	}
	return 0
}

func removeFromTable(L *lua.LState) int {
	t := L.CheckTable(1)
	at, end := L.OptInt(2, t.Len()), t.Len()
	if at < 1 || at > end {
		return 0
	}
	return push(L, t.Remove(at))
}

func obsolete(L *lua.LState) int {
	L.RaiseError("'setn' is obsolete")
	return 0
}

// forEach implements table.foreach, which ends with the first result that is not nil.
func forEach(L *lua.LState) int {
	t, f := L.CheckTable(1), L.CheckFunction(2)
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		if n := callback(L, f, k, v); n > 0 {
			return n
		}
	}
	return 0
}

func forEachIndex(L *lua.LState) int {
	t, f := L.CheckTable(1), L.CheckFunction(2)
	for i := 1; i <= t.Len(); i++ {
		if n := callback(L, f, lua.LNumber(i), t.RawGetInt(i)); n > 0 {
			return n
		}
	}
	return 0
}

// push returns one value to Lua.
func push(L *lua.LState, v lua.LValue) int {
	L.Push(v)
	return 1
}

// callback calls f. If the result is not nil, it leaves it on the stack and returns 1.
func callback(L *lua.LState, f *lua.LFunction, args ...lua.LValue) int {
	L.Push(f)
	for _, arg := range args {
		L.Push(arg)
	}
	L.Call(len(args), 1)
	if L.Get(-1) != lua.LNil {
		return 1
	}
	L.Pop(1)
	return 0
}

// text returns an argument that is a string or a number as text.
func text(L *lua.LState, arg int) string {
	if n, ok := L.Get(arg).(lua.LNumber); ok {
		return shortNumber(float64(n))
	}
	return L.CheckString(arg)
}

// number returns an argument that is a number or a string with a number.
func number(L *lua.LState, arg int) float64 {
	if text, ok := L.Get(arg).(lua.LString); ok {
		if n, ok := luaNumber(trimLua(string(text)), 10); ok {
			return n
		}
	}
	return float64(L.CheckNumber(arg))
}
