package faults

import (
	"cmp"
	"fmt"
	"time"
)

// Partition cuts a link in one direction; two of them cut it in both. It catches every
// message that arrives while it lasts.
type Partition struct {
	OnLink
	// Mode decides what happens to the messages; the default is ModeHold.
	Mode Mode `yaml:"mode" doc:"what happens to the affected messages"`
}

// Mode decides what a partition does with the messages that it catches.
type Mode string

// The modes of a partition.
const (
	// ModeHold keeps them and delivers them in order when the link heals.
	ModeHold Mode = "hold"
	// ModeDrop loses them.
	ModeDrop Mode = "drop"
	// ModeReset breaks the connections of the link at once, and loses the messages
	// of new ones.
	ModeReset Mode = "reset"
)

// Noun implements Word.
func (Mode) Noun() string { return "mode" }

// Words implements Word.
func (Mode) Words() []string { return asStrings(ModeHold, ModeDrop, ModeReset) }

// Info implements Fault.
func (*Partition) Info() Info {
	return kind[Partition](Info{
		Kind: "partition", OnNetwork: true,
		Doc: "cuts a link in one direction; its messages are held until it heals, or dropped, or its connections reset",
	})
}

func (f *Partition) complete() { f.Mode = cmp.Or(f.Mode, ModeHold) }

func (f *Partition) check(s Spec, workers, nodes []string) error {
	if err := f.OnLink.check(s, workers, nodes); err != nil {
		return err
	}
	if f.Mode == "" {
		return nil
	}
	return checkParam("mode", f.Mode)
}

func (f *Partition) words() []string { return append(f.OnLink.words(), string(f.Mode)) }

func (f *Partition) read(r *reader) {
	f.OnLink.read(r)
	f.Mode = Mode(r.word("mode"))
	r.known(f.Mode)
}

// Apply implements Fault.
func (f *Partition) Apply(on any, d time.Duration) error {
	type cutter interface {
		Cut(from, to string, mode Mode, d time.Duration) error
	}
	return ask(on, f, func(t cutter) error { return t.Cut(f.From, f.To, f.Mode, d) })
}

// Begins implements Fault.
func (f *Partition) Begins(s Scene) string {
	messages := map[Mode]string{ModeHold: "messages held", ModeDrop: "messages lost", ModeReset: "connections reset"}[f.Mode]
	return fmt.Sprintf("cuts %s for %s (%s)", f.label(s), s.Length, messages)
}

// Ends implements Fault.
func (f *Partition) Ends(s Scene) (text string, turning bool) { return "heals " + f.label(s), false }
