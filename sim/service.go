package sim

import "lockquake/internal/draw"

// service is the queue of a server that takes time for a request. It serves requests one after
// another, in the order of their arrival. A request takes effect at the end of its service time.
// The end of a connection waits in the queue too, since a server first reads what came before it.
type service struct {
	node    *Node
	dist    *draw.Dist // nil: what is still in the queue takes no time
	times   draw.Stream
	queue   []queued // the first one is being served
	event   event    // the end of its service
	overdue bool     // the event came while the node was stopped
}

// queued is a request or the end of a connection, with its number among all requests to the node.
type queued struct {
	message *message
	ordinal int64
}

// SetService makes the node's server take a drawn time for each request from now on, one request
// after another. With nil, requests take no time, including those in the queue; the one that is
// being served keeps its time. A server that is stopped during a request finishes it after waking
// at the earliest.
func (n *Node) SetService(d *draw.Dist) {
	s := n.service
	switch {
	case d == nil && s == nil:
		return
	case d == nil:
		n.world.note(kindService, n.name, "at once", 0)
	default:
		n.world.note(kindService, n.name, d.String(), 0)
	}
	if s == nil {
		s = &service{node: n, times: n.world.source.Stream("service", n.name)}
		s.event.what = s
		n.service = s
	}
	s.dist = d
	s.removeIfIdle()
}

// removeIfIdle removes the queue if it is empty and not needed.
func (s *service) removeIfIdle() {
	if s.dist == nil && len(s.queue) == 0 {
		s.node.service = nil
	}
}

func (s *service) add(m *message) {
	s.queue = append(s.queue, queued{m, s.node.requests})
	if len(s.queue) == 1 {
		s.begin()
	}
}

// begin starts the service of the first in the queue.
func (s *service) begin() {
	w := s.node.world
	var d int64
	if first := s.queue[0]; s.dist != nil && first.message.call != nil {
		x := s.times.At(uint64(first.ordinal))
		d = int64(s.dist.Sample(&x))
	}
	w.schedule(&s.event, w.now+d)
}

// fire ends the service of the first in the queue.
func (s *service) fire() {
	if s.node.stopped() {
		s.overdue = true
		return
	}
	s.overdue = false
	s.node.serve(s.queue[0].message)
	if len(s.queue) == 0 {
		return // the server crashed while it handled the request
	}
	s.queue = s.queue[1:]
	if len(s.queue) > 0 {
		s.begin()
	}
	s.removeIfIdle()
}

// abandon empties the queue.
func (s *service) abandon() {
	s.node.world.cancel(&s.event)
	s.queue, s.overdue = nil, false
	s.removeIfIdle()
}
