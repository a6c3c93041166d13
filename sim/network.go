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
	sent    uint64
	holds   int // cuts that hold, now
	drops   int // cuts that drop, now
	held    []*message
	broken  []*Conn // that lost a message on it
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
func (l *link) delay() int64 {
	x := l.latency.At(l.sent)
	l.sent++
	return int64(l.world.cfg.Latency.Sample(&x))
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
	w.At(w.Time()+d, func() { l.heal(how) })
	return nil
}

func (l *link) heal(how Cut) {
	l.world.note(kindHeal, l.name, "", int64(how))
	if how == CutDrop {
		if l.drops--; l.drops == 0 {
			broken := l.broken
			l.broken = nil
			for _, c := range broken {
				c.reset()
			}
		}
		return
	}
	if l.holds--; l.holds > 0 {
		return
	}
	held := l.held
	l.held = nil
	for _, m := range held {
		m.pipe.letGo(m)
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
}

// send puts a message under way.
func (p *pipe) send(m *message) {
	w := p.link.world
	m.pipe = p
	m.event.what = m
	p.last = max(w.now+p.link.delay(), p.last)
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
		p.dead = true
		p.link.broken = append(p.link.broken, p.conn)
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
	c := p.conn
	if c.node.suspended > 0 {
		m.here = true
		c.node.inbox = append(c.node.inbox, m)
		return
	}
	if m.call == nil {
		c.serverClosed(nil)
		return
	}
	w := p.link.world
	w.note(kindArrived, c.node.name, m.call.Op, m.call.Request)
	if m.call.opens {
		c.served = c.node.server != nil
		m.call.Applied()
		m.call.Reply(nil)
		return
	}
	if c.served && !c.serverGone {
		c.node.server.Serve(m.call)
	}
}

// HoldMessage keeps back, for d after its arrival, the message that the point
// at which the world stands is about.
func (w *World) HoldMessage(d time.Duration) error {
	if w.message == nil {
		return errNoMessage()
	}
	w.message.hold = int64(d)
	return nil
}

// DropMessage loses the message that the point at which the world stands is
// about. Its connection lets nothing through in this direction from then on,
// and breaks for both ends d after the loss.
func (w *World) DropMessage(d time.Duration) error {
	if w.message == nil {
		return errNoMessage()
	}
	w.message.loseIn = max(int64(d), 1)
	return nil
}

func errNoMessage() error {
	return fmt.Errorf("no message leaves at this point: use <operation>.sent or <operation>.replied")
}

// dropConn takes a connection off its process's list.
func (p *Process) dropConn(c *Conn) {
	if i := slices.Index(p.conns, c); i >= 0 {
		p.conns = slices.Delete(p.conns, i, i+1)
	}
}
