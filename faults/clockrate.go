package faults

import (
	"cmp"
	"fmt"
	"strconv"
	"time"
)

// ClockRate lets a clock run fast or slow for a while.
type ClockRate struct {
	OnNode
	// Clock selects the clock; the default is ClockWall.
	Clock Clock `yaml:"clock" doc:"which clock of the node"`
	// PPM is the clock's error rate in parts per million: above 0 it runs fast,
	// below 0 slow.
	PPM int64 `yaml:"ppm" doc:"how much faster than true time the clock runs, in parts per million; negative if slower"`
}

// Clock names one of the two clocks of a node.
type Clock string

// The two clocks.
const (
	ClockWall      Clock = "wall"
	ClockMonotonic Clock = "monotonic"
)

// Noun implements Word.
func (Clock) Noun() string { return "clock" }

// Words implements Word.
func (Clock) Words() []string { return asStrings(ClockWall, ClockMonotonic) }

// maxPPM bounds the rate: at +maxPPM a clock runs twice as fast as true time, at -maxPPM it would
// not run at all.
const maxPPM = 1_000_000

func possible(ppm int64) bool { return -maxPPM < ppm && ppm <= maxPPM }

// Info implements Fault.
func (*ClockRate) Info() Info {
	return kind[ClockRate](Info{
		Kind: "clock-rate", Effect: Skews,
		Doc: "makes a clock of a worker or a server run fast or slow",
	})
}

func (f *ClockRate) complete() { f.Clock = cmp.Or(f.Clock, ClockWall) }

func (f *ClockRate) check(s Spec, workers, nodes []string) error {
	switch {
	case f.PPM == 0:
		return &ParamError{"ppm", "is missing: how much too fast the clock runs, in parts per million"}
	case !possible(f.PPM):
		return &ParamError{"ppm", fmt.Sprintf("%d is not between -%d and %d", f.PPM, maxPPM, maxPPM)}
	}
	if f.Clock != "" {
		if err := checkParam("clock", f.Clock); err != nil {
			return err
		}
	}
	return f.OnNode.check(s, workers, nodes)
}

func (f *ClockRate) words() []string {
	return append(f.OnNode.words(), string(f.Clock), strconv.FormatInt(f.PPM, 10), "ppm")
}

func (f *ClockRate) read(r *reader) {
	f.OnNode.read(r)
	f.Clock = Clock(r.word("clock"))
	r.known(f.Clock)
	text := r.word("rate")
	ppm, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ppm == 0 || !possible(ppm) {
		r.fail("%q is not a rate between -%d and %d parts per million", text, maxPPM, maxPPM)
	}
	f.PPM = ppm
	r.expect("ppm")
}

// Apply implements Fault.
func (f *ClockRate) Apply(on any, d time.Duration) error {
	type rater interface {
		SetClockRate(target string, clock Clock, ppm int64, d time.Duration) error
	}
	return ask(on, f, func(t rater) error { return t.SetClockRate(f.Target, f.Clock, f.PPM, d) })
}

// Begins implements Fault.
func (f *ClockRate) Begins(s Scene) string {
	way, ppm := "fast", f.PPM
	if ppm < 0 {
		way, ppm = "slow", -ppm
	}
	percent := strconv.FormatFloat(float64(ppm)/10_000, 'f', -1, 64)
	return fmt.Sprintf("has its %s clock run %s %% %s for %s", f.Clock, percent, way, s.Length)
}

// Ends implements Fault.
func (f *ClockRate) Ends(Scene) (text string, turning bool) {
	return fmt.Sprintf("has its %s clock run at the right rate again", f.Clock), false
}
