package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"lockquake/checker"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// ShrinkRequest selects the run to shrink, and the path of the new file.
type ShrinkRequest struct {
	Label string // of the use of a strategy
	Seed  uint64
	Check string       // that the small run must violate; "" for the most serious violated one that decides
	Path  string       // of the file for the small scenario
	Told  func(Extent) // is called after every success; may be nil
	// Comment returns the comment at the top of the small scenario, which fails with this seed. It
	// may be nil.
	Comment func(seed uint64) string
	Own     []lock.Entry // as in [campaign.Request], as is Stall
	Stall   time.Duration
}

// Shrunk is the smallest failing run that Shrink has found.
type Shrunk struct {
	Scenario *scenarios.Scenario // a file of its own: Text is to be written to Path
	Label    string
	Seed     uint64
	Check    string         // that both the small run and the original one violate
	Trial    *results.Trial // the small run
	From, To Extent
	Runs     int  // number of runs that Shrink tried
	Partial  bool // stopped before the end
}

// Extent is the size of a run.
type Extent struct {
	Faults   int
	Length   time.Duration // of all faults together
	Workers  int
	Sections int // begun, by all workers
}

func (e Extent) String() string {
	return fmt.Sprintf("%s of %v, %s, %s", some(e.Faults, "fault"), e.Length.Round(time.Millisecond), some(e.Workers, "worker"), some(e.Sections, "section"))
}

func some(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// ErrHolds reports that there is nothing to shrink: the run violates no check, or not the requested
// one.
var ErrHolds = errors.New("nothing to shrink")

// FailingRequest selects the runs that Failing searches. The zero value of a field is its default.
type FailingRequest struct {
	Check      string            // as in [ShrinkRequest]
	Seeds      results.SeedRange // by default from 1 to the scenario's Seeds
	Strategies []string          // as in [campaign.Request], as are Own and Stall
	Own        []lock.Entry
	Stall      time.Duration
}

// Failing finds the first run of a campaign that violates a check: by seed, and
// then in the order of strategies. If there is none the error wraps [ErrHolds].
func Failing(ctx context.Context, s *scenarios.Scenario, q FailingRequest) (label string, seed uint64, err error) {
	pool := run.NewPool(s, q.Own, 1, q.Stall) // the first that fails is the first that is run
	uses, err := s.Uses(q.Strategies, pool.Own)
	if err != nil {
		return "", 0, err
	}
	seeds := q.Seeds
	if seeds == (results.SeedRange{}) {
		seeds = results.SeedRange{First: 1, Last: uint64(s.Seeds)}
	}
	errFound, n := errors.New("found"), int64(len(uses))
	err = pool.All(ctx, n*int64(seeds.Count()), func(i int64) run.Task {
		use, at := uses[i%n], seeds.First+uint64(i/n)
		return run.Task{Scenario: s, Use: use, Seed: at, Do: func(r *run.Runner) error {
			trial, err := r.Once(use, at)
			if err == nil && checkToKeep(s, trial, q.Check) != "" {
				label, seed, err = use.Label, at, errFound
			}
			return err
		}}
	})
	switch {
	case errors.Is(err, errFound):
		return label, seed, nil
	case err != nil:
		return "", 0, err
	}
	return "", 0, fmt.Errorf("%w: no failure in %s of %s", ErrHolds, some(seeds.Count(), "seed"), s.Name)
}

// checkToKeep returns the check that a shrunk run must violate: the named one if it is violated, or
// without a name the most serious violated check that decides. It returns "" if there is none.
func checkToKeep(s *scenarios.Scenario, t *results.Trial, named string) string {
	violated := t.Checks(checker.Invalid)
	if named != "" {
		if slices.Contains(violated, named) {
			return named
		}
		return ""
	}
	return s.MostTelling(t.Label, violated)
}

// Shrink makes a failing run smaller as long as it violates the same check: fewer faults, workers
// and sections, shorter times. The result is a scenario of its own.
//
// If the run does not fail, the error wraps [ErrHolds]. When ctx ends Shrink returns the smallest
// run so far, marked as partial, with the cause.
func Shrink(ctx context.Context, s *scenarios.Scenario, what ShrinkRequest) (*Shrunk, error) {
	pool := run.NewPool(s, what.Own, 1, what.Stall)
	uses, err := s.Uses([]string{what.Label}, pool.Own)
	if err != nil {
		return nil, err
	}
	z := &shrinker{
		ctx: ctx, use: uses[0], path: what.Path, told: what.Told, comment: what.Comment,
		runner: &run.Runner{Scenario: s, Own: pool.Own, Caches: pool.Caches},
	}
	for _, name := range slices.Sorted(maps.Keys(pool.Own)) {
		z.own = append(z.own, pool.Own[name])
	}
	trial, err := pool.One(ctx, s, z.use, what.Seed)
	if err != nil {
		return nil, err
	}
	if z.check = checkToKeep(s, trial, what.Check); z.check == "" {
		violated := orNone(what.Check, trial.Checks(checker.Invalid))
		return nil, fmt.Errorf("%w: %s, %s, seed %d violates %s", ErrHolds, s.Name, what.Label, what.Seed, violated)
	}
	if !z.begin(s, trial, what.Seed) {
		return nil, z.err
	}
	z.from = extentOf(z.best.trial, s.Workers)
	z.all()
	if z.err != nil {
		return nil, z.err
	}
	best := z.best
	return &Shrunk{
		Scenario: best.scenario, Label: best.trial.Label, Seed: best.seed, Check: z.check, Trial: best.trial,
		From: z.from, To: extentOf(best.trial, best.scenario.Workers), Runs: z.runs, Partial: ctx.Err() != nil,
	}, context.Cause(ctx)
}

func orNone(named string, violated []string) string {
	switch {
	case len(violated) == 0:
		return "no check"
	case named == "":
		return "only checks that do not decide: " + strings.Join(violated, ", ")
	}
	return strings.Join(violated, ", ") + " and not " + named
}

func extentOf(t *results.Trial, workers int) Extent {
	e := Extent{Faults: len(t.Plan.Steps), Workers: workers}
	for _, step := range t.Plan.Steps {
		e.Length += step.For
	}
	if sections, err := t.History.Sections(); err == nil {
		e.Sections = len(sections)
	}
	return e
}

// shrinker is the state of a Shrink.
type shrinker struct {
	ctx     context.Context
	use     scenarios.Strategy
	check   string
	path    string
	own     []lock.Entry
	told    func(Extent)
	comment func(seed uint64) string
	runner  *run.Runner
	from    Extent
	best    attempt
	runs    int
	err     error // a run that could not be executed
}

// attempt is a run that violates the check.
type attempt struct {
	scenario *scenarios.Scenario
	seed     uint64
	trial    *results.Trial
	visits   []run.Arrival
}

// begin replaces the faults by the plan of the first run, with fixed times, and checks that the run
// still fails.
func (z *shrinker) begin(s *scenarios.Scenario, trial *results.Trial, seed uint64) bool {
	first := *s
	z.best = attempt{scenario: &first, seed: seed}
	same := z.try(func(c *scenarios.Scenario) bool {
		name := strings.TrimSuffix(c.Name, "-shrunk")
		c.Name = name[:min(len(name), scenarios.LongestName-len("-shrunk"))] + "-shrunk"
		c.Description = fmt.Sprintf("the smallest run of %s, %s, seed %d, that violates %s", s.Name, z.use.Label, seed, z.check)
		c.Strategies = scenarios.Uncased([]scenarios.Strategy{z.use})
		c.Expect = map[string]results.Expect{c.Strategies[0].Label: {Violates: []string{z.check}}}
		c.Faults = nil
		for _, step := range trial.Plan.Steps {
			if spec := s.Faults[step.Spec]; spec.Case == "" || spec.Case == z.use.Case {
				c.Faults = append(c.Faults, fixed(step))
			}
		}
		return true
	})
	if !same && z.err == nil {
		z.err = fmt.Errorf("%s, %s, seed %d: its plan written down does not violate %s", s.Name, z.use.Label, seed, z.check)
	}
	return same
}

// try makes a change, and keeps it if two runs fail with the same checksum. Change reports whether
// it has changed anything.
func (z *shrinker) try(change func(*scenarios.Scenario) bool) bool {
	return z.trySeed(z.best.seed, change)
}

func (z *shrinker) trySeed(seed uint64, change func(*scenarios.Scenario) bool) bool {
	if z.ctx.Err() != nil && z.runs > 0 || z.err != nil {
		return false
	}
	c := *z.best.scenario
	c.Faults, c.Each = slices.Clone(c.Faults), slices.Clone(c.Each)
	if !change(&c) {
		return false
	}
	c.Seeds = int(min(seed, scenarios.MostSeeds))
	comment := ""
	if z.comment != nil {
		comment = z.comment(seed)
	}
	text, err := scenarios.Rewrite(&c, comment)
	if err != nil {
		z.err = err
		return false
	}
	small, err := scenarios.Parse(z.path, text, z.own...)
	if err != nil {
		return false // the changed scenario is not valid
	}
	small.Program = c.Program
	var tried [2]attempt
	for i := range tried {
		if tried[i], err = z.run(small, seed); err != nil || checkToKeep(small, tried[i].trial, z.check) == "" {
			return false
		}
	}
	if tried[0].trial.Checksum != tried[1].trial.Checksum {
		return false
	}
	z.best = tried[1]
	if z.told != nil {
		z.told(extentOf(z.best.trial, small.Workers))
	}
	return true
}

// run executes one run. A run that cannot be executed does not count as failing.
func (z *shrinker) run(s *scenarios.Scenario, seed uint64) (attempt, error) {
	var points run.Arrivals
	z.runner.Scenario, z.runner.Visit = s, points.Note
	z.runs++
	trial, err := z.runner.Once(s.Strategies[0], seed)
	if err != nil {
		return attempt{}, err
	}
	run.OwnEvents(trial)
	return attempt{s, seed, trial, points.All}, nil
}
