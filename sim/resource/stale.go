package resource

import (
	"time"

	"lockquake/history"
	"lockquake/sim"
)

// lagging is a replica that answers reads in the server's place.
type lagging struct {
	by     time.Duration // how far it is behind at most
	values map[string]string
	later  []change // that it does not have yet, in order
}

// change is a write that was accepted.
type change struct {
	at    time.Duration // true time
	item  string
	value string
}

// SetStale lets reads be answered by a replica that stops now until it is that
// far behind, and from then on stays so. It knows nothing of tokens: it refuses
// no read and raises no mark. 0 ends it at once.
func (s *Server) SetStale(by time.Duration) {
	switch {
	case by <= 0:
		s.stale = nil
	case s.stale != nil:
		s.stale.by = by
	default:
		s.stale = &lagging{by: by, values: map[string]string{}}
		for name, it := range s.items {
			s.stale.values[name] = it.value
		}
	}
}

// value returns what the replica has for the item now.
func (l *lagging) value(now time.Duration, item string) string {
	for len(l.later) > 0 && l.later[0].at <= now-l.by {
		l.values[l.later[0].item] = l.later[0].value
		l.later = l.later[1:]
	}
	return l.values[item]
}

// serveStale is a read that the replica answers.
func (s *Server) serveStale(c *sim.Call, r *Request, it *item) {
	reply := &Reply{Value: s.stale.value(s.node.World().Time(), r.Item)}
	s.answer(c, r, it, reply, history.Event{Value: reply.Value, Prior: it.value})
}
