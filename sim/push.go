package sim

import (
	"context"
	"slices"
	"time"
)

// Push sends the client a message that it did not ask for, in order after the replies that were
// sent before. The worker that dialled passes points that are named like those of a reply:
// OP.replied when the message leaves the server, OP.taken when a task receives it.
func (s *Session) Push(op string, payload any) {
	c := s.conn
	w := c.node.world
	w.request++
	call := w.newCall()
	call.Session, call.Worker, call.Op, call.Request, call.Sent = s, s.Worker, op, w.request, w.Time()
	call.conn, call.worker, call.points = c, s.worker, w.points.of(op)
	call.answer, call.replied, call.pushed = payload, true, true
	call.response.call, call.response.reply = call, true
	w.noteOften(&c.node.stamps, call.points.repliedEntry, kindReplied, c.node.name, op, call.Request, payload)
	c.down.send(&call.response)
	w.passWith(s.worker, call.points.replied, &call.response)
}

// Send sends a request without waiting for its reply, which Receive returns like a pushed message.
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
	if c.inbox.answersOnly {
		c.asked = append(c.asked, call)
	}
	call.send()
	if c.process.crashed { // as the request left: the task does nothing any more
		t.wait()
		return ErrOver
	}
	return nil
}

// inbox has the pushed messages that have arrived at the client's end of a connection.
type inbox struct {
	calls  []*Call
	reader *task // the task that waits for the next one

	answersOnly bool // see Conn.AnswersOnly
}

// AnswersOnly tells whether from now on the server pushes nothing on the connection but the replies to what Send sends. It is false
// at first. If it is true, a process that waits for a reply can be further ahead of the world, so a run is faster.
func (c *Conn) AnswersOnly(only bool) { c.inbox.answersOnly = only }

func (b *inbox) add(c *Call) {
	b.calls = append(b.calls, c)
	if b.reader != nil {
		b.reader.wake(byReply)
	}
}

// Receive returns the next pushed payload. It waits for one at most for timeout (0: forever). It
// returns ErrTimeout, the cause of ctx, or the error of the connection if that has ended and
// everything that came before has been received. Only one task at a time may call it.
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
		why := t.waitAtMost(sc, timeout)
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
	if i := slices.Index(c.asked, call); i >= 0 {
		c.asked = slices.Delete(c.asked, i, i+1)
	}
	w.noteOften(&call.worker.stamps, call.points.takenEntry, kindTaken, call.Worker, call.Op, call.Request, call.answer)
	call.worker.pass(call.points.taken)
	t.sleep(nil, w.cfg.Step, classStep)
	return call.answer, nil
}

// Unread reports whether a pushed message has arrived and not been received.
func (c *Conn) Unread() bool { return len(c.inbox.calls) > 0 }
