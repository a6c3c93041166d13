package sim

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// The faults of this file hit the one message of the point that the world has
// reached. They return an error where there is none.

// Failer is a server that can answer a request with an error of its kind.
type Failer interface {
	// Failure returns the answer that says text, in place of what serving c
	// would have given.
	Failure(c *Call, text string) any
}

// Copier is the payload of a request whose sender uses it again once it has
// been answered. A second copy of the request needs one of its own.
type Copier interface {
	Copy() any
}

// messageFault is what is to happen to a request beyond being held or lost.
type messageFault struct {
	keep  int64 // until one overtakes it, this long at most; 0: not
	fails bool  // it is answered with an error that says text
	text  string
}

var (
	errNoMessage = errors.New("no message leaves at this point: use <operation>.sent or <operation>.replied")
	errNoRequest = errors.New("no request leaves at this point: use <operation>.sent of any operation but dial")
)

// Leaving returns the request that the point that the world has reached is about, or
// whose reply that is; nil if a point is about no message.
func (w *World) Leaving() *Call {
	if w.message == nil {
		return nil
	}
	return w.message.call
}

// HoldMessage keeps back, for d after its arrival, the message of the point that
// the world has reached.
func (w *World) HoldMessage(d time.Duration) error {
	if w.message == nil {
		return errNoMessage
	}
	w.message.hold = int64(d)
	return nil
}

// DropMessage loses the message of the point that the world has
// reached. Its connection lets nothing through in this direction from then on,
// and breaks for both ends d after the loss.
func (w *World) DropMessage(d time.Duration) error {
	if w.message == nil {
		return errNoMessage
	}
	w.message.loseIn = max(int64(d), 1)
	return nil
}

// leaving returns the request that the point is about.
func (w *World) leaving() (*message, error) {
	if m := w.message; m != nil && !m.reply && !m.opens() {
		return m, nil
	}
	return nil, errNoRequest
}

// DuplicateMessage lets the request that leaves at this point arrive twice, as
// a box on the way that sends it again does. The second copy arrives that long
// after the moment at which the first is due, whatever becomes of that one, and
// even if their connection has ended by then; only a server that is down, or a
// link that drops, does not get it. It is served like any other request, passes
// no points, and its reply is thrown away.
func (w *World) DuplicateMessage(after time.Duration) error {
	m, err := w.leaving()
	if err != nil {
		return err
	}
	first := m.call
	second := &Call{
		Session: first.Session, Worker: first.Worker, Op: first.Op, Request: first.Request, Req: first.Req,
		Sent: first.Sent, Again: true, conn: first.conn,
	}
	if c, ok := first.Req.(Copier); ok {
		second.Req = c.Copy()
	}
	w.note(kindDuplicate, m.pipe.link.name, first.Op, first.Request)
	// A pipe of its own: the order of the connection does not bind it.
	second.request = message{pipe: &pipe{conn: first.conn, link: m.pipe.link}, call: second, copied: true}
	second.request.event.what = &second.request
	w.schedule(&second.request.event, m.event.at+int64(after))
	return nil
}

// ReorderMessage lets the request that leaves at this point be overtaken: at
// its arrival it is kept until another request of the same process has come to
// the same node on another connection, or limit is over. Those that only get a
// connection going, dial and hello, do not count.
func (w *World) ReorderMessage(limit time.Duration) error {
	m, err := w.leaving()
	if err != nil {
		return err
	}
	m.mishap().keep = max(int64(limit), 1)
	return nil
}

// FailMessage lets the server answer the request that leaves at this point with
// an error that says text. It is not served. The server must be a Failer.
func (w *World) FailMessage(text string) error {
	m, err := w.leaving()
	if err != nil {
		return err
	}
	n := m.pipe.conn.node
	if _, ok := n.server.(Failer); !ok {
		return fmt.Errorf("the server on %s has no errors to answer with", n.name)
	}
	f := m.mishap()
	f.fails, f.text = true, text
	return nil
}

// mishap returns what is to happen to the message, to be added to.
func (m *message) mishap() *messageFault {
	if m.fault == nil {
		m.fault = &messageFault{}
	}
	return m.fault
}

// fail answers a request with an error.
func (n *Node) fail(m *message) {
	n.world.note(kindFailed, n.name, m.call.Op, m.call.Request)
	m.call.Reply(n.server.(Failer).Failure(m.call, m.fault.text))
}

// kept is a request that waits to be overtaken.
type kept struct {
	event   event // the end of its patience
	message *message
}

// keep is the arrival of a request that is to be overtaken.
func (m *message) keep() {
	p := m.pipe
	w, n := p.link.world, p.conn.node
	w.note(kindHeld, p.link.name, m.op(), m.number())
	p.queue = append(p.queue, m)
	k := &kept{message: m}
	k.event.what = k
	n.kept = append(n.kept, k)
	w.schedule(&k.event, w.now+m.fault.keep)
}

// fire is the end of its patience.
func (k *kept) fire() {
	n := k.message.pipe.conn.node
	n.kept = slices.DeleteFunc(n.kept, func(other *kept) bool { return other == k })
	k.letGo()
}

func (k *kept) letGo() {
	k.message.fault.keep = 0
	k.message.pipe.letGo(k.message)
}

// overtake lets go of the requests that this one, which has arrived, was to
// overtake.
func (n *Node) overtake(m *message) {
	if m.call == nil || m.call.Op == "dial" || m.call.Op == "hello" {
		return
	}
	c := m.pipe.conn
	var free []*kept
	n.kept = slices.DeleteFunc(n.kept, func(k *kept) bool {
		other := k.message.pipe.conn
		if other == c || other.process != c.process {
			return false
		}
		free = append(free, k)
		return true
	})
	for _, k := range free {
		n.world.cancel(&k.event)
		k.letGo()
	}
}
