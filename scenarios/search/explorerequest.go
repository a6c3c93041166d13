package search

import (
	"fmt"
	"slices"
	"strings"
	"time"

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
