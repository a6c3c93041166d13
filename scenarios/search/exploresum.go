package search

import (
	"maps"
	"slices"
	"strings"

	"lockquake/scenarios/results"
)

// sum returns the results of the search.
func (x *explorer) sum(partial bool) *results.Exploration {
	e := &results.Exploration{
		Schema: 1, Version: results.Version, Scenario: x.base.Name, Hash: x.base.Hash, Seed: x.search.Seed,
		Workers: x.search.Workers, Sections: x.search.Sections, Faults: x.search.Faults, For: x.search.For, Pauses: x.search.Pauses, Checks: x.base.Checks, Partial: partial,
	}
	for _, k := range x.kinds {
		e.Kinds = append(e.Kinds, k.Name)
	}
	for _, k := range PlacedKinds() {
		if slices.Contains(e.Kinds, k.Name) {
			e.Letters = append(e.Letters, results.KindLetter{Kind: k.Name, Letter: k.Letter})
		}
	}
	for _, f := range x.found {
		e.Strategies = append(e.Strategies, x.sumUse(f))
	}
	return e
}

func (x *explorer) sumUse(f *explored) results.ExploredStats {
	st := results.ExploredStats{
		Name: f.use.Name, Label: f.use.Label, Fence: x.base.ResourceOf(f.use).Fence, Points: len(f.visits),
		Without: f.without, Checks: map[string]int{},
	}
	var missed, alone, sameMessage, corrupts int
	for i := range f.singles {
		one := &f.singles[i]
		switch {
		case one.result == nil:
			st.Singles = append(st.Singles, results.Placement{Places: []results.Place{x.placed(one.place)}, Untried: true, PairsUntried: x.search.Faults > 1})
			continue
		case one.missed:
			missed++
			continue
		}
		tried := *one.result
		tried.PairsUntried = one.counts.tried+one.counts.sameMessage+one.counts.corrupts < one.after
		st.Singles = append(st.Singles, tried)
		countHarm(&st, one.result.Harm(), 1)
		for _, check := range one.result.Violated {
			st.Checks[check]++
		}
		if x.search.Faults == 1 {
			continue
		}
		if one.result.Harm() == results.Corrupts {
			alone++
		}
		sameMessage += one.counts.sameMessage
		corrupts += one.counts.corrupts
		for harm, n := range one.counts.harms {
			countHarm(&st, results.Harm(harm), n)
		}
		for _, check := range slices.Sorted(maps.Keys(one.counts.checks)) {
			st.Checks[check] += one.counts.checks[check]
		}
		st.Pairs = append(st.Pairs, one.pairs...)
	}
	prune(&st, len(f.unnamed), "points that no scenario file can name: "+strings.Join(f.unnamed, ", "))
	prune(&st, missed, "placements of a fault that finds nothing here to take hold of")
	prune(&st, alone, "first faults without a second one, since they corrupt by themselves")
	prune(&st, corrupts, "pairs whose second fault corrupts by itself")
	prune(&st, sameMessage, "pairs of faults of one message")
	return st
}

// countHarm counts n placements with this worst result.
func countHarm(st *results.ExploredStats, h results.Harm, n int) {
	st.Tried += n
	switch h {
	case results.Corrupts:
		st.Corrupting += n
	case results.Unfences:
		st.Fencing += n
	case results.Breaks:
		st.Others += n
	case results.Undecided:
		st.Undecided += n
	case results.Harmless:
	}
}

// prune counts n placements that were left out.
func prune(st *results.ExploredStats, n int, why string) {
	if n > 0 {
		st.Pruned = append(st.Pruned, results.Pruned{Why: why, Count: n})
	}
}
