package redis

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// ScriptCache keeps compiled scripts by the SHA-1 of their text, and the Lua
// states of servers that were closed. The servers of many runs may share one,
// on any number of goroutines: a compiled script never changes, and no script
// can change a state for the next one. It does not decide whether a server
// knows a script.
type ScriptCache struct {
	mu     sync.Mutex
	protos map[string]*lua.FunctionProto
	idle   []*sandbox
}

// NewScriptCache returns an empty cache.
func NewScriptCache() *ScriptCache {
	return &ScriptCache{protos: map[string]*lua.FunctionProto{}}
}

// compile returns the script compiled.
func (c *ScriptCache) compile(sha, text string) (*lua.FunctionProto, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if proto := c.protos[sha]; proto != nil {
		return proto, nil
	}
	chunk, err := parse.Parse(strings.NewReader(text), chunkName)
	if err != nil {
		return nil, err
	}
	proto, err := lua.Compile(chunk, chunkName)
	if err != nil {
		return nil, err
	}
	// A script has no arguments, and a main chunk no name for a table of them:
	// without this mark, Lua makes one at every call.
	proto.IsVarArg &^= lua.VarArgNeedsArg
	c.protos[sha] = proto
	return proto, nil
}

// take returns a sandbox whose scripts call the given function.
func (c *ScriptCache) take(call func(words []string) Reply) *sandbox {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.idle)
	if n == 0 {
		return newSandbox(call)
	}
	b := c.idle[n-1]
	c.idle = c.idle[:n-1]
	b.call = call
	return b
}

// giveBack keeps a sandbox for the next server.
func (c *ScriptCache) giveBack(b *sandbox) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b.call = nil
	c.idle = append(c.idle, b)
}

// chunkName is what Redis calls every script in its messages.
const chunkName = "user_script"

// scripts runs the scripts of one server, on one Lua state, which is made at
// the first of them.
type scripts struct {
	cache    *ScriptCache
	engine   *engine
	sandbox  *sandbox
	known    map[string]*lua.LFunction // by SHA-1: what EVALSHA finds
	readOnly bool                      // the script that runs may not write
}

func newScripts(cache *ScriptCache, e *engine) *scripts {
	return &scripts{cache: cache, engine: e, known: map[string]*lua.LFunction{}}
}

// eval answers EVAL, EVALSHA and their read-only forms.
func (s *scripts) eval(args []string) Reply {
	if len(args) < 3 {
		return wrongArity(args[0])
	}
	count, err := strconv.ParseInt(args[2], 10, 64)
	switch {
	case err != nil:
		return errorReply("ERR value is not an integer or out of range")
	case count < 0:
		return errorReply("ERR Number of keys can't be negative")
	case count > int64(len(args)-3):
		return errorReply("ERR Number of keys can't be greater than number of args")
	}
	keys, argv := args[3:3+count], args[3+count:]
	var sha string
	if strings.HasPrefix(args[0], "evalsha") {
		sha = strings.ToLower(args[1])
		if s.known[sha] == nil {
			return errorReply("NOSCRIPT No matching script. Please use EVAL.")
		}
	} else {
		var failed *Reply
		if sha, failed = s.load(args[1]); failed != nil {
			return *failed
		}
	}
	s.readOnly = strings.HasSuffix(args[0], "_ro")
	return s.sandbox.run(s.known[sha], sha, keys, argv)
}

// load makes a script known and returns its SHA-1, or the error to answer.
func (s *scripts) load(text string) (string, *Reply) {
	sum := sha1.Sum([]byte(text))
	sha := hex.EncodeToString(sum[:])
	if s.known[sha] != nil {
		return sha, nil
	}
	proto, err := s.cache.compile(sha, text)
	if err != nil {
		reply := errorReply("ERR Error compiling script (new function): %s", oneLine(err.Error()))
		return "", &reply
	}
	if s.sandbox == nil {
		s.sandbox = s.cache.take(s.call)
	}
	s.known[sha] = s.sandbox.function(proto)
	return sha, nil
}

// script answers SCRIPT LOAD, EXISTS and FLUSH.
func (s *scripts) script(args []string) Reply {
	sub := ""
	if len(args) > 1 {
		sub = strings.ToLower(args[1])
	}
	switch {
	case sub == "load" && len(args) == 3:
		sha, failed := s.load(args[2])
		if failed != nil {
			return *failed
		}
		return Reply{Kind: Bulk, Text: sha}
	case sub == "exists" && len(args) > 2:
		reply := Reply{Kind: Array}
		for _, sha := range args[2:] {
			elem := Reply{Kind: Integer}
			if s.known[strings.ToLower(sha)] != nil {
				elem.Int = 1
			}
			reply.Elems = append(reply.Elems, elem)
		}
		return reply
	case sub == "flush" && len(args) <= 3:
		clear(s.known)
		return okReply()
	}
	return refusal(strings.TrimSpace("script " + sub))
}

// call is redis.call and redis.pcall: the command path of the keyspace, with
// the messages that scripts see.
func (s *scripts) call(words []string) Reply {
	e := s.engine
	args := e.lower(words)
	switch args[0] {
	case "ping":
		return ping(args)
	case "eval", "evalsha", "eval_ro", "evalsha_ro", "script", "multi", "exec", "discard", "select",
		"hello", "client", "wait", "blpop", "brpop", "subscribe", "psubscribe", "monitor", "watch", "unwatch":
		return errorReply("ERR This Redis command is not allowed from script")
	}
	if !e.store.knows(args[0]) {
		return errorReply("ERR Unknown Redis command called from script")
	}
	if s.readOnly && !e.store.redis.Server().IsReadOnlyCommand(args[0]) {
		return errorReply("ERR Write commands are not allowed from read-only scripts.")
	}
	reply := e.store.run(args)
	if reply.Kind == Error && strings.HasPrefix(reply.Text, "ERR wrong number of arguments") {
		return errorReply("ERR Wrong number of args calling Redis command from script")
	}
	return reply
}
