package results

import (
	"slices"
	"time"

	"lockquake/checker"
)

// Exploration holds the results of a search of placements.
type Exploration struct {
	Schema     int             `json:"schema"` // version of this format, 1
	Version    string          `json:"version"`
	Scenario   string          `json:"scenario"`
	Hash       string          `json:"hash"`
	Seed       uint64          `json:"seed"`
	Workers    int             `json:"workers"`
	Sections   int             `json:"sections"`
	Faults     int             `json:"faults"`           // most faults in one run
	For        time.Duration   `json:"for"`              // length of a fault, in nanoseconds
	Pauses     *Samples        `json:"pauses,omitempty"` // the longest of them is the length of a pause
	Kinds      []string        `json:"kinds"`
	Checks     []string        `json:"checks"`            // that judge each run
	Letters    []KindLetter    `json:"-"`                 // of the kinds, in the order of the catalogue
	Partial    bool            `json:"partial,omitempty"` // stopped before the end
	Strategies []ExploredStats `json:"strategies"`
}

// Tried returns the number of placements that were tried with all strategies.
func (e *Exploration) Tried() int {
	tried := 0
	for _, st := range e.Strategies {
		tried += st.Tried
	}
	return tried
}

// KindLetter is the letter of a kind of fault in a map of the protocol.
type KindLetter struct{ Kind, Letter string }

// ExploredStats adds up the placements of one use of a strategy.
type ExploredStats struct {
	Name   string `json:"name"`
	Label  string `json:"label"`
	Fence  string `json:"fence"`  // the resource's policy
	Points int    `json:"points"` // points that the workers come to without a fault
	// Without are the checks that are violated without a fault.
	Without []string `json:"violated_without_faults,omitempty"`
	Tried   int      `json:"tried"`
	// Each placement counts once, for the worst harm that it does.
	Corrupting int `json:"corrupting"`
	Fencing    int `json:"breaking_fencing"`
	Others     int `json:"breaking_others"`
	Undecided  int `json:"undecided"`
	// Checks counts by check the placements that violate it.
	Checks map[string]int `json:"checks"`
	// Singles has all placements of one fault, in the order of the points and then of the
	// kinds, also those that a partial search has not tried. Pairs has those placements of two
	// faults that break a check.
	Singles []Placement `json:"singles"`
	Pairs   []Placement `json:"pairs,omitempty"`
	// Pruned has the placements that were left out, with reasons why this misses nothing.
	Pruned []Pruned `json:"pruned,omitempty"`
}

// Pruned counts the placements that were left out for one reason.
type Pruned struct {
	Why   string `json:"why"`
	Count int    `json:"count"`
}

// Placement is a run with one fault or two, each tied to a point.
type Placement struct {
	Places    []Place  `json:"places"`
	Violated  []string `json:"violated,omitempty"`  // checks
	Undecided []string `json:"undecided,omitempty"` // checks
	// Untried says that the search was stopped before the placement was tried, PairsUntried before all
	// pairs that begin with its fault were.
	Untried      bool `json:"untried,omitempty"`
	PairsUntried bool `json:"pairs_untried,omitempty"`
}

// Texts returns the faults of the placement as a plan writes them.
func (p *Placement) Texts() []string {
	texts := make([]string, len(p.Places))
	for i, at := range p.Places {
		texts[i] = at.Text
	}
	return texts
}

// Place is one fault of a placement.
type Place struct {
	Kind   string `json:"kind"` // of PlacedKinds
	Worker string `json:"worker"`
	Point  string `json:"point"`
	Nth    int    `json:"nth"`
	Text   string `json:"text"` // as ParsePlacement reads it
}

// Harm grades the effect of a placement.
type Harm int

// The grades of harm, each worse than the one before.
const (
	Harmless  Harm = iota
	Undecided      // a check is unknown
	Breaks         // it violates a check, but not one of fencing or corruption
	Unfences       // tokens are out of order, or accepted or refused wrongly
	Corrupts       // data is corrupted, or two workers are in a section at once
)

// Untried counts the placements of one fault that a partial search has not tried, and those of which it has not
// tried all pairs.
func (st *ExploredStats) Untried() (singles, pairs int) {
	for _, p := range st.Singles {
		if p.Untried {
			singles++
		}
		if p.PairsUntried {
			pairs++
		}
	}
	return singles, pairs
}

// Harm returns the worst harm of the placement.
func (p Placement) Harm() Harm { return HarmOf(p.Violated, p.Undecided) }

// HarmOf returns the worst harm of a run, given its violated and its undecided checks.
func HarmOf(violated, undecided []string) Harm {
	worst := Harmless
	if len(undecided) > 0 {
		worst = Undecided
	}
	for _, name := range violated {
		switch check, _ := checker.Lookup(name); {
		case check.About == checker.Corruption:
			return Corrupts
		case check.About == checker.Fencing:
			worst = max(worst, Unfences)
		case check.Advisory:
		default:
			worst = max(worst, Breaks)
		}
	}
	return worst
}

// Harmful lists the placements with a harm of at least least, those of one fault first.
func (st *ExploredStats) Harmful(least Harm) []Placement {
	return slices.DeleteFunc(slices.Concat(st.Singles, st.Pairs), func(p Placement) bool { return p.Harm() < least })
}

// HarmfulOf lists the harmful placements of a strategy whose first fault is of one kind, those of one fault first.
type HarmfulOf struct {
	Strategy   *ExploredStats
	Kind       string
	Placements []Placement // at least one; each violates a check
}

// HarmfulByKind groups the harmful placements by strategy, and then by the kind of their first fault. It leaves out
// kinds that do no harm.
func (e *Exploration) HarmfulByKind() []HarmfulOf {
	var groups []HarmfulOf
	for i := range e.Strategies {
		st := &e.Strategies[i]
		harmful := st.Harmful(Breaks)
		for _, kind := range e.Kinds {
			of := slices.DeleteFunc(slices.Clone(harmful), func(p Placement) bool { return p.Places[0].Kind != kind })
			if len(of) > 0 {
				groups = append(groups, HarmfulOf{st, kind, of})
			}
		}
	}
	return groups
}
