package lua

import (
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"lockquake/sim/redis/resp"
)

// Cache has compiled scripts by the SHA-1 of their text, and the closed states. The servers of many
// runs may share one, on any number of goroutines: a compiled script never changes, and no script
// can change a state for the next one. Whether a server has loaded a script is not its concern.
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
	if err := adapt(chunk); err != nil {
		return nil, err
	}
	proto, err := lua.Compile(chunk, chunkName)
	if err != nil {
		return nil, err
	}
	// A script has no arguments. Without this change, Lua would make a table of arguments at every
	// call.
	proto.IsVarArg &^= lua.VarArgNeedsArg
	c.protos[sha] = proto
	return proto, nil
}

// chunkName is the name of every script in messages of Redis.
const chunkName = "user_script"
