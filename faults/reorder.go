package faults

import (
	"fmt"
	"time"
)

// Reorder delays a request until a later one of the same client, on another
// connection, has overtaken it. Requests on one connection keep their order.
type Reorder struct{ OnRequest }

// Info implements Fault.
func (*Reorder) Info() Info {
	return kind[Reorder](Info{
		Kind: "reorder", Effect: Catches, Length: "how long it waits at most",
		Doc: "delays one request until the next one of its client on another connection has overtaken it, at most for the time given",
	})
}

func (*Reorder) places() []Place {
	return []Place{{
		Name: "reorder", Letter: "o", Order: 100, Fault: &Reorder{}, Except: []string{"dial"},
		Doc: "the request that leaves here is overtaken by the next on another connection",
	}}
}

// Apply implements Fault.
func (f *Reorder) Apply(on any, d time.Duration) error {
	type reorderer interface{ ReorderMessage(d time.Duration) error }
	return ask(on, f, func(t reorderer) error { return t.ReorderMessage(d) })
}

// Begins implements Fault.
func (*Reorder) Begins(s Scene) string {
	return fmt.Sprintf("keeps back the %s until another one overtakes it, for %s at most", s.Message, s.Length)
}
