package sim

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// The faults in this file affect the message of the point that the world has reached. They return
// an error if the point has no message.

// Failer is a server that can answer a request with an error.
type Failer interface {
	// Fail answers c with an error of the given text, instead of executing it.
	Fail(c *Call, text string)
}

// Copier is a payload that its sender reuses after the answer. A second copy of the request needs a
// copy of the payload.
type Copier interface {
	Copy() any
}

// messageFault is a fault of a request other than a hold or a loss.
type messageFault struct {
	keep  int64 // it waits to be overtaken, at most this long; 0: it does not wait
	fails bool  // the answer is an error with this text
	text  string
}

var (
	errNoMessage = errors.New("no message leaves at this point: use <operation>.sent or <operation>.replied")
	errNoRequest = errors.New("no request leaves at this point: use <operation>.sent of any operation but dial")
)

// Leaving returns the call whose request or reply leaves at the current point, nil if no message
// leaves there.
func (w *World) Leaving() *Call {
	if w.message == nil {
		return nil
	}
	return w.message.call
}

// HoldMessage delays the message of the current point for d after its arrival.
func (w *World) HoldMessage(d time.Duration) error {
	if w.message == nil {
		return errNoMessage
	}
	w.message.hold = int64(d)
	return nil
}

// DropMessage loses the message of the current point. Its connection loses all later messages in
// this direction too, and breaks for both ends d after the loss.
func (w *World) DropMessage(d time.Duration) error {
	if w.message == nil {
		return errNoMessage
	}
	w.message.loseIn = max(int64(d), 1)
	return nil
}

// leaving returns the request that leaves at the current point.
func (w *World) leaving() (*message, error) {
	if m := w.message; m != nil && !m.reply && !m.opens() {
		return m, nil
	}
	return nil, errNoRequest
}

// DuplicateMessage makes the request that leaves at this point arrive twice, as if a proxy had sent it
// again. A server that TCP protects from that drops the second copy (see Call.DropCopy). The second
// copy arrives the given time after the first one is due, whatever happens to the first one, and even
// if the connection has ended by then. It is lost only if the server is down or the link drops
// messages. It is served like any other request, passes no points, and its reply is dropped.
func (w *World) DuplicateMessage(after time.Duration) error {
	m, err := w.leaving()
	if err != nil {
		return err
	}
	first := m.call
	first.Copied = true
	second := &Call{
		Session: first.Session, Worker: first.Worker, Op: first.Op, Request: first.Request, Req: first.Req,
		Sent: first.Sent, Copied: true, Again: true, conn: first.conn, points: first.points,
	}
	if c, ok := first.Req.(Copier); ok {
		second.Req = c.Copy()
	}
	w.note(kindDuplicate, m.pipe.link.name(), first.Op, first.Request)
	// It has its own pipe, so the order of the connection does not apply to it.
	second.request = message{pipe: &pipe{conn: first.conn, link: m.pipe.link}, call: second, copied: true}
	second.request.event.what = &second.request
	w.schedule(&second.request.event, m.event.at+int64(after))
	return nil
}

// ReorderMessage lets the request that leaves at this point be overtaken. On its arrival it waits
// until another request of the same process arrives at the same node on another connection, at most
// for limit. Requests that only set up a connection, dial and hello, do not count.
func (w *World) ReorderMessage(limit time.Duration) error {
	m, err := w.leaving()
	if err != nil {
		return err
	}
	m.addFault().keep = max(int64(limit), 1)
	return nil
}

// FailMessage lets the server answer the request that leaves at this point with an error of the
// given text, without serving it. The server must be a Failer.
func (w *World) FailMessage(text string) error {
	m, err := w.leaving()
	if err != nil {
		return err
	}
	n := m.pipe.conn.node
	if _, ok := n.server.(Failer); !ok {
		return fmt.Errorf("the server on %s has no errors to answer with", n.name)
	}
	f := m.addFault()
	f.fails, f.text = true, text
	return nil
}

// addFault returns the fault of the message, which it creates if there is none.
func (m *message) addFault() *messageFault {
	if m.fault == nil {
		m.fault = &messageFault{}
	}
	return m.fault
}

// fail answers a request with an error.
func (n *Node) fail(m *message) {
	n.world.note(kindFailed, n.name, m.call.Op, m.call.Request)
	n.server.(Failer).Fail(m.call, m.fault.text)
}

// kept is a request that waits to be overtaken.
type kept struct {
	event   event // the end of the wait
	message *message
}

// keep handles the arrival of a request that has to wait to be overtaken.
func (m *message) keep() {
	p := m.pipe
	w, n := p.link.world, p.conn.node
	w.note(kindHeld, p.link.name(), m.op(), m.number())
	p.queue = append(p.queue, m)
	k := &kept{message: m}
	k.event.what = k
	n.kept = append(n.kept, k)
	w.schedule(&k.event, w.now+m.fault.keep)
}

// fire ends the wait.
func (k *kept) fire() {
	n := k.message.pipe.conn.node
	n.kept = slices.DeleteFunc(n.kept, func(other *kept) bool { return other == k })
	k.release()
}

func (k *kept) release() {
	k.message.fault.keep = 0
	k.message.pipe.release(k.message)
}

// overtake delivers the requests that the message, which has arrived, was to overtake.
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
		k.release()
	}
}
