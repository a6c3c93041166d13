package faults

import "time"

// Reset breaks connections, as a load balancer does, or a server that closes idle
// ones. The client opens a new connection, and so loses its session.
type Reset struct{ OnLink }

// Info implements Fault.
func (*Reset) Info() Info {
	return kind[Reset](Info{Kind: "reset", Instant: true, Doc: "resets every connection from one end to the other"})
}

// Apply implements Fault.
func (f *Reset) Apply(on any, _ time.Duration) error {
	type resetter interface{ Reset(from, to string) error }
	return ask(on, f, func(t resetter) error { return t.Reset(f.From, f.To) })
}

// Begins implements Fault.
func (f *Reset) Begins(s Scene) string { return "resets the connections of " + f.label(s) }
