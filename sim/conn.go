package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Server answers the requests that reach a node.
type Server interface {
	// Serve is called when a request arrives. It must call c.Applied at the effect and c.Reply
	// once, immediately or later, and must not use c after that.
	Serve(c *Call)
	// Closed is called when a client's connection has ended; err is nil if the
	// client closed it.
	Closed(s *Session, err error)
}

// Session is the server's end of a connection.
type Session struct {
	ID     int64
	Worker string // the worker that dialled
	Data   any    // for the server's use
	conn   *Conn
	worker *Worker
}

// The errors of a connection. ErrTimeout is a timeout in the sense of net.Error.
var (
	ErrReset       = errors.New("connection reset by peer")
	ErrClosed      = errors.New("use of closed network connection")
	ErrRefused     = errors.New("connection refused")
	ErrTimeout     = error(timeoutError{})
	errUnknownNode = errors.New("no such host")
)

type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

// Conn is a connection of a process to a node. Requests on one connection keep their order;
// requests on two connections may not.
type Conn struct {
	process    *Process
	node       *Node
	up, down   pipe
	session    Session
	pending    []*Call  // calls without an answer, in order
	room       [1]*Call // of pending, while there is one
	asked      []*Call  // that Send has sent and Receive has not returned; kept only for AnswersOnly
	inbox      inbox
	awaited    *task // the task that waits for the end of the connection
	err        error // why it cannot be used any more; nil: it can
	served     bool  // the server has accepted it
	serverGone bool  // the server has been told of its end
	broke      error // the error that the server is told then; nil: the client closed it
	outage     *outage
	forgotten  bool   // the server's kernel has ended it, and the client does not know
	probe      *event // the next probe of the client's kernel, for such a connection
}

// Call is one request, from its sending to its answer.
type Call struct {
	Session *Session
	Worker  string        // the worker that it is for
	Op      string        // its purpose: acquire, renew, read, ...
	Request int64         // unique in the run
	Sent    time.Duration // true time
	Copied  bool          // the network duplicates the request: this is the first copy or the second
	Again   bool          // it is the second copy
	Req     any
	// For the server's use until the reply.
	Data any

	conn     *Conn
	worker   *Worker // nil for the second copy of a request
	points   *callPoints
	opens    bool // it opens the connection
	request  message
	response message
	task     *task // the task that waits for the answer; nil: none any more
	answer   any
	err      error // why there is no answer
	replied  bool
	pushed   bool // no task waits for the answer; it goes to the inbox
}

// Dial connects the process to a node, which takes one round trip. It returns ErrTimeout after
// timeout (0: none), ErrRefused if nothing listens there, or the cause of ctx.
func (p *Process) Dial(ctx context.Context, node string, timeout time.Duration) (*Conn, error) {
	w := p.node.world
	if err := p.Admit(); err != nil {
		return nil, err
	}
	n := w.nodes[node]
	if n == nil {
		return nil, fmt.Errorf("dial %s: %w", node, errUnknownNode)
	}
	if w.closed || w.current == nil {
		return nil, ErrOver
	}
	w.conns++
	c := &Conn{}
	if int(p.dialled) < len(p.firstConns) {
		c = &p.firstConns[p.dialled]
		p.dialled++
	}
	c.process, c.node, c.pending = p, n, c.room[:0]
	c.session = Session{ID: w.conns, Worker: w.current.worker.name, conn: c, worker: w.current.worker}
	c.up = pipe{conn: c, link: w.link(p.node, n)}
	c.down = pipe{conn: c, link: w.link(n, p.node)}
	p.conns = append(p.conns, c)
	_, err := c.roundTrip(ctx, "dial", nil, timeout, true)
	if err == nil && !c.served {
		err = ErrRefused
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("dial %s: %w", node, err)
	}
	return c, nil
}

// Call sends a request and waits for its reply, at most for timeout (0: forever). If it returns
// ErrTimeout, ErrReset, ErrClosed or the cause of ctx, it is unknown whether the request took
// effect. The caller should then close the connection, since the reply may still come.
func (c *Conn) Call(ctx context.Context, op string, req any, timeout time.Duration) (any, error) {
	return c.roundTrip(ctx, op, req, timeout, false)
}

func (c *Conn) roundTrip(ctx context.Context, op string, req any, timeout time.Duration, opens bool) (any, error) {
	w := c.node.world
	t, sc, err := w.enter(ctx)
	if err != nil {
		return nil, err
	}
	if c.err != nil {
		return nil, c.err
	}
	call := c.newRequest(t, op, req)
	call.opens, call.task = opens, t
	c.pending = append(c.pending, call)
	call.send()
	return c.await(t, sc, call, timeout)
}

// newRequest returns a new request of the task, without sending it.
func (c *Conn) newRequest(t *task, op string, req any) *Call {
	w := c.node.world
	w.request++
	call := w.newCall()
	call.Session, call.Worker, call.Op, call.Request, call.Req = &c.session, t.worker.name, op, w.request, req
	call.Sent = w.Time()
	call.conn, call.worker, call.points = c, t.worker, w.points.of(op)
	call.request.call, call.response.call, call.response.reply = call, call, true
	return call
}

// send sends the request.
func (c *Call) send() {
	w := c.conn.node.world
	w.noteOften(&c.worker.stamps, c.points.sentEntry, kindSent, c.Worker, c.Op, c.Request, c.Req)
	c.conn.up.send(&c.request)
	w.passWith(c.worker, c.points.sent, &c.request)
}

// await parks the task until the call is answered, and returns the answer.
func (c *Conn) await(t *task, sc *simContext, call *Call, timeout time.Duration) (any, error) {
	why := byReply
	switch {
	case call.err != nil: // a fault has broken the connection as the request left
	case sc != nil && sc.err != nil: // or ended the context
		why = byContext
	default:
		why = t.waitAtMost(sc, timeout)
	}
	call.task = nil
	if i := slices.Index(c.pending, call); i >= 0 {
		c.pending = slices.Delete(c.pending, i, i+1)
	}
	switch {
	case why == byTimer:
		return nil, ErrTimeout
	case why == byContext:
		return nil, sc.cause
	case call.err != nil:
		return nil, call.err
	}
	w := c.node.world
	w.noteOften(&t.worker.stamps, call.points.takenEntry, kindTaken, t.worker.name, call.Op, call.Request, call.answer)
	t.worker.pass(call.points.taken)
	answer := call.answer
	// The request has been served and the reply taken, so nothing refers to the call any more. A
	// call that was given up on is left to the garbage collector.
	*call = Call{}
	if len(w.spare) < mostSpare {
		w.spare = append(w.spare, call)
	}
	t.sleep(nil, w.cfg.Step, classStep)
	return answer, nil
}

// mostSpare bounds the calls that are kept for reuse: when 100,000 workers begin, each has one.
const mostSpare = 1000

// newCall returns an empty call, a recycled one if possible.
func (w *World) newCall() *Call {
	n := len(w.spare)
	if n == 0 {
		return &Call{}
	}
	call := w.spare[n-1]
	w.spare = w.spare[:n-1]
	return call
}

// Close closes the connection from the client's side. The server learns of it after all that was
// sent before.
func (c *Conn) Close() {
	if c.err != nil {
		return
	}
	w := c.node.world
	c.err = ErrClosed
	c.process.dropConn(c)
	w.note(kindClosed, c.process.name, c.node.name, c.session.ID)
	if !w.closed {
		c.up.send(&message{})
	}
	c.failPending(ErrClosed)
}

// Err returns why the connection cannot be used any more, nil if it can.
func (c *Conn) Err() error { return c.err }

// Ended waits until the connection cannot be used any more, and returns why. It returns the cause of ctx if ctx
// ends before that. Only one task at a time may call it.
func (c *Conn) Ended(ctx context.Context) error {
	t, sc, err := c.node.world.enter(ctx)
	if err != nil {
		return err
	}
	if c.err == nil {
		c.awaited = t
		why := t.waitAtMost(sc, 0)
		c.awaited = nil
		if why == byContext {
			return sc.cause
		}
	}
	return c.err
}

// Reset breaks the connection for both ends, as a peer that has lost its state does. Messages under way are lost.
func (c *Conn) Reset() {
	w := c.node.world
	w.note(kindReset, c.process.name, c.node.name, c.session.ID)
	c.kill()
	c.endServer(ErrReset)
	broken := &brokenConn{conn: c}
	broken.event.what = broken
	broken.fire()
}

// endServer tells the server that the connection has broken, unless it has been told. The server first reads the
// messages that have arrived.
func (c *Conn) endServer(why error) {
	if c.serverGone || c.broke != nil {
		return
	}
	c.broke = why
	c.up.deliver(&message{pipe: &c.up})
}

// kill lets no message through any more, in either direction.
func (c *Conn) kill() {
	c.up.dead, c.down.dead = true, true
	c.up.queue, c.down.queue = nil, nil
}

// brokenConn is the event that tells the client's tasks of a reset.
type brokenConn struct {
	event event
	conn  *Conn
}

func (b *brokenConn) fire() {
	c := b.conn
	if c.err != nil || c.process.crashed || c.process.postpone(&b.event, classMessage) {
		return
	}
	c.err = ErrReset
	c.process.dropConn(c)
	c.failPending(ErrReset)
}

// closeAtCrash closes a connection of a crashed process, as the node's kernel does.
func (c *Conn) closeAtCrash() {
	c.err = ErrClosed
	c.process.dropConn(c)
	c.up.send(&message{})
}

func (c *Conn) failPending(err error) {
	pending := c.pending
	c.pending = nil
	for _, call := range pending {
		call.err = err
		if call.task != nil {
			call.task.wake(byReply)
		}
	}
	for _, t := range []*task{c.inbox.reader, c.awaited} {
		if t != nil {
			t.wake(byReply)
		}
	}
}

func (c *Conn) serverClosed(err error) {
	if c.serverGone {
		return
	}
	c.serverGone = true
	if c.outage != nil {
		c.endOutage()
	}
	if c.served {
		n := c.node
		n.conns = slices.DeleteFunc(n.conns, func(other *Conn) bool { return other == c })
		n.server.Closed(&c.session, err)
	}
}

// open answers a dial, as the node's kernel does.
func (c *Conn) open(dial *Call) {
	if n := c.node; n.server != nil && !n.down {
		c.served = true
		n.conns = append(n.conns, c)
	}
	dial.Applied()
	dial.Reply(nil)
}

// Applied records that the request takes effect now.
func (c *Call) Applied() {
	n := c.conn.node
	n.world.noteOften(&n.stamps, c.points.appliedEntry, kindApplied, n.name, c.Op, c.Request, nil)
	if c.worker != nil {
		c.worker.pass(c.points.applied)
	}
}

// DropCopy reports whether the request is the second copy of a duplicated one. TCP drops such a segment,
// so a server that calls DropCopy does nothing more about it.
func (c *Call) DropCopy() bool {
	if c.Again {
		c.Applied()
		c.Reply(nil)
	}
	return c.Again
}

// Reply sends the answer. The answer to a second copy is dropped.
func (c *Call) Reply(answer any) {
	if c.replied {
		panic("sim: a request is answered twice")
	}
	c.replied = true
	c.answer = answer
	n := c.conn.node
	w := n.world
	w.noteOften(&n.stamps, c.points.repliedEntry, kindReplied, n.name, c.Op, c.Request, answer)
	if c.worker == nil {
		return
	}
	c.conn.down.send(&c.response)
	w.passWith(c.worker, c.points.replied, &c.response)
}

// answered handles the arrival of the reply at the client.
func (c *Call) answered(m *message) {
	p := c.conn.process
	m.here = p.node.suspended == 0 // a machine that sleeps receives nothing: the message is sent again until it wakes
	if c.task == nil && !c.pushed || c.conn.err != nil || p.crashed || p.postpone(&m.event, classMessage) {
		return
	}
	if c.pushed {
		c.conn.inbox.add(c)
		return
	}
	c.task.wake(byReply)
}

// passWith passes a point of the worker that concerns a message.
func (w *World) passWith(k *Worker, id pointID, m *message) {
	outer := w.message
	w.message = m
	k.pass(id)
	w.message = outer
}
