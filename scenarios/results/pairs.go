package results

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/internal/stats"
)

// Verdicts holds verdicts on runs, by seed.
type Verdicts struct {
	Runs      SeedSet // all runs
	Violating SeedSet
	Unknown   SeedSet
}

// VerdictsOf returns the verdicts of one check.
func (st *StrategyStats) VerdictsOf(check string) Verdicts {
	stats := st.Checks[check]
	return Verdicts{st.Seeds, stats.Seeds, stats.UnknownSeeds}
}

// VerdictsOfAny returns the verdicts of several checks together: a run is
// violating if one of them is violated.
func (st *StrategyStats) VerdictsOfAny(checks []string) Verdicts {
	v := Verdicts{Runs: st.Seeds}
	for _, check := range checks {
		stats := st.Checks[check]
		v.Violating = v.Violating.join(stats.Seeds, either)
		v.Unknown = v.Unknown.join(stats.UnknownSeeds, either)
	}
	v.Unknown = v.Unknown.join(v.Violating, firstOnly)
	return v
}

// Paired compares two sides seed by seed.
type Paired struct {
	Shared int // seeds that both sides have run, and whose verdicts are listed
	Seeds  int // shared seeds with a decided verdict on both sides
	Both   int // decided seeds that are violating on both sides
	// Broken lists the seeds that are violating on the second side only, Fixed those on the
	// first side only.
	Broken, Fixed SeedSet
	// Changed lists the shared seeds with different verdicts, unknown ones included.
	Changed SeedSet
	P       float64 // McNemar's exact test
}

// Pair compares the seeds that both sides have. It leaves out seeds beyond the end of a cut
// list.
func Pair(first, second Verdicts) Paired {
	shared := first.Runs.join(second.Runs, both)
	for _, list := range []SeedSet{first.Runs, second.Runs, first.Violating, second.Violating, first.Unknown, second.Unknown} {
		shared = shared.known(list)
	}
	decided := shared.join(first.Unknown, firstOnly).join(second.Unknown, firstOnly)
	p := Paired{
		Shared: shared.Count(),
		Seeds:  decided.Count(),
		Both:   decided.join(first.Violating, both).join(second.Violating, both).Count(),
		Broken: decided.join(second.Violating, both).join(first.Violating, firstOnly),
		Fixed:  decided.join(first.Violating, both).join(second.Violating, firstOnly),
	}
	differs := func(a, b bool) bool { return a != b }
	p.Changed = first.Violating.join(second.Violating, differs).
		join(first.Unknown.join(second.Unknown, differs), either).join(shared, both)
	p.P = stats.McNemar(p.Fixed.Count(), p.Broken.Count())
	return p
}

// PairStats compares a strategy with the first lock of its scenario, or of its
// case, on the same seeds, by the checks that decide for both.
type PairStats struct {
	Base     string   `json:"base"` // label of that lock
	Label    string   `json:"label"`
	Checks   []string `json:"checks"`
	Seeds    int      `json:"seeds"` // that both have decided
	Both     int      `json:"both"`  // violating with both
	BaseOnly int      `json:"base_only"`
	Only     int      `json:"only"`    // violating with Label only
	P        float64  `json:"p"`       // McNemar's exact test
	Differs  bool     `json:"differs"` // by P and Holm's rule over all pairs of the campaign
	Says     string   `json:"says"`    // the comparison in a sentence
}

// Sentence says in words in which checks which of the two fails more often.
func (p *PairStats) Sentence() string {
	figures := fmt.Sprintf("violating seeds, of the same %d: %d with %s only, %d with %s only, %d with both", p.Seeds, p.Only, p.Label, p.BaseOnly, p.Base, p.Both)
	in := "In " + p.counted() + ", "
	switch {
	case p.Only == 0 && p.BaseOnly == 0:
		return in + fmt.Sprintf("%s and %s do the same on all %d seeds", p.Label, p.Base, p.Seeds)
	case !p.Differs:
		return in + fmt.Sprintf("%s and %s cannot be told apart: %s (McNemar, %s)", p.Label, p.Base, figures, stats.PValue(p.P))
	case p.Only > p.BaseOnly:
		return in + fmt.Sprintf("%s fails more often than %s: %s (McNemar, %s)", p.Label, p.Base, figures, stats.PValue(p.P))
	}
	return in + fmt.Sprintf("%s fails less often than %s: %s (McNemar, %s)", p.Label, p.Base, figures, stats.PValue(p.P))
}

// counted names the checks, or the first two of more than three.
func (p *PairStats) counted() string {
	const most = 3
	names, last := slices.Clone(p.Checks), ""
	switch n := len(names); {
	case n == 0:
		return "no check"
	case n == 1:
		return names[0]
	case n > most:
		names, last = names[:most-1], fmt.Sprintf("%d more checks", n-most+1)
	default:
		names, last = names[:n-1], names[n-1]
	}
	return strings.Join(names, ", ") + " and " + last
}
