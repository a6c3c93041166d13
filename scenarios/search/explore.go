package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// ExploreRequest selects the faults that a search places. The zero value of a field is its default.
type ExploreRequest struct {
	Kinds    []string      // names of PlacedKinds; nil: the default ones
	Faults   int           // number of faults in one run, 1 or 2; default 1
	Workers  int           // default: those of the scenario, 2 at most
	Sections int           // of each worker; default 1
	For      time.Duration // how long a fault lasts; default: one and a half times the longest lease
	Seed     uint64        // default 1
	// Pauses is a file of measured pauses: a pause lasts as long as the longest of them. Nil: as long as
	// other faults.
	Pauses *results.Samples
	// Strategies, Own, Jobs, Stall and Progress are as in [campaign.Request].
	Strategies []string
	Own        []lock.Entry
	Jobs       int
	Stall      time.Duration
	Progress   func(campaign.Progress)
}

// explorer is the state of an Explore.
type explorer struct {
	search ExploreRequest
	base   *scenarios.Scenario // without faults
	uses   []scenarios.Strategy
	kinds  []PlacedKind
	points []string // that a scenario file can name
	jobs   *searchJobs
	found  []*explored // by use
}

// explored has the results so far of one use.
type explored struct {
	use     scenarios.Strategy
	without []string // checks that are violated without a fault
	visits  []run.Arrival
	singles []single
	unnamed []string // points that a scenario file cannot name
}

// single has the results of one fault, and of the pairs that begin with it.
type single struct {
	place  spot
	result *results.Placement // nil: not run yet
	missed bool               // the strategy has no target for the fault
	after  int                // number of places for a second fault
	pairs  []results.Placement
	counts pairCounts
}

// pairCounts counts the pairs that begin with one fault.
type pairCounts struct {
	tried, sameMessage, corrupts int
	harms                        [results.Corrupts + 1]int
	checks                       map[string]int
}

// Explore removes the faults of a scenario, reduces its size, and records every point that its
// workers reach. Then it runs the scenario with one fault of each kind at each point and, with
// Faults 2, also with each second fault at each later point. When ctx ends it returns the results
// so far, marked as partial, with the cause. It returns a [*run.Error] for a run that cannot be
// executed, and a [*run.RepeatError] for one of the caller's own strategies whose run ends
// differently the second time.
func Explore(ctx context.Context, s *scenarios.Scenario, search ExploreRequest) (*results.Exploration, error) {
	x, err := newExplorer(s, search)
	if err != nil {
		return nil, err
	}
	err = x.learn(ctx)
	if err == nil {
		err = x.placeOne(ctx)
	}
	if err == nil && x.search.Faults > 1 {
		err = x.placeTwo(ctx)
	}
	x.jobs.end()
	if _, failed := errors.AsType[*run.Error](err); failed {
		return nil, err
	}
	if _, differs := errors.AsType[*run.RepeatError](err); differs {
		return nil, err
	}
	return x.sum(err != nil), err
}

func newExplorer(s *scenarios.Scenario, search ExploreRequest) (*explorer, error) {
	pool := run.NewPool(s, search.Own, search.Jobs, search.Stall)
	uses, err := s.Uses(search.Strategies, pool.Own)
	if err != nil {
		return nil, err
	}
	pool.Grace = run.DefaultGrace
	x := &explorer{uses: scenarios.Uncased(uses), points: scenarios.Points(), jobs: &searchJobs{Pool: pool, progress: search.Progress}}
	if x.kinds, err = chosenKinds(search.Kinds); err != nil {
		return nil, err
	}
	if search.Pauses != nil && !slices.ContainsFunc(x.kinds, isPause) {
		return nil, &Error{"no pause is among the kinds to place, so the file of pauses has no effect"}
	}
	if x.search, err = search.complete(s, x.uses, pool.Own); err != nil {
		return nil, err
	}
	x.base = x.search.base(s)
	return x, nil
}

// chosenKinds finds the kinds of a search by name, in the order of PlacedKinds.
func chosenKinds(names []string) ([]PlacedKind, error) {
	all := PlacedKinds()
	var known []string
	for _, k := range all {
		known = append(known, k.Name)
	}
	if names != nil && len(names) == 0 {
		return nil, &Error{"no kind of fault to place is named; there are " + strings.Join(known, ", ")}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, &Error{strictyaml.Unknown("kind of fault to place", name, known)}
		}
	}
	return slices.DeleteFunc(all, func(k PlacedKind) bool {
		return names == nil && !k.Default || names != nil && !slices.Contains(names, k.Name)
	}), nil
}

// Error reports a request that is impossible for its scenario.
type Error struct{ text string }

func (e *Error) Error() string { return e.text }

// complete returns the request with its defaults filled in.
func (q ExploreRequest) complete(s *scenarios.Scenario, uses []scenarios.Strategy, own map[string]lock.Entry) (ExploreRequest, error) {
	const few = 2
	if q.Workers == 0 {
		q.Workers = min(s.Workers, few)
	}
	q.Sections, q.Faults, q.Seed = max(q.Sections, 1), max(q.Faults, 1), max(q.Seed, 1)
	if q.For == 0 {
		r := &run.Runner{Scenario: s, Own: own}
		for _, use := range uses {
			entry, err := r.Entry(use.Name)
			if err != nil {
				return q, err
			}
			q.For = max(q.For, s.LongestTTL(entry.Defaults, use)*3/2)
		}
	}
	switch {
	case q.Faults > 2:
		return q, &Error{fmt.Sprintf("one fault can be placed or two, not %d", q.Faults)}
	case q.Workers < 1 || q.Workers > scenarios.MostWorkers:
		return q, &Error{fmt.Sprintf("there are from 1 to %d workers, not %d", scenarios.MostWorkers, q.Workers)}
	case q.Pauses != nil && q.Pauses.Longest == 0:
		return q, &Error{q.Pauses.File + " has no pause that takes time"}
	case q.For < 0 || q.For > draw.Longest:
		return q, &Error{fmt.Sprintf("a fault lasts from 1ns to %v, not %v", draw.Longest, q.For)}
	case q.For == 0: // no lease expires
		q.For = 15 * time.Second
	}
	return q, nil
}

// base returns the scenario in which faults are placed.
func (q ExploreRequest) base(s *scenarios.Scenario) *scenarios.Scenario {
	base := *s
	base.Workers, base.Sections, base.Seeds, base.Faults = q.Workers, q.Sections, int(q.Seed), nil
	return &base
}

// withFaults returns the scenario with these faults and no others.
func withFaults(s *scenarios.Scenario, specs ...faults.Spec) *scenarios.Scenario {
	c := *s
	c.Faults = specs
	return &c
}

// learn executes the run without a fault of each use, and stores its points.
func (x *explorer) learn(ctx context.Context) error {
	var tasks []run.Task
	for _, use := range x.uses {
		f := &explored{use: use}
		x.found = append(x.found, f)
		tasks = append(tasks, x.task(use, func(r *run.Runner) error {
			if _, own := x.jobs.Own[use.Name]; own {
				r.Visit = nil
				if err := r.Repeats(use, x.search.Seed); err != nil {
					return err
				}
			}
			trial, points, err := x.run(r, use)
			if err != nil {
				return err
			}
			x.jobs.keep(func() {
				f.without = trial.Checks(checker.Invalid)
				for _, v := range points {
					if x.named(v.Point) {
						f.visits = append(f.visits, v)
					} else if !slices.Contains(f.unnamed, v.Point) {
						f.unnamed = append(f.unnamed, v.Point)
					}
				}
			})
			return nil
		}))
	}
	return x.jobs.each(ctx, tasks)
}

func (x *explorer) task(use scenarios.Strategy, do func(r *run.Runner) error) run.Task {
	return run.Task{Scenario: x.base, Use: use, Seed: x.search.Seed, Do: do}
}

// run executes a run with faults at these places, and returns its points.
func (x *explorer) run(r *run.Runner, use scenarios.Strategy, places ...spot) (*results.Trial, []run.Arrival, error) {
	var specs []faults.Spec
	for _, p := range places {
		specs = append(specs, x.search.spec(p))
	}
	r.Scenario = withFaults(x.base, specs...)
	var points run.Arrivals
	r.Visit = points.Note
	trial, err := r.Once(use, x.search.Seed)
	if failed, ok := errors.AsType[*run.Error](err); ok {
		for _, p := range places {
			failed.Places = append(failed.Places, x.placed(p).Text)
		}
	}
	return trial, points.All, err
}

// named reports whether a scenario file can name the point.
func (x *explorer) named(point string) bool {
	return len(x.jobs.Own) > 0 || slices.Contains(x.points, point)
}

// fits reports whether a fault of the kind can be placed at a visit.
func (x *explorer) fits(k PlacedKind, v run.Arrival) bool {
	// A fault cannot end the process of one worker if several workers share it.
	shared := x.base.Processes > 0 && slices.ContainsFunc(faults.Needs(k.Fault), func(n faults.Need) bool {
		return n.What == faults.NeedsProcess && n.Name == ""
	})
	return fitsPoint(k, v.Point) && !shared
}

// placeOne tries every single fault.
func (x *explorer) placeOne(ctx context.Context) error {
	var tasks []run.Task
	for _, f := range x.found {
		for _, v := range f.visits {
			for _, k := range x.kinds {
				if x.fits(k, v) {
					f.singles = append(f.singles, single{place: spot{k, v}, counts: pairCounts{checks: map[string]int{}}})
				}
			}
		}
		for i := range f.singles {
			one := &f.singles[i]
			tasks = append(tasks, x.task(f.use, func(r *run.Runner) error {
				trial, points, err := x.run(r, f.use, one.place)
				if err != nil {
					return err
				}
				p := x.placement(trial, one.place)
				x.jobs.finished(f.use.Label, p, func() {
					one.result, one.missed = p, !trial.Bites[0].Happened
					if x.search.Faults > 1 && p.Harm() != results.Corrupts && !one.missed {
						one.after = len(x.second(one.place, points))
					}
				})
				return nil
			}))
		}
	}
	x.jobs.done.Total = len(tasks)
	return x.jobs.each(ctx, tasks)
}

// second lists the places of a second fault in a run with the first: all kinds at every later
// point, and at the same point only the later kinds in the order of kinds, since two faults at one
// point have no order.
func (x *explorer) second(first spot, points []run.Arrival) []spot {
	at := slices.IndexFunc(points, first.visit.Same)
	kind := slices.IndexFunc(x.kinds, func(k PlacedKind) bool { return k.Name == first.kind.Name })
	var places []spot
	for i := at; at >= 0 && i < len(points); i++ {
		for n, k := range x.kinds {
			if x.named(points[i].Point) && x.fits(k, points[i]) && (i > at || n > kind) {
				places = append(places, spot{k, points[i]})
			}
		}
	}
	return places
}

// placeTwo tries every second fault after each first fault that alone corrupts nothing.
func (x *explorer) placeTwo(ctx context.Context) error {
	var tasks []run.Task
	for _, f := range x.found {
		corrupting := map[string]bool{}
		for i := range f.singles {
			one := &f.singles[i]
			if one.result.Harm() == results.Corrupts {
				corrupting[one.result.Places[0].Text] = true
			}
			x.jobs.done.Total += one.after
			if one.after > 0 {
				tasks = append(tasks, x.task(f.use, func(r *run.Runner) error { return x.pairs(ctx, r, f.use, one, corrupting) }))
			}
		}
	}
	return x.jobs.each(ctx, tasks)
}

// pairs tries every second fault after one first fault.
func (x *explorer) pairs(ctx context.Context, r *run.Runner, use scenarios.Strategy, one *single, corrupting map[string]bool) error {
	_, points, err := x.run(r, use, one.place)
	if err != nil {
		return err
	}
	for _, second := range x.second(one.place, points) {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case second.visit.Same(one.place.visit) && caught(second.kind) && caught(one.place.kind):
			x.jobs.keep(func() { one.counts.sameMessage++ })
			continue
		case corrupting[x.placed(second).Text]:
			x.jobs.keep(func() { one.counts.corrupts++ })
			continue
		}
		trial, _, err := x.run(r, use, one.place, second)
		if err != nil {
			return err
		}
		p := x.placement(trial, one.place, second)
		x.jobs.finished(use.Label, p, func() { one.take(p) })
	}
	return nil
}

// take counts a pair that begins with this fault.
func (one *single) take(p *results.Placement) {
	one.counts.tried++
	one.counts.harms[p.Harm()]++
	for _, check := range p.Violated {
		one.counts.checks[check]++
	}
	if p.Harm() > results.Undecided {
		one.pairs = append(one.pairs, *p)
	}
}

// placement sums up a run.
func (x *explorer) placement(t *results.Trial, places ...spot) *results.Placement {
	p := &results.Placement{Violated: t.Checks(checker.Invalid), Undecided: t.Checks(checker.Unknown)}
	for _, at := range places {
		p.Places = append(p.Places, x.placed(at))
	}
	return p
}

func (x *explorer) placed(p spot) results.Place {
	return results.Place{Kind: p.kind.Name, Worker: p.visit.Worker, Point: p.visit.Point, Nth: p.visit.Nth, Text: lineOf(x.search.spec(p), x.base.WorkerNames())}
}

// searchJobs is the pool of an explorer with its progress.
type searchJobs struct {
	*run.Pool
	mu       sync.Mutex
	over     bool // the search has ended, and runs that were given up have no effect
	progress func(campaign.Progress)
	done     campaign.Progress
}

// each executes the tasks.
func (j *searchJobs) each(ctx context.Context, tasks []run.Task) error {
	return j.All(ctx, int64(len(tasks)), func(i int64) run.Task { return tasks[i] })
}

// keep stores what a run has found, unless the search is over.
func (j *searchJobs) keep(store func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.over {
		store()
	}
}

// finished stores a finished run, counts it, and calls progress.
func (j *searchJobs) finished(label string, p *results.Placement, store func()) {
	j.keep(func() {
		store()
		j.done.Done++
		if j.progress != nil {
			j.progress(campaign.Progress{Done: j.done.Done, Total: max(j.done.Total, j.done.Done), Label: label, Violated: p.Harm() >= results.Unfences})
		}
	})
}

// end gives up the runs that have not ended.
func (j *searchJobs) end() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.over = true
}

// Place executes the run of each strategy with these faults, in a scenario of the reduced size of
// Explore. It returns that scenario, with the results as its expectations. Of the request it uses
// Workers, Sections, Seed, Strategies, Own and Stall. When ctx ends, it returns the cause.
func (q ExploreRequest) Place(ctx context.Context, s *scenarios.Scenario, specs []faults.Spec) (*scenarios.Scenario, []*results.Trial, error) {
	x, err := newExplorer(s, q)
	if err != nil {
		return nil, nil, err
	}
	placed := withFaults(x.base, specs...)
	for i, spec := range specs {
		if err := spec.Validate(placed.WorkerNames(), placed.Nodes(), placed.Duration); err != nil {
			return nil, nil, &Error{fmt.Sprintf("fault %d: %v", i+1, err)}
		}
		if w, known := spec.When, scenarios.Points(); w != nil && len(s.Own)+len(q.Own) == 0 && !slices.Contains(known, w.Point) {
			return nil, nil, &Error{fmt.Sprintf("fault %d: %s", i+1, strictyaml.Unknown("point", w.Point, known))}
		}
	}
	placed.Strategies, placed.Expect = x.uses, map[string]results.Expect{}
	var trials []*results.Trial
	for _, use := range x.uses {
		trial, err := x.jobs.One(ctx, placed, use, x.search.Seed)
		if err != nil {
			return nil, nil, err
		}
		trial.Replay = "" // a token names a file, and this scenario has none yet
		trials = append(trials, trial)
		if violated := trial.Checks(checker.Invalid); len(violated) > 0 {
			placed.Expect[use.Label] = results.Expect{Violates: violated}
		} else if holds := held(trial); len(holds) > 0 {
			placed.Expect[use.Label] = results.Expect{Holds: holds}
		}
	}
	return placed, trials, nil
}

// held lists the checks that had something to judge in a run and were not violated.
func held(t *results.Trial) []string {
	return slices.DeleteFunc(t.Checks(checker.Valid), func(check string) bool {
		return !slices.ContainsFunc(t.Results, func(r checker.Result) bool { return r.Check == check && r.Applies })
	})
}
