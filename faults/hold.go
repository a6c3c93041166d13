package faults

import (
	"fmt"
	"time"
)

// Hold delays a single message, and with it all later messages of the same
// connection.
type Hold struct{ OnMessage }

// Info implements Fault.
func (*Hold) Info() Info {
	return kind[Hold](Info{
		Kind: "hold", Effect: Catches, OnNetwork: true,
		Doc: "delays one message for the time given",
	})
}

func (*Hold) places() []Place {
	return []Place{{Name: "hold", Letter: "h", Default: true, Order: 20, Fault: &Hold{}, Doc: "the message that leaves here is late"}}
}

// Apply implements Fault.
func (f *Hold) Apply(on any, d time.Duration) error {
	type holder interface{ HoldMessage(d time.Duration) error }
	return ask(on, f, func(t holder) error { return t.HoldMessage(d) })
}

// Begins implements Fault.
func (*Hold) Begins(s Scene) string { return fmt.Sprintf("holds the %s for %s", s.Message, s.Length) }
