package redis

import (
	"fmt"
	"slices"
	"time"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/sim"
)

// Options are the settings of a server. The zero value is a server that
// reports nothing.
type Options struct {
	// Locks says which keys the run uses as locks; nil for none.
	Locks func(key string) bool
	// LockOf returns the lock that such a key belongs to, and Records the keys of a
	// lock; nil for locks that have one key, which is called as they are.
	LockOf  func(key string) string
	Records func(name string) []string
	// Holders reads who holds a lock from what its keys hold. Nil stands for the
	// string of its only key, or with Guess for lock.ReadHolders. Unread is told of
	// a lock that they cannot read, and why; with Guess also of one that they seem
	// to have read wrong.
	Holders lock.Holders
	Guess   bool
	Unread  func(name, why string)
	// Record receives what truly happened to the locks: granted, refused,
	// renewed, freed, expired. The time and the node are filled in.
	Record func(history.Event)
	// Monotonic lets keys expire by the node's monotonic clock, which nobody
	// can set, instead of its wall clock, as Redis does.
	Monotonic bool
	// Persistence says what the server still knows after a crash; "" stands
	// for PersistNone.
	Persistence Persistence
	// Name is what the server calls itself in what it records; "" stands for
	// the name of its node.
	Name string
	// Scripts are compiled scripts to share with other servers; nil for a
	// cache of its own.
	Scripts *ScriptCache
}

// Server is one simulated Redis. It answers a request at the instant at which
// it arrives, unless that is a WAIT.
type Server struct {
	node    *sim.Node
	options Options
	engine  *engine
	watch   *watch
	origin  time.Time // of the monotonic clock
	journal *journal  // nil: nothing lives on what commands do
	staleBy time.Duration
	group   *Group // nil: it stands alone
	waiters []*waiter

	channels channels
}

var (
	_ sim.Server = (*Server)(nil)
	_ sim.Failer = (*Server)(nil)
)

// New starts a server without data on the node.
func New(node *sim.Node, o Options) (*Server, error) {
	if o.Locks == nil {
		o.Locks = func(string) bool { return false }
	}
	if o.Unread == nil {
		o.Unread = func(string, string) {}
	}
	if o.Record == nil {
		o.Record = func(history.Event) {}
	}
	if o.Scripts == nil {
		o.Scripts = NewScriptCache()
	}
	if o.Name == "" {
		o.Name = node.Name()
	}
	e, err := newEngine(o.Scripts)
	if err != nil {
		return nil, fmt.Errorf("redis on %s: %w", node.Name(), err)
	}
	s := &Server{node: node, options: o, engine: e, origin: node.Now().Add(-node.Mono()), channels: channels{}}
	s.watch = newWatch(s)
	e.store.touched, e.store.expired = s.named, s.expired
	e.publish = s.channels.publish
	e.acknowledged = func() int64 { return s.acknowledged(s.offset()) }
	e.follows, e.store.follows = s.replicates, s.replicates
	s.beginJournal(map[string]image{})
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
	e.At, e.Node = s.node.World().Time(), s.options.Name
	s.options.Record(e)
}

// Serve implements sim.Server.
func (s *Server) Serve(c *sim.Call) {
	switch request := c.Req.(type) {
	case *Command:
		if reply, ok := s.listening(c.Session, request.Args); ok {
			request.reply = reply
			c.Applied()
			c.Reply(&request.reply)
			return
		}
		if isWait(request.Args) {
			c.Applied()
			s.wait(c, request.Args, func(r Reply) {
				request.reply = r
				c.Reply(&request.reply)
			})
			return
		}
		request.reply = s.engine.run(s.now(), request.Args)
		s.settle(c, request.Args, &request.reply)
		c.Applied()
		c.Reply(&request.reply)
	case *Pipeline:
		s.servePipeline(c, request.Commands, nil)
	default:
		c.Applied()
		c.Reply(s.Failure(c, fmt.Sprintf("ERR Protocol error: %T is no command", request)))
	}
}

// servePipeline carries out the commands up to the first one that waits, and
// goes on when that is over. The replies are those to earlier ones.
func (s *Server) servePipeline(c *sim.Call, commands [][]string, replies []Reply) {
	n := firstWait(commands)
	part := s.engine.runPipeline(s.now(), commands[:n], func(words []string, r *Reply) { s.settle(c, words, r) })
	if replies == nil {
		replies = part.Elems
		c.Applied()
	} else {
		replies = append(replies, part.Elems...)
	}
	if n == len(commands) {
		c.Reply(&Reply{Kind: Array, Elems: replies})
		return
	}
	s.wait(c, commands[n], func(r Reply) { s.servePipeline(c, commands[n+1:], append(replies, r)) })
}

// settle looks at what a command has done.
func (s *Server) settle(c *sim.Call, words []string, reply *Reply) {
	s.watch.settle(c, words, reply)
	if s.journal != nil {
		s.journal.settle()
	}
	s.seen(c)
}

// Failure implements sim.Failer: an error as Redis sends it, whose first word
// is its code.
func (s *Server) Failure(c *sim.Call, text string) any {
	failed := Reply{Kind: Error, Text: text}
	if p, ok := c.Req.(*Pipeline); ok {
		return &Reply{Kind: Array, Elems: slices.Repeat([]Reply{failed}, len(p.Commands))}
	}
	return &failed
}

// Closed implements sim.Server. Who listened does so no more.
func (s *Server) Closed(session *sim.Session, _ error) {
	for channel := range s.channels {
		s.channels.leave(session, channel)
	}
}
