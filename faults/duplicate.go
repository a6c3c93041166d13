package faults

import (
	"fmt"
	"time"
)

// Duplicate delivers a request twice, as a proxy that repeats a request does.
type Duplicate struct{ OnRequest }

// Info implements Fault.
func (*Duplicate) Info() Info {
	return kind[Duplicate](Info{
		Kind: "duplicate", Effect: Catches, Copies: true, Length: "how long after the first it arrives again",
		Doc: "delivers one request twice, the second time after the time given",
	})
}

func (*Duplicate) places() []Place {
	return []Place{{
		Name: "duplicate", Letter: "t", Order: 90, Fault: &Duplicate{}, Except: []string{"dial"},
		Doc: "the request that leaves here arrives a second time, later",
	}}
}

// Apply implements Fault.
func (f *Duplicate) Apply(on any, d time.Duration) error {
	type duplicator interface{ DuplicateMessage(d time.Duration) error }
	return ask(on, f, func(t duplicator) error { return t.DuplicateMessage(d) })
}

// Begins implements Fault.
func (*Duplicate) Begins(s Scene) string {
	return fmt.Sprintf("copies the %s, to deliver it again %s later", s.Message, s.Length)
}
