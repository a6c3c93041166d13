package sim

import "lockquake/internal/draw"

// service is the line before a server that takes time for a request: they are
// served one after another, in the order of their arrival. A request takes
// effect at the end of its time. The end of a connection waits in the line
// too, since a server reads what came before it.
type service struct {
	node    *Node
	dist    *draw.Dist // nil: what is still in line is served at once
	times   draw.Stream
	line    []inLine // the first one is being served
	event   event    // the end of that
	overdue bool     // which came while the node was stopped
}

// inLine is a request, or the end of a connection, with its number among all
// requests to the node.
type inLine struct {
	message *message
	ordinal int64
}

// SetService lets the node's server take a drawn time for each request from
// now on, one request after another. With nil it serves them at once, those in
// line included; the one that is being served keeps its time. A server that is
// stopped in the middle of a request has it done on waking at the earliest.
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
	s.endIfIdle()
}

// endIfIdle takes a line away that is empty and that nobody needs.
func (s *service) endIfIdle() {
	if s.dist == nil && len(s.line) == 0 {
		s.node.service = nil
	}
}

func (s *service) add(m *message) {
	s.line = append(s.line, inLine{m, s.node.requests})
	if len(s.line) == 1 {
		s.begin()
	}
}

// begin serves the first in line.
func (s *service) begin() {
	w := s.node.world
	var d int64
	if first := s.line[0]; s.dist != nil && first.message.call != nil {
		x := s.times.At(uint64(first.ordinal))
		d = int64(s.dist.Sample(&x))
	}
	w.schedule(&s.event, w.now+d)
}

// fire is the moment at which the first in line has been served.
func (s *service) fire() {
	if s.node.stopped() {
		s.overdue = true
		return
	}
	s.overdue = false
	s.node.serve(s.line[0].message)
	if len(s.line) == 0 {
		return // the server crashed over it
	}
	s.line = s.line[1:]
	if len(s.line) > 0 {
		s.begin()
	}
	s.endIfIdle()
}

// abandon forgets what is in line.
func (s *service) abandon() {
	s.node.world.cancel(&s.event)
	s.line, s.overdue = nil, false
	s.endIfIdle()
}
