package client

import (
	"context"
	"slices"

	"lockquake/lock/env"
	"lockquake/sim/zookeeper/wire"
)

// Signal is something that happens once.
type Signal struct {
	client *Client
	fired  bool
	event  wire.Event
	err    error
	sems   []env.Sem
}

func (c *Client) newSignal() *Signal { return &Signal{client: c} }

// fire signals all that wait, now and later.
func (s *Signal) fire(e wire.Event, err error) {
	if s.fired {
		return
	}
	s.fired, s.event, s.err = true, e, err
	for _, sem := range s.sems {
		sem.Release()
	}
	s.sems = nil
}

// Fired reports whether it has happened.
func (s *Signal) Fired() bool { return s.fired }

// Event returns the event of a watch that has fired. The error says that the watch has ended with its
// session.
func (s *Signal) Event() (wire.Event, error) { return s.event, s.err }

// Wait waits until it has happened, or ctx ends. It returns the cause of ctx.
func (s *Signal) Wait(ctx context.Context) error {
	if s.fired {
		return nil
	}
	sem := s.client.env.NewSem(0)
	s.sems = append(s.sems, sem)
	err := sem.Acquire(ctx)
	s.sems = slices.DeleteFunc(s.sems, func(other env.Sem) bool { return other == sem })
	return err
}

// watchKind is the request that left a watch: an Exists without a znode is one of its own.
type watchKind int

const (
	watchData watchKind = iota
	watchExist
	watchChildren
)

// watch is a watch that was left at the server.
type watch struct {
	path   string
	kind   watchKind
	signal *Signal
}

func (c *Client) addWatch(kind watchKind, path string) *Signal {
	w := &watch{path, kind, c.newSignal()}
	c.watches = append(c.watches, w)
	return w.signal
}

// notify fires the watches of an event.
func (c *Client) notify(e wire.Event) {
	if c.OnEvent != nil {
		c.OnEvent(e)
	}
	var kinds []watchKind
	switch e.Type {
	case wire.NodeCreated:
		kinds = []watchKind{watchExist}
	case wire.NodeDataChanged:
		kinds = []watchKind{watchExist, watchData}
	case wire.NodeChildrenChanged:
		kinds = []watchKind{watchChildren}
	case wire.NodeDeleted:
		kinds = []watchKind{watchExist, watchData, watchChildren}
	}
	var kept, hit []*watch
	for _, w := range c.watches {
		if w.path == e.Path && slices.Contains(kinds, w.kind) {
			hit = append(hit, w)
		} else {
			kept = append(kept, w)
		}
	}
	c.watches = kept
	for _, w := range hit {
		w.signal.fire(e, nil)
	}
}

// endWatches ends all watches with an error, since the session has expired.
func (c *Client) endWatches(err error) {
	list := c.watches
	c.watches = nil
	for _, w := range list {
		w.signal.fire(wire.Event{Path: w.path}, err)
	}
}

// resetWatches returns the request that leaves all watches again, nil if there is none.
func (c *Client) resetWatches() *wire.Request {
	if len(c.watches) == 0 {
		return nil
	}
	q := &wire.Request{Op: wire.Op{Kind: wire.SetWatches}, Seen: c.seen}
	for _, w := range c.watches {
		list := &q.DataWatches
		switch w.kind {
		case watchExist:
			list = &q.ExistWatches
		case watchChildren:
			list = &q.ChildWatches
		case watchData:
		}
		if !slices.Contains(*list, w.path) {
			*list = append(*list, w.path)
		}
	}
	return q
}
