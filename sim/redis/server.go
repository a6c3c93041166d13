package redis

import (
	"fmt"
	"slices"
	"time"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/sim"
	"lockquake/sim/redis/keyspace"
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
	Scripts *keyspace.ScriptCache
}

// Server is one simulated Redis. It answers a request at the instant at which
// it arrives, unless that is a WAIT or blocks.
type Server struct {
	node      *sim.Node
	options   Options
	keys      *keyspace.Keyspace
	watch     *watch
	origin    time.Time // of the monotonic clock
	journal   *journal  // nil: nothing lives on what commands do
	staleBy   time.Duration
	group     *Group // nil: it has no replicas
	waiters   []*waiter
	suspended []*suspended

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
		o.Scripts = keyspace.NewScriptCache()
	}
	if o.Name == "" {
		o.Name = node.Name()
	}
	s := &Server{node: node, options: o, origin: node.Now().Add(-node.Mono()), channels: channels{}}
	s.watch = newWatch(s)
	var err error
	s.keys, err = keyspace.New(o.Scripts, keyspace.Hooks{
		Named: s.named, Expired: s.expired, Follows: s.replicates, Publish: s.channels.publish,
		Acknowledged: func() int64 { return s.acknowledged(s.offset()) },
	})
	if err != nil {
		return nil, fmt.Errorf("redis on %s: %w", node.Name(), err)
	}
	s.beginJournal(map[string]image{})
	node.Listen(s)
	return s, nil
}

// Close ends the use of the server, and leaves what was costly to make to the
// next one that shares its ScriptCache.
func (s *Server) Close() { s.keys.Close() }

// Enter puts the server into a condition until Leave has been called as often.
func (s *Server) Enter(c keyspace.Condition) { s.keys.Enter(c) }

// Leave takes back one Enter.
func (s *Server) Leave(c keyspace.Condition) { s.keys.Leave(c) }

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
	case *keyspace.Command:
		if reply, more, ok := s.listening(c.Session, request.Args); ok {
			s.endIfMissing(c)
			c.Applied()
			c.Reply(request.Answer(reply))
			for i := range more {
				c.Session.Push(more[i].Elems[0].Text, &more[i])
			}
			return
		}
		switch {
		case inTransaction(c.Session) || keyspace.OfConnection(request.Args):
			s.servePipeline(c, [][]string{request.Args}, nil, func(all []keyspace.Reply) {
				c.Reply(request.Answer(all[0]))
			})
		case keyspace.Blocks(request.Args):
			c.Applied()
			s.suspend(c, request.Args, func(r keyspace.Reply) {
				c.Reply(request.Answer(r))
			})
		default:
			reply := request.Answer(s.keys.Run(s.now(), request.Args))
			s.settle(c, request.Args, reply)
			c.Applied()
			c.Reply(reply)
			s.keys.ServeBlocked()
		}
	case *keyspace.Pipeline:
		s.servePipeline(c, request.Commands, nil, func(all []keyspace.Reply) { c.Reply(&keyspace.Reply{Kind: keyspace.Array, Elems: all}) })
	default:
		c.Applied()
		c.Reply(s.Failure(c, fmt.Sprintf("ERR Protocol error: %T is no command", request)))
	}
}

// servePipeline carries out the commands up to the first one that waits, and
// goes on when that is over. The replies are those to earlier ones, and answer
// is given all of them.
func (s *Server) servePipeline(c *sim.Call, commands [][]string, replies []keyspace.Reply, answer func([]keyspace.Reply)) {
	connection := connectionOf(c.Session)
	n := connection.FirstBlocking(commands)
	part := s.keys.RunPipeline(&connection.Connection, s.now(), commands[:n], func(words []string, r *keyspace.Reply) { s.settle(c, words, r) }, s.keys.ServeBlocked)
	if replies == nil {
		replies = part
		c.Applied()
	} else {
		replies = append(replies, part...)
	}
	if n == len(commands) {
		answer(replies)
		return
	}
	s.suspend(c, commands[n], func(r keyspace.Reply) { s.servePipeline(c, commands[n+1:], append(replies, r), answer) })
}

// settle looks at what a command has done.
func (s *Server) settle(c *sim.Call, words []string, reply *keyspace.Reply) {
	s.watch.settle(c, words, reply)
	if s.journal != nil {
		s.journal.settle()
	}
	s.seen(c)
	s.endIfMissing(c)
}

// endIfMissing ends the run if something was asked for that is not simulated.
func (s *Server) endIfMissing(c *sim.Call) {
	if what := s.keys.Missing(); what != "" {
		s.node.World().Fail(&keyspace.NotSimulatedError{Worker: c.Worker, Op: c.Op, What: what})
	}
}

// Failure implements sim.Failer: an error as Redis sends it, whose first word
// is its code.
func (s *Server) Failure(c *sim.Call, text string) any {
	failed := keyspace.Reply{Kind: keyspace.Error, Text: text}
	if p, ok := c.Req.(*keyspace.Pipeline); ok {
		return &keyspace.Reply{Kind: keyspace.Array, Elems: slices.Repeat([]keyspace.Reply{failed}, len(p.Commands))}
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
