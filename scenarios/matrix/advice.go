package matrix

import (
	"context"
	"fmt"
	"maps"
	"math"
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
// parallel; 0 for one per processor.
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
	row, failed, open, bound, runs := n.Row(c.label), "", "", 0.0, 0
	var names []string
	for i, at := range n.Cases {
		if wanted := at.Must && c.cases == nil || slices.Contains(c.cases, at.Name); !wanted {
			continue
		}
		cell, check, violating, err := c.look(ctx, a, n, row, i)
		switch {
		case err != nil:
			return e, err
		case check != "" && failed == "":
			failed = fmt.Sprintf("%s violates %q in %d of %d runs under %s", c.label, check, violating, cell.Runs, at.Name)
			e.Command = a.cellCommand(n, row, cell, check)
		case open != "":
		case cell.State != results.CellHolds && cell.State != results.CellFails:
			open = fmt.Sprintf("%s under %s: %s", c.label, at.Name, cell.Why)
		case cell.Tested() < results.EnoughRuns:
			open = fmt.Sprintf("%s under %s: a fault hit in %d of %d runs, and %d are needed", c.label, at.Name, cell.Tested(), cell.Runs, results.EnoughRuns)
		}
		bound, runs, names = max(bound, cell.Bound()), max(runs, cell.Runs), append(names, at.Name)
	}
	switch {
	case failed != "":
		e.Figure, e.Verdict = failed, verdictOf(!c.survives)
		return e, nil
	case open != "" || bound == 0:
		e.Figure = open
		return e, nil
	}
	under := "under each of " + strings.Join(names, ", ")
	switch {
	case c.cases == nil:
		under = "under each class of faults that the need requires"
	case slices.Equal(names, []string{results.NoFault}):
		under = "without faults"
	case len(names) == 1:
		under = "under " + names[0]
	}
	e.Figure = fmt.Sprintf("%s: %s in %s (in at most %.1f %% of the runs %s)", c.label, notViolated(n, c.about), n.Scenario, math.Ceil(1000*bound)/10, under)
	e.Verdict = verdictOf(c.survives)
	e.Command = fmt.Sprintf("matrix --need %s --strategy %s --no-report", c.need, row.Strategy)
	if c.cases != nil {
		e.Command = a.runCommand(n, row, names, runs)
	}
	return e, nil
}

// look returns a cell with what it violates of what the statement is about. It completes a cell that
// violates nothing of that.
func (c inNeed) look(ctx context.Context, a *adviser, n *results.MatrixNeed, row *results.MatrixRow, i int) (cell *results.MatrixCell, check string, violating int, err error) {
	cell = &row.Cells[i]
	if check, violating = harmed(n, cell, c.about); check != "" {
		return cell, check, violating, nil
	}
	if cell, err = a.completed(ctx, n, row, i); err != nil {
		return nil, "", 0, err
	}
	check, violating = harmed(n, cell, c.about)
	return cell, check, violating, nil
}

// completed returns a cell with all of its runs. The matrix has only the first runs of a strategy
// that fails the need.
func (a *adviser) completed(ctx context.Context, n *results.MatrixNeed, r *results.MatrixRow, i int) (*results.MatrixCell, error) {
	if a.matrix.Partial || r.Cells[i].Runs >= a.matrix.Seeds.Count() {
		return &r.Cells[i], nil
	}
	request := Request{Needs: []string{n.Name}, Strategies: []string{r.Strategy}, Own: a.own, Program: a.matrix.Program, Jobs: a.jobs}
	parts, err := request.parts()
	if err != nil {
		return nil, err
	}
	p, label, done := parts[0], r.Label+" under "+r.Cells[i].Case, 0
	p.uses = slices.DeleteFunc(slices.Clone(p.uses), func(u scenarios.Strategy) bool { return u.Label != label })
	err = p.run(ctx, request, p.uses, a.matrix.Seeds, &done, 0)
	for _, next := range further(a.matrix.Seeds, a.matrix.Most) {
		if err == nil && p.cells[label].Tested() < results.EnoughRuns {
			err = p.run(ctx, request, p.uses, next, &done, 0)
		}
	}
	if err != nil {
		return nil, err
	}
	cell := p.cells[label]
	judgeCell(n, cell, 0)
	return cell, nil
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
func (a *adviser) cellCommand(n *results.MatrixNeed, r *results.MatrixRow, c *results.MatrixCell, check string) string {
	if c.Replay != "" && c.Worst == check {
		return "replay " + c.Replay
	}
	return a.runCommand(n, r, []string{c.Case}, c.Runs)
}

// runCommand returns the command that repeats the first runs of the cells of a row in these cases.
func (a *adviser) runCommand(n *results.MatrixNeed, r *results.MatrixRow, cases []string, runs int) string {
	var uses []string
	for _, name := range cases {
		uses = append(uses, r.Label+" under "+name)
	}
	first := a.matrix.Seeds.First
	return fmt.Sprintf("run %s --strategy '%s' --seeds %d-%d --no-report", n.Scenario, strings.Join(uses, ","), first, first+uint64(max(1, runs))-1)
}

// compared claims that a measure of one strategy is at least that of another one, both under a case.
type compared struct {
	says        string
	need        string
	label, than string
	at          string
	measure     string
	of          func(c *results.MatrixCell) float64
	unit        string
}

func (c compared) judge(ctx context.Context, a *adviser) (results.AdviceEvidence, error) {
	e := results.AdviceEvidence{Claim: c.says, Verdict: results.AdviceOpen}
	n := a.matrix.Need(c.need)
	if n == nil || n.Row(c.label) == nil || n.Row(c.than) == nil {
		e.Figure = fmt.Sprintf("%s and %s were not both run for the need %s", c.label, c.than, c.need)
		return e, nil
	}
	i := slices.IndexFunc(n.Cases, func(one results.MatrixCase) bool { return one.Name == c.at })
	var cells [2]*results.MatrixCell
	for k, label := range []string{c.label, c.than} {
		cell, err := a.completed(ctx, n, n.Row(label), i)
		if err != nil {
			return e, err
		}
		if cell.Finished == 0 || cell.Runs < results.EnoughRuns {
			e.Figure = fmt.Sprintf("%s under %s: %d runs, %d jobs finished", label, c.at, cell.Runs, cell.Finished)
			return e, nil
		}
		cells[k] = cell
	}
	x, y := c.of(cells[0]), c.of(cells[1])
	e.Figure = fmt.Sprintf("%s: %s %.1f%s, %s %.1f%s", c.measure, c.label, x, c.unit, c.than, y, c.unit)
	e.Verdict = verdictOf(x >= y)
	e.Command = fmt.Sprintf("matrix --need %s --strategy %s,%s --no-report", c.need, n.Row(c.label).Strategy, n.Row(c.than).Strategy)
	return e, nil
}

// requestsPerJob returns the number of requests to all servers for each finished job.
func requestsPerJob(c *results.MatrixCell) float64 { return results.CostOf(&c.Metrics, nil, 0).PerJob }

// percentFinished returns the share of the work that is finished, in percent.
func percentFinished(c *results.MatrixCell) float64 { return 100 * finished(c) }
