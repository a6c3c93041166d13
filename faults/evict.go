package faults

import (
	"time"

	"lockquake/internal/draw"
)

// Evict drops one key, as a server that is short of memory does.
type Evict struct{ OnKeys }

// Info implements Fault.
func (*Evict) Info() Info {
	return kind[Evict](Info{
		Kind: "evict", Instant: true, Hits: HitsGrants,
		Doc: "makes the lock's server evict one key that matches a pattern; any key without a pattern",
	})
}

func (*Evict) supported(servers any) bool {
	_, can := servers.(interface {
		Evict(node, pattern string, pick *draw.Draw) []string
	})
	return can
}

// Apply implements Fault.
func (f *Evict) Apply(on any, _ time.Duration) error {
	type evictor interface {
		Evict(server, key string) error
	}
	return ask(on, f, func(t evictor) error { return t.Evict(f.Target, f.Key) })
}

// Begins implements Fault.
func (*Evict) Begins(s Scene) string { return s.keysGone("evicted") }

// EndsLease implements LeaseEnder.
func (*Evict) EndsLease(worker string) string { return worker + "'s lease is evicted" }
