package faults

import (
	"fmt"
	"strconv"
	"time"
)

// Loss makes a link lose packets. TCP sends them again, so clients see delays, and timeouts if
// the loss is high.
type Loss struct {
	OnLink
	// Percent is the share of the messages that are lost.
	Percent int `yaml:"percent" doc:"share of the messages that is lost"`
}

// Info implements Fault.
func (*Loss) Info() Info {
	return kind[Loss](Info{
		Kind: "loss", Doc: "loses a share of the messages on a link in one direction, which are sent again as TCP does",
		Schema: map[string]map[string]any{"percent": {"type": "integer", "minimum": 1, "maximum": allPercent}},
	})
}

const allPercent = 100

func (f *Loss) check(s Spec, workers, nodes []string) error {
	if f.Percent < 1 || f.Percent > allPercent {
		return &ParamError{"percent", fmt.Sprintf("must be from 1 to %d, and is %d", allPercent, f.Percent)}
	}
	return f.OnLink.check(s, workers, nodes)
}

func (f *Loss) words() []string {
	return append(f.OnLink.words(), strconv.Itoa(f.Percent), "percent")
}

func (f *Loss) read(r *reader) {
	f.OnLink.read(r)
	if f.Percent = r.number(""); f.Percent > allPercent {
		r.fail("%d is more than %d percent", f.Percent, allPercent)
	}
	r.expect("percent")
}

// Apply implements Fault.
func (f *Loss) Apply(on any, d time.Duration) error {
	type loser interface {
		Lose(from, to string, percent int, d time.Duration) error
	}
	return ask(on, f, func(t loser) error { return t.Lose(f.From, f.To, f.Percent, d) })
}

// Begins implements Fault.
func (f *Loss) Begins(s Scene) string {
	return fmt.Sprintf("loses %d %% of the messages %s for %s", f.Percent, f.label(s), s.Length)
}

// Ends implements Fault.
func (f *Loss) Ends(s Scene) (text string, turning bool) {
	return "loses no more messages " + f.label(s), false
}
