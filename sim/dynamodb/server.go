package dynamodb

import (
	"fmt"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/dynamodb/attribute"
	"lockquake/sim/dynamodb/table"
)

// LockTable is the table of locks. The key of an item is its attribute "name".
const LockTable = "locks"

// Server is a simulated DynamoDB on a node. It implements sim.Server and sim.Failer.
type Server struct {
	node    *sim.Node
	locks   backend.Locks
	store   *table.Store
	watch   *watch
	stale   *staleReplica // nil: reads are never stale
	refuses map[faults.Code]int
}

var (
	_ sim.Server = (*Server)(nil)
	_ sim.Failer = (*Server)(nil)
)

// New starts a server with an empty table of locks on the node. A server with the zero value of Locks
// records nothing. The record of an item is called "TABLE/KEY".
func New(node *sim.Node, locks backend.Locks) *Server {
	if locks.Record == nil {
		locks.Record = func(history.Event) {}
	}
	s := &Server{
		node: node, locks: locks, refuses: map[faults.Code]int{},
		store: table.New(table.Schema{Name: LockTable, Keys: []table.KeyAttribute{{Name: "name", Kind: attribute.String}}}),
	}
	s.watch = newWatch(s)
	node.Listen(s)
	return s
}

// record sets time and node of an event.
func (s *Server) record(e history.Event) {
	e.At, e.Node = s.node.World().Time(), s.node.Name()
	s.locks.Record(e)
}

// Serve implements sim.Server.
func (s *Server) Serve(c *sim.Call) {
	r, ok := c.Req.(*table.Request)
	if !ok {
		panic(fmt.Sprintf("dynamodb: a request of type %T", c.Req))
	}
	if c.DropCopy() {
		return
	}
	answer, err := s.execute(r)
	if err != nil { // it needs something that is not simulated
		s.node.World().Fail(fmt.Errorf("%s of %s: %w", c.Op, c.Worker, err))
		answer = &table.Answer{Failure: table.Unavailable("Internal server error")}
	}
	s.applied(c, r, answer)
	c.Applied()
	c.Reply(answer)
}

// execute executes a request. The error is a *table.NotSimulatedError.
func (s *Server) execute(r *table.Request) (*table.Answer, error) {
	if refused := s.refusal(); refused != nil {
		return refused, nil
	}
	store := s.store
	if s.stale != nil && r.Operation == table.GetItem && !r.ConsistentRead {
		store = s.stale.at(s.node.World().Time())
	}
	return store.Execute(s.node.Now(), r)
}

// applied passes on what a request has done.
func (s *Server) applied(c *sim.Call, r *table.Request, a *table.Answer) {
	if s.stale != nil {
		s.stale.add(s.node.World().Time(), a.Changes)
	}
	s.watch.settle(c, r, a)
}

// Closed implements sim.Server. A connection has no state.
func (s *Server) Closed(*sim.Session, error) {}
