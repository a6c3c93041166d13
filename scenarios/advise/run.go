package advise

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"lockquake/checker"
	"lockquake/internal/stats"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// The numbers of seeds. How many are run between the bounds follows from the requests that a run sends.
const (
	mostSeeds   = 40 // of each lock under each cause
	leastSeeds  = 8
	fewerShare  = 0.4 // of them, at each TTL and with another assumption
	screenSeeds = 2
	budget      = 5_000_000 // requests of all runs together
	runCost     = 200       // what a run costs beside its requests, in requests
)

// Request selects what Run runs.
type Request struct {
	Inputs  Inputs
	Path    string // where the scenario will be
	Program string // name of the program that repeats the runs
	Jobs    int    // runs in parallel; the answer does not depend on it
	// Seeds is the largest number of seeds of each lock under each cause; 0 for the default.
	Seeds int
	// Progress is called after every run, from one goroutine at a time; may be nil.
	Progress func(campaign.Progress)
}

// adviser is the state of a Run.
type adviser struct {
	Request
	in       *Inputs
	scenario *scenarios.Scenario
	dir      string
	answer   *results.Advice
	seeds    int // of each pair
	done     int
	total    int // estimate
	pace     pace
}

// Run runs the scenario of the inputs and returns the answer with the scenario. When ctx ends it
// returns the cause, and no answer.
func Run(ctx context.Context, r Request) (*results.Advice, *scenarios.Scenario, error) {
	a, err := newAdviser(r)
	if err != nil {
		return nil, nil, err
	}
	if err := a.run(ctx, a.screen, a.smallestTTL, a.locks, a.longestTTL, a.vary); err != nil {
		return nil, nil, err
	}
	return a.answer, a.scenario, nil
}

func newAdviser(r Request) (*adviser, error) {
	a := &adviser{Request: r, dir: filepath.Dir(r.Path), answer: &results.Advice{Schema: 1, Version: results.Version, Program: r.Program, Scenario: r.Path}}
	a.in = &a.Inputs
	return a, a.write()
}

// run takes some steps, and describes the question in the answer.
func (a *adviser) run(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	a.describe()
	return nil
}

// write writes the scenario for the inputs.
func (a *adviser) write() (err error) {
	a.scenario, err = a.in.Scenario(a.Path, a.Program)
	return err
}

// describe fills in what the answer says of the question.
func (a *adviser) describe() {
	a.answer.Hash, a.answer.Runs = a.scenario.Hash, a.done
	a.answer.Lock, a.answer.Assumed = a.in.Describe(), a.in.assumptions(a.dir)
	a.answer.World = fmt.Sprintf("%s of %d workers with jobs of about %s", brief(a.in.world().duration), workers, brief(round(a.in.Work.typical())))
	for _, c := range used(a.in.causes(a.dir), a.in.candidates()) {
		a.answer.Causes = append(a.answer.Causes, results.AdviceCause{Name: c.name, With: c.with, Asked: a.in.asked(c)})
	}
	a.answer.Missing = a.in.missing()
}

// screen runs a few seeds of each pair, and derives the number of seeds from the requests that they
// send.
func (a *adviser) screen(ctx context.Context) error {
	a.pace = pace{pairs: a.in.pairs(a.dir), first: map[string]spent{}, learning: true}
	_, err := a.campaign(ctx, a.scenario, labelsOf(a.pace.pairs), screenSeeds)
	a.pace.learning = false
	a.answer.Seeds = results.SeedRange{First: 1, Last: uint64(a.seeds)}
	return err
}

// weight returns what a request to a family of servers costs to simulate, compared with one of a Redis lock.
func weight(family string) int64 {
	if family == "dynamodb" {
		return 10 // the SDK encodes and decodes each one
	}
	return 1
}

// fewer returns the number of seeds of the other steps.
func (a *adviser) fewer() int {
	return min(a.seeds, max(leastSeeds, int(fewerShare*float64(a.seeds))))
}

// campaign runs some labels of a scenario over the first seeds.
func (a *adviser) campaign(ctx context.Context, s *scenarios.Scenario, labels []string, seeds int) (*results.Campaign, error) {
	before := a.done
	return campaign.Run(ctx, s, campaign.Request{
		Strategies: labels, Jobs: a.Jobs, Seeds: results.SeedRange{First: 1, Last: uint64(seeds)},
		Progress: func(p campaign.Progress) { a.show(before, p) },
	})
}

// show counts a run. Before is the number of runs before its campaign.
func (a *adviser) show(before int, p campaign.Progress) {
	a.done = before + p.Done
	a.count(p)
	if a.Progress != nil {
		p.Done, p.Total, p.Share = a.done, max(a.total, a.done), a.pace.share()
		a.Progress(p)
	}
}

// locks runs each candidate under each cause that can hit it.
func (a *adviser) locks(ctx context.Context) error {
	pairs := a.in.pairs(a.dir)
	c, err := a.campaign(ctx, a.scenario, labelsOf(pairs), a.seeds)
	if err != nil {
		return err
	}
	var calm *checker.Metrics // of the candidate, without faults
	for i, p := range pairs {
		if p.cause == results.NoFault {
			a.answer.Locks = append(a.answer.Locks, results.AdviceLock{
				Label: p.candidate.label, Strategy: p.candidate.strategy, What: p.candidate.what, Needs: a.in.needs(p.candidate),
				Command: a.command(a.scenario, p.candidate.label, a.seeds),
			})
		}
		l := &a.answer.Locks[len(a.answer.Locks)-1]
		l.Cells = append(l.Cells, a.cell(a.scenario, &c.Strategies[i]))
		switch p.cause {
		case results.NoFault:
			calm = &c.Strategies[i].Metrics
			l.Cost = results.CostOf(calm, nil, 0)
		case crashed:
			l.Cost = results.CostOf(calm, &c.Strategies[i].Metrics, c.Strategies[i].Hit)
		}
	}
	claimed := map[string]int{} // by label
	for _, c := range a.in.candidates() {
		claimed[c.label] = a.in.claimed(c)
	}
	slices.SortStableFunc(a.answer.Locks[1:], func(x, y results.AdviceLock) int { return safer(x, y, claimed) })
	return nil
}

// safer orders locks: those that lose less first, then those that claim more, then those that cost less.
// Claimed has the number of classes of faults that each label claims to survive.
func safer(x, y results.AdviceLock, claimed map[string]int) int {
	return cmp.Or(
		cmp.Compare(x.Worst(), y.Worst()), cmp.Compare(claimed[y.Label], claimed[x.Label]),
		cmp.Compare(x.Cost.PerAcquisition, y.Cost.PerAcquisition), cmp.Compare(x.Cost.WaitP99, y.Cost.WaitP99),
	)
}

// cell returns the figures of the runs of a pair in a scenario.
func (a *adviser) cell(s *scenarios.Scenario, st *results.StrategyStats) results.AdviceCell {
	c := results.AdviceCell{
		Cause: st.Case, Runs: st.Runs, Unknown: st.Unknown, Hit: st.Hit, Jobs: st.Metrics.Jobs, Finished: st.Metrics.Finished,
		Command: a.command(s, st.Label, st.Runs),
	}
	for _, check := range checker.Serious(checks()) { // the first of those that are violated as often
		found := st.Checks[check]
		switch about := checker.Concerns(check); {
		case about == checker.Corruption && found.Violating > c.Lost:
			c.Lost, c.Check, c.Replay = found.Violating, check, found.Replay
		case about == checker.Service && found.Violating > c.Stuck:
			if c.Stuck, c.Service = found.Violating, check; c.Lost == 0 {
				c.Replay = found.Replay
			}
		}
	}
	c.Low, c.High = stats.Wilson(c.Lost, c.Runs)
	return c
}

// command returns the command that repeats runs.
func (a *adviser) command(s *scenarios.Scenario, label string, runs int) string {
	return fmt.Sprintf("%s run %s --strategy %s --seeds 1-%d --no-report", a.program(), s.Argument(), scenarios.Word(label), runs)
}

// program returns the name of the program that repeats runs.
func (a *adviser) program() string { return cmp.Or(a.Program, "lockquake") }
