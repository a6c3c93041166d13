package scenarios

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
)

// Side says on which side of a threshold a strategy breaks.
type Side string

// The sides.
const (
	Smallest Side = "smallest" // it breaks from this value on
	Largest  Side = "largest"  // it breaks up to this value
	Always   Side = "always"   // it breaks at every step of the range
	Never    Side = "never"    // it breaks at none
)

// Threshold is where a strategy begins to break, or ceases to. A value breaks
// it as [SweepRate.Breaks] says.
type Threshold struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Side  Side   `json:"side"`
	// Breaks is the value nearest to the threshold that breaks the strategy, and
	// Holds the one on the other side that does not. Always and Never have
	// neither.
	Breaks string `json:"breaks,omitempty"`
	Holds  string `json:"holds,omitempty"`
	// Why says what breaks it at Breaks, in words, or if it always breaks, at the
	// first step.
	Why string `json:"why,omitempty"`
	// At Holds Finished of Jobs were finished, with a 95 % Wilson interval of the
	// share.
	Jobs         int64   `json:"jobs,omitempty"`
	Finished     int64   `json:"finished,omitempty"`
	FinishedLow  float64 `json:"finished_low,omitempty"`
	FinishedHigh float64 `json:"finished_high,omitempty"`
	// Precision is the distance between the two as a share of Breaks.
	Precision float64 `json:"precision,omitempty"`
	// TTL is the strategy's, in nanoseconds, and Margin is Breaks as a share of
	// it: how much of the lease the fault has to last. Both are 0 where Breaks is
	// no duration, or is the TTL itself.
	TTL    time.Duration `json:"ttl,omitempty"`
	Margin float64       `json:"margin,omitempty"`
	// Changes is how often neighbouring steps of the range differ. If it is more
	// than once, this is the threshold between the first two that do.
	Changes int    `json:"changes"`
	Replay  string `json:"replay,omitempty"` // token of a run that breaks
}

// Find is a sweep over one axis that then bisects, for each strategy, between
// the first two steps of which one breaks it and the other does not, until the
// two ends differ by no more than precision, as a share of the larger. Whole
// numbers are told apart to the last one.
func Find(ctx context.Context, s *Scenario, axis Axis, check string, precision float64, opts ...Option) (*Sweep, error) {
	if _, ok := axis.Quantities(); !ok {
		return nil, &SettingError{axis.Path + "=" + strings.Join(axis.Values, ","), "to find where something breaks takes durations or numbers"}
	}
	if !(precision > 0 && precision < 1) {
		return nil, fmt.Errorf("a precision lies between 0 and 1, and is not %v", precision)
	}
	w, points, err := newSweep(s, []Axis{axis}, check, opts)
	if err != nil {
		return nil, err
	}
	if err := w.run(ctx, points); err != nil {
		return w.result, err
	}
	w.result.Partial = true
	for _, r := range w.result.Points[0].Strategies {
		t, low, high := w.bracket(r)
		if low >= 0 {
			err = w.bisect(ctx, &t, low, high, precision)
		}
		if err != nil {
			return w.result, err
		}
		w.result.Thresholds = append(w.result.Thresholds, t)
	}
	w.result.Partial = false
	return w.result, nil
}

// bracket finds the first two neighbouring steps that differ; low is -1 if
// there are none.
func (w *sweep) bracket(of SweepRate) (t Threshold, low, high int) {
	t.Name, t.Label = of.Name, of.Label
	var broken []bool
	for i := range w.result.Points {
		r, _ := w.result.Points[i].Of(t.Label)
		broken = append(broken, r.Breaks())
	}
	low = -1
	for i := 1; i < len(broken); i++ {
		if broken[i] != broken[i-1] {
			if t.Changes++; t.Changes == 1 {
				low, high = i-1, i
			}
		}
	}
	switch {
	case low < 0 && broken[0]:
		t.Side = Always
		t.Why = of.Why
	case low < 0:
		t.Side = Never
	case broken[low]:
		t.Side = Largest
	default:
		t.Side = Smallest
	}
	return t, low, high
}

// bisect narrows a threshold down between two steps of the range.
func (w *sweep) bisect(ctx context.Context, t *Threshold, lowStep, highStep int, precision float64) error {
	axis := w.result.Axes[0]
	quantities, _ := axis.Quantities()
	low, high := quantities[lowStep], quantities[highStep]
	digits := max(leastDigits, 2+int(math.Ceil(-math.Log10(precision))))
	lowRate, _ := w.result.Points[lowStep].Of(t.Label)
	highRate, _ := w.result.Points[highStep].Of(t.Label)
	w.total = w.done + w.probes(low, high, precision)*w.options.seeds.Count()
	for high.X-low.X > precision*max(math.Abs(low.X), math.Abs(high.X)) {
		middle := low.at(between(low.X, high.X), digits)
		if middle.X <= low.X || middle.X >= high.X {
			break // nothing lies between them
		}
		s, err := w.at([]string{middle.String()})
		if err != nil {
			return err
		}
		c, err := w.campaign(ctx, s, WithStrategies(t.Label))
		if err != nil {
			return err
		}
		r := w.rate(s, &c.Strategies[0])
		if r.Breaks() == (t.Side == Smallest) {
			high, highRate = middle, r
		} else {
			low, lowRate = middle, r
		}
	}
	breaks, holds := high, low
	broken, held := highRate, lowRate
	if t.Side == Largest {
		breaks, holds = low, high
		broken, held = lowRate, highRate
	}
	t.Breaks, t.Holds = breaks.String(), holds.String()
	t.Why, t.Replay = broken.Why, broken.Replay
	t.Jobs, t.Finished = held.Jobs, held.Finished
	t.FinishedLow, t.FinishedHigh = Wilson(int(held.Finished), int(held.Jobs))
	if breaks.X != 0 {
		t.Precision = round6((high.X - low.X) / math.Abs(breaks.X))
	}
	return w.margin(t, breaks)
}

// probes is about how many values it takes to get that near.
func (w *sweep) probes(low, high Quantity, precision float64) int {
	width := (high.X - low.X) / (precision * max(math.Abs(low.X), math.Abs(high.X)))
	return max(0, int(math.Ceil(math.Log2(width))))
}

// between is the middle of two values: by their ratio if they have one.
func between(low, high float64) float64 {
	if low > 0 {
		return math.Sqrt(low) * math.Sqrt(high)
	}
	return low + (high-low)/2
}

// margin sets a value that breaks in proportion to the TTL.
func (w *sweep) margin(t *Threshold, breaks Quantity) error {
	path := w.result.Axes[0].Path
	if !breaks.Duration || strings.HasSuffix(path, ".ttl") {
		return nil
	}
	s, err := w.at([]string{t.Breaks})
	if err != nil {
		return err
	}
	uses, err := s.uses(options{own: w.options.own, strategies: []string{t.Label}})
	if err != nil {
		return err
	}
	entry, err := (&runner{own: w.options.own}).entry(t.Name)
	if err != nil {
		return err
	}
	if t.TTL = s.ParamsOf(entry.Defaults, uses[0], "").TTL; t.TTL > 0 {
		t.Margin = round6(breaks.X / float64(t.TTL))
	}
	return nil
}
