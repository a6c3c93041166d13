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
// for every strategy. It is the lock.Resource that the strategy sees.
type recorder struct {
	run     *run
	worker  *sim.Worker
	client  *resource.Client
	section int
	told    bool
}

// do runs one critical section under the strategy.
func (r *recorder) do(ctx context.Context, s lock.Strategy, key string, section int, body lock.Body) {
	r.section, r.told = section, false
	r.record(history.Event{Type: history.AcquireCalled, Key: key})
	r.worker.Point("acquire-called")
	err := s.Do(ctx, key, r, func(ctx context.Context, inner lock.Section) error {
		r.run.acquisitions++
		r.record(history.Event{Type: history.Acquired, Key: key, Token: inner.Token()})
		sim.OnEnd(ctx, func() { r.hear(section, context.Cause(ctx)) })
		r.worker.Point("acquired")
		err := body(ctx, told{inner, r})
		r.record(history.Event{Type: history.ReleaseCalled, Key: key, Err: text(err)})
		r.worker.Point("release-called")
		return err
	})
	r.hear(section, err)
	r.record(history.Event{Type: history.Released, Key: key, Class: classify(err), Err: text(err)})
	r.worker.Point("released")
}

// hear notes that the holder was told of a loss, the first time that it was.
func (r *recorder) hear(section int, err error) {
	if section == r.section && !r.told && errors.Is(err, lock.ErrLost) {
		r.told = true
		r.record(history.Event{Type: history.Told, Err: text(err)})
	}
}

// Read implements lock.Resource.
func (r *recorder) Read(ctx context.Context, item string, token int64) (string, error) {
	r.worker.Point("read-called")
	value, err := r.ask(ctx, &resource.Request{Item: item, Token: token})
	r.worker.Point("read-done")
	return value, err
}

// Write implements lock.Resource. It is entered after the strategy's own check
// of its lease, if it has one.
func (r *recorder) Write(ctx context.Context, item, value string, token int64) error {
	r.worker.Point("lease-checked")
	_, err := r.ask(ctx, &resource.Request{Write: true, Item: item, Value: value, Token: token})
	r.worker.Point("write-replied")
	return err
}

// ask sends a request to the resource and records what the worker learns.
func (r *recorder) ask(ctx context.Context, q *resource.Request) (string, error) {
	r.run.requests++
	q.ID = r.run.requests
	e := history.Event{
		Type: history.Invoke, Request: q.ID, Op: q.Op(), Key: q.Item, Value: q.Value, Token: q.Token,
	}
	r.record(e)
	value, err := r.client.Do(ctx, q)
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
	r.record(e)
	return value, err
}

func (r *recorder) record(e history.Event) {
	e.Worker, e.Section = r.worker.Name(), r.section
	r.run.record(e)
}

// told is the section that the body gets: it notices when the strategy says
// that the lock is lost.
type told struct {
	lock.Section
	r *recorder
}

func (t told) Read(ctx context.Context, item string) (string, error) {
	value, err := t.Section.Read(ctx, item)
	t.r.hear(t.r.section, err)
	return value, err
}

func (t told) Write(ctx context.Context, item, value string) error {
	err := t.Section.Write(ctx, item, value)
	t.r.hear(t.r.section, err)
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
