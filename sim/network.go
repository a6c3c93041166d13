package sim

import (
	"fmt"
	"slices"
	"time"

	"lockquake/internal/draw"
)

// Cut is the way in which a cut link treats a message that arrives.
type Cut int

// The ways in which a link can be cut.
const (
	// CutHold keeps messages and delivers them in order when the link heals.
	CutHold Cut = iota + 1
	// CutDrop loses messages. A connection cannot skip a lost message, so nothing gets through on
	// it any more. Both ends learn of that when the link heals.
	CutDrop
)

// link is one direction between two nodes. Latencies are drawn by the ordinal of the message.
type link struct {
	world    *World
	latency  draw.Stream
	sent     uint64
	dist     *draw.Sampler // of the latency; nil: that of the world
	holds    int           // present cuts that hold
	drops    int           // present cuts that drop
	trouble  *trouble
	from, to *Node
}

// trouble holds the state of faults on a link, and of messages that servers send without a connection. Most links
// of a large world never need it.
type trouble struct {
	impairments []*impairment // the present ones
	held        []*message
	broken      []*Conn  // connections that lost a message on it
	waiting     []func() // see WhenOpen

	delivered int64 // arrival of the last message that Deliver sent
	impaired  int   // the number of impairments so far
}

// links are both directions between two nodes. The node that was added later keeps them: a server has
// a link to each of its many clients, and a client has links to few servers.
type links struct {
	to, from link // the node that was added earlier, or the same node
}

// linkCalled returns the link from one node to another, by their names.
func (w *World) linkCalled(from, to string) (*link, error) {
	a, b := w.nodes[from], w.nodes[to]
	if a == nil || b == nil {
		return nil, fmt.Errorf("no link from %q to %q", from, to)
	}
	return w.link(a, b), nil
}

func (w *World) link(from, to *Node) *link {
	later, earlier := from, to
	if later.number < earlier.number {
		later, earlier = earlier, later
	}
	both := later.linksTo(earlier)
	if to == earlier {
		return &both.to
	}
	return &both.from
}

// linksTo returns the links to a node that was added earlier.
func (n *Node) linksTo(peer *Node) *links {
	for _, both := range n.links {
		if both.to.to == peer {
			return both
		}
	}
	both := &links{}
	if i := len(n.links); i < len(n.firstLinks) {
		both = &n.firstLinks[i]
	}
	*both = links{to: newLink(n, peer), from: newLink(peer, n)}
	n.links = append(n.links, both)
	return both
}

func newLink(from, to *Node) link {
	l := link{world: from.world, from: from, to: to}
	l.latency = l.world.source.Stream("latency", l.name())
	return l
}

// name returns the name of the link in the trace.
func (l *link) name() string { return l.from.name + "->" + l.to.name }

// inTrouble returns what the link needs because of a fault.
func (l *link) inTrouble() *trouble {
	if l.trouble == nil {
		l.trouble = &trouble{}
	}
	return l.trouble
}

// delay draws the latency of the next message.
func (l *link) delay(m *message) int64 {
	x := l.latency.At(l.sent)
	l.sent++
	dist := l.dist
	if dist == nil {
		dist = &l.world.latency
	}
	d := int64(dist.Sample(&x))
	l.world.slowest = max(l.world.slowest, d)
	if t := l.trouble; t != nil && len(t.impairments) > 0 {
		d += l.addedDelay(m, l.sent-1)
		for _, one := range t.impairments {
			if one.Arrives != nil {
				one.Arrives(time.Duration(l.world.now + d))
			}
		}
	}
	return d
}

// Slowest returns the longest latency that any message has had so far, without what faults added.
func (w *World) Slowest() time.Duration { return time.Duration(w.slowest) }

// SetLatency sets the latency of the link from one node to another, in this direction. It returns
// an error if the link or the latency is invalid.
func (w *World) SetLatency(from, to string, latency draw.Dist) error {
	l, err := w.linkCalled(from, to)
	if err != nil {
		return err
	}
	if err := latency.Validate(); err != nil {
		return fmt.Errorf("latency from %q to %q: %w", from, to, err)
	}
	sampler := latency.Sampler()
	l.dist = &sampler
	return nil
}

// CutLink cuts the link from one node to another, in this direction, for d from now. A cut affects
// messages when they arrive, including those in flight when it begins. Cuts that overlap add up; if
// some hold and some drop, the link drops.
func (w *World) CutLink(from, to string, how Cut, d time.Duration) error {
	l, err := w.linkCalled(from, to)
	if err != nil {
		return err
	}
	w.note(kindCut, l.name(), "", int64(how))
	if how == CutDrop {
		l.drops++
	} else {
		l.holds++
	}
	checkReach(l.from, l.to)
	w.At(w.Time()+d, func() {
		l.heal(how)
		checkReach(l.from, l.to)
		l.runWaiting()
	})
	return nil
}

func (l *link) heal(how Cut) {
	l.world.note(kindHeal, l.name(), "", int64(how))
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
	held := l.inTrouble().held
	l.trouble.held = nil
	for _, m := range held {
		m.pipe.release(m)
	}
}

// resetLater resets a connection when the link is no longer cut.
func (l *link) resetLater(c *Conn) {
	t := l.inTrouble()
	t.broken = append(t.broken, c)
}

// resetBroken resets the connections that lost a message on the link.
func (l *link) resetBroken() {
	broken := l.inTrouble().broken
	l.trouble.broken = nil
	for _, c := range broken {
		c.Reset()
	}
}

// Reset breaks, for both ends, every connection of the processes on one node to another node. It
// returns an error if one of the nodes does not exist.
func (w *World) Reset(from, to string) error {
	l, err := w.linkCalled(from, to)
	if err != nil {
		return err
	}
	for _, p := range l.from.processes {
		p.ResetConns(to)
	}
	return nil
}

// ResetConns breaks the connections of the process to a node for both ends, as a load balancer or a
// restarted peer does.
func (p *Process) ResetConns(node string) {
	for _, c := range slices.Clone(p.conns) {
		if c.node.name == node {
			c.Reset()
		}
	}
}

// pipe is one direction of a connection. It delivers messages in order.
type pipe struct {
	conn  *Conn
	link  *link
	last  int64      // arrival of the last message sent
	queue []*message // arrived and waiting behind the first one, which is held
	dead  bool       // lost a message

	unacked int // messages of the server that its client has not received
}

// message is a message under way: a request, a reply, or the opening or closing of a connection.
type message struct {
	event  event
	pipe   *pipe
	call   *Call // the call of the request or reply; nil: the connection closes
	reply  bool
	hold   int64 // delay after its arrival; 0: none
	loseIn int64 // it is lost, and its connection breaks after this time; 0: it is not lost
	here   bool  // it has arrived, and waits for a process that is stopped
	copied bool  // the second copy of a request
	fault  *messageFault
}

// send sends a message.
func (p *pipe) send(m *message) {
	w := p.link.world
	m.pipe = p
	m.event.what = m
	p.last = max(w.now+p.link.delay(m), p.last)
	w.schedule(&m.event, p.last)
	if m.reply {
		p.unacked++
		if p.conn.outage != nil {
			p.conn.resend()
		}
	}
}

// fire handles the arrival of a message at the far end of the link.
func (m *message) fire() {
	p := m.pipe
	w := p.link.world
	switch {
	case m.here:
		p.deliver(m)
	case p.dead:
		w.note(kindLost, p.link.name(), m.op(), m.number())
		if !m.reply && p.link.open() {
			p.conn.refuse()
		}
	case p.link.drops > 0:
		w.note(kindLost, p.link.name(), m.op(), m.number())
		if !m.copied {
			p.dead = true
			p.link.resetLater(p.conn)
		}
	case m.loseIn > 0:
		w.note(kindLost, p.link.name(), m.op(), m.number())
		p.dead = true
		w.At(time.Duration(w.now+m.loseIn), p.conn.Reset)
	case len(p.queue) > 0:
		p.queue = append(p.queue, m) // behind a message that is held
	case p.link.holds > 0:
		w.note(kindHeld, p.link.name(), m.op(), m.number())
		p.queue = append(p.queue, m)
		t := p.link.inTrouble()
		t.held = append(t.held, m)
	case m.hold > 0:
		w.note(kindHeld, p.link.name(), m.op(), m.number())
		p.queue = append(p.queue, m)
		w.At(time.Duration(w.now+m.hold), func() { p.release(m) })
	case m.fault != nil && m.fault.keep > 0:
		m.keep()
	default:
		if m.reply && p.conn.process.node.suspended == 0 {
			p.unacked--
		}
		p.deliver(m)
	}
}

// release delivers a message that was held, and those that wait behind it.
func (p *pipe) release(m *message) {
	if len(p.queue) == 0 || p.queue[0] != m {
		return // the connection broke meanwhile
	}
	p.queue[0].hold = 0
	waiting := p.queue
	p.queue = nil
	for i, next := range waiting {
		if len(p.queue) > 0 { // one of them is held too
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

// opens reports whether the message opens a connection, or confirms that it is open.
func (m *message) opens() bool { return m.call != nil && m.call.opens }

func (m *message) number() int64 {
	if m.call == nil {
		return 0
	}
	return m.call.Request
}

// deliver hands a message to its receiver.
func (p *pipe) deliver(m *message) {
	if m.reply {
		m.call.answered(m)
		return
	}
	n := p.conn.node
	if !n.stopped() || !n.holdForNode(m) {
		n.arrive(m)
	}
	if len(n.kept) > 0 {
		n.overtake(m)
	}
}

// holdForNode keeps a message for a stopped node until it goes on, and reports whether it did. The
// kernel of a frozen server still opens connections.
func (n *Node) holdForNode(m *message) bool {
	if n.suspended == 0 && m.opens() {
		return false
	}
	m.here = true
	n.inbox = append(n.inbox, m)
	return true
}

// arrive handles the arrival of a message at a running node.
func (n *Node) arrive(m *message) {
	c := m.pipe.conn
	if m.call == nil {
		n.enqueue(m)
		return
	}
	n.world.noteOften(&n.stamps, m.call.points.arrivedEntry, kindArrived, n.name, m.call.Op, m.call.Request, nil)
	switch {
	case m.call.opens:
		c.open(m.call)
	case c.served && !c.serverGone, m.copied && n.server != nil && !n.down:
		n.requests++
		n.enqueue(m)
	case m.copied:
		n.world.note(kindLost, m.pipe.link.name(), m.call.Op, m.call.Request)
	}
}

// enqueue serves a request or the end of a connection when it is next.
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

// dropConn removes a connection from the list of its process.
func (p *Process) dropConn(c *Conn) {
	if i := slices.Index(p.conns, c); i >= 0 {
		p.conns = slices.Delete(p.conns, i, i+1)
	}
}
