package lua

import (
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"lockquake/sim/redis/resp"
)

// Cache has compiled scripts by the SHA-1 of their text, and the closed states. The servers of many
// runs may share one, on any number of goroutines: a compiled script never changes, and no script
// can change a state for the next one. It does not know which server has loaded which script.
type Cache struct {
	mu     sync.Mutex
	protos map[string]*lua.FunctionProto
	idle   []*State
}

// NewCache returns an empty cache.
func NewCache() *Cache { return &Cache{protos: map[string]*lua.FunctionProto{}} }

// Open returns a state for a server: a closed one if there is one. Its scripts run commands by call,
// which must not keep the words, and report features that are not simulated by refuse.
func (c *Cache) Open(call func(words []string) resp.Reply, refuse func(what string) resp.Reply) *State {
	c.mu.Lock()
	defer c.mu.Unlock()
	var s *State
	if n := len(c.idle); n > 0 {
		s, c.idle = c.idle[n-1], c.idle[:n-1]
	} else {
		s = newState(c)
	}
	s.call, s.refuse, s.random = call, refuse, firstRandom
	return s
}

// putBack keeps a closed state.
func (c *Cache) putBack(s *State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = append(c.idle, s)
}

// compile returns the compiled script.
func (c *Cache) compile(sha, text string) (*lua.FunctionProto, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if proto := c.protos[sha]; proto != nil {
		return proto, nil
	}
	chunk, err := parse.Parse(strings.NewReader(text), chunkName)
	if err != nil {
		return nil, err
	}
	var a adapter
	if err := a.adapt(chunk); err != nil {
		return nil, err
	}
	proto, err := compiled(chunk, a.assigns)
	if err != nil {
		return nil, err
	}
	c.protos[sha] = proto
	return proto, nil
}

// arguments lists the globals that a script gets as arguments, since a look-up of a global takes longer
// than most other steps of a script. No script can change them.
func arguments() []string { return []string{"redis", "KEYS", "ARGV"} }

// compiled compiles a parsed script as a function of the arguments. If it assigns to one of them, which
// is an error when it runs, or could not be compiled as such a function, it has no arguments.
func compiled(chunk []ast.Stmt, assigns bool) (*lua.FunctionProto, error) {
	if !assigns {
		function := &ast.FunctionExpr{ParList: &ast.ParList{Names: arguments()}, Stmts: chunk}
		if n := len(chunk); n > 0 {
			function.SetLastLine(chunk[n-1].LastLine() + 1)
		}
		if whole, err := lua.Compile([]ast.Stmt{&ast.ReturnStmt{Exprs: []ast.Expr{function}}}, chunkName); err == nil {
			return whole.FunctionPrototypes[0], nil
		}
	}
	proto, err := lua.Compile(chunk, chunkName)
	if err != nil {
		return nil, err
	}
	// Without this change, Lua would make a table of arguments at every call.
	proto.IsVarArg &^= lua.VarArgNeedsArg
	return proto, nil
}

// chunkName is the name of every script in messages of Redis.
const chunkName = "user_script"
