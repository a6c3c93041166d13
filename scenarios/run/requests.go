package run

import (
	"context"
	"errors"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/sim/backend"
	"lockquake/sim/resource"
)

// requests is the resource as a strategy sees it in a section. It implements lock.Conditional.
type requests struct {
	*call
	way way
}

// Read implements lock.Resource.
func (r requests) Read(ctx context.Context, item string, token int64) (string, error) {
	reply, err := r.read(ctx, r.way, item, token)
	return reply.Value, err
}

// Write implements lock.Resource. It is entered after the strategy's own check
// of its lease, if it has one.
func (r requests) Write(ctx context.Context, item, value string, token int64) error {
	_, err := r.write(ctx, r.way, "lease-checked", &resource.Request{Item: item, Value: value, Token: token})
	return err
}

// ReadVersion implements lock.Conditional.
func (r requests) ReadVersion(ctx context.Context, item string) (string, int64, error) {
	reply, err := r.read(ctx, r.way, item, 0)
	return reply.Value, reply.Version, err
}

// WriteIf implements lock.Conditional.
func (r requests) WriteIf(ctx context.Context, item, value string, condition lock.Condition) (int64, error) {
	reply, err := r.write(ctx, r.way, "lease-checked", &resource.Request{Item: item, Value: value, If: &condition})
	return reply.Version, err
}

// way decides how a request reaches the resource, and what is recorded of its answer.
type way interface {
	through() backend.Access
	pends(item string) bool    // a transaction that is open has written the item
	answered(e *history.Event) // e is valid during the call
}

func (c *call) through() backend.Access   { return c.access }
func (c *call) pends(string) bool         { return false }
func (c *call) answered(e *history.Event) { c.run.record(e) }

// read sends a read, and passes the points before and after it. A transaction that reads what it has written
// itself learns nothing of the resource as others see it, so that read is not recorded.
func (c *call) read(ctx context.Context, w way, item string, token int64) (resource.Reply, error) {
	if w.pends(item) {
		return c.peek(ctx, w.through(), item)
	}
	if err := c.worker.Process().Admit(); err != nil {
		return resource.Reply{}, err
	}
	c.worker.Point("read-called")
	reply, err := c.ask(ctx, w, &resource.Request{Item: item, Token: token})
	c.worker.Point("read-done")
	return reply, err
}

// commit sends a write after the release of its lock, with the token of the grant. It
// bypasses the strategy.
func (c *call) commit(ctx context.Context, d operation) error {
	_, err := c.write(ctx, c, "commit-called", &resource.Request{Item: d.item, Value: d.value, Token: c.token})
	return err
}

// write sends a write, and passes the point before that.
func (c *call) write(ctx context.Context, w way, point string, q *resource.Request) (resource.Reply, error) {
	if err := c.worker.Process().Admit(); err != nil {
		return resource.Reply{}, err
	}
	c.worker.Point(point)
	q.Write = true
	reply, err := c.ask(ctx, w, q)
	c.worker.Point("write-replied")
	return reply, err
}

// outside is the way of a request that has its effect outside of the resource. No transaction and
// no fence covers it.
type outside struct{ *call }

func (o outside) through() backend.Access { return o.service }

// recorded returns a condition as the history has it.
func recorded(c *lock.Condition) *history.Condition {
	switch {
	case c == nil:
		return nil
	case c.ByValue:
		return &history.Condition{By: "value", Value: c.Value}
	default:
		return &history.Condition{By: "version", Version: c.Version}
	}
}

// ask sends a request to the resource and records what the worker learns.
func (c *call) ask(ctx context.Context, w way, q *resource.Request) (resource.Reply, error) {
	c.run.requests++
	q.ID = c.run.requests
	c.invoke(q)
	if history.IsOutside(q.Item) {
		w = outside{c}
	}
	reply, err := w.through().Ask(ctx, q)
	c.learn(w, q, reply.Value, err)
	return reply, err
}

// invoke records that a request is sent to the resource.
func (c *call) invoke(q *resource.Request) {
	e := c.operation(history.Invoke, q)
	e.If = recorded(q.If)
	c.run.record(e)
	if q.Write {
		c.asked = append(c.asked, operation{true, q.Item, q.Value})
	}
}

// learn records the answer of a request: the value that a read returned, or an error.
func (c *call) learn(w way, q *resource.Request, value string, err error) {
	e := c.operation(history.OK, q)
	switch {
	case err == nil:
	case errors.Is(err, lock.ErrRefused), errors.Is(err, lock.ErrConflict):
		e.Type = history.Fail
	default:
		e.Type = history.Info
	}
	if !q.Write {
		e.Value = value
	}
	e.Err = text(err)
	w.answered(e)
	if err == nil && !q.Write {
		c.asked = append(c.asked, operation{false, q.Item, value})
	}
}

// operation returns the event of a request to the resource.
func (c *call) operation(t history.Type, q *resource.Request) *history.Event {
	e := c.event(t)
	e.Request, e.Op, e.Key, e.Value, e.Token = operationNumber(q.ID), q.Op(), q.Item, q.Value, q.Token
	return e
}
