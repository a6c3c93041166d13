package matrix

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lockquake/checker"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// The default numbers of seeds: of a cell, those after which a strategy that has failed is not run
// further, and the most of a cell whose faults hit in few runs.
const (
	DefaultSeeds  = 30
	DefaultScreen = 4
	DefaultMost   = 240
)

// Request selects what a matrix runs. The zero value of a field is its default.
type Request struct {
	Needs      []string // names; nil: all
	Strategies []string // names; nil: those without a known flaw
	On         string   // only the locks on servers of this family, beside Strategies; "": those on all
	Flawed     bool     // run the strategies with a known flaw too
	// Seeds are those of each cell. Without them a cell has DefaultSeeds, and more if its faults hit in
	// few runs.
	Seeds   results.SeedRange
	Own     []lock.Entry // strategies of the caller's
	Program string       // name of the program that repeats the runs
	Jobs    int          // runs in parallel; the results do not depend on it
	// Progress is called after every run, from one goroutine at a time; may be nil. Total is an
	// upper bound until the strategies that have failed are known.
	Progress func(Progress)
}

// Progress counts the finished runs of a matrix.
type Progress struct {
	Need        string
	Done, Total int
}

// NeedError reports a name that is no need.
type NeedError struct{ Name string }

func (e *NeedError) Error() string { return fmt.Sprintf("no need is called %q", e.Name) }

// NeedNames lists the names of the needs.
func NeedNames() []string {
	var names []string
	for _, n := range Needs() {
		names = append(names, n.Name)
	}
	return names
}

// part is one need of a matrix that is running.
type part struct {
	need     Need
	scenario *scenarios.Scenario
	uses     []scenarios.Strategy
	cells    map[string]*results.MatrixCell // by label, which includes the case
}

// Run runs the matrix. When ctx ends it returns the results so far, marked as partial, with the
// cause.
func Run(ctx context.Context, r Request) (*results.Matrix, error) {
	most := 0
	if r.Seeds == (results.SeedRange{}) {
		r.Seeds, most = results.SeedRange{First: 1, Last: DefaultSeeds}, DefaultMost
	}
	parts, err := r.parts()
	if err != nil {
		return nil, err
	}
	screen := r.Seeds
	if screen.Count() > DefaultScreen {
		screen.Last = screen.First + DefaultScreen - 1
	}
	total, done := 0, 0
	for _, p := range parts {
		total += len(p.uses) * r.Seeds.Count()
	}
	// All needs are screened before the first goes on, so that a matrix that is stopped early knows
	// something of each.
	for _, p := range parts {
		if err = p.run(ctx, r, p.uses, screen, &done, total); err != nil {
			break
		}
	}
	if err == nil && screen.Last < r.Seeds.Last {
		err = goOn(ctx, r, parts, (*part).standing, results.SeedRange{First: screen.Last + 1, Last: r.Seeds.Last}, &done)
	}
	for _, next := range further(r.Seeds, most) {
		if err == nil {
			err = goOn(ctx, r, parts, (*part).short, next, &done)
		}
	}
	if err != nil && (ctx.Err() == nil || done == 0) {
		return nil, err
	}
	m := &results.Matrix{
		Schema: 1, Scenario: results.MatrixName, Version: results.Version, Program: r.Program,
		Seeds: r.Seeds, Screen: screen.Count(), Most: most, Partial: err != nil, Runs: done,
	}
	for _, p := range parts {
		m.Needs = append(m.Needs, p.result(r))
	}
	Judge(m)
	return m, err
}

// further returns the blocks of seeds that follow a range, up to the seed most, for cells whose faults
// have hit in too few runs. There are none if most is 0.
func further(seeds results.SeedRange, most int) []results.SeedRange {
	const size = 10
	var blocks []results.SeedRange
	for seeds.Last < uint64(most) && uint64(most)-seeds.Last >= size {
		seeds = results.SeedRange{First: seeds.Last + 1, Last: seeds.Last + size}
		blocks = append(blocks, seeds)
	}
	return blocks
}

// goOn runs more seeds of the uses that each need chooses.
func goOn(ctx context.Context, r Request, parts []*part, choose func(*part) []scenarios.Strategy, seeds results.SeedRange, done *int) error {
	total := *done
	var chosen [][]scenarios.Strategy
	for _, p := range parts {
		chosen = append(chosen, choose(p))
		total += len(chosen[len(chosen)-1]) * seeds.Count()
	}
	for i, p := range parts {
		if err := p.run(ctx, r, chosen[i], seeds, done, total); err != nil {
			return err
		}
	}
	return nil
}

// parts loads the scenarios of the needs and selects their uses.
func (r *Request) parts() ([]*part, error) {
	for _, name := range r.Needs {
		if !slices.Contains(NeedNames(), name) {
			return nil, &NeedError{name}
		}
	}
	var parts []*part
	for _, need := range Needs() {
		if len(r.Needs) > 0 && !slices.Contains(r.Needs, need.Name) {
			continue
		}
		s, err := scenarios.Load(need.Scenario, r.Own...)
		if err != nil {
			return nil, err
		}
		s.Program = r.Program
		p := &part{need: need, scenario: s, uses: s.Strategies, cells: map[string]*results.MatrixCell{}}
		if err := p.choose(r); err != nil {
			return nil, err
		}
		for _, use := range p.uses {
			p.cells[use.Label] = &results.MatrixCell{Case: use.Case}
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// choose selects the uses that are run. A strategy that does not fit the work of a need has no row;
// one that fits none is an error.
func (p *part) choose(r *Request) error {
	names := slices.Clone(r.Strategies)
	for _, e := range slices.Concat(scenarios.Strategies(), r.Own) {
		switch {
		case e.Flawed && !r.Flawed:
		case r.On == "" && e.Flawed, r.On != "" && familyOf(e) == r.On:
			names = append(names, e.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	var chosen []scenarios.Strategy
	for _, use := range p.uses {
		if use.Name == baseline || len(r.Strategies) == 0 && r.On == "" || slices.Contains(names, use.Name) || slices.Contains(names, base(use)) {
			chosen = append(chosen, use)
		}
	}
	for _, name := range names {
		if slices.ContainsFunc(chosen, func(u scenarios.Strategy) bool { return u.Name == name || base(u) == name }) {
			continue
		}
		uses, err := p.scenario.Uses([]string{name}, nil)
		var unfit *scenarios.SettingError
		switch {
		case errors.As(err, &unfit):
			continue
		case err != nil:
			return err
		}
		chosen = append(chosen, uses...)
	}
	p.uses = chosen
	return nil
}

// base returns the label of a use without its case.
func base(use scenarios.Strategy) string {
	return scenarios.Uncased([]scenarios.Strategy{use})[0].Label
}

// run runs uses of the need over a range of seeds, and adds them to the cells.
func (p *part) run(ctx context.Context, r Request, uses []scenarios.Strategy, seeds results.SeedRange, done *int, total int) error {
	if len(uses) == 0 {
		return nil
	}
	request := campaign.Request{Seeds: seeds, Jobs: r.Jobs}
	for _, use := range uses {
		request.Strategies = append(request.Strategies, use.Label)
	}
	before := *done
	request.Progress = func(at campaign.Progress) {
		*done = before + at.Done
		if r.Progress != nil {
			r.Progress(Progress{p.need.Name, *done, total})
		}
	}
	c, err := campaign.Run(ctx, p.scenario, request)
	if c == nil {
		return err
	}
	counted := 0
	for i := range c.Strategies {
		counted += c.Strategies[i].Runs
		p.add(&c.Strategies[i])
	}
	*done = before + counted
	return err
}

// add adds the runs of a use.
func (p *part) add(st *results.StrategyStats) {
	c := p.cells[st.Label]
	c.Runs += st.Runs
	c.Violating += st.Violating
	c.Unknown += st.Unknown
	c.Hit += st.Hit
	c.HitRuns += st.HitRuns
	c.Metrics.Add(&st.Metrics)
	c.Jobs, c.Finished, c.Left = c.Metrics.Jobs, c.Metrics.Finished, c.Metrics.Left
	for check, found := range st.Checks { // the order does not matter to sums
		if found.Violating == 0 {
			continue
		}
		if c.Checks == nil {
			c.Checks = map[string]int{}
		}
		c.Checks[check] += found.Violating
		if check == p.need.Saves {
			c.Repeated += found.Violations
		}
	}
	for _, check := range checker.Serious(p.scenario.Checks) {
		if found := st.Checks[check]; c.Replay == "" && found.Violating > 0 && !checker.Advisory(check) {
			c.Worst, c.Replay = check, found.Replay
		}
	}
}

// standing returns the uses of the strategies that have not failed the need.
func (p *part) standing() []scenarios.Strategy {
	failed := map[string]bool{}
	for _, use := range p.uses {
		failed[base(use)] = failed[base(use)] || p.decides(use.Case) && failureOf(p.cells[use.Label], p.need.Saves, p.need.Complete) != nil
	}
	return slices.DeleteFunc(slices.Clone(p.uses), func(u scenarios.Strategy) bool { return failed[base(u)] })
}

// short returns those of them that decide, and whose faults hit in too few runs.
func (p *part) short() []scenarios.Strategy {
	return slices.DeleteFunc(p.standing(), func(u scenarios.Strategy) bool {
		return !p.decides(u.Case) || p.cells[u.Label].Tested() >= results.EnoughRuns
	})
}

// decides reports whether a strategy must survive a case.
func (p *part) decides(name string) bool {
	return name == results.NoFault || slices.Contains(p.need.Must, name)
}

// result returns the need with its rows, not yet judged.
func (p *part) result(r Request) results.MatrixNeed {
	n := results.MatrixNeed{
		Name: p.need.Name, Title: p.need.Title, Asks: p.need.Asks, Scenario: p.need.Scenario, Hash: p.scenario.Hash, Saves: p.need.Saves, Complete: p.need.Complete,
		Lease: p.scenario.ParamsOf(lock.Params{}, scenarios.Strategy{}, "").TTL,
	}
	entries := slices.Concat(scenarios.Strategies(), r.Own)
	for _, use := range p.uses {
		if !slices.ContainsFunc(n.Cases, func(c results.MatrixCase) bool { return c.Name == use.Case }) {
			n.Cases = append(n.Cases, results.MatrixCase{Name: use.Case, Class: p.scenario.ClassOf(use.Case), Must: p.decides(use.Case)})
		}
		label := base(use)
		row := n.Row(label)
		if row == nil {
			n.Rows = append(n.Rows, results.MatrixRow{Label: label, Strategy: use.Name, Baseline: label == baseline})
			row = &n.Rows[len(n.Rows)-1]
			if i := slices.IndexFunc(entries, func(e lock.Entry) bool { return e.Name == use.Name }); i >= 0 {
				row.Doc, row.Flawed, row.Family = entries[i].Doc, entries[i].Flawed, familyOf(entries[i])
			}
		}
		row.Cells = append(row.Cells, *p.cells[use.Label])
	}
	return n
}

// familyOf returns the family of servers that a strategy asks, "" for none.
func familyOf(e lock.Entry) string {
	family, err := scenarios.FamilyOf(e)
	if e.LockFree || err != nil {
		return ""
	}
	return family.Name
}
