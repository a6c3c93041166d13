package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/lock"
	"lockquake/sim/redis"
)

// Shrinking says which run is to become smaller, and where to.
type Shrinking struct {
	Label string // of the use of a strategy
	Seed  uint64
	Check string       // that it must go on to violate; "" for the most telling one that decides
	Path  string       // of the file that the small scenario is to be written to
	Told  func(Extent) // is called after every success; nil for nobody
}

// Shrunk is a failing run made as small as could be.
type Shrunk struct {
	Scenario *Scenario // a file of its own: Text is to be written to Path
	Label    string
	Seed     uint64
	Check    string // that is violated, as it was in the run that this came from
	Trial    *Trial // the small run
	From, To Extent
	Runs     int  // that it took
	Partial  bool // stopped before the end
}

// Extent is how large a run is.
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

// ErrHolds says that there is nothing to shrink: the run violates no check, or
// not the one that was asked for.
var ErrHolds = errors.New("no such failure")

// Failing finds the first run of a campaign that violates a check: by seed, and
// then in the order of strategies. The options that count are WithSeeds,
// WithStrategies and WithStrategy; check is as in Shrink.
func Failing(ctx context.Context, s *Scenario, check string, opts ...Option) (label string, seed uint64, err error) {
	o := s.options(options{seeds: SeedRange{1, uint64(s.Seeds)}, stall: defaultStall}, opts)
	uses, err := s.uses(o)
	if err != nil {
		return "", 0, err
	}
	o.jobs = 1 // the first that fails is the first that is run
	j := jobs{options: o, scripts: redis.NewScriptCache()}
	errFound, n := errors.New("found"), int64(len(uses))
	err = j.all(ctx, n*int64(o.seeds.Count()), func(i int64) task {
		use, at := uses[i%n], o.seeds.First+uint64(i/n)
		return task{s, use, at, func(r *runner) error {
			trial, err := r.once(use, at)
			if err == nil && telling(s, trial, check) != "" {
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
	return "", 0, fmt.Errorf("%w in %s of %s", ErrHolds, some(o.seeds.Count(), "seed"), s.Name)
}

// telling returns the check that a run is shrunk for: the one that was named if
// it is violated, or without a name the violated one that is easiest to follow
// among those that decide. It returns "" if there is none.
func telling(s *Scenario, t *Trial, named string) string {
	violated := verdictsOf(t.Results, checker.Invalid)
	if named != "" {
		if slices.Contains(violated, named) {
			return named
		}
		return ""
	}
	for _, check := range append([]string{"lost-update", "once", "exclusion", "linearizable", "fencing"}, violated...) {
		if slices.Contains(violated, check) && decides(s, t.Label, check) {
			return check
		}
	}
	return ""
}

// Shrink makes a failing run smaller as long as it violates the same check:
// fewer faults, workers and sections, shorter times. What comes out is a scenario
// of its own.
//
// The option that counts is WithStrategy. A run that does not fail is an error
// that wraps ErrHolds. When ctx ends Shrink returns what it has reached, marked
// as partial, with the cause.
func Shrink(ctx context.Context, s *Scenario, what Shrinking, opts ...Option) (*Shrunk, error) {
	o := s.options(options{strategies: []string{what.Label}, stall: defaultStall}, opts)
	uses, err := s.uses(o)
	if err != nil {
		return nil, err
	}
	z := &shrinker{
		ctx: ctx, use: uses[0], path: what.Path, told: what.Told, own: o.entries(),
		runner: &runner{scenario: s, own: o.own, scripts: redis.NewScriptCache()},
	}
	first := jobs{options: o, scripts: z.runner.scripts}
	trial, err := first.one(s, z.use, what.Seed)
	if err != nil {
		return nil, err
	}
	if z.check = telling(s, trial, what.Check); z.check == "" {
		violated := orNone(what.Check, verdictsOf(trial.Results, checker.Invalid))
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
		return "no check that decides, but " + strings.Join(violated, ", ")
	}
	return strings.Join(violated, ", ") + " and not " + named
}

func extentOf(t *Trial, workers int) Extent {
	e := Extent{Faults: len(t.Plan.Steps), Workers: workers}
	for _, step := range t.Plan.Steps {
		e.Length += step.Action.For
	}
	if sections, err := t.History.Sections(); err == nil {
		e.Sections = len(sections)
	}
	return e
}

// shrinker is a Shrink under way.
type shrinker struct {
	ctx    context.Context
	use    Strategy
	check  string
	path   string
	own    []lock.Entry
	told   func(Extent)
	runner *runner
	from   Extent
	best   attempt
	runs   int
	err    error // a run that could not be carried out
}

// attempt is a run that fails as it should.
type attempt struct {
	scenario *Scenario
	seed     uint64
	trial    *Trial
	visits   []arrival
}

// begin writes the plan of the first run down as faults with fixed times, and
// sees that this changes nothing.
func (z *shrinker) begin(s *Scenario, trial *Trial, seed uint64) bool {
	first := *s
	z.best = attempt{scenario: &first, seed: seed}
	same := z.try(func(c *Scenario) bool {
		name := strings.TrimSuffix(c.Name, "-shrunk")
		c.Name = name[:min(len(name), longestName-len("-shrunk"))] + "-shrunk"
		c.Description = fmt.Sprintf("the smallest run of %s, %s, seed %d, that violates %s", s.Name, z.use.Label, seed, z.check)
		c.Strategies = uncased([]Strategy{z.use})
		c.Expect = map[string]Expect{c.Strategies[0].Label: {Violates: []string{z.check}}}
		c.Faults = nil
		for _, step := range trial.Plan.Steps {
			if spec := s.Faults[step.Spec]; spec.Case == "" || spec.Case == z.use.Case {
				c.Faults = append(c.Faults, fixed(step, spec.Params))
			}
		}
		return true
	})
	if !same && z.err == nil {
		z.err = fmt.Errorf("%s, %s, seed %d: its plan written down does not violate %s", s.Name, z.use.Label, seed, z.check)
	}
	return same
}

// all goes through the ways to make the run smaller until none helps.
func (z *shrinker) all() {
	const rounds = 6 // more than are ever needed; each makes the run smaller
	z.jump()
	z.shorterRun()
	z.tie()
	for range rounds {
		before := string(z.best.scenario.Text)
		z.shorterRun()
		z.fewerFaults()
		z.smallerWorld()
		z.earlierVisits()
		z.shorterFaults()
		z.lowerSeed()
		if string(z.best.scenario.Text) == before {
			return
		}
	}
}

// try makes a change, and keeps it if the run still fails, twice, the same way
// and to the byte. Change reports whether it has changed anything.
func (z *shrinker) try(change func(*Scenario) bool) bool {
	return z.trySeed(z.best.seed, change)
}

func (z *shrinker) trySeed(seed uint64, change func(*Scenario) bool) bool {
	if z.ctx.Err() != nil && z.runs > 0 || z.err != nil {
		return false
	}
	c := *z.best.scenario
	c.Faults, c.Each = slices.Clone(c.Faults), slices.Clone(c.Each)
	if !change(&c) {
		return false
	}
	c.Seeds = int(min(seed, mostOthers))
	text, err := Rewrite(&c, fmt.Sprintf("Made by lockquake shrink. Run it with: %s reproduce FILE --seed %d", programName(c.Program), seed), z.path)
	if err != nil {
		z.err = err
		return false
	}
	small, err := Parse(z.path, text, z.own...)
	if err != nil {
		return false // a change that no file can say
	}
	small.Program = c.Program
	var tried [2]attempt
	for i := range tried {
		if tried[i], err = z.run(small, seed); err != nil || telling(small, tried[i].trial, z.check) == "" {
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

// run carries out one run. One that cannot be carried out does not fail in the
// way that is looked for.
func (z *shrinker) run(s *Scenario, seed uint64) (attempt, error) {
	var points arrivals
	z.runner.scenario, z.runner.visit = s, points.note
	z.runs++
	trial, err := z.runner.once(s.Strategies[0], seed)
	if err != nil {
		return attempt{}, err
	}
	// The events are the runner's own, and the next run's.
	h := *trial.History
	h.Events = slices.Clone(h.Events)
	trial.History = &h
	return attempt{s, seed, trial, points.all}, nil
}

// tied is the fault at the point that its worker was at when it fell, in place
// of a moment: that does not move when other faults go.
func tied(spec faults.Spec, visits []arrival) (faults.Spec, bool) {
	if spec.At == nil {
		return spec, spec.When != nil
	}
	points := Points()
	for _, v := range slices.Backward(visits) {
		if v.worker == spec.Params.Target && v.at <= *spec.At && slices.Contains(points, v.point) {
			spec.At, spec.When = nil, &faults.When{Worker: v.worker, Point: v.point, Nth: v.nth}
			return spec, true
		}
	}
	return spec, false
}

// jump tries each fault alone, at its point, in a world of two workers and of
// few sections: most failures need no more, and then this saves the long way
// there.
func (z *shrinker) jump() {
	visits := z.best.visits
	for _, spec := range z.best.scenario.Faults {
		spec, ok := tied(spec, visits)
		if !ok {
			continue
		}
		keep := []string{spec.When.Worker}
		for _, other := range z.best.scenario.WorkerNames() {
			if other != keep[0] {
				keep = append(keep, other)
				break
			}
		}
		for sections := 1; sections <= 2; sections++ {
			for _, order := range permutations(keep) {
				if z.try(func(c *Scenario) bool {
					c.Faults = append(c.Faults[:0], spec)
					return c.resize(order, sections, true)
				}) {
					return
				}
			}
		}
	}
}

// tie gives every fault of a worker a point in place of its moment.
func (z *shrinker) tie() {
	for i := range z.best.scenario.Faults {
		z.try(func(c *Scenario) bool {
			timed := c.Faults[i].At != nil
			spec, ok := tied(c.Faults[i], z.best.visits)
			c.Faults[i] = spec
			return timed && ok
		})
	}
}

// fewerFaults takes away all, half, a quarter, and so on down to single ones.
func (z *shrinker) fewerFaults() {
	for n := len(z.best.scenario.Faults); n > 0; n /= 2 {
		for i := 0; i < len(z.best.scenario.Faults); {
			if !z.try(func(c *Scenario) bool {
				c.Faults = slices.Delete(c.Faults, i, min(i+n, len(c.Faults)))
				return true
			}) {
				i += n
			}
		}
	}
}

// smallerWorld looks for the fewest workers and sections that still fail. The
// workers that a fault names stay, then come those of the evidence.
func (z *shrinker) smallerWorld() {
	s := z.best.scenario
	needed := z.involved()
	named := len(needed)
	for _, w := range append(z.witnesses(), s.WorkerNames()...) {
		if !slices.Contains(needed, w) {
			needed = append(needed, w)
		}
	}
	const few = 3 // sections that are tried
	for workers := max(named, 1); workers <= s.Workers; workers++ {
		for _, keep := range permutations(slices.Clone(needed[:workers])) {
			for sections := 1; sections <= few; sections++ {
				if workers == s.Workers && s.Sections != 0 && sections >= s.Sections {
					break
				}
				for _, first := range []bool{true, false} {
					if z.try(func(c *Scenario) bool { return c.resize(keep, sections, first) }) {
						return
					}
				}
			}
			if workers < s.Workers && z.try(func(c *Scenario) bool { return c.resize(keep, s.Sections, false) }) {
				return
			}
		}
	}
	z.try(func(c *Scenario) bool {
		c.Resources = 1
		return s.Resources > 1
	})
}

// involved lists the workers that faults name.
func (z *shrinker) involved() []string {
	var names []string
	for _, spec := range z.best.scenario.Faults {
		for _, name := range append([]string{spec.Params.Target, spec.Params.From, spec.Params.To}, whose(spec)) {
			if slices.Contains(z.best.scenario.WorkerNames(), name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func whose(spec faults.Spec) string {
	if spec.When == nil {
		return ""
	}
	return spec.When.Worker
}

// witnesses lists the workers of the evidence.
func (z *shrinker) witnesses() []string {
	var names []string
	for _, r := range z.best.trial.Results {
		if r.Check != z.check || len(r.Findings) == 0 {
			continue
		}
		for _, seq := range r.Findings[0].Events {
			if w := z.best.trial.History.Events[seq-1].Worker; w != "" && !slices.Contains(names, w) {
				names = append(names, w)
			}
		}
	}
	return names
}

// permutations returns the names as they are sorted, and of two or three names every
// other order: who is called worker-1 draws as worker-1 did.
func permutations(names []string) [][]string {
	slices.Sort(names)
	switch len(names) {
	case 2:
		return [][]string{names, {names[1], names[0]}}
	case 3:
		a, b, c := names[0], names[1], names[2]
		return [][]string{{a, b, c}, {a, c, b}, {b, a, c}, {b, c, a}, {c, a, b}, {c, b, a}}
	}
	return [][]string{names}
}

// resize keeps these workers, under the names that their places give them, and
// so many sections. First lets each fault of a point fall the first time. It
// reports whether every fault has its workers still.
func (s *Scenario) resize(keep []string, sections int, first bool) bool {
	old := s.WorkerNames()
	s.Workers, s.Sections = len(keep), sections
	names := s.WorkerNames()
	lost := false
	rename := func(name string) string {
		i := slices.Index(keep, name)
		switch {
		case i >= 0:
			return names[i]
		case slices.Contains(old, name):
			lost = true
		}
		return name
	}
	for i, spec := range s.Faults {
		p := &spec.Params
		p.Target, p.From, p.To = rename(p.Target), rename(p.From), rename(p.To)
		if spec.When != nil {
			when := *spec.When
			when.Worker = rename(when.Worker)
			if first {
				when.Nth = 1
			}
			spec.When = &when
		}
		s.Faults[i] = spec
	}
	for i := range s.Each {
		if !slices.Contains(keep, s.Each[i].Worker) {
			s.Each[i].Worker = "" // the entry goes with its worker
			continue
		}
		s.Each[i].Worker = rename(s.Each[i].Worker)
	}
	return !lost
}

// earlierVisits lets faults of a point fall an earlier time.
func (z *shrinker) earlierVisits() {
	for i, spec := range z.best.scenario.Faults {
		const few = 3
		for nth := 1; spec.When != nil && nth < spec.When.Nth && nth <= few; nth++ {
			if z.try(func(c *Scenario) bool {
				when := *spec.When
				when.Nth = nth
				c.Faults[i].When = &when
				return true
			}) {
				break
			}
		}
	}
}

// shorterFaults makes each fault as short as it can be.
func (z *shrinker) shorterFaults() {
	for i, spec := range z.best.scenario.Faults {
		z.shorter(spec.Params.For.Value, time.Millisecond, func(c *Scenario, d time.Duration) { c.Faults[i].Params.For = draw.Fixed(d) })
		if spec.At != nil {
			z.try(func(c *Scenario) bool {
				at := rounded(*spec.At)
				c.Faults[i].At = &at
				return at != *spec.At
			})
		}
	}
}

// shorterRun ends the faults and the last new section as early as it can be.
func (z *shrinker) shorterRun() {
	z.shorter(z.best.scenario.Duration, time.Second, func(c *Scenario, d time.Duration) {
		c.Duration = d
		c.Faults = slices.DeleteFunc(c.Faults, func(spec faults.Spec) bool { return spec.At != nil && *spec.At >= d })
	})
}

// shorter halves a length as long as that works, and then looks between what
// worked and what did not, for one with few digits. What is least is short
// enough.
func (z *shrinker) shorter(long, least time.Duration, set func(*Scenario, time.Duration)) {
	works := func(d time.Duration) bool {
		return d >= least && d < long && z.try(func(c *Scenario) bool {
			set(c, d)
			return true
		})
	}
	for works(rounded(long / 2)) {
		long = rounded(long / 2)
	}
	short := rounded(long / 2)
	const steps = 4
	for range steps {
		d := rounded((short + long) / 2)
		switch {
		case d <= short || d >= long:
			return
		case works(d):
			long = d
		default:
			short = d
		}
	}
}

// rounded is a length with two digits, not shorter.
func rounded(d time.Duration) time.Duration {
	const digits = 100
	unit := time.Duration(1)
	for d/unit >= digits {
		unit *= 10
	}
	return (d + unit - 1) / unit * unit
}

// lowerSeed looks for one of the first seeds that fails, too: whoever runs the
// scenario begins with those.
func (z *shrinker) lowerSeed() {
	const first = 10
	for seed := uint64(1); seed < z.best.seed && seed <= first; seed++ {
		if z.trySeed(seed, func(*Scenario) bool { return true }) {
			return
		}
	}
}
