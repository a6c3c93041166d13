package sim

import (
	"fmt"
	"slices"
	"time"

	"lockquake/internal/draw"
)

// Cut says what a cut link does with a message that arrives at it.
type Cut int

// The ways in which a link can be cut.
const (
	CutNone Cut = iota
	// CutHold keeps messages, and delivers them in order when the link heals.
	CutHold
	// CutDrop loses them. A connection cannot skip what it lost, so nothing
	// gets through on it any more; both ends learn of it when the link heals.
	CutDrop
)

// link is one direction between two nodes. Latency is drawn by the ordinal of
// the message on it.
type link struct {
	world   *World
	name    string
	latency draw.Stream
	dist    *draw.Dist // of the latency; nil: that of the world
	sent    uint64
	holds   int // cuts that hold, now
	drops   int // cuts that drop, now
	held    []*message
	broken  []*Conn  // that lost a message on it
	barred  []func() // see WhenOpen

	impairments []*impairment // now
	impaired    int           // how many there have been
}

func (w *World) link(from, to *Node) *link {
	l := from.links[to]
	if l == nil {
		name := from.name + "->" + to.name
		l = &link{world: w, name: name, latency: w.source.Stream("latency", name)}
		from.links[to] = l
	}
	return l
}

// delay draws how long the next message is under way.
func (l *link) delay(m *message) int64 {
	x := l.latency.At(l.sent)
	l.sent++
	dist := l.dist
	if dist == nil {
		dist = &l.world.cfg.Latency
	}
	d := int64(dist.Sample(&x))
	if len(l.impairments) > 0 {
		d += l.hinder(m, l.sent-1)
	}
	return d
}

// SetLatency gives the link from one node to another, in this direction, a
// latency of its own. It returns an error if there is no such link or no such
// latency.
func (w *World) SetLatency(from, to string, latency draw.Dist) error {
	a, b := w.nodes[from], w.nodes[to]
	if a == nil || b == nil {
		return fmt.Errorf("no link from %q to %q", from, to)
	}
	if err := latency.Validate(); err != nil {
		return fmt.Errorf("latency from %q to %q: %w", from, to, err)
	}
	w.link(a, b).dist = &latency
	return nil
}

// CutLink cuts the link from one node to another, in this direction, for d
// from now. A message is caught when it arrives, so one under way is caught
// too. Cuts that overlap add up; a link that holds and drops drops.
func (w *World) CutLink(from, to string, how Cut, d time.Duration) error {
	a, b := w.nodes[from], w.nodes[to]
	if a == nil || b == nil {
		return fmt.Errorf("no link from %q to %q", from, to)
	}
	l := w.link(a, b)
	w.note(kindCut, l.name, "", int64(how))
	if how == CutDrop {
		l.drops++
	} else {
		l.holds++
	}
	w.At(w.Time()+d, func() {
		l.heal(how)
		l.letPass()
	})
	return nil
}

func (l *link) heal(how Cut) {
	l.world.note(kindHeal, l.name, "", int64(how))
	if how == CutDrop {
		if l.drops--; l.drops == 0 {
			l.resetBroken()
		}
		return
	}
	if l.holds--; l.holds > 0 {
		return
	}
	if l.drops == 0 {
		l.resetBroken()
	}
	held := l.held
	l.held = nil
	for _, m := range held {
		m.pipe.letGo(m)
	}
}

// resetBroken tells both ends of the connections that could not go on.
func (l *link) resetBroken() {
	broken := l.broken
	l.broken = nil
	for _, c := range broken {
		c.reset()
	}
}

// pipe is one direction of a connection. It keeps its order.
type pipe struct {
	conn  *Conn
	link  *link
	last  int64      // arrival of the last message sent
	queue []*message // arrived and waiting, the first one held
	dead  bool       // lost a message
}

// message is one message under way: a request or a reply, or one that opens
// or closes a connection.
type message struct {
	event  event
	pipe   *pipe
	call   *Call // the request, or what is replied to; nil: the connection closes
	reply  bool
	hold   int64 // it is kept back this long at its arrival; 0: not
	loseIn int64 // it is lost, and its connection breaks after this long; 0: not
	here   bool  // it has arrived, and waits for a process that is stopped
	copied bool  // the second copy of a request
	fault  *messageFault
}

// send puts a message under way.
func (p *pipe) send(m *message) {
	w := p.link.world
	m.pipe = p
	m.event.what = m
	p.last = max(w.now+p.link.delay(m), p.last)
	w.schedule(&m.event, p.last)
}

// fire is the arrival at the far end of the link.
func (m *message) fire() {
	p := m.pipe
	w := p.link.world
	switch {
	case m.here:
		p.deliver(m)
	case p.dead:
		w.note(kindLost, p.link.name, m.op(), m.number())
	case p.link.drops > 0:
		w.note(kindLost, p.link.name, m.op(), m.number())
		if !m.copied {
			p.dead = true
			p.link.broken = append(p.link.broken, p.conn)
		}
	case m.loseIn > 0:
		w.note(kindLost, p.link.name, m.op(), m.number())
		p.dead = true
		w.At(time.Duration(w.now+m.loseIn), p.conn.reset)
	case len(p.queue) > 0:
		p.queue = append(p.queue, m) // behind one that is held
	case p.link.holds > 0:
		w.note(kindHeld, p.link.name, m.op(), m.number())
		p.queue = append(p.queue, m)
		p.link.held = append(p.link.held, m)
	case m.hold > 0:
		w.note(kindHeld, p.link.name, m.op(), m.number())
		p.queue = append(p.queue, m)
		w.At(time.Duration(w.now+m.hold), func() { p.letGo(m) })
	case m.fault != nil && m.fault.keep > 0:
		m.keep()
	default:
		p.deliver(m)
	}
}

// letGo delivers a message that was held, and those that queued up behind it.
func (p *pipe) letGo(m *message) {
	if len(p.queue) == 0 || p.queue[0] != m {
		return // the connection broke meanwhile
	}
	p.queue[0].hold = 0
	waiting := p.queue
	p.queue = nil
	for i, next := range waiting {
		if len(p.queue) > 0 { // one of them is held in its turn
			p.queue = append(p.queue, waiting[i:]...)
			return
		}
		next.fire()
	}
}

func (m *message) op() string {
	if m.call == nil {
		return "close"
	}
	return m.call.Op
}

// opens reports whether the message opens a connection, or says that it is open.
func (m *message) opens() bool { return m.call != nil && m.call.opens }

func (m *message) number() int64 {
	if m.call == nil {
		return 0
	}
	return m.call.Request
}

// deliver hands a message to the end that it was sent to.
func (p *pipe) deliver(m *message) {
	if m.reply {
		m.call.answered(m)
		return
	}
	n := p.conn.node
	if !n.stopped() || !n.detain(m) {
		n.take(m)
	}
	if len(n.kept) > 0 {
		n.overtake(m)
	}
}

// detain keeps a message for a node that is stopped until it goes on, and
// reports whether it did. A frozen server has a kernel that opens connections
// in its place.
func (n *Node) detain(m *message) bool {
	if n.suspended == 0 && m.opens() {
		return false
	}
	m.here = true
	n.inbox = append(n.inbox, m)
	return true
}

// take is the arrival of a message at a node that runs.
func (n *Node) take(m *message) {
	c := m.pipe.conn
	if m.call == nil {
		n.enqueue(m)
		return
	}
	n.world.note(kindArrived, n.name, m.call.Op, m.call.Request)
	switch {
	case m.call.opens:
		c.open(m.call)
	case c.served && !c.serverGone, m.copied && n.server != nil && !n.down:
		n.requests++
		n.enqueue(m)
	case m.copied:
		n.world.note(kindLost, m.pipe.link.name, m.call.Op, m.call.Request)
	}
}

// enqueue serves a request or the end of a connection when it is its turn.
func (n *Node) enqueue(m *message) {
	if n.service != nil {
		n.service.add(m)
		return
	}
	n.serve(m)
}

func (n *Node) serve(m *message) {
	switch {
	case m.call == nil:
		m.pipe.conn.serverClosed(m.pipe.conn.broke)
	case m.fault != nil && m.fault.fails:
		n.fail(m)
	default:
		n.server.Serve(m.call)
	}
}

// dropConn takes a connection off its process's list.
func (p *Process) dropConn(c *Conn) {
	if i := slices.Index(p.conns, c); i >= 0 {
		p.conns = slices.Delete(p.conns, i, i+1)
	}
}
