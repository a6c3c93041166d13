package lua

import (
	"errors"
	"strconv"

	lua "github.com/yuin/gopher-lua"
)

// chooseGlobals returns the global names of scripts in Redis.
func (s *State) chooseGlobals() *lua.LTable {
	L := s.lua
	all := L.G.Global
	globals := L.NewTable()
	for _, name := range []string{
		"assert", "getmetatable", "ipairs", "next", "pairs", "rawequal", "rawget",
		"select", "type", "unpack", "xpcall", "_VERSION",
	} {
		globals.RawSetString(name, all.RawGetString(name))
	}
	L.SetFuncs(globals, map[string]lua.LGFunction{
		"error": raise, "pcall": protectedCall, "rawset": s.rawSet, "setmetatable": s.setMetatable,
		"tonumber": coerced(toNumber, ".n"), "tostring": toString, operandName: operand,
	})
	for _, part := range loopParts() {
		globals.RawSetString(loopName(part), L.NewFunction(loopValue(part)))
	}
	numbers := all.RawGetString(lua.MathLibName).(*lua.LTable)
	numbers.RawSetString("random", L.NewFunction(coerced(s.mathRandom, "n")))
	numbers.RawSetString("randomseed", L.NewFunction(coerced(s.mathSeed, "n")))
	globals.RawSetString(lua.MathLibName, s.protect(numbers))
	globals.RawSetString(lua.TabLibName, s.protect(all.RawGetString(lua.TabLibName).(*lua.LTable)))
	// The library of strings is also the metatable of every string.
	text := all.RawGetString(lua.StringLibName).(*lua.LTable)
	text.RawSetString("__index", s.protect(text))
	text.RawSetString("__metatable", lua.LFalse)
	globals.RawSetString(lua.StringLibName, s.protect(text))
	globals.RawSetString("redis", s.protect(s.redisTable()))
	globals.RawSetString("cjson", s.protect(jsonTable(L)))
	globals.RawSetString("bit", s.protect(bitTable(L)))

	missing := L.NewTable()
	missing.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		switch name := L.ToString(2); name {
		case "coroutine", "collectgarbage", "gcinfo", "load", "loadstring", "struct", "cmsgpack":
			s.refuse(name + " in a script")
		}
		L.RaiseError("Script attempted to access nonexistent global variable '%s'", L.ToString(2))
		return 0
	}))
	globals.Metatable = missing
	return globals
}

// protect returns a read-only view of t.
func (s *State) protect(t *lua.LTable) *lua.LTable {
	front, meta := s.lua.NewTable(), s.lua.NewTable()
	meta.RawSetString("__index", t)
	meta.RawSetString("__newindex", s.lua.NewFunction(readOnlyTable))
	meta.RawSetString("__metatable", lua.LFalse)
	front.Metatable = meta
	s.protected[front] = true
	return front
}

func readOnlyTable(L *lua.LState) int {
	L.RaiseError("Attempt to modify a readonly table")
	return 0
}

func (s *State) rawSet(L *lua.LState) int {
	t := L.CheckTable(1)
	if s.protected[t] {
		return modifyReadOnly(L)
	}
	L.RawSet(t, L.CheckAny(2), L.CheckAny(3))
	return 0
}

// setMetatable implements setmetatable.
func (s *State) setMetatable(L *lua.LState) int {
	t := L.CheckTable(1)
	if s.protected[t] {
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

// errorPlace returns the file and line to which an error is attributed, as Lua writes them; level 1
// is the function that raised it. It is empty for a Go function.
func errorPlace(L *lua.LState, level int) string {
	frame, ok := L.GetStack(level)
	if !ok {
		return ""
	}
	if _, err := L.GetInfo("Sl", frame, lua.LNil); err != nil || frame.CurrentLine <= 0 {
		return ""
	}
	return chunkName + ":" + strconv.Itoa(frame.CurrentLine) + ": "
}
