package redis

import (
	"fmt"
	"time"

	"lockquake/history"
	"lockquake/sim"
)

// Options are the settings of a server. The zero value is a server that
// reports nothing.
type Options struct {
	// Locks says which keys the run uses as locks; nil for none.
	Locks func(key string) bool
	// Record receives what truly happened to those keys: granted, refused,
	// renewed, freed, expired. The time and the node are filled in.
	Record func(history.Event)
	// Monotonic lets keys expire by the node's monotonic clock, which nobody
	// can set, instead of its wall clock, as Redis does.
	Monotonic bool
	// Scripts are compiled scripts to share with other servers; nil for a
	// cache of its own.
	Scripts *ScriptCache
}

// Server is one simulated Redis. It answers a request at the instant at which
// it arrives.
type Server struct {
	node    *sim.Node
	options Options
	engine  *engine
	watch   *watch
	origin  time.Time // of the monotonic clock
}

var _ sim.Server = (*Server)(nil)

// New starts a server without data on the node.
func New(node *sim.Node, o Options) (*Server, error) {
	if o.Locks == nil {
		o.Locks = func(string) bool { return false }
	}
	if o.Record == nil {
		o.Record = func(history.Event) {}
	}
	if o.Scripts == nil {
		o.Scripts = NewScriptCache()
	}
	e, err := newEngine(o.Scripts)
	if err != nil {
		return nil, fmt.Errorf("redis on %s: %w", node.Name(), err)
	}
	s := &Server{node: node, options: o, engine: e, origin: node.Now().Add(-node.Mono())}
	s.watch = &watch{server: s, held: map[string]*grant{}}
	e.store.touched, e.store.expired = s.watch.touch, s.watch.expired
	node.Listen(s)
	return s, nil
}

// Close ends the use of the server, and leaves what was dear to make to the
// next one that shares its ScriptCache.
func (s *Server) Close() {
	if b := s.engine.scripts.sandbox; b != nil {
		s.engine.scripts.sandbox = nil
		clear(s.engine.scripts.known)
		s.options.Scripts.giveBack(b)
	}
}

// now is the clock by which keys expire.
func (s *Server) now() time.Time {
	if s.options.Monotonic {
		return s.origin.Add(s.node.Mono())
	}
	return s.node.Now()
}

// record fills in when and where.
func (s *Server) record(e history.Event) {
	e.At, e.Node = s.node.World().Time(), s.node.Name()
	s.options.Record(e)
}

// Serve implements sim.Server.
func (s *Server) Serve(c *sim.Call) {
	var reply *Reply
	switch request := c.Req.(type) {
	case *Command:
		reply = &request.reply
		*reply = s.engine.run(s.now(), request.Args)
		s.watch.settle(c, request.Args, reply)
	case *Pipeline:
		all := s.engine.runPipeline(s.now(), request.Commands, func(words []string, r *Reply) {
			s.watch.settle(c, words, r)
		})
		reply = &all
	default:
		broken := errorReply("ERR Protocol error: %T is no command", request)
		reply = &broken
	}
	c.Applied()
	c.Reply(reply)
}

// Closed implements sim.Server. A connection leaves nothing behind.
func (s *Server) Closed(*sim.Session, error) {}
