package conditional

import (
	"context"
	"errors"
	"fmt"

	"lockquake/lock"
)

// optimistic runs sections without a lock. A section's write of an item that it has
// read or written takes effect only if no other write came between. If the first such
// write meets a conflict, the section has had no effect, and is run again.
type optimistic struct {
	lock.Deps
	byValue       bool // the flaw: compares the value of an item instead of its version
	repeatUnknown bool // the flaw: takes an unknown outcome for a conflict
}

// Do implements lock.Strategy.
func (o *optimistic) Do(ctx context.Context, key string, r lock.Resource, body lock.Body) error {
	c, err := conditionalOf(r)
	if err != nil {
		return err
	}
	random := o.Env.Rand("retry")
	for attempt := 1; ; attempt++ {
		s := &section{resource: c, byValue: o.byValue, known: map[string]state{}}
		err := body(ctx, s)
		switch {
		case o.repeatUnknown && errors.Is(err, lock.ErrUnknown):
		case !errors.Is(err, lock.ErrConflict):
			return err
		case s.wrote:
			return fmt.Errorf("%s: half of the work is done: %v", key, err) //nolint:errorlint // a conflict would mean that none of it is
		}
		if o.Params.Retry.Attempts != lock.Unlimited && attempt >= int(o.Params.Retry.Attempts) {
			return err
		}
		lock.Again(r, err)
		if err := o.Env.Sleep(ctx, o.Params.Retry.Pause(attempt, random)); err != nil {
			return err
		}
	}
}

// section implements lock.Section for one run of the body.
type section struct {
	resource lock.Conditional
	byValue  bool
	known    map[string]state // items that it has read or written, as it left them
	wrote    bool             // a write took effect, or may have
}

// state holds what a section knows of an item.
type state struct {
	value   string
	version int64
}

func (s *section) Token() int64 { return 0 }
func (s *section) Check() error { return nil }

// Read implements lock.Section.
func (s *section) Read(ctx context.Context, item string) (string, error) {
	value, version, err := s.resource.ReadVersion(ctx, item)
	if err == nil {
		s.known[item] = state{value, version}
	}
	return value, err
}

// Write implements lock.Section. The write of an item that the section does not know has
// no condition.
func (s *section) Write(ctx context.Context, item, value string) error {
	known, ok := s.known[item]
	if !ok {
		err := s.resource.Write(ctx, item, value, 0)
		s.wrote = true
		return err
	}
	condition := lock.IfVersion(known.version)
	if s.byValue && known.version > 0 {
		condition = lock.IfValue(known.value)
	}
	version, err := s.resource.WriteIf(ctx, item, value, condition)
	if !errors.Is(err, lock.ErrConflict) {
		s.wrote = true
	}
	if err == nil {
		s.known[item] = state{value, version}
	}
	return err
}

// conditionalOf returns a resource that has conditional writes, or an error.
func conditionalOf(r lock.Resource) (lock.Conditional, error) {
	if c, ok := r.(lock.Conditional); ok {
		return c, nil
	}
	return nil, fmt.Errorf("the resource %T has no conditional writes", r)
}
