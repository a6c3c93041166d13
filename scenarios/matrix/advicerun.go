package matrix

import (
	"context"
	"fmt"
	"math"
	"strings"

	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// adviceSeeds is the number of seeds of a scenario that decides a claim.
const adviceSeeds = 40

// inRun claims that a strategy violates a check in a scenario, or does not.
type inRun struct {
	says     string
	scenario string
	label    string
	check    string
	violates bool
	set      []string // values of the scenario, as path=value
}

func (c inRun) judge(ctx context.Context, a *adviser) (results.AdviceEvidence, error) {
	e := results.AdviceEvidence{Claim: c.says, Verdict: results.AdviceOpen}
	var overrides []results.Override
	command := []string{fmt.Sprintf("run %s --strategy %s --seeds 1-%d --no-report", c.scenario, c.label, adviceSeeds)}
	for _, set := range c.set {
		path, value, _ := strings.Cut(set, "=")
		overrides = append(overrides, results.Override{Path: path, Value: value})
		command = append(command, "--set", set)
	}
	s, err := scenarios.LoadWith(c.scenario, overrides)
	if err != nil {
		return e, err
	}
	result, err := campaign.Run(ctx, s, campaign.Request{
		Strategies: []string{c.label}, Seeds: results.SeedRange{First: 1, Last: adviceSeeds}, Jobs: a.jobs,
	})
	if err != nil {
		return e, err
	}
	st := &result.Strategies[0]
	found := st.Checks[c.check]
	e.Command = strings.Join(command, " ")
	e.Figure = fmt.Sprintf("%s violates %q in %d of %d runs of %s", c.label, c.check, found.Violating, st.Runs, c.scenario)
	cell := results.MatrixCell{Case: results.NoFault, Runs: st.Runs, HitRuns: st.HitRuns}
	if len(s.Faults) > 0 {
		cell.Case = c.scenario
	}
	switch {
	case found.Violating > 0:
		e.Verdict = verdictOf(c.violates)
	case found.Unknown > 0 || !found.Applies || st.Metrics.Untested() != "":
		e.Figure += "; not decided"
	case cell.Tested() < results.EnoughRuns:
		e.Figure += fmt.Sprintf("; a fault hit in %d of them, and %d are needed", cell.Tested(), results.EnoughRuns)
	default:
		e.Figure += fmt.Sprintf(" (at most %.1f %%)", math.Ceil(1000*cell.Bound())/10)
		e.Verdict = verdictOf(!c.violates)
	}
	return e, nil
}
