package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
	"lockquake/sim"
	"lockquake/sim/backend"
)

// recorder stands for one worker in the workload: it writes the worker's events to the history, and
// names the steps of its work in the same way for every strategy.
type recorder struct {
	run     *run
	of      *worker
	worker  *sim.Worker    // its life
	access  backend.Access // to the resource
	service backend.Access // to the service of effects outside of it
	takes   time.Duration  // length of the work of the current section

	strategy lock.Strategy
	heeds    results.Heeds   // when the work checks its context
	commits  workload.Commit // when the writes of a section reach the resource
}

// call is one call of a strategy.
// A worker that needs several locks has several calls open at once, one within the
// other. A call is a section of the history, or several one after the other if its
// strategy repeats the work; then the fields are those of the last one.
type call struct {
	*recorder
	key      string
	unit     string
	mode     string // history.ModeShared for a section that only reads, if its strategy has a lock for that
	others   string // the other keys of the same call of the strategy
	section  int
	token    int64 // of its grant
	told     bool
	returned bool
	asked    []operation // operations at the resource: values that it returned, and values sent to it
	done     []operation // writes that the work believes to be done
	direct   requests    // its requests, without a session of the strategy
}

// requests returns the requests of the call, which go to the resource directly. They are a part of the call, so that a
// section needs no object more.
func (c *call) requests() *requests {
	c.direct = requests{c, c}
	return &c.direct
}

// operation is a value of an item that a section read or wrote.
type operation struct {
	write       bool
	item, value string
}

// do runs one critical section under the strategy, and returns its call. Unit is
// the piece of work that is to be done once, "" if the workload has no such thing.
func (r *recorder) do(ctx context.Context, key, unit string, body lock.Body) (*call, error) {
	if r.run.entry.ByUnit && unit != "" {
		key = unit
	}
	c := &call{recorder: r, key: key, unit: unit}
	return c, r.perform(ctx, calls{c}, one(r.strategy.Do, key), func(ctx context.Context, s []lock.Section) error { return body(ctx, s[0]) })
}

// method is a method of a strategy, with the keys that it locks.
type method func(ctx context.Context, r lock.Resource, body lock.Body) error

// one makes a method of one that locks one key.
func one(do func(context.Context, string, lock.Resource, lock.Body) error, key string) method {
	return func(ctx context.Context, r lock.Resource, body lock.Body) error { return do(ctx, key, r, body) }
}

// perform runs the sections of the calls by one call of the strategy. The body gets a section for each
// of them.
func (r *recorder) perform(ctx context.Context, all calls, do method, body func(context.Context, []lock.Section) error) error {
	unit := all[0].unit
	for _, c := range all {
		r.run.know(c.key)
	}
	if unit != "" {
		ctx = lock.WithUnit(ctx, unit)
	}
	for _, c := range all {
		c.begin(false)
	}
	err := do(ctx, r.protected(all), func(ctx context.Context, inner lock.Section) error {
		if err := r.worker.Process().Admit(); err != nil {
			return err
		}
		sections := make([]lock.Section, 0, len(all))
		for _, c := range all {
			c.enter(ctx, inner.Token())
			sections = append(sections, observed{inner, c})
		}
		err := body(ctx, sections)
		for _, c := range all {
			c.leave(err)
		}
		return err
	})
	for _, c := range all {
		c.hear(err)
		if err == nil {
			r.run.promised = append(r.run.promised, c.unasked()...)
		}
		c.end(classify(err), err)
		c.returned = true
	}
	return err
}

// protected returns the resource that the strategy sees in its calls.
func (r *recorder) protected(all calls) lock.Resource {
	_, inDatabase := r.access.(backend.SessionAccess)
	return all.resource(inDatabase && r.run.data.apart == nil)
}

// enter notes that the section was let in with a token.
func (c *call) enter(ctx context.Context, token int64) {
	c.run.acquisitions++
	c.token = token
	e := c.event(history.Acquired)
	e.Key, e.Token = c.key, c.token
	c.run.record(e)
	c.run.progressed(c.takes)
	if ctx.Done() != nil {
		sim.OnEnd(ctx, func() { c.hear(context.Cause(ctx)) })
	}
	c.worker.Point("acquired")
}

// leave notes that the work of the section has ended with err.
func (c *call) leave(err error) {
	e := c.event(history.ReleaseCalled)
	e.Key, e.Err = c.key, text(err)
	c.run.record(e)
	c.worker.Point("release-called")
}

// begin begins a section. Again: it repeats the work of the one before.
func (c *call) begin(again bool) {
	c.of.calls++
	c.of.lock = c.key
	c.section, c.token, c.told, c.asked, c.done = c.of.calls, 0, false, nil, nil
	e := c.event(history.AcquireCalled)
	e.Key, e.Unit, e.Again, e.Mode, e.Others = c.key, c.unit, again, c.mode, c.others
	c.run.record(e)
	c.worker.Point("acquire-called")
}

// end ends the section.
func (c *call) end(class history.Class, err error) {
	e := c.event(history.Released)
	e.Key, e.Class, e.Err = c.key, class, text(err)
	c.run.record(e)
	c.worker.Point("released")
}

// Again ends the section with the answer that it had no effect, and begins another one
// for the same work. See lock.Again.
func (c *call) Again(err error) {
	c.end(history.ClassConflict, err)
	c.begin(true)
}

// hear notes that the holder was told of a loss, the first time that it was.
func (c *call) hear(err error) {
	if !c.returned && !c.told && errors.Is(err, lock.ErrLost) {
		c.told = true
		e := c.event(history.Told)
		e.Err = text(err)
		c.run.record(e)
	}
}

// unasked lists the last write of each item that the work believes to be done, if it
// has not been sent to the resource yet.
func (c *call) unasked() []promise {
	var list []promise
	for i, d := range c.done {
		again := slices.ContainsFunc(c.done[i+1:], func(later operation) bool { return later.item == d.item })
		if !again && !slices.Contains(c.asked, d) {
			list = append(list, promise{c, d})
		}
	}
	return list
}

// promise is a write that a strategy answered with ok, and that it may send to the
// resource later.
type promise struct {
	call      *call
	operation operation
}

// kept returns an error if a promised write was never sent. The state of the resource
// says nothing about a lock that keeps writes from it.
func (r *run) kept() error {
	for _, p := range r.promised {
		if !slices.Contains(p.call.asked, p.operation) {
			return fmt.Errorf("%s, section %d: the work was told that it has written %q to %s, but the strategy never sent this write to the resource",
				p.call.worker.Name(), p.call.section, p.operation.value, p.operation.item)
		}
	}
	return nil
}

// event returns a new event of the section, to be recorded before the next one is made. It is not on the
// stack of the worker: it has about 400 bytes, and the stacks of 100,000 workers that wait are most of what a
// large run needs.
func (c *call) event(t history.Type) *history.Event {
	e := &c.run.event
	*e = history.Event{Type: t, Worker: c.worker.Name(), Section: c.section}
	return e
}

// observed is the section that the body gets: it records when the strategy reports that the lock is
// lost.
type observed struct {
	lock.Section
	call *call
}

func (t observed) Check() error {
	err := t.Section.Check()
	t.call.hear(err)
	return err
}

func (t observed) Read(ctx context.Context, item string) (string, error) {
	value, err := t.Section.Read(ctx, item)
	t.call.hear(err)
	if err == nil {
		t.call.expect(item, value)
	}
	return value, err
}

// expect fails the run unless the section has read the value of the item from the resource, or written it.
func (c *call) expect(item, value string) {
	if slices.Contains(c.asked, operation{false, item, value}) || slices.Contains(c.done, operation{true, item, value}) {
		return
	}
	c.run.fail(fmt.Errorf("%s, section %d: the work was told that %s holds %q, but the resource has not returned that value in this section",
		c.worker.Name(), c.section, item, value))
}

func (t observed) Write(ctx context.Context, item, value string) error {
	err := t.Section.Write(ctx, item, value)
	t.call.hear(err)
	if err == nil {
		t.call.done = append(t.call.done, operation{true, item, value})
	}
	return err
}

// classify returns the class of an error of a strategy.
func classify(err error) history.Class {
	if err == nil {
		return history.ClassOK
	}
	for _, c := range []struct {
		err   error
		class history.Class
	}{
		{lock.ErrUnknown, history.ClassUnknown},
		{lock.ErrConflict, history.ClassConflict},
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
	return history.ClassOther
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
