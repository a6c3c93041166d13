package scenarios_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/lock"
	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/backend"
)

// A second family of lock servers, as small as one can be: a server whose only request
// is a compare-and-set of a register, and a lock that takes the register from empty to
// its own name. All of it is in this file. A real one has the server under sim and
// the lock under lock, and is one more line in Families.

// toySettings are its keys in a scenario file.
type toySettings struct {
	Toy struct {
		Wait  time.Duration `yaml:"wait" doc:"how long a client waits for a reply" min:"1ms" max:"1m"`
		Dials int           `yaml:"dials" doc:"how often a client dials before it gives up" min:"1" max:"9"`
	} `yaml:"toy" doc:"the clients of the toy servers"`
}

func toyDefaults() (s toySettings) {
	s.Toy.Wait, s.Toy.Dials = time.Second, 3
	return s
}

func toyOf(s backend.Settings) toySettings {
	set := toyDefaults()
	s.Apply(&set)
	return set
}

func toyFamily() backend.Family {
	return backend.Family{
		Family: lock.Family{Name: "toy", Strategies: []lock.Entry{{
			Name: "toy-cas", Doc: "a register is set from empty to the holder, for a ttl",
			Defaults: lock.Params{TTL: 2 * time.Second, Retry: lock.Retry{Attempts: 20, Delay: 100 * time.Millisecond}},
			New: func(d lock.Deps) lock.Strategy {
				return lock.WithLock(&toyLocker{d.Env, d.Port.(toyPort), d.Params, d.Env.Rand("lock")})
			},
		}}},
		Doc:          "one register for each lock, with compare-and-set",
		Settings:     toyDefaults(),
		ReplyTimeout: backend.ReplyTimeout{Key: "toy.wait", Of: func(s backend.Settings) time.Duration { return toyOf(s).Toy.Wait }},
		Start:        startToys,
		Prototype:    &toyCluster{},
	}
}

// toySwap sets a register to New if it holds Old, "" for empty. With a TTL it is empty
// again after that.
type toySwap struct {
	Key, Old, New string
	TTL           time.Duration
}

func (q *toySwap) AppendTrace(b []byte) []byte {
	return fmt.Appendf(b, "%s %q->%q", q.Key, q.Old, q.New)
}

// toyReply is the answer.
type toyReply struct{ swapped bool }

func (r *toyReply) AppendTrace(b []byte) []byte { return fmt.Appendf(b, "%t", r.swapped) }

// toyCluster is a backend.Cluster whose servers crash and lose their data.
type toyCluster struct {
	world   *sim.World
	layout  backend.Layout
	servers map[string]*toyServer
}

func startToys(s backend.Start) (backend.Cluster, error) {
	c := &toyCluster{s.World, s.Layout, map[string]*toyServer{}}
	for _, name := range s.Layout.Names {
		node := s.World.AddNode(name, sim.NodeConfig{WallOffset: s.Layout.WallOffset(name)})
		c.servers[name] = &toyServer{node, s.Locks, map[string]*toyRegister{}}
		node.Listen(c.servers[name])
	}
	return c, nil
}

func (c *toyCluster) Names() []string   { return c.layout.Names }
func (c *toyCluster) Serving() []string { return c.layout.Names[:1] }
func (c *toyCluster) Replicated() bool  { return false }
func (c *toyCluster) Requests() int64   { return c.world.Node(c.layout.Names[0]).Requests() }
func (c *toyCluster) Close()            {}

func (c *toyCluster) Connect(p *sim.Process, s backend.Settings) any {
	client := &toyClient{process: p, node: c.layout.Names[0], settings: toyOf(s)}
	return client
}

// Crash implements backend.Crasher.
func (c *toyCluster) Crash(nodes []string, _ faults.Data, d time.Duration) {
	for _, name := range nodes {
		s := c.servers[name]
		for key, r := range s.registers { // the order does not show: one run has one lock
			s.set(key, "", 0)
			s.tell(history.Event{Type: history.Evicted, Key: key, Owner: r.owner})
		}
		s.node.Crash()
		c.world.At(c.world.Time()+d+c.layout.Silence, func() {
			s.node.Restart()
			c.layout.Record(history.Event{Type: history.Restarted, Node: name})
		})
	}
}

// toyServer implements sim.Server.
type toyServer struct {
	node      *sim.Node
	locks     backend.Locks
	registers map[string]*toyRegister
}

type toyRegister struct {
	owner string
	end   *sim.WallTimer
}

func (s *toyServer) Closed(*sim.Session, error) {}

func (s *toyServer) Serve(c *sim.Call) {
	q := c.Req.(*toySwap)
	held := ""
	if r := s.registers[q.Key]; r != nil {
		held = r.owner
	}
	swapped := held == q.Old
	if swapped {
		s.set(q.Key, q.New, q.TTL)
	}
	e := history.Event{Key: q.Key, Worker: c.Worker, Request: c.Request, Op: c.Op}
	switch {
	case q.New != "" && swapped:
		e.Type, e.Owner, e.Until = history.Granted, q.New, s.node.World().Time()+q.TTL
		s.tell(e)
	case q.New != "":
		e.Type, e.Owner = history.Refused, held
		s.tell(e)
	case swapped:
		e.Type, e.Owner = history.Freed, q.Old
		s.tell(e)
	}
	c.Applied()
	c.Reply(&toyReply{swapped})
}

// set gives a register an owner, "" for none.
func (s *toyServer) set(key, owner string, ttl time.Duration) {
	if r := s.registers[key]; r != nil {
		r.end.Stop()
		delete(s.registers, key)
	}
	if owner == "" {
		return
	}
	s.registers[key] = &toyRegister{owner, s.node.AtWall(s.node.Now().Add(ttl), func() {
		delete(s.registers, key)
		s.tell(history.Event{Type: history.Expired, Key: key, Owner: owner})
	})}
}

func (s *toyServer) tell(e history.Event) {
	if e.Node = s.node.Name(); s.locks.IsLock(e.Key) {
		s.locks.Record(e)
	}
}

// toyPort is what a lock of the family asks of its servers.
type toyPort interface {
	Swap(ctx context.Context, q toySwap) (bool, error)
}

// toyClient implements toyPort for the workers of one process.
type toyClient struct {
	process  *sim.Process
	node     string
	settings toySettings
	conn     *sim.Conn
}

func (c *toyClient) Swap(ctx context.Context, q toySwap) (bool, error) {
	for n := 1; c.conn == nil || c.conn.Err() != nil; n++ {
		conn, err := c.process.Dial(ctx, c.node, c.settings.Toy.Wait)
		if err == nil {
			c.conn = conn
		} else if n >= c.settings.Toy.Dials {
			return false, err
		}
	}
	reply, err := c.conn.Call(ctx, env.Op(ctx), &q, c.settings.Toy.Wait)
	if err != nil {
		c.conn.Close()
		return false, err
	}
	return reply.(*toyReply).swapped, nil
}

// toyLocker implements lock.Locker. It never looks at a clock, as many do not.
type toyLocker struct {
	env    env.Env
	port   toyPort
	params lock.Params
	random *rand.Rand
}

func (l *toyLocker) Acquire(ctx context.Context, key string) (lock.Lease, error) {
	q := toySwap{Key: key, New: fmt.Sprintf("%016x", l.random.Uint64()), TTL: l.params.TTL}
	for n := 1; ; n++ {
		won, err := l.port.Swap(env.WithOp(ctx, "acquire"), q)
		switch {
		case err != nil:
			_ = toyLease{l, ctx, q}.Release(ctx) // nobody must be kept out by a holder that knows nothing of it
			return nil, fmt.Errorf("acquire %s: %w: %w", key, lock.ErrUnknown, err)
		case won:
			return toyLease{l, ctx, q}, nil
		case n >= int(l.params.Retry.Attempts):
			return nil, fmt.Errorf("acquire %s: %w", key, lock.ErrNotObtained)
		}
		if err := l.env.Sleep(ctx, l.params.Retry.Delay); err != nil {
			return nil, err
		}
	}
}

type toyLease struct {
	locker *toyLocker
	ctx    context.Context
	taken  toySwap
}

func (l toyLease) Context() context.Context { return l.ctx }
func (l toyLease) Check() error             { return nil }
func (l toyLease) Token() int64             { return 0 }

func (l toyLease) Release(ctx context.Context) error {
	was, err := l.locker.port.Swap(env.WithOp(ctx, "release"), toySwap{Key: l.taken.Key, Old: l.taken.New})
	switch {
	case err != nil:
		return fmt.Errorf("release: %w: %w", lock.ErrUnknown, err)
	case !was:
		return lock.ErrLost
	}
	return nil
}
