package sim

import (
	"context"
	"time"
)

// Push sends the client something that it has not asked for. It keeps its place
// behind the replies that were sent before. The worker who dialled passes its
// points, which are called as those of a reply: OP.replied when it leaves the
// server, OP.taken when somebody receives it.
func (s *Session) Push(op string, payload any) {
	c := s.conn
	w := c.node.world
	w.request++
	call := w.newCall()
	call.Session, call.Worker, call.Op, call.Request, call.Sent = s, s.Worker, op, w.request, w.Time()
	call.conn, call.worker, call.points = c, s.worker, w.points.of(op)
	call.answer, call.replied, call.pushed = payload, true, true
	call.response.call, call.response.reply = call, true
	w.notePayload(kindReplied, c.node.name, op, call.Request, payload)
	c.down.send(&call.response)
	w.passWith(s.worker, call.points.replied, &call.response)
}

// Send sends a request and does not wait for its reply, which is received as what
// is pushed.
func (c *Conn) Send(op string, req any) error {
	t, _, err := c.node.world.enter(context.Background())
	switch {
	case err != nil:
		return err
	case c.err != nil:
		return c.err
	}
	call := c.newRequest(t, op, req)
	call.pushed = true
	call.send()
	return nil
}

// inbox is what has been pushed to the client's end of a connection and has
// arrived.
type inbox struct {
	calls  []*Call
	reader *task // that waits for more
}

func (b *inbox) add(c *Call) {
	b.calls = append(b.calls, c)
	if b.reader != nil {
		b.reader.wake(byReply)
	}
}

// Receive returns the next payload that the server has pushed, and waits for it,
// for timeout at most (0: for ever). It returns ErrTimeout, the cause of ctx, or
// why the connection has ended, once all that came before has been received. One
// task at a time may receive.
func (c *Conn) Receive(ctx context.Context, timeout time.Duration) (any, error) {
	w := c.node.world
	t, sc, err := w.enter(ctx)
	if err != nil {
		return nil, err
	}
	if len(c.inbox.calls) == 0 {
		if c.err != nil {
			return nil, c.err
		}
		c.inbox.reader = t
		why := t.linger(sc, timeout)
		c.inbox.reader = nil
		switch {
		case why == byTimer:
			return nil, ErrTimeout
		case why == byContext:
			return nil, sc.cause
		case len(c.inbox.calls) == 0:
			return nil, c.err
		}
	}
	call := c.inbox.calls[0]
	c.inbox.calls = c.inbox.calls[1:]
	w.notePayload(kindTaken, call.Worker, call.Op, call.Request, call.answer)
	call.worker.pass(call.points.taken)
	t.sleep(nil, w.cfg.Step, classStep)
	return call.answer, nil
}

// Unread reports whether something that was pushed waits to be received.
func (c *Conn) Unread() bool { return len(c.inbox.calls) > 0 }
