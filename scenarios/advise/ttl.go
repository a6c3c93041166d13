package advise

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"lockquake/internal/stats"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
	"lockquake/scenarios/search"
)

// The search for the smallest TTL.
const (
	ttlSteps     = 6
	ttlPrecision = 0.05
	ttlProbes    = 6 // values between two steps, at most
	enough       = "finished >= 99 %"
	enoughDone   = 0.99 // the same
)

// smallestTTL searches for the smallest TTL with which the jobs are finished and nothing is lost under
// pauses, and raises it until that holds in the seeds of the answer too. The scenario has it from then on,
// if it was asked for.
func (a *adviser) smallestTTL(ctx context.Context) error {
	if !a.in.leased() {
		return nil
	}
	cause, axis := a.ttlCause(), a.in.ttls()
	seeds, label := a.fewer(), yours+" under "+cause
	bounds, err := scenarios.ParseBounds([]string{enough})
	if err != nil {
		return err
	}
	before := a.done
	sweep, err := search.Find(ctx, a.scenario, search.FindRequest{
		Axis: axis, Precision: ttlPrecision, Bounds: bounds, Seeds: results.SeedRange{First: 1, Last: uint64(seeds)},
		Strategies: []string{label}, Jobs: a.Jobs, Progress: func(p campaign.Progress) { a.show(before, p) },
	})
	if err != nil {
		return err
	}
	t := sweep.Thresholds[0]
	a.answer.TTL = &results.AdviceTTL{
		Cause: cause, Shortest: axis.Values[0], Longest: axis.Values[len(axis.Values)-1], Runs: seeds, Why: t.Why,
		Jobs: t.Jobs, Finished: t.Finished, Low: t.FinishedLow, High: t.FinishedHigh,
		Command: fmt.Sprintf("%s sweep %s --vary %s --find --precision %.0f%% --require %s --strategy %s --seeds 1-%d --no-report",
			a.program(), a.scenario.Argument(), scenarios.Word(axis.Path+"="+strings.Join(axis.Values, ",")), 100*ttlPrecision, scenarios.Word(enough), scenarios.Word(label), seeds),
	}
	switch t.Side {
	case results.Largest:
		a.answer.TTL.Holds, a.answer.TTL.Breaks = t.Holds, t.Breaks
	case results.Never:
		point := sweep.Points[0].Strategies[0]
		a.answer.TTL.Holds, a.answer.TTL.Jobs, a.answer.TTL.Finished = axis.Values[0], point.Jobs, point.Finished
	case results.Always, results.Smallest:
		a.answer.TTL.Breaks = a.answer.TTL.Longest
	}
	if a.answer.TTL.Holds == "" {
		return nil
	}
	found, err := a.raise(ctx, label)
	if err != nil || a.in.TTL > 0 || a.answer.TTL.Holds == "" {
		return err
	}
	a.in.TTL, a.answer.TTL.Taken = found, true
	return a.write()
}

// ttlCause returns the cause under which a TTL has to be enough.
func (a *adviser) ttlCause() string {
	if a.in.Pauses.long() == 0 {
		return results.NoFault
	}
	return paused
}

// raise runs the TTL that was found with all seeds of the answer, and raises it by a quarter at a time, up to
// the longest one, until nothing is lost and the jobs are finished. It returns the TTL that holds.
func (a *adviser) raise(ctx context.Context, label string) (time.Duration, error) {
	t := a.answer.TTL
	longest, err := time.ParseDuration(t.Longest)
	if err != nil {
		return 0, err
	}
	found, err := time.ParseDuration(t.Holds)
	if err != nil {
		return 0, err
	}
	for ttl := ceilingOf(found); ; ttl = min(longest, ceilingOf(ttl+ttl/4)) {
		if !a.in.accepts(ttl) { // it takes whole seconds
			ttl = (ttl + time.Second - 1) / time.Second * time.Second
		}
		cells, err := a.with(ctx, []results.Override{{Path: "lock.ttl", Value: brief(ttl)}}, []string{label}, a.seeds)
		if err != nil {
			return 0, err
		}
		c := cells[0]
		if c.Lost == 0 && c.Done() >= enoughDone {
			t.Holds, t.Jobs, t.Finished, t.HoldsRuns, t.HoldsCommand = brief(ttl), c.Jobs, c.Finished, c.Runs, c.Command
			t.Low, t.High = stats.Wilson(int(c.Finished), int(c.Jobs))
			return ttl, nil
		}
		t.Breaks, t.Why = brief(ttl), fmt.Sprintf("%d of %d runs lose something, and %d of %d jobs are finished", c.Lost, c.Runs, c.Finished, c.Jobs)
		if ttl >= longest {
			t.Holds, t.Jobs, t.Finished, t.Low, t.High = "", 0, 0, 0, 0
			return 0, nil
		}
	}
}

// ttls returns the values of the TTL that are tried: about half of what the work and its pauses need, up
// to several times that.
func (a *Inputs) ttls() results.Axis {
	pause, slack := a.Pauses.long(), 4*a.Latency.long()
	need := a.Work.long() + pause + slack
	if a.renews() {
		need = pause*3/2 + slack
		if a.Renewal.Period > 0 {
			need = a.Renewal.Period + pause + slack
		}
	}
	low, high := max(need/4, 20*time.Millisecond), max(4*need, 2*a.ttl(), a.world().cutOff*3/2)
	for low < high && !a.accepts(low) {
		low += low / 4
	}
	axis := results.Axis{Path: "lock.ttl", Log: true}
	for i := range ttlSteps {
		x := math.Pow(float64(high)/float64(low), float64(i)/(ttlSteps-1))
		axis.Values = append(axis.Values, brief(ceilingOf(time.Duration(float64(low)*x))))
	}
	return axis
}

// accepts reports whether the lock can run with a TTL. A Lease of Kubernetes has whole seconds, for example.
func (a *Inputs) accepts(ttl time.Duration) bool { return a.refuses(ttl) == nil }

// refuses returns an error if the lock cannot run with a TTL.
func (a *Inputs) refuses(ttl time.Duration) error {
	e := a.mine()
	if e.Wrong == nil {
		return nil
	}
	e.Defaults.TTL = ttl
	if key, why := e.Wrong(e.Defaults); key != "" {
		return fmt.Errorf("%s: %s %s", a.Lock, key, why)
	}
	return nil
}

// ceilingOf rounds a duration up to two digits.
func ceilingOf(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 100 {
		unit *= 10
	}
	return (d + unit - 1) / unit * unit
}

// longestTTL runs the lock in question with the longest TTL under the causes with which it loses
// updates.
func (a *adviser) longestTTL(ctx context.Context) error {
	if a.answer.TTL == nil {
		return nil
	}
	var labels []string
	for _, c := range a.answer.Locks[0].Cells {
		if c.Lost > 0 {
			labels = append(labels, yours+" under "+c.Cause)
		}
	}
	if len(labels) == 0 {
		return nil
	}
	set := []results.Override{{Path: "lock.ttl", Value: a.answer.TTL.Longest}}
	cells, err := a.with(ctx, set, labels, a.fewer())
	for _, c := range cells {
		if c.Lost > 0 {
			a.answer.TTL.Helpless = append(a.answer.TTL.Helpless, c)
		} else {
			a.answer.TTL.Helped = append(a.answer.TTL.Helped, c)
		}
	}
	return err
}

// with runs labels with values set.
func (a *adviser) with(ctx context.Context, set []results.Override, labels []string, seeds int) ([]results.AdviceCell, error) {
	s, err := a.scenario.With(set)
	if err != nil {
		return nil, err
	}
	c, err := a.campaign(ctx, s, labels, seeds)
	if err != nil {
		return nil, err
	}
	var cells []results.AdviceCell
	for i := range c.Strategies {
		cells = append(cells, a.cell(s, &c.Strategies[i]))
	}
	return cells, nil
}
