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
// it arrives, unless that is a WAIT or blocks.
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
		if reply, more, ok := s.listening(c.Session, request.Args); ok {
			request.reply = reply
			s.endIfMissing(c)
			c.Applied()
			c.Reply(&request.reply)
			for i := range more {
				c.Session.Push(more[i].Elems[0].Text, &more[i])
			}
			return
		}
		switch {
		case inTransaction(c.Session) || ofConnection(request.Args):
			s.servePipeline(c, [][]string{request.Args}, nil, func(all []Reply) {
				request.reply = all[0]
				c.Reply(&request.reply)
			})
		case blocks(request.Args):
			c.Applied()
			s.suspend(c, request.Args, func(r Reply) {
				request.reply = r
				c.Reply(&request.reply)
			})
		default:
			request.reply = s.engine.run(s.now(), request.Args)
			s.settle(c, request.Args, &request.reply)
			c.Applied()
			c.Reply(&request.reply)
			s.serveBlocked()
		}
	case *Pipeline:
		s.servePipeline(c, request.Commands, nil, func(all []Reply) { c.Reply(&Reply{Kind: Array, Elems: all}) })
	default:
		c.Applied()
		c.Reply(s.Failure(c, fmt.Sprintf("ERR Protocol error: %T is no command", request)))
	}
}

// servePipeline carries out the commands up to the first one that waits, and
// goes on when that is over. The replies are those to earlier ones, and answer
// is given all of them.
func (s *Server) servePipeline(c *sim.Call, commands [][]string, replies []Reply, answer func([]Reply)) {
	connection := connectionOf(c.Session)
	n := firstBlocking(commands, connection.open)
	part := s.engine.runPipeline(connection, s.now(), commands[:n], func(words []string, r *Reply) { s.settle(c, words, r) }, s.serveBlocked)
	if replies == nil {
		replies = part.Elems
		c.Applied()
	} else {
		replies = append(replies, part.Elems...)
	}
	if n == len(commands) {
		answer(replies)
		return
	}
	s.suspend(c, commands[n], func(r Reply) { s.servePipeline(c, commands[n+1:], append(replies, r), answer) })
}

// settle looks at what a command has done.
func (s *Server) settle(c *sim.Call, words []string, reply *Reply) {
	s.watch.settle(c, words, reply)
	if s.journal != nil {
		s.journal.settle()
	}
	s.seen(c)
	s.endIfMissing(c)
}

// endIfMissing ends the run if something was asked for that is not simulated.
func (s *Server) endIfMissing(c *sim.Call) {
	if what := s.engine.store.missing; what != "" {
		s.node.World().Fail(&NotSimulatedError{Worker: c.Worker, Op: c.Op, What: what})
	}
}

// NotSimulatedError says that a worker has asked for something that the
// simulated Redis does not have. It ends the run, which says nothing then.
type NotSimulatedError struct {
	Worker, Op string
	What       string // the command, in upper case, or what it asked of go-redis
	Hint       string // what is simulated in its place; "" for nothing
}

func (e *NotSimulatedError) Error() string {
	text := fmt.Sprintf("%s (%s) sent %s, which is not simulated", e.Worker, e.Op, e.What)
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return text
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

// Closed implements sim.Server. Who listened, watched or waited does so no more.
func (s *Server) Closed(session *sim.Session, _ error) {
	s.leave(session)
	for channel := range s.channels {
		s.channels.leave(session, channel)
	}
}
