package search

import (
	"slices"
	"time"

	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/scenarios"
	"lockquake/scenarios/run"
)

// all repeats the steps that make the run smaller until none has an effect.
func (z *shrinker) all() {
	const rounds = 6 // more than any run needs; each makes the run smaller
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

// tied returns the fault with the point that its worker had reached when it fell, in place of a
// time. The point stays the same when other faults are removed.
func tied(spec faults.Spec, visits []run.Arrival) (faults.Spec, bool) {
	if spec.At == nil {
		return spec, spec.When != nil
	}
	points, names := scenarios.Points(), faults.Names(spec.Fault)
	for _, v := range slices.Backward(visits) {
		if len(names) == 1 && v.Worker == names[0] && v.At <= *spec.At && slices.Contains(points, v.Point) {
			spec.At, spec.When = nil, &faults.When{Worker: v.Worker, Point: v.Point, Nth: v.Nth}
			return spec, true
		}
	}
	return spec, false
}

// jump tries each fault alone, at its point, with two workers and few sections. Most failures need
// no more, and then the slow steps are not needed.
func (z *shrinker) jump() {
	visits := z.best.visits
	for _, spec := range z.best.scenario.Faults {
		if spec, ok := tied(spec, visits); ok && z.alone(spec) {
			return
		}
	}
}

// alone keeps only one fault at a point, its worker and another one.
func (z *shrinker) alone(spec faults.Spec) bool {
	keep := []string{spec.When.Worker}
	for _, other := range z.best.scenario.WorkerNames() {
		if other != keep[0] {
			keep = append(keep, other)
			break
		}
	}
	for sections := 1; sections <= 2; sections++ {
		for _, order := range permutations(keep) {
			if z.try(func(c *scenarios.Scenario) bool {
				c.Faults = append(c.Faults[:0], spec)
				return resize(c, order, sections, true)
			}) {
				return true
			}
		}
	}
	return false
}

// tie gives every fault of a worker a point in place of its time.
func (z *shrinker) tie() {
	for i := range z.best.scenario.Faults {
		z.try(func(c *scenarios.Scenario) bool {
			timed := c.Faults[i].At != nil
			spec, ok := tied(c.Faults[i], z.best.visits)
			c.Faults[i] = spec
			return timed && ok
		})
	}
}

// fewerFaults removes all faults, half of them, a quarter, and so on down to single ones.
func (z *shrinker) fewerFaults() {
	for n := len(z.best.scenario.Faults); n > 0; n /= 2 {
		for i := 0; i < len(z.best.scenario.Faults); {
			if !z.try(func(c *scenarios.Scenario) bool {
				c.Faults = slices.Delete(c.Faults, i, min(i+n, len(c.Faults)))
				return true
			}) {
				i += n
			}
		}
	}
}

// smallerWorld looks for the fewest workers and sections that still fail. It keeps the workers that
// a fault names first, and then those of the evidence.
func (z *shrinker) smallerWorld() {
	s := z.best.scenario
	needed := z.involved()
	named := len(needed)
	for _, w := range append(z.witnesses(), s.WorkerNames()...) {
		if !slices.Contains(needed, w) {
			needed = append(needed, w)
		}
	}
	for workers := max(named, 1); workers <= s.Workers; workers++ {
		if slices.ContainsFunc(permutations(slices.Clone(needed[:workers])), z.fewerSections) {
			return
		}
	}
	z.try(func(c *scenarios.Scenario) bool {
		c.Resources = 1
		return s.Resources > 1
	})
}

// fewerSections looks for the fewest sections with which these workers fail. If there are fewer
// workers than before, all sections may be needed.
func (z *shrinker) fewerSections(keep []string) bool {
	s := z.best.scenario
	fewer := len(keep) < s.Workers
	const few = 3 // sections that are tried
	for sections := 1; sections <= few; sections++ {
		if !fewer && s.Sections != 0 && sections >= s.Sections {
			return false
		}
		for _, first := range []bool{true, false} {
			if z.try(func(c *scenarios.Scenario) bool { return resize(c, keep, sections, first) }) {
				return true
			}
		}
	}
	return fewer && z.try(func(c *scenarios.Scenario) bool { return resize(c, keep, s.Sections, false) })
}

// involved lists the workers that faults name.
func (z *shrinker) involved() []string {
	var names []string
	for _, spec := range z.best.scenario.Faults {
		for _, name := range append(faults.Names(spec.Fault), whose(spec)) {
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

// witnesses lists the workers that the evidence of the violation names.
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

// permutations returns the sorted names, and for two or three names every other order too: the
// worker that becomes worker-1 gets the random numbers of worker-1.
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

// resize keeps these workers, renamed by their positions, and this number of sections. With first
// each fault at a point falls on the first visit. It reports whether every fault still has its
// workers.
func resize(s *scenarios.Scenario, keep []string, sections int, first bool) bool {
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
		spec.Fault = faults.Rename(spec.Fault, rename)
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
			s.Each[i].Worker = "" // the entry is removed with its worker
			continue
		}
		s.Each[i].Worker = rename(s.Each[i].Worker)
	}
	return !lost
}

// earlierVisits moves faults at a point to an earlier visit.
func (z *shrinker) earlierVisits() {
	for i, spec := range z.best.scenario.Faults {
		const few = 3
		for nth := 1; spec.When != nil && nth < spec.When.Nth && nth <= few; nth++ {
			if z.try(func(c *scenarios.Scenario) bool {
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

// shorterFaults makes each fault as short as possible.
func (z *shrinker) shorterFaults() {
	for i, spec := range z.best.scenario.Faults {
		z.shorter(spec.For.Value, time.Millisecond, func(c *scenarios.Scenario, d time.Duration) { c.Faults[i].For = draw.Fixed(d) })
		if spec.At != nil {
			z.try(func(c *scenarios.Scenario) bool {
				at := rounded(*spec.At)
				c.Faults[i].At = &at
				return at != *spec.At
			})
		}
	}
}

// shorterRun makes the duration of the scenario as short as possible.
func (z *shrinker) shorterRun() {
	z.shorter(z.best.scenario.Duration, time.Second, func(c *scenarios.Scenario, d time.Duration) {
		c.Duration = d
		c.Faults = slices.DeleteFunc(c.Faults, func(spec faults.Spec) bool { return spec.At != nil && *spec.At >= d })
	})
}

// shorter halves a length as long as the run still fails, and then looks for a value with few
// digits between the last that failed and the first that did not. It stops at least.
func (z *shrinker) shorter(long, least time.Duration, set func(*scenarios.Scenario, time.Duration)) {
	works := func(d time.Duration) bool {
		return d >= least && d < long && z.try(func(c *scenarios.Scenario) bool {
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

// rounded rounds a length up to two digits.
func rounded(d time.Duration) time.Duration {
	const digits = 100
	unit := time.Duration(1)
	for d/unit >= digits {
		unit *= 10
	}
	return (d + unit - 1) / unit * unit
}

// lowerSeed looks for a failing run among the first seeds, since a campaign begins with those.
func (z *shrinker) lowerSeed() {
	const first = 10
	for seed := uint64(1); seed < z.best.seed && seed <= first; seed++ {
		if z.trySeed(seed, func(*scenarios.Scenario) bool { return true }) {
			return
		}
	}
}
