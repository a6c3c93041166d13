package campaign

import (
	"encoding/binary"
	"slices"

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
	Hit          int64           `json:"bit"`
	HitRuns      int             `json:"bit_runs,omitempty"`
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
		f.Planned, f.Happened, f.Hit = 0, 0, 0
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
		u.Hit += f.Hit
		met = met || f.Hit > 0 && !u.unmet[f.Spec]
		addFault(&a.Faults[f.Spec], f)
	}
	if met {
		u.HitRuns++
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
	f.Planned, f.Happened, f.Hit = f.Planned+more.Planned, f.Happened+more.Happened, f.Hit+more.Hit
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
		u.Acquisitions, u.Hit, u.Checksum = u.Acquisitions+o.Acquisitions, u.Hit+o.Hit, u.Checksum+o.Checksum
		u.HitRuns += o.HitRuns
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
