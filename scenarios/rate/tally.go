package rate

import (
	"slices"
	"time"

	"lockquake/checker"
	"lockquake/internal/stats"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// tally counts the runs of one use.
type tally struct {
	runs, violating []int // by stratum
	breaking        int   // runs whose long pause is at least as long as the shortest that breaks the use
	unknown, hit    int
	calm, broken    int // runs without a long pause, and those of them that violate a check
	jobs, finished  int64
	first           placed
	seed            uint64 // the first that violates a check; 0 if none does
	check, checksum string // of its run
}

func newTally(strata int) *tally {
	return &tally{runs: make([]int, strata), violating: make([]int, strata)}
}

// take counts a run.
func (e *estimate) take(at cell, p placed, trial *results.Trial) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t := e.tallies[at.use]
	violated := trial.Checks(checker.Invalid)
	switch {
	case at.calm:
		t.calm++
		if violated != nil {
			t.broken++
		}
	default:
		if p.length >= e.result.Strategies[at.use].Breaks {
			t.breaking++
		}
		t.take(at.seed, p, trial, violated)
	}
	e.done.Done++
	if e.Progress != nil {
		e.Progress(campaign.Progress{Done: e.done.Done, Total: e.done.Total, Label: e.uses[at.use].Label, Violated: violated != nil && !at.calm})
	}
}

func (t *tally) take(seed uint64, p placed, trial *results.Trial, violated []string) {
	t.runs[p.stratum]++
	t.jobs, t.finished = t.jobs+trial.Metrics.Jobs, t.finished+trial.Metrics.Finished
	if trial.Injections[0].Hit {
		t.hit++
	}
	switch {
	case violated != nil:
		t.violating[p.stratum]++
		if t.seed == 0 || seed < t.seed {
			t.seed, t.first, t.check, t.checksum = seed, p, checker.Serious(violated)[0], trial.Checksum
		}
	case trial.Checks(checker.Unknown) != nil:
		t.unknown++
	}
}

// sum fills in the rates.
func (e *estimate) sum() error {
	for i := range e.result.Strategies {
		y, t := &e.result.Strategies[i], e.tallies[i]
		y.Unknown, y.Hit, y.Jobs, y.Finished = t.unknown, t.hit, t.jobs, t.finished
		y.Calm, y.CalmViolating = t.calm, t.broken
		c := causes(t.violating, t.runs, len(e.long), e.result.Log.Hours())
		y.Violating, y.Runs, y.Dispersion = c.Violating, c.Runs, c.Dispersion
		if y.Runs > 0 && y.CalmViolating == 0 {
			e.rate(y, e.breaking(c, y.Breaks, t.breaking))
		}
		if t.seed > 0 {
			y.Check, y.FirstSeed = t.check, t.seed
		}
		if t.seed > 0 && e.Path != "" {
			var err error
			if y.Replay, err = e.replay(y.Label, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// breaking leaves out the pauses that are too short to break a use, if no run violates a check: that they do no
// harm says nothing of the longer ones.
func (e *estimate) breaking(c stats.Causes, breaks time.Duration, runs int) stats.Causes {
	if c.Violating == 0 {
		first, _ := slices.BinarySearch(e.long, breaks)
		c.Seen, c.Runs = len(e.long)-first, runs
	}
	c.Limit = perHour(e.result.Long.From) // pauses of one process follow each other
	return c
}

// causes adds up the strata. The dispersion comes from the strata: m runs of a stratum of which x violate
// a check estimate the square of its probability by x(x-1)/(m(m-1)). Without a stratum of two runs it is the
// largest possible: one pause does all the harm.
func causes(violating, runs []int, long int, hours float64) stats.Causes {
	c := stats.Causes{Seen: long, Exposure: hours, Dispersion: 1}
	mean, squares, strata := 0.0, 0.0, 0.0
	for i, m := range runs {
		x := violating[i]
		c.Violating, c.Runs = c.Violating+x, c.Runs+m
		if m > 1 {
			mean += float64(x) / float64(m)
			squares += float64(x) / float64(m) * float64(x-1) / float64(m-1)
			strata++
		}
	}
	switch {
	case long == 0 || c.Violating == 0:
	case mean == 0:
		c.Dispersion = float64(long)
	default:
		d := squares * strata / (mean * mean)
		c.Dispersion = stats.SixDigits(min(max(1, d), float64(long)))
	}
	return c
}

// rate fills in the rate of a year of all processes.
func (e *estimate) rate(y *results.YearlyRate, c stats.Causes) {
	r, hours := c.PerExposure(), float64(e.result.Locks)*float64(e.result.Processes)*results.Year
	y.PerYear = &stats.Rate{
		Rate: stats.SixDigits(r.Rate * hours), Low: stats.SixDigits(r.Low * hours), High: stats.SixDigits(r.High * hours), AtMost: stats.SixDigits(r.AtMost * hours),
	}
	if r.AtMost > 0 {
		y.Most = &results.YearlyMost{Causes: c.Seen, Runs: c.Runs}
		y.Most.PerHour, y.Most.Share = c.Most()
	}
}

// replay returns the token of the first violating run of a label. Its scenario has the long pause of the
// run in the place of the first fault.
func (e *estimate) replay(label string, t *tally) (string, error) {
	p := t.first
	one, err := e.derived.With([]results.Override{
		{Path: "duration", Value: e.end(p).String()},
		{Path: "faults[0].at", Value: p.at.String()},
		{Path: "faults[0].pause.target", Value: p.worker},
		{Path: "faults[0].pause.for", Value: p.length.String()},
	})
	if err != nil {
		return "", err
	}
	return one.Token(label, t.seed, t.checksum), nil
}
