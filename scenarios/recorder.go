package scenarios

import (
	"context"
	"errors"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/sim"
	"lockquake/sim/resource"
)

// recorder stands between one worker and everything that it does. It writes
// the worker's part of the history, and names the steps of its work, the same
// for every strategy.
type recorder struct {
	run    *run
	worker *sim.Worker
	client *resource.Client
}

// call is one call of a strategy, a section of the history. It is the
// lock.Resource that the strategy sees. A worker that needs several locks has
// several calls open at once, one within the other.
type call struct {
	*recorder
	section  int
	told     bool
	returned bool
}

// do runs one critical section under the strategy. Unit is the piece of work
// that is to be done once, "" if the workload has no such thing.
func (r *recorder) do(ctx context.Context, s lock.Strategy, key, unit string, body lock.Body) error {
	r.run.calls[r.worker.Name()]++
	c := &call{recorder: r, section: r.run.calls[r.worker.Name()]}
	c.record(history.Event{Type: history.AcquireCalled, Key: key, Unit: unit})
	r.worker.Point("acquire-called")
	err := s.Do(ctx, key, c, func(ctx context.Context, inner lock.Section) error {
		r.run.acquisitions++
		c.record(history.Event{Type: history.Acquired, Key: key, Token: inner.Token()})
		sim.OnEnd(ctx, func() { c.hear(context.Cause(ctx)) })
		r.worker.Point("acquired")
		err := body(ctx, told{inner, c})
		c.record(history.Event{Type: history.ReleaseCalled, Key: key, Err: text(err)})
		r.worker.Point("release-called")
		return err
	})
	c.hear(err)
	c.record(history.Event{Type: history.Released, Key: key, Class: classify(err), Err: text(err)})
	c.returned = true
	r.worker.Point("released")
	return err
}

// hear notes that the holder was told of a loss, the first time that it was.
func (c *call) hear(err error) {
	if !c.returned && !c.told && errors.Is(err, lock.ErrLost) {
		c.told = true
		c.record(history.Event{Type: history.Told, Err: text(err)})
	}
}

// Read implements lock.Resource.
func (c *call) Read(ctx context.Context, item string, token int64) (string, error) {
	c.worker.Point("read-called")
	value, err := c.ask(ctx, &resource.Request{Item: item, Token: token})
	c.worker.Point("read-done")
	return value, err
}

// Write implements lock.Resource. It is entered after the strategy's own check
// of its lease, if it has one.
func (c *call) Write(ctx context.Context, item, value string, token int64) error {
	c.worker.Point("lease-checked")
	_, err := c.ask(ctx, &resource.Request{Write: true, Item: item, Value: value, Token: token})
	c.worker.Point("write-replied")
	return err
}

// ask sends a request to the resource and records what the worker learns.
func (c *call) ask(ctx context.Context, q *resource.Request) (string, error) {
	c.run.requests++
	q.ID = c.run.requests
	e := history.Event{
		Type: history.Invoke, Request: q.ID, Op: q.Op(), Key: q.Item, Value: q.Value, Token: q.Token,
	}
	c.record(e)
	value, err := c.client.Do(ctx, q)
	switch {
	case err == nil:
		e.Type = history.OK
	case errors.Is(err, lock.ErrRefused):
		e.Type = history.Fail
	default:
		e.Type = history.Info
	}
	if !q.Write {
		e.Value = value
	}
	e.Err = text(err)
	c.record(e)
	return value, err
}

func (c *call) record(e history.Event) {
	e.Worker, e.Section = c.worker.Name(), c.section
	c.run.record(e)
}

// told is the section that the body gets: it notices when the strategy says
// that the lock is lost.
type told struct {
	lock.Section
	call *call
}

func (t told) Check() error {
	err := t.Section.Check()
	t.call.hear(err)
	return err
}

func (t told) Read(ctx context.Context, item string) (string, error) {
	value, err := t.Section.Read(ctx, item)
	t.call.hear(err)
	return value, err
}

func (t told) Write(ctx context.Context, item, value string) error {
	err := t.Section.Write(ctx, item, value)
	t.call.hear(err)
	return err
}

// classify says which kind of answer an error is.
func classify(err error) history.Class {
	for _, c := range []struct {
		err   error
		class history.Class
	}{
		{lock.ErrUnknown, history.ClassUnknown},
		{lock.ErrRefused, history.ClassRefused},
		{lock.ErrLost, history.ClassLost},
		{lock.ErrNotObtained, history.ClassNotObtained},
		{context.Canceled, history.ClassCancelled},
		{context.DeadlineExceeded, history.ClassCancelled},
	} {
		if errors.Is(err, c.err) {
			return c.class
		}
	}
	if err != nil {
		return history.ClassOther
	}
	return history.ClassOK
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
