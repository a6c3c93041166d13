package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/internal/stats"
	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// The bounds of a sweep.
const (
	mostAxes    = 2
	mostPoints  = 10_000
	usualSeeds  = 100 // at most, unless the caller sets a range
	leastDigits = 3   // of a value that Find tries
)

// SweepRequest selects what a sweep runs. The zero value of a field is its default.
type SweepRequest struct {
	Axes  []results.Axis // one or two
	Check string         // whose violations count; "" for all checks that decide
	// Bounds are requirements on every strategy, in addition to those of the scenario.
	Bounds results.Expect
	// Seeds are run at every point; by default those of the scenario, at most 100.
	Seeds results.SeedRange
	// Strategies, Own, Jobs, Stall and Progress are as in [campaign.Request].
	Strategies []string
	Own        []lock.Entry
	Jobs       int
	Stall      time.Duration
	Progress   func(campaign.Progress)
}

// sweep is the state of a Sweep.
type sweep struct {
	scenario *scenarios.Scenario
	request  SweepRequest          // with its range of seeds filled in
	own      map[string]lock.Entry // all strategies of the caller's, by name
	result   *results.Sweep
	done     int // runs, of all campaigns that have ended
	total    int
}

// Sweep runs a scenario at every value of an axis, or at every pair of values of two.
//
// When ctx ends, or a run cannot be executed, it returns the results so far, marked as partial,
// with the cause. A value that cannot be set at one of the points is a [*scenarios.SettingError]
// before the first run.
func Sweep(ctx context.Context, s *scenarios.Scenario, r SweepRequest) (*results.Sweep, error) {
	w, points, err := newSweep(s, r)
	if err != nil {
		return nil, err
	}
	return w.result, w.run(ctx, points)
}

// newSweep makes the scenario of every point.
func newSweep(s *scenarios.Scenario, r SweepRequest) (*sweep, []*scenarios.Scenario, error) {
	check, axes := r.Check, r.Axes
	if check != "" && !slices.Contains(s.Checks, check) {
		return nil, nil, &scenarios.SettingError{Setting: check, Text: strictyaml.Unknown("check of "+s.Name, check, s.Checks)}
	}
	if len(axes) < 1 || len(axes) > mostAxes {
		return nil, nil, fmt.Errorf("a sweep varies one or two parameters, not %d", len(axes))
	}
	if r.Seeds == (results.SeedRange{}) {
		r.Seeds = results.SeedRange{First: 1, Last: uint64(min(usualSeeds, s.Seeds))}
	}
	own := run.NewPool(s, r.Own, r.Jobs, r.Stall).Own
	w := &sweep{scenario: s, request: r, own: own, result: &results.Sweep{
		Schema: 1, Version: results.Version, Scenario: s.Name, Hash: s.Hash, Overrides: s.OverrideTexts(), Program: s.Program,
		Seeds: r.Seeds, Check: check, Axes: axes, Points: []results.SweepPoint{}, Partial: true,
	}}
	choices := combinations(axes)
	if len(choices) > mostPoints {
		return nil, nil, fmt.Errorf("a sweep has at most %d points, not %d", mostPoints, len(choices))
	}
	var points []*scenarios.Scenario
	for _, values := range choices {
		point, err := w.at(values)
		if err != nil {
			return nil, nil, err
		}
		uses, err := point.Uses(r.Strategies, own)
		if err != nil {
			return nil, nil, err
		}
		w.total += len(uses) * r.Seeds.Count()
		points = append(points, point)
	}
	return w, points, nil
}

// combinations lists the values of every point.
func combinations(axes []results.Axis) [][]string {
	all := [][]string{nil}
	for _, axis := range axes {
		var longer [][]string
		for _, values := range all {
			for _, value := range axis.Values {
				longer = append(longer, append(slices.Clone(values), value))
			}
		}
		all = longer
	}
	return all
}

// at returns the scenario with values of the axes.
func (w *sweep) at(values []string) (*scenarios.Scenario, error) {
	var overrides []results.Override
	for i, value := range values {
		overrides = append(overrides, results.Override{Path: w.result.Axes[i].Path, Value: value})
	}
	return w.scenario.With(overrides)
}

// run executes the points in their order.
func (w *sweep) run(ctx context.Context, points []*scenarios.Scenario) error {
	choices := combinations(w.result.Axes)
	for i, point := range points {
		c, err := w.campaign(ctx, point, w.request.Strategies)
		if c != nil {
			w.result.Points = append(w.result.Points, w.sum(point, c, choices[i]))
		}
		if err != nil {
			return err
		}
	}
	w.result.Partial = false
	return nil
}

// campaign runs some strategies at one point. The progress counts the runs of all points.
func (w *sweep) campaign(ctx context.Context, s *scenarios.Scenario, strategies []string) (*results.Campaign, error) {
	last := campaign.Progress{}
	c, err := campaign.Run(ctx, s, campaign.Request{
		Seeds: w.request.Seeds, Strategies: strategies, Own: w.request.Own, Jobs: w.request.Jobs, Stall: w.request.Stall,
		Progress: func(p campaign.Progress) {
			last = p
			if w.request.Progress != nil {
				p.Done += w.done
				p.Total = max(w.total, p.Done)
				w.request.Progress(p)
			}
		},
	})
	w.done += last.Done
	return c, err
}

// sum returns the figures of a campaign that a sweep shows.
func (w *sweep) sum(s *scenarios.Scenario, c *results.Campaign, values []string) results.SweepPoint {
	point := results.SweepPoint{Values: values}
	for _, f := range c.Faults {
		point.Met += f.Hit
	}
	for i := range c.Strategies {
		point.Strategies = append(point.Strategies, w.rate(s, &c.Strategies[i]))
	}
	return point
}

// rate counts the runs that violate the check of the sweep.
func (w *sweep) rate(s *scenarios.Scenario, st *results.StrategyStats) results.SweepRate {
	r := results.SweepRate{
		Name: st.Name, Label: st.Label, Runs: st.Runs, Violating: st.Violating, Unknown: st.Unknown,
		Checks: st.Checks, Order: st.Order, Jobs: st.Metrics.Jobs, Finished: st.Metrics.Finished,
	}
	for _, b := range slices.Concat(st.Bounds, w.request.Bounds.Judge(&st.Metrics)) {
		if !b.Met {
			r.Unmet = append(r.Unmet, b)
		}
	}
	if check := w.result.Check; check != "" {
		r.Violating, r.Unknown = st.Checks[check].Violating, st.Checks[check].Unknown
	}
	var violated []string
	for _, check := range st.Order {
		stats := st.Checks[check]
		counts := check == w.result.Check || w.result.Check == "" && s.Decides(st.Label, check)
		if counts && stats.Violating > 0 {
			violated = append(violated, check)
		}
		if counts && stats.Violating > 0 && (r.FirstSeed == 0 || stats.FirstSeed < r.FirstSeed) {
			r.FirstSeed, r.Replay = stats.FirstSeed, stats.Replay
		}
	}
	if r.Runs > 0 {
		r.Rate = stats.Round6(float64(r.Violating) / float64(r.Runs))
	}
	r.Low, r.High = stats.Wilson(r.Violating, r.Runs)
	if r.Violating == 0 {
		r.Untested = st.Metrics.Untested()
	}
	r.Why = whyBroken(r, violated)
	return r
}

// whyBroken returns why the strategy counts as broken: violated checks, an unmet bound, or untested
// checks.
func whyBroken(r results.SweepRate, violated []string) string {
	switch {
	case r.Violating > 0:
		return fmt.Sprintf("%d of %d runs violated %s", r.Violating, r.Runs, strings.Join(violated, ", "))
	case len(r.Unmet) > 0:
		return r.Unmet[0].String()
	}
	return r.Untested
}
