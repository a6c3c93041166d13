package search

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"lockquake/internal/stats"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// FindRequest selects the parameter whose threshold Find looks for. The fields are those of a
// [SweepRequest], except for the single axis and the precision.
type FindRequest struct {
	Axis results.Axis // of durations or numbers
	// Precision is the largest difference of the two ends at the end of the search, as a share of
	// the larger; more than 0 and less than 1.
	Precision  float64
	Check      string
	Bounds     results.Expect
	Seeds      results.SeedRange
	Strategies []string
	Own        []lock.Entry
	Jobs       int
	Stall      time.Duration
	Progress   func(campaign.Progress)
}

// Find sweeps over one axis. Then it bisects, for each strategy, between the first two neighbouring
// steps where one breaks the strategy and the other does not, until the two ends differ by at most
// Precision, as a share of the larger. For whole numbers it finds the exact threshold.
func Find(ctx context.Context, s *scenarios.Scenario, r FindRequest) (*results.Sweep, error) {
	axis, precision := r.Axis, r.Precision
	if _, ok := axis.Quantities(); !ok {
		return nil, &scenarios.SettingError{Setting: axis.Path + "=" + strings.Join(axis.Values, ","), Text: "to find where something breaks takes durations or numbers"}
	}
	if !(precision > 0 && precision < 1) {
		return nil, fmt.Errorf("a precision lies between 0 and 1, and is not %v", precision)
	}
	w, points, err := newSweep(s, SweepRequest{
		Axes: []results.Axis{axis}, Check: r.Check, Bounds: r.Bounds, Seeds: r.Seeds,
		Strategies: r.Strategies, Own: r.Own, Jobs: r.Jobs, Stall: r.Stall, Progress: r.Progress,
	})
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

// bracket returns the first two neighbouring steps with different results; low is -1 if there are
// none.
func (w *sweep) bracket(of results.SweepRate) (t results.Threshold, low, high int) {
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
		t.Side = results.Always
		t.Why = of.Why
	case low < 0:
		t.Side = results.Never
	case broken[low]:
		t.Side = results.Largest
	default:
		t.Side = results.Smallest
	}
	return t, low, high
}

// bisect narrows a threshold down between two steps of the range.
func (w *sweep) bisect(ctx context.Context, t *results.Threshold, lowStep, highStep int, precision float64) error {
	axis := w.result.Axes[0]
	quantities, _ := axis.Quantities()
	low, high := quantities[lowStep], quantities[highStep]
	digits := max(leastDigits, 2+int(math.Ceil(-math.Log10(precision))))
	lowRate, _ := w.result.Points[lowStep].Of(t.Label)
	highRate, _ := w.result.Points[highStep].Of(t.Label)
	w.total = w.done + w.probes(low, high, precision)*w.request.Seeds.Count()
	for high.X-low.X > precision*max(math.Abs(low.X), math.Abs(high.X)) {
		middle := low.At(between(low.X, high.X), digits)
		if middle.X <= low.X || middle.X >= high.X {
			break // nothing lies between them
		}
		s, err := w.at([]string{middle.String()})
		if err != nil {
			return err
		}
		c, err := w.campaign(ctx, s, []string{t.Label})
		if err != nil {
			return err
		}
		r := w.rate(s, &c.Strategies[0])
		if r.Breaks() == (t.Side == results.Smallest) {
			high, highRate = middle, r
		} else {
			low, lowRate = middle, r
		}
	}
	breaks, holds := high, low
	broken, held := highRate, lowRate
	if t.Side == results.Largest {
		breaks, holds = low, high
		broken, held = lowRate, highRate
	}
	t.Breaks, t.Holds = breaks.String(), holds.String()
	t.Why, t.Replay = broken.Why, broken.Replay
	t.Jobs, t.Finished = held.Jobs, held.Finished
	t.FinishedLow, t.FinishedHigh = stats.Wilson(int(held.Finished), int(held.Jobs))
	if breaks.X != 0 {
		t.Precision = stats.Round6((high.X - low.X) / math.Abs(breaks.X))
	}
	return w.margin(t, breaks)
}

// probes estimates how many values a bisection needs for this precision.
func (w *sweep) probes(low, high results.Quantity, precision float64) int {
	width := (high.X - low.X) / (precision * max(math.Abs(low.X), math.Abs(high.X)))
	return max(0, int(math.Ceil(math.Log2(width))))
}

// between returns the middle of two values: the geometric mean if both are positive, and else the
// arithmetic one.
func between(low, high float64) float64 {
	if low > 0 {
		return math.Sqrt(low) * math.Sqrt(high)
	}
	return low + (high-low)/2
}

// margin sets the breaking value in proportion to the TTL.
func (w *sweep) margin(t *results.Threshold, breaks results.Quantity) error {
	path := w.result.Axes[0].Path
	if !breaks.Duration || strings.HasSuffix(path, ".ttl") {
		return nil
	}
	s, err := w.at([]string{t.Breaks})
	if err != nil {
		return err
	}
	uses, err := s.Uses([]string{t.Label}, w.own)
	if err != nil {
		return err
	}
	entry, err := (&run.Runner{Scenario: s, Own: w.own}).Entry(t.Name)
	if err != nil {
		return err
	}
	if t.TTL = s.ParamsOf(entry.Defaults, uses[0], "").TTL; t.TTL > 0 {
		t.Margin = stats.Round6(breaks.X / float64(t.TTL))
	}
	return nil
}
