// Package resource simulates the resource that a lock protects: a server with items of one value
// each, which checks the fencing tokens of requests according to its policy. An item with an
// idempotency key (history.Outside) accepts one write.
//
// [Server] runs on a node of a world, a [Client] accesses it for one process, and [Policies] lists
// the policies. A request has an ID. The second copy of a duplicated request has no effect and gets the answer of the
// first. Values and marks are durable and kept for each item; under a volatile policy a crash (crash.go)
// loses the marks. Reads may be answered by a replica that lags (stale.go).
package resource

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/sim"
)

// Request is one read or write.
type Request struct {
	ID    int64 // counts the requests of the run
	Write bool
	Item  string
	Value string // of a write
	Token int64  // 0: none
	// If is the condition of a write; nil: none.
	If *lock.Condition
	// Peek is a read outside of any section, such as a scan for work. It carries no token, is never
	// refused, and is not in the history, since no check uses it.
	Peek bool
}

// Op returns "read", "write" or "peek".
func (r *Request) Op() string {
	switch {
	case r.Peek:
		return "peek"
	case r.Write:
		return "write"
	}
	return "read"
}

// AppendTrace implements sim.Traced.
func (r *Request) AppendTrace(b []byte) []byte {
	b = append(b, r.Op()...)
	b = append(append(b, ' '), r.Item...)
	if r.Write {
		b = append(append(b, '='), r.Value...)
	}
	if r.Token != 0 {
		b = strconv.AppendInt(append(b, " #"...), r.Token, 10)
	}
	switch {
	case r.If == nil:
	case r.If.ByValue:
		b = append(append(b, " if value="...), r.If.Value...)
	default:
		b = strconv.AppendInt(append(b, " if version="...), r.If.Version, 10)
	}
	return b
}

// Reply is the answer to a Request.
type Reply struct {
	Value    string // of a read
	Version  int64  // of the item after the request; 0: it does not exist
	Refused  bool   // the token was refused, and the request had no effect
	Conflict bool   // the condition did not hold, and the request had no effect
	Failed   string // the server's error, if it answered one
}

// AppendTrace implements sim.Traced.
func (r *Reply) AppendTrace(b []byte) []byte {
	switch {
	case r.Failed != "":
		return append(append(b, "failed: "...), r.Failed...)
	case r.Refused:
		return append(b, "refused"...)
	case r.Conflict:
		return append(b, "conflict"...)
	}
	return append(b, r.Value...)
}

// Server keeps the items. It implements sim.Server and sim.Failer.
type Server struct {
	node    *sim.Node
	policy  Policy
	record  func(history.Event)
	items   map[string]*item
	copied  map[int64]*Reply // to requests that the network duplicates, by ID
	stale   *staleReplica    // nil: reads are up to date
	crashes int              // number of crashes
}

// item is a value and the tokens of its requests. Each write raises its version.
type item struct {
	value   string
	version int64 // 0: the item does not exist
	marks   marks
}

// NewServer starts a server with a policy on a node. It calls record for everything that the server
// accepts or refuses. Initial has the items that do not begin empty.
func NewServer(n *sim.Node, policy Policy, initial map[string]string, record func(history.Event)) *Server {
	s := &Server{node: n, policy: policy, record: record, items: map[string]*item{}, copied: map[int64]*Reply{}}
	for name, value := range initial {
		s.items[name] = &item{value: value, version: 1}
	}
	n.Listen(s)
	return s
}

// Value returns the present value of an item.
func (s *Server) Value(name string) string { return s.item(name).value }

func (s *Server) item(name string) *item {
	it := s.items[name]
	if it == nil {
		it = &item{}
		s.items[name] = it
	}
	return it
}

// Serve implements sim.Server.
func (s *Server) Serve(c *sim.Call) {
	r, ok := c.Req.(*Request)
	if !ok {
		panic(fmt.Sprintf("resource: a request of type %T", c.Req))
	}
	if reply := s.copied[r.ID]; reply != nil {
		c.Reply(reply)
		return
	}
	it := s.item(r.Item)
	if r.Peek {
		s.peek(c, r, it)
		return
	}
	if s.stale != nil && !r.Write {
		s.serveStale(c, r, it)
		return
	}
	accept := s.policy.admits(&it.marks, r)
	if r.Write && history.IsKeyed(r.Item) {
		accept = accept && it.value == ""
	}
	if s.policy == CheckThenWrite && accept && r.Write {
		w := s.node.World()
		x := w.Source().Stream("check-then-write", r.Item).At(uint64(r.ID))
		gap := time.Duration(x.Int64N(int64(2 * meanGap)))
		crashes := s.crashes
		w.At(w.Time()+gap, func() {
			if crashes == s.crashes {
				s.finish(c, r, it, true)
			}
		})
		return
	}
	s.finish(c, r, it, accept)
}

// finish applies a request and answers it.
func (s *Server) finish(c *sim.Call, r *Request, it *item, accept bool) {
	conflict := accept && r.If != nil && !r.If.Holds(it.value, it.version)
	reply := &Reply{Refused: !accept, Conflict: conflict}
	prior := it.value
	if accept && !conflict {
		it.marks.raise(s.policy, r)
		if r.Write {
			it.value = r.Value
			it.version++
			if s.stale != nil {
				s.stale.pending = append(s.stale.pending, change{s.node.World().Time(), r.Item, content{r.Value, it.version}})
			}
		} else {
			reply.Value = it.value
		}
	}
	reply.Version = it.version
	s.answer(c, r, it, reply, history.Event{Value: it.value, Prior: prior})
}

// peek answers with the present value, or that of the replica if it serves reads.
func (s *Server) peek(c *sim.Call, r *Request, it *item) {
	value := it.value
	if s.stale != nil {
		value = s.stale.read(s.node.World().Time(), r.Item).value
	}
	c.Applied()
	c.Reply(&Reply{Value: value})
}

// answer records the result of a request and sends the reply. The caller has filled in the values
// of e.
func (s *Server) answer(c *sim.Call, r *Request, it *item, reply *Reply, e history.Event) {
	if c.Copied {
		s.copied[r.ID] = reply
	}
	e.At, e.Type, e.Node, e.Worker, e.Request = s.node.World().Time(), history.Applied, s.node.Name(), c.Worker, r.ID
	e.Op, e.Key, e.Token, e.Mark, e.Accepted = r.Op(), r.Item, r.Token, it.marks.highest(s.policy), !reply.Refused && !reply.Conflict
	s.record(e)
	c.Applied()
	c.Reply(reply)
}

// Closed implements sim.Server.
func (s *Server) Closed(*sim.Session, error) {}

// Client accesses the server for one process, over one connection that it opens on first use. It
// has no timeout and resends nothing.
type Client struct {
	process *sim.Process
	node    string
	conn    *sim.Conn
}

// NewClient returns a client of the server on a node.
func NewClient(p *sim.Process, node string) *Client { return &Client{process: p, node: node} }

// Do sends a request and returns the value of a read. Its errors are those of Ask.
func (c *Client) Do(ctx context.Context, r *Request) (string, error) {
	reply, err := c.Ask(ctx, r)
	return reply.Value, err
}

// Ask sends a request and returns the reply. The error is lock.ErrRefused if the token was refused,
// lock.ErrConflict if the condition did not hold, the cause of ctx, or wraps lock.ErrUnknown. With
// an error the reply is empty.
func (c *Client) Ask(ctx context.Context, r *Request) (Reply, error) {
	if err := c.connect(ctx, r); err != nil {
		return Reply{}, err
	}
	answer, err := c.conn.Call(ctx, r.Op(), r, 0)
	if err != nil {
		return Reply{}, fmt.Errorf("%s %s: %w: %w", r.Op(), r.Item, lock.ErrUnknown, err)
	}
	return r.reply(answer)
}

// connect opens the connection, if there is none.
func (c *Client) connect(ctx context.Context, r *Request) error {
	if c.conn != nil && c.conn.Err() == nil {
		return nil
	}
	conn, err := c.process.Dial(ctx, c.node, 0)
	if err != nil {
		return fmt.Errorf("%s %s: %w", r.Op(), r.Item, err)
	}
	c.conn = conn
	return nil
}

// reply returns the answer to the request, or the error that it stands for.
func (r *Request) reply(answer any) (Reply, error) {
	reply, ok := answer.(*Reply)
	if !ok {
		return Reply{}, fmt.Errorf("%s %s: an answer of type %T", r.Op(), r.Item, answer)
	}
	if reply.Failed != "" {
		// An error does not say whether the request took effect.
		return Reply{}, fmt.Errorf("%s %s: %w: the resource answers %q", r.Op(), r.Item, lock.ErrUnknown, reply.Failed)
	}
	if reply.Refused {
		return Reply{}, fmt.Errorf("%s %s with token %d: %w", r.Op(), r.Item, r.Token, lock.ErrRefused)
	}
	if reply.Conflict {
		return Reply{}, fmt.Errorf("%s %s: %w", r.Op(), r.Item, lock.ErrConflict)
	}
	return *reply, nil
}
