package faults

import "time"

// Cancel cancels the context of a worker's section, as a caller with a timeout does.
type Cancel struct{ OnWorker }

// Info implements Fault.
func (*Cancel) Info() Info {
	return kind[Cancel](Info{Kind: "cancel", Instant: true, Effect: Cancels, Doc: "cancels the context of the section that a worker is in"})
}

func (*Cancel) places() []Place {
	return []Place{{Name: "cancel", Letter: "n", Order: 120, Fault: &Cancel{}, Doc: "the context of the worker's section is cancelled"}}
}

// Apply implements Fault.
func (f *Cancel) Apply(on any, _ time.Duration) error {
	type canceller interface{ Cancel(worker string) error }
	return ask(on, f, func(t canceller) error { return t.Cancel(f.Target) })
}

// Begins implements Fault.
func (*Cancel) Begins(s Scene) string {
	if s.Idle || s.Down {
		return ""
	}
	return "has its section cancelled"
}
