package campaign

import (
	"context"
	"maps"
	"slices"
	"strings"

	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// Merge combines the runs of several journals, such as those of the shards of a campaign, and sums
// them up as one campaign over all their strategies and seeds. It executes only the runs that a
// report shows whole. It also returns the runs as one journal, which reads from the others and has
// no file to close.
//
// Progress is called after every run; it may be nil.
//
// The journals must have runs of s, which can be read from any of them. Merge returns a
// [*JournalError] if they do not belong together, or if runs are missing.
func Merge(ctx context.Context, s *scenarios.Scenario, from []*Journal, progress func(Progress)) (*results.Campaign, *Journal, error) {
	all := &Journal{path: "merge", header: journalHeaderOf(s), runs: map[string]map[uint64]journalPlace{}}
	for _, j := range from {
		if err := all.Import(j); err != nil {
			return nil, nil, err
		}
	}
	asked, err := journalTogether(from)
	if err != nil {
		return nil, nil, err
	}
	if err := all.full(asked); err != nil {
		return nil, nil, err
	}
	c, err := Run(ctx, s, Request{Journal: all, Seeds: asked.Seeds, Strategies: asked.Strategies, Progress: progress})
	return c, all, err
}

// journalTogether returns the campaign of which several were parts.
func journalTogether(from []*Journal) (journalAsked, error) {
	var all journalAsked
	for i, j := range from {
		switch {
		case len(j.asked.Strategies) == 0:
			return all, j.wrong(0, "no campaign was begun with it")
		case j.asked.Until > 0:
			return all, j.wrong(0, "its campaign ran each strategy until its rate was known: there is nothing to add to it")
		case i == 0:
			all.Seeds = j.asked.Seeds
		}
		all.Seeds = results.SeedRange{First: min(all.Seeds.First, j.asked.Seeds.First), Last: max(all.Seeds.Last, j.asked.Seeds.Last)}
		for _, label := range j.asked.Strategies {
			if !slices.Contains(all.Strategies, label) {
				all.Strategies = append(all.Strategies, label)
			}
		}
	}
	return all, nil
}

// full returns an error if requested runs are missing.
func (j *Journal) full(asked journalAsked) error {
	const most = 5 // ranges and strategies that are named
	var missing string
	var labels []string
	for _, label := range asked.Strategies {
		var there results.SeedSet
		for _, seed := range slices.Sorted(maps.Keys(j.runs[label])) {
			there.Add(seed)
		}
		text := results.SeedSet{Ranges: []results.SeedRange{asked.Seeds}}.Without(there).First(most).String()
		if missing == "" {
			missing = text
		}
		if text != "" && text == missing {
			labels = append(labels, label)
		}
	}
	switch {
	case missing == "":
		return nil
	case len(labels) == len(asked.Strategies):
		return j.wrong(0, "seeds %s are missing", missing)
	case len(labels) > most:
		labels = append(labels[:most:most], "...")
	}
	return j.wrong(0, "seeds %s of %s are missing", missing, strings.Join(labels, ", "))
}
