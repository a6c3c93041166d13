package faults

import (
	"fmt"
	"time"

	"lockquake/internal/draw"
)

// Latency delays every message of a link.
type Latency struct {
	OnLink
	// Add is the delay of each message.
	Add draw.Dist `yaml:"add" doc:"how much later each message comes"`
}

// Info implements Fault.
func (*Latency) Info() Info {
	return kind[Latency](Info{Kind: "latency", Doc: "delays every message on a link in one direction"})
}

func (f *Latency) complete() { f.Add.File = "" } // a plan has the samples

func (f *Latency) check(s Spec, workers, nodes []string) error {
	if f.Add.IsZero() {
		return &ParamError{"add", "is missing: how much later each message comes, such as 200ms"}
	}
	if _, err := median("add", f.Add); err != nil {
		return err
	}
	return f.OnLink.check(s, workers, nodes)
}

func (f *Latency) words() []string { return append(append(f.OnLink.words(), "add"), f.Add.Words()...) }

func (f *Latency) read(r *reader) {
	f.OnLink.read(r)
	f.Add = r.dist("add")
}

// Apply implements Fault.
func (f *Latency) Apply(on any, d time.Duration) error {
	type delayer interface {
		Delay(from, to string, by draw.Dist, d time.Duration) error
	}
	return ask(on, f, func(t delayer) error { return t.Delay(f.From, f.To, f.Add, d) })
}

// Begins implements Fault.
func (f *Latency) Begins(s Scene) string {
	return fmt.Sprintf("delays the messages %s for %s", f.label(s), s.Length)
}

// Ends implements Fault.
func (f *Latency) Ends(s Scene) (text string, turning bool) {
	return "delays the messages " + f.label(s) + " no longer", false
}
