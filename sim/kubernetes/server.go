package kubernetes

import (
	"fmt"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/kubernetes/api"
)

// Server is a simulated API server on a node. It implements sim.Server.
type Server struct {
	node    *sim.Node
	locks   backend.Locks
	store   *api.Store
	watch   *watch
	refuses map[faults.Code]int // for each error how many faults make the server answer it
}

// New starts an API server without objects on the node.
func New(node *sim.Node, locks backend.Locks) *Server {
	if locks.Record == nil {
		locks.Record = func(history.Event) {}
	}
	s := &Server{node: node, locks: locks, store: api.New(), refuses: map[faults.Code]int{}}
	s.watch = newWatch(s)
	node.Listen(s)
	return s
}

// Serve implements sim.Server.
func (s *Server) Serve(c *sim.Call) {
	if c.DropCopy() {
		return
	}
	if _, hello := c.Req.(api.Hello); hello {
		c.Applied()
		c.Reply(nil)
		return
	}
	r, ok := c.Req.(*api.Request)
	if !ok {
		panic(fmt.Sprintf("kubernetes: a request of type %T", c.Req))
	}
	response := s.refusal()
	if response == nil {
		response = s.store.Do(r)
		s.watch.served(c, r, response)
	}
	c.Applied()
	c.Reply(response)
}

// Closed implements sim.Server. The API server keeps nothing about a client.
func (s *Server) Closed(*sim.Session, error) {}
