package faults

import "time"

// Drop loses a single message. A connection does not survive the loss of a message: the client
// gets no answer at first, and a reset after the length of the fault.
type Drop struct{ OnMessage }

// Info implements Fault.
func (*Drop) Info() Info {
	return kind[Drop](Info{
		Kind: "drop", Effect: Catches, OnNetwork: true, Length: "how long after the loss the connection is reset",
		Doc: "loses one message, and resets its connection after the time given",
	})
}

func (*Drop) places() []Place {
	return []Place{{Name: "drop", Letter: "d", Default: true, Order: 30, Fault: &Drop{}, Doc: "the message that leaves here is lost, and later its connection"}}
}

// Apply implements Fault.
func (f *Drop) Apply(on any, d time.Duration) error {
	type dropper interface{ DropMessage(d time.Duration) error }
	return ask(on, f, func(t dropper) error { return t.DropMessage(d) })
}

// Begins implements Fault.
func (*Drop) Begins(s Scene) string { return "loses the " + s.Message }
