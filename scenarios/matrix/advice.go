package matrix

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lockquake/checker"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// advice is a published advice: statements that follow from it, which the results confirm or refute.
type advice struct {
	text   string
	claims []claim
	// open says why the advice cannot be decided, if it has no claims.
	open string
}

// claim is one statement that follows from an advice.
type claim interface {
	// judge returns the verdict with what was measured, and the command that repeats the runs.
	judge(ctx context.Context, a *adviser) (results.AdviceEvidence, error)
}

// adviser has what claims are judged by.
type adviser struct {
	matrix *results.Matrix
	own    []lock.Entry
	jobs   int
}

// Advise compares published advice with the results of a matrix that ran with the same own
// strategies, and runs the scenarios that some of it is about. Jobs is the number of runs in
// parallel; 0 for one a processor.
func Advise(ctx context.Context, m *results.Matrix, own []lock.Entry, jobs int) ([]results.MatrixAdvice, error) {
	a := &adviser{m, own, jobs}
	var list []results.MatrixAdvice
	for i, one := range published() {
		result := results.MatrixAdvice{Number: i + 1, Text: one.text}
		for _, c := range one.claims {
			e, err := c.judge(ctx, a)
			if err != nil {
				return nil, err
			}
			result.Evidence = append(result.Evidence, e)
		}
		result.Verdict, result.Says = conclude(one, result.Evidence)
		list = append(list, result)
	}
	return list, nil
}

// conclude returns the verdict on an advice: a refuted statement refutes it, and without one an open
// statement leaves it open.
func conclude(one advice, evidence []results.AdviceEvidence) (results.AdviceVerdict, string) {
	if len(evidence) == 0 {
		return results.AdviceOpen, one.open
	}
	for _, verdict := range []results.AdviceVerdict{results.AdviceRefuted, results.AdviceOpen} {
		var says []string
		for _, e := range evidence {
			if e.Verdict == verdict {
				says = append(says, e.Claim+": "+e.Figure)
			}
		}
		if says != nil {
			return verdict, strings.Join(says, "; ")
		}
	}
	var says []string
	for _, e := range evidence {
		says = append(says, e.Figure)
	}
	return results.AdviceConfirmed, strings.Join(says, "; ")
}

// verdictOf returns the verdict on a statement that is known to be true or not.
func verdictOf(isTrue bool) results.AdviceVerdict {
	if isTrue {
		return results.AdviceConfirmed
	}
	return results.AdviceRefuted
}

// inNeed claims that a strategy survives cases of a need, or does not.
type inNeed struct {
	says     string
	need     string
	label    string
	cases    []string // nil: all that the need must survive, and that without faults
	survives bool
	about    []string // the checks that the statement is about; nil: those of the need's data or service
}

func (c inNeed) judge(ctx context.Context, a *adviser) (results.AdviceEvidence, error) {
	e := results.AdviceEvidence{Claim: c.says, Verdict: results.AdviceOpen}
	n := a.matrix.Need(c.need)
	if n == nil || n.Row(c.label) == nil {
		e.Figure = fmt.Sprintf("%s was not run for the need %s", c.label, c.need)
		return e, nil
	}
	row, runs, failed, open := n.Row(c.label), 0, "", ""
	for i, at := range n.Cases {
		if wanted := at.Must && c.cases == nil || slices.Contains(c.cases, at.Name); !wanted {
			continue
		}
		cell, err := a.completed(ctx, n, row, i)
		if err != nil {
			return e, err
		}
		runs += cell.Runs - cell.Unknown
		check, violating := harmed(n, cell, c.about)
		switch {
		case check != "" && failed == "":
			failed = fmt.Sprintf("%s violates %s in %d of %d runs under %s", c.label, check, violating, cell.Runs, at.Name)
			e.Command = cellCommand(n, row, cell, check)
		case cell.State != results.CellHolds && cell.State != results.CellFails && open == "":
			open = fmt.Sprintf("%s under %s: %s", c.label, at.Name, cell.Why)
		}
	}
	switch {
	case failed != "":
		e.Figure, e.Verdict = failed, verdictOf(!c.survives)
		return e, nil
	case open != "" || runs == 0:
		e.Figure = open
		return e, nil
	}
	e.Figure = fmt.Sprintf("%s: %s in %d runs of %s", c.label, notViolated(n, c.about), runs, n.Scenario)
	e.Verdict = verdictOf(c.survives)
	e.Command = fmt.Sprintf("matrix --need %s --strategy %s --no-report", c.need, row.Strategy)
	return e, nil
}

// completed returns a cell with all of its runs. The matrix has only the first runs of a strategy
// that fails the need.
func (a *adviser) completed(ctx context.Context, n *results.MatrixNeed, r *results.MatrixRow, i int) (*results.MatrixCell, error) {
	cell := r.Cells[i]
	if a.matrix.Partial || cell.State != results.CellUnknown || cell.Runs >= a.matrix.Seeds.Count() {
		return &cell, nil
	}
	request := Request{Needs: []string{n.Name}, Strategies: []string{r.Strategy}, Own: a.own, Program: a.matrix.Program, Jobs: a.jobs}
	parts, err := request.parts()
	if err != nil {
		return nil, err
	}
	p, label := parts[0], r.Label+" under "+cell.Case
	cell.Metrics, cell.Checks = checker.Metrics{}, maps.Clone(cell.Checks)
	p.cells[label] = &cell
	uses := slices.DeleteFunc(slices.Clone(p.uses), func(u scenarios.Strategy) bool { return u.Label != label })
	done, rest := 0, results.SeedRange{First: a.matrix.Seeds.First + uint64(cell.Runs), Last: a.matrix.Seeds.Last}
	if err := p.run(ctx, request, uses, rest, &done, 0); err != nil {
		return nil, err
	}
	cell.Jobs, cell.Finished = cell.Jobs+cell.Metrics.Jobs, cell.Finished+cell.Metrics.Finished
	cell.Metrics = checker.Metrics{}
	judgeCell(n, &cell, a.matrix.Seeds.Count(), 0)
	return &cell, nil
}

// harmed returns the check that a cell violates most often, of those that an advice on the need is
// about, and the number of violating runs. These are the given checks. Without any, they are those of
// the service if a lock only saves work, otherwise those of the data.
func harmed(n *results.MatrixNeed, c *results.MatrixCell, about []string) (check string, violating int) {
	if about == nil && n.Saves != "" && c.Case == results.NoFault && c.Checks[n.Saves] > 0 {
		return n.Saves, c.Checks[n.Saves]
	}
	for _, name := range checker.Serious(slices.Sorted(maps.Keys(c.Checks))) {
		if concerned(n, name, about) && c.Checks[name] > violating {
			check, violating = name, c.Checks[name]
		}
	}
	return check, violating
}

// concerned reports whether a statement is about a check.
func concerned(n *results.MatrixNeed, check string, about []string) bool {
	if about != nil {
		return slices.Contains(about, check)
	}
	return checker.Concerns(check) == concernOf(n)
}

// concernOf returns the harm that advice on a need is about.
func concernOf(n *results.MatrixNeed) checker.Concern {
	if n.Saves != "" {
		return checker.Service
	}
	return checker.Corruption
}

// notViolated says which checks were not violated.
func notViolated(n *results.MatrixNeed, about []string) string {
	if about != nil {
		return "no violation of " + strings.Join(about, " or ")
	}
	if concernOf(n) == checker.Service {
		return "no failure of the service"
	}
	return "no corruption"
}

// cellCommand returns the command that repeats a cell's first run that violates a check, or all of
// its runs.
func cellCommand(n *results.MatrixNeed, r *results.MatrixRow, c *results.MatrixCell, check string) string {
	if c.Replay != "" && c.Worst == check {
		return "replay " + c.Replay
	}
	return fmt.Sprintf("run %s --strategy '%s under %s' --no-report", n.Scenario, r.Label, c.Case)
}

// compared claims that a measure of one strategy is at least that of another one.
type compared struct {
	says        string
	need        string
	label, than string
	measure     string
	of          func(r *results.MatrixRow) (float64, bool)
	unit        string
}

func (c compared) judge(_ context.Context, a *adviser) (results.AdviceEvidence, error) {
	e := results.AdviceEvidence{Claim: c.says, Verdict: results.AdviceOpen}
	n := a.matrix.Need(c.need)
	if n == nil || n.Row(c.label) == nil || n.Row(c.than) == nil {
		e.Figure = fmt.Sprintf("%s and %s were not both run for the need %s", c.label, c.than, c.need)
		return e, nil
	}
	x, ok := c.of(n.Row(c.label))
	y, alsoOK := c.of(n.Row(c.than))
	if !ok || !alsoOK {
		e.Figure = "nothing to measure"
		return e, nil
	}
	e.Figure = fmt.Sprintf("%s: %s %.1f%s, %s %.1f%s", c.measure, c.label, x, c.unit, c.than, y, c.unit)
	e.Verdict = verdictOf(x >= y)
	e.Command = fmt.Sprintf("matrix --need %s --strategy %s,%s --no-report", c.need, n.Row(c.label).Strategy, n.Row(c.than).Strategy)
	return e, nil
}

// finishedUnder returns the share of the work that is finished under a case, in percent.
func finishedUnder(name string) func(*results.MatrixRow) (float64, bool) {
	return func(r *results.MatrixRow) (float64, bool) {
		c := r.Cell(name)
		if c == nil || c.Jobs == 0 {
			return 0, false
		}
		return 100 * float64(c.Finished) / float64(c.Jobs), true
	}
}
