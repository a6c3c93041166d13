package redis

import (
	"fmt"
	"slices"
	"time"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/sim"
	"lockquake/sim/redis/keyspace"
	"lockquake/sim/redis/lua"
	"lockquake/sim/redis/resp"
)

// Options are the settings of a server. A server with the zero value records nothing.
type Options struct {
	// Locks reports whether the run uses a key as a lock; nil means no key.
	Locks func(key string) bool
	// LockOf returns the lock that such a key belongs to, and Records the keys of a lock. They may
	// be nil if each lock has one key with its own name.
	LockOf  func(key string) string
	Records func(name string) []string
	// Permits is how many permits each lock has; 0: none.
	Permits int
	// Holders reads the holders of a lock from its keys. If it is nil, the holder is the string of
	// the lock's only key, or with Guess the result of lock.ReadHolders. Unread is called for a
	// lock that they cannot read, with the reason; with Guess also for one that they seem to have
	// misread.
	Holders lock.Holders
	Guess   bool
	Unread  func(name, why string)
	// Record receives the events of the locks: granted, refused, renewed, freed, expired. Time and
	// node are filled in.
	Record func(history.Event)
	// Monotonic makes keys expire by the node's monotonic clock, which cannot be set, instead of
	// its wall clock, which Redis uses.
	Monotonic bool
	// Persistence says which data survives a crash; "" means PersistNone.
	Persistence Persistence
	// Name is the node name in the recorded events; "" means the name of the node.
	Name string
	// Scripts is a cache of compiled scripts to share with other servers; nil means a new one.
	Scripts *lua.Cache
}

// Server is a simulated Redis. It answers a command when it arrives, unless the command blocks.
type Server struct {
	node    *sim.Node
	options Options
	keys    *keyspace.Keyspace
	watch   *watch
	origin  time.Time  // wall time at which the monotonic clock was 0
	log     *effectLog // nil: nothing needs it
	staleBy time.Duration
	group   *Group // nil: it has no replicas
	waiters []*waiter
	blocked []*blockedCommand

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
		o.Scripts = lua.NewCache()
	}
	if o.Name == "" {
		o.Name = node.Name()
	}
	s := &Server{node: node, options: o, origin: node.Now().Add(-node.Mono()), channels: channels{}}
	s.watch = newWatch(s)
	var err error
	s.keys, err = keyspace.New(o.Scripts, keyspace.Hooks{
		Named: s.keyNamed, Expired: s.keyExpired, Follows: s.replicates, Publish: s.channels.publish,
		Acknowledged: func() int64 { return s.acknowledged(s.offset()) },
	})
	if err != nil {
		return nil, fmt.Errorf("redis on %s: %w", node.Name(), err)
	}
	s.beginLog(map[string]image{})
	node.Listen(s)
	return s, nil
}

// Close frees the server. The next server that shares its scripts can reuse what was costly to
// make.
func (s *Server) Close() { s.keys.Close() }

// Enter puts the server into a condition. Each Enter needs one Leave.
func (s *Server) Enter(c keyspace.Condition) { s.keys.Enter(c) }

// Leave ends one Enter.
func (s *Server) Leave(c keyspace.Condition) { s.keys.Leave(c) }

// now returns the clock by which keys expire.
func (s *Server) now() time.Time {
	if s.options.Monotonic {
		return s.origin.Add(s.node.Mono())
	}
	return s.node.Now()
}

// record fills in time and node.
func (s *Server) record(e history.Event) {
	e.At, e.Node = s.node.World().Time(), s.options.Name
	s.options.Record(e)
}

// Serve implements sim.Server.
func (s *Server) Serve(c *sim.Call) {
	switch request := c.Req.(type) {
	case *resp.Command:
		if reply, more, ok := s.answerSubscriber(c.Session, request.Args); ok {
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
			s.servePipeline(c, [][]string{request.Args}, nil, func(all []resp.Reply) {
				c.Reply(request.Answer(all[0]))
			})
		case keyspace.Blocks(request.Args):
			c.Applied()
			s.block(c, request.Args, func(r resp.Reply) {
				c.Reply(request.Answer(r))
			})
		default:
			reply := request.Answer(s.keys.Run(s.now(), request.Args))
			s.settle(c, request.Args, reply)
			c.Applied()
			c.Reply(reply)
			s.keys.ServeBlocked()
		}
	case *resp.Pipeline:
		s.servePipeline(c, request.Commands, nil, func(all []resp.Reply) { c.Reply(&resp.Reply{Kind: resp.Array, Elems: all}) })
	default:
		c.Applied()
		s.Fail(c, fmt.Sprintf("ERR Protocol error: %T is no command", request))
	}
}

// servePipeline runs the commands up to the first one that blocks, and continues when that is
// answered. Replies are those to earlier commands. It calls answer with all replies.
func (s *Server) servePipeline(c *sim.Call, commands [][]string, replies []resp.Reply, answer func([]resp.Reply)) {
	connection := connectionOf(c.Session)
	n := connection.FirstBlocking(commands)
	part := s.keys.RunPipeline(&connection.Connection, s.now(), commands[:n], func(words []string, r *resp.Reply) { s.settle(c, words, r) }, s.keys.ServeBlocked)
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
	s.block(c, commands[n], func(r resp.Reply) { s.servePipeline(c, commands[n+1:], append(replies, r), answer) })
}

// settle records what a command has done.
func (s *Server) settle(c *sim.Call, words []string, reply *resp.Reply) {
	s.watch.settle(c, words, reply)
	if s.log != nil {
		s.log.settle()
	}
	s.seen(c)
	s.endIfMissing(c)
}

// endIfMissing ends the run if a command needed something that is not simulated.
func (s *Server) endIfMissing(c *sim.Call) {
	if what := s.keys.Missing(); what != "" {
		err := &keyspace.NotSimulatedError{Worker: c.Worker, Op: c.Op, What: what}
		if what == "HELLO 3" {
			err.Hint = "the servers have RESP2 only; set Protocol: 2 in the options of go-redis, or AlwaysRESP2 in those of rueidis"
		}
		s.node.World().Fail(err)
	}
}

// Fail implements sim.Failer. The text is an error as Redis sends it, beginning with its code.
func (s *Server) Fail(c *sim.Call, text string) {
	failed := resp.Reply{Kind: resp.Error, Text: text}
	if p, ok := c.Req.(*resp.Pipeline); ok {
		c.Reply(&resp.Reply{Kind: resp.Array, Elems: slices.Repeat([]resp.Reply{failed}, len(p.Commands))})
		return
	}
	c.Reply(&failed)
}

// Closed implements sim.Server. It ends the subscriptions, watches and waits of the session.
func (s *Server) Closed(session *sim.Session, _ error) {
	s.disconnect(session)
	for channel := range s.channels {
		s.channels.unsubscribe(session, channel)
	}
}
