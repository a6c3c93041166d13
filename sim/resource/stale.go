package resource

import (
	"time"

	"lockquake/history"
	"lockquake/sim"
)

// staleReplica is a replica that answers reads instead of the server.
type staleReplica struct {
	by      time.Duration // maximum lag
	values  map[string]content
	pending []change // accepted writes that it does not have yet, in order
}

// change is an accepted write.
type change struct {
	at   time.Duration // true time
	item string
	content
}

// content is the value and the version that a read returns.
type content struct {
	value   string
	version int64
}

// SetStale makes a replica answer reads. The replica stops at its present state until it lags by
// the given time, and then follows with that lag. It ignores tokens: it refuses no read and raises
// no mark. SetStale(0) ends that at once.
func (s *Server) SetStale(by time.Duration) {
	switch {
	case by <= 0:
		s.stale = nil
	case s.stale != nil:
		s.stale.by = by
	default:
		s.stale = &staleReplica{by: by, values: map[string]content{}}
		for name, it := range s.items {
			s.stale.values[name] = content{it.value, it.version}
		}
	}
}

// read returns the replica's value of the item.
func (l *staleReplica) read(now time.Duration, item string) content {
	for len(l.pending) > 0 && l.pending[0].at <= now-l.by {
		l.values[l.pending[0].item] = l.pending[0].content
		l.pending = l.pending[1:]
	}
	return l.values[item]
}

// serveStale answers a read from the replica.
func (s *Server) serveStale(c *sim.Call, r *Request, it *item) {
	read := s.stale.read(s.node.World().Time(), r.Item)
	reply := &Reply{Value: read.value, Version: read.version}
	s.answer(c, r, it, reply, history.Event{Value: reply.Value, Prior: it.value})
}
