package lua

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"lockquake/sim/redis/resp"
)

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
