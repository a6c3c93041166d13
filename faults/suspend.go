package faults

import "time"

// Suspend puts a machine to sleep. Its monotonic clock stops; its wall clock is right
// when the machine wakes.
type Suspend struct{ OnNode }

// Info implements Fault.
func (*Suspend) Info() Info {
	return kind[Suspend](Info{
		Kind: "suspend", Effect: Stops,
		Doc: "suspends the machine of a worker or a server: its monotonic clock stops, its wall clock runs on",
	})
}

func (*Suspend) places() []Place {
	return []Place{{Name: "suspend", Letter: "u", Order: 80, Fault: &Suspend{}, Doc: "the worker's machine sleeps, and its monotonic clock with it"}}
}

// Apply implements Fault.
func (f *Suspend) Apply(on any, d time.Duration) error {
	type suspender interface {
		Suspend(target string, d time.Duration) error
	}
	return ask(on, f, func(t suspender) error { return t.Suspend(f.Target, d) })
}

// Begins implements Fault.
func (*Suspend) Begins(s Scene) string { return s.stops("is suspended") }

// Ends implements Fault.
func (*Suspend) Ends(s Scene) (text string, turning bool) { return s.wakes() }
