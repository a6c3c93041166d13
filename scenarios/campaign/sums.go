package campaign

import (
	"encoding/binary"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"lockquake/checker"
	"lockquake/internal/stats"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// sums adds up runs of a campaign. Sums of different runs can be added, and the order has no effect.
// They do not grow with the number of runs once their lists are limited to named seeds.
type sums struct {
	Uses   []*useSums           `json:"uses"`             // in the order of the campaign
	Faults []results.FaultStats `json:"faults,omitempty"` // in the order of the scenario
}

// useSums adds up the runs of one use.
type useSums struct {
	Label        string          `json:"label"`
	Seeds        results.SeedSet `json:"seeds"` // of the runs
	Runs         int             `json:"runs"`
	Violating    int             `json:"violating"`
	Unknown      int             `json:"unknown"`
	Acquisitions int64           `json:"acquisitions"`
	Bit          int64           `json:"bit"`
	BitRuns      int             `json:"bit_runs,omitempty"`
	Metrics      checker.Metrics `json:"metrics"`
	Checksum     uint64          `json:"checksum"` // the sum of a hash of each seed and the checksum of its run
	Unread       *unreadRun      `json:"unread,omitempty"`
	Checks       []checkSums     `json:"checks"` // in the order of the scenario
	Pair         pairSums        `json:"pair"`
	unmet        []bool          // by fault: the use asks none of the servers that the fault concerns
}

// unreadRun is the first run whose holders could not be read.
type unreadRun struct {
	Seed   uint64 `json:"seed"`
	Reason string `json:"reason"` // as in history.Meta
}

// checkSums adds up one check.
type checkSums struct {
	Applies      bool            `json:"applies"`
	Violating    int             `json:"violating"`
	Unknown      int             `json:"unknown"`
	Violations   int64           `json:"violations"`
	Squares      checker.Sum     `json:"squares"` // of the violations of each run
	Seeds        results.SeedSet `json:"seeds,omitzero"`
	UnknownSeeds results.SeedSet `json:"unknown_seeds,omitzero"`
	First        *firstRun       `json:"first,omitempty"`
}

// firstRun is the run with the lowest seed that violates a check.
type firstRun struct {
	Seed     uint64 `json:"seed"`
	Checksum string `json:"checksum"`
}

// pairSums counts the seeds that were decided for a use and for the first lock of its case, see
// results.PairStats.
type pairSums struct {
	Seeds    int `json:"seeds"`
	Both     int `json:"both"`
	BaseOnly int `json:"base_only"`
	Only     int `json:"only"`
}

// named is the largest number of seeds that sums list for a check.
const named = 1000

func newSums(s *scenarios.Scenario, uses []scenarios.Strategy) *sums {
	all := &sums{}
	for _, use := range uses {
		u := &useSums{Label: use.Label, Checks: make([]checkSums, len(s.Checks))}
		for _, spec := range s.Faults {
			u.unmet = append(u.unmet, !s.Meets(use, spec.Fault))
		}
		all.Uses = append(all.Uses, u)
	}
	for i, spec := range s.Faults {
		all.Faults = append(all.Faults, results.FaultStats{Spec: i, Kind: spec.Kind(), Case: spec.Case, Optional: spec.Optional})
	}
	return all
}

// empty returns sums of no runs, of the same uses.
func (a *sums) empty() *sums {
	none := &sums{Faults: slices.Clone(a.Faults)}
	for i := range none.Faults {
		f := &none.Faults[i]
		f.Planned, f.Happened, f.Bit = 0, 0, 0
	}
	for _, u := range a.Uses {
		none.Uses = append(none.Uses, &useSums{Label: u.Label, Checks: make([]checkSums, len(u.Checks)), unmet: u.unmet})
	}
	return none
}

// addRun adds a run of a use. Its seed must be higher than those of the runs before.
func (a *sums) addRun(scenario *scenarios.Scenario, use int, seed uint64, s *summary) {
	u := a.Uses[use]
	u.Runs++
	u.Seeds.Add(seed)
	u.Acquisitions += s.Acquisitions
	u.Metrics.Add(&s.Metrics)
	u.Checksum += hashRun(seed, s.Checksum)
	if s.Unread != "" && u.Unread == nil {
		u.Unread = &unreadRun{seed, s.Unread}
	}
	met := false
	for _, f := range s.Faults {
		u.Bit += f.Bit
		met = met || f.Bit > 0 && !u.unmet[f.Spec]
		addFault(&a.Faults[f.Spec], f)
	}
	if met {
		u.BitRuns++
	}
	verdict := checker.Valid
	for i, r := range s.Results {
		u.Checks[i].addRun(seed, s.Checksum, r)
		if scenario.Decides(u.Label, scenario.Checks[i]) {
			verdict = verdict.Worse(r.verdict)
		}
	}
	switch verdict {
	case checker.Invalid:
		u.Violating++
	case checker.Unknown:
		u.Unknown++
	case checker.Valid:
	}
}

func hashRun(seed uint64, checksum string) uint64 {
	return xxhash.Sum64(append(binary.BigEndian.AppendUint64(nil, seed), checksum...))
}

func addFault(f *results.FaultStats, more results.FaultStats) {
	f.Planned, f.Happened, f.Bit = f.Planned+more.Planned, f.Happened+more.Happened, f.Bit+more.Bit
}

func (c *checkSums) addRun(seed uint64, checksum string, r outcomeOf) {
	c.Applies = c.Applies || r.applies
	switch r.verdict {
	case checker.Invalid:
		if c.First == nil {
			c.First = &firstRun{seed, checksum}
		}
		c.Violating++
		c.Violations += int64(r.count)
		c.Squares.Add(checker.SumOf(int64(r.count) * int64(r.count)))
		c.Seeds.Add(seed)
	case checker.Unknown:
		c.Unknown++
		c.UnknownSeeds.Add(seed)
	case checker.Valid:
	}
}

// add adds the sums of other runs of the same uses. Most is the largest number of seeds that a list
// keeps; 0: all.
func (a *sums) add(more *sums, most int) {
	for i, u := range a.Uses {
		o := more.Uses[i]
		u.Seeds.AddAll(o.Seeds, 0)
		u.Runs, u.Violating, u.Unknown = u.Runs+o.Runs, u.Violating+o.Violating, u.Unknown+o.Unknown
		u.Acquisitions, u.Bit, u.Checksum = u.Acquisitions+o.Acquisitions, u.Bit+o.Bit, u.Checksum+o.Checksum
		u.BitRuns += o.BitRuns
		u.Metrics.Add(&o.Metrics)
		if u.Unread == nil || o.Unread != nil && o.Unread.Seed < u.Unread.Seed {
			u.Unread = o.Unread
		}
		for k := range u.Checks {
			u.Checks[k].add(&o.Checks[k], most)
		}
		p, q := &u.Pair, o.Pair
		p.Seeds, p.Both, p.BaseOnly, p.Only = p.Seeds+q.Seeds, p.Both+q.Both, p.BaseOnly+q.BaseOnly, p.Only+q.Only
	}
	for i := range a.Faults {
		addFault(&a.Faults[i], more.Faults[i])
	}
}

func (c *checkSums) add(o *checkSums, most int) {
	c.Applies = c.Applies || o.Applies
	c.Violating, c.Unknown, c.Violations = c.Violating+o.Violating, c.Unknown+o.Unknown, c.Violations+o.Violations
	c.Squares.Add(o.Squares)
	c.Seeds.AddAll(o.Seeds, most)
	c.UnknownSeeds.AddAll(o.UnknownSeeds, most)
	if c.First == nil || o.First != nil && o.First.Seed < c.First.Seed {
		c.First = o.First
	}
}

// seeds returns the seeds that any use has run.
func (a *sums) seeds() results.SeedSet {
	var all results.SeedSet
	for _, u := range a.Uses {
		all.AddAll(u.Seeds, 0)
	}
	return all
}

// runs returns the number of runs.
func (a *sums) runs() int {
	n := 0
	for _, u := range a.Uses {
		n += u.Runs
	}
	return n
}

func (a *sums) labels() []string {
	var labels []string
	for _, u := range a.Uses {
		labels = append(labels, u.Label)
	}
	return labels
}

// has reports whether a run is among those added up. Nil has none.
func (a *sums) has(label string, seed uint64) bool {
	if a == nil {
		return false
	}
	i := slices.IndexFunc(a.Uses, func(u *useSums) bool { return u.Label == label })
	return i >= 0 && a.Uses[i].Seeds.Has(seed)
}

// narrow reports whether the half-width of a use's interval is at most the given one.
func (u *useSums) narrow(halfWidth float64) bool {
	low, high := stats.Wilson(u.Violating, u.Runs)
	return (high-low)/2 <= halfWidth
}

// differs returns why sums cannot be added to these, "" if they can.
func (a *sums) differs(more *sums) string {
	if len(a.Faults) != len(more.Faults) || len(a.Uses[0].Checks) != len(more.Uses[0].Checks) {
		return "its sums are of another scenario"
	}
	if !slices.Equal(a.labels(), more.labels()) {
		return fmt.Sprintf("its runs are of %.200s, and not of %.200s: with more than a million runs the strategies and their order must be the same", strings.Join(more.labels(), ", "), strings.Join(a.labels(), ", "))
	}
	for i, u := range a.Uses {
		if twice := u.Seeds.Common(more.Uses[i].Seeds); !twice.IsZero() {
			return fmt.Sprintf("seeds %s of %.60s are in two of the reports", twice.First(mostRanges), u.Label)
		}
	}
	return ""
}

// fault returns what is wrong with sums that were read from a file, as far as it can be known without
// the scenario; "" if nothing is.
func (a *sums) fault() string {
	if len(a.Uses) == 0 {
		return "sums of no strategy"
	}
	contradict := slices.Contains(a.Uses, nil)
	for _, f := range a.Faults {
		contradict = contradict || f.Planned < 0 || f.Happened < 0 || f.Bit < 0
	}
	for _, u := range a.Uses {
		contradict = contradict || !u.sound() || len(u.Checks) != len(a.Uses[0].Checks)
	}
	if contradict {
		return "its sums contradict each other"
	}
	labels := a.labels()
	for i, label := range labels {
		if slices.Contains(labels[:i], label) {
			return fmt.Sprintf("strategy %.60q appears twice", label)
		}
	}
	return ""
}

// sound reports whether the figures of a use can be those of one set of runs.
func (u *useSums) sound() bool {
	p := u.Pair
	switch {
	case u.Seeds.Cut, u.Seeds.Count() != u.Runs, !within(u.Runs, u.Violating, u.Unknown):
		return false
	case u.Acquisitions < 0, u.Bit < 0, !within(u.Runs, u.BitRuns), int64(u.BitRuns) > u.Bit, !within(u.Runs, p.Seeds), !within(p.Seeds, p.Both, p.BaseOnly, p.Only):
		return false
	case u.Unread != nil && !u.Seeds.Has(u.Unread.Seed), u.Metrics.Runs != int64(u.Runs), !soundMetrics(u.Metrics):
		return false
	}
	for i := range u.Checks {
		if !u.Checks[i].sound(u) {
			return false
		}
	}
	return true
}

// sound reports whether the figures of a check can be those of the runs of the use.
func (c *checkSums) sound(u *useSums) bool {
	beyond := func(seeds results.SeedSet) bool { return len(seeds.Without(u.Seeds).Ranges) > 0 }
	switch {
	case !within(u.Runs, c.Violating, c.Unknown), !c.Seeds.Counts(c.Violating), !c.UnknownSeeds.Counts(c.Unknown):
		return false
	case beyond(c.Seeds), beyond(c.UnknownSeeds), len(c.Seeds.Common(c.UnknownSeeds).Ranges) > 0:
		return false
	case c.Violating == 0:
		return c.First == nil && c.Violations == 0 && c.Squares == checker.Sum{}
	}
	// The square of a whole number is not below it.
	return c.First != nil && len(c.Seeds.Ranges) > 0 && c.First.Seed == c.Seeds.Ranges[0].First &&
		c.Violations >= int64(c.Violating) && c.Squares.Float() >= float64(c.Violations)
}

// soundMetrics reports whether no count is negative, and fairness is a share.
func soundMetrics(m checker.Metrics) bool {
	for _, value := range reflect.ValueOf(m).Fields() {
		if value.CanInt() && value.Int() < 0 {
			return false
		}
	}
	return m.Fairness >= 0 && m.Fairness <= 1
}

// within reports whether counts of disjoint runs fit among all.
func within(all int, counts ...int) bool {
	for _, n := range counts {
		if n < 0 || n > all {
			return false
		}
		all -= n
	}
	return true
}

// of returns what is wrong with sums for a scenario, "" if nothing is.
func (a *sums) of(s *scenarios.Scenario) string {
	wrong := len(a.Faults) != len(s.Faults) || len(a.Uses[0].Checks) != len(s.Checks)
	for i, f := range a.Faults {
		wrong = wrong || f.Spec != i || s.Faults[i].Kind() != f.Kind
	}
	if wrong {
		return "its sums are not of the scenario " + s.Name
	}
	return ""
}

// pairUp compares each use with the first lock of its case, seed by seed. The lists of seeds must be
// complete.
func (a *sums) pairUp(s *scenarios.Scenario, uses []scenarios.Strategy) {
	all := make([]results.StrategyStats, len(uses))
	for i, u := range a.Uses {
		all[i] = results.StrategyStats{Seeds: u.Seeds, Checks: map[string]results.CheckStats{}}
		for k, c := range u.Checks {
			all[i].Checks[s.Checks[k]] = results.CheckStats{Seeds: c.Seeds, UnknownSeeds: c.UnknownSeeds}
		}
	}
	for i := range uses {
		base, checks := pairOf(s, uses, i)
		if len(checks) > 0 {
			p := results.Pair(all[base].VerdictsOfAny(checks), all[i].VerdictsOfAny(checks))
			a.Uses[i].Pair = pairSums{p.Seeds, p.Both, p.Fixed.Count(), p.Broken.Count()}
		}
	}
}

// pairOf returns the use that a use is compared with, the first lock of its case, and the checks that
// decide for both. There are no checks if the use is compared with none. The strategy none is skipped,
// since every lock is better than no lock.
func pairOf(s *scenarios.Scenario, uses []scenarios.Strategy, i int) (base int, checks []string) {
	base = slices.IndexFunc(uses, func(u scenarios.Strategy) bool { return u.Case == uses[i].Case && u.Name != "none" })
	if base < 0 || base == i {
		return base, nil
	}
	for _, check := range s.Checks {
		if s.Decides(uses[base].Label, check) && s.Decides(uses[i].Label, check) {
			checks = append(checks, check)
		}
	}
	return base, checks
}

// tally passes the runs of one use on to sums in the order of their seeds. The runs may end in any
// order.
type tally struct {
	add     func(seed uint64, s *summary)
	next    uint64
	waiting map[uint64]*summary // runs that wait for the runs of lower seeds
}

// take stores a run, and adds all runs that no longer wait for a lower seed.
func (t *tally) take(seed uint64, s *summary) {
	t.waiting[seed] = s
	for t.waiting[t.next] != nil {
		t.pass(t.next)
		t.next++
	}
}

// flush adds the runs that still wait for one that did not end.
func (t *tally) flush() {
	for _, seed := range slices.Sorted(maps.Keys(t.waiting)) {
		t.pass(seed)
	}
}

func (t *tally) pass(seed uint64) {
	t.add(seed, t.waiting[seed])
	delete(t.waiting, seed)
}
