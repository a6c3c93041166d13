package campaign

import (
	"context"
	"maps"
	"slices"
	"strings"

	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// Combine returns a journal for runs of the scenario that are in other journals, such as those of the
// shards of a campaign. Collect adds them. It has no file, and reads single runs from the others.
func Combine(s *scenarios.Scenario) *Journal {
	return &Journal{path: "merge", header: journalHeaderOf(s), runs: map[string]map[uint64]journalPlace{}}
}

// Collect adds the runs of another journal to a combined one, and the campaign that it is a part of. It
// returns a [*JournalError] if the two do not belong together. A journal with only sums is not needed
// any more then, so that the memory does not grow with the number of journals.
func (j *Journal) Collect(from *Journal) error {
	all := j.asked
	switch {
	case len(from.asked.Strategies) == 0:
		return from.wrong(0, "no campaign was begun with it")
	case from.asked.Until > 0:
		return from.wrong(0, "its campaign ran each strategy until its rate was known: there is nothing to add to it")
	case len(all.Strategies) == 0:
		all.Seeds = from.asked.Seeds
	}
	all.Seeds = results.SeedRange{First: min(all.Seeds.First, from.asked.Seeds.First), Last: max(all.Seeds.Last, from.asked.Seeds.Last)}
	for _, label := range from.asked.Strategies {
		if !slices.Contains(all.Strategies, label) {
			all.Strategies = append(all.Strategies, label)
		}
	}
	err := j.Import(from)
	j.asked = all
	return err
}

// HasSingleRuns reports whether the journal has runs that are not in its sums. Only these are read from
// its file again.
func (j *Journal) HasSingleRuns() bool { return j.count > 0 }

// Merge sums up the runs of a combined journal as one campaign over all its strategies and seeds. It
// executes only the runs that a report shows whole.
//
// Progress is called after every run; it may be nil.
//
// Merge returns a [*JournalError] if runs are missing.
func Merge(ctx context.Context, s *scenarios.Scenario, all *Journal, progress func(Progress)) (*results.Campaign, error) {
	if len(all.asked.Strategies) == 0 {
		return nil, all.wrong(0, "there are no runs")
	}
	if err := all.full(); err != nil {
		return nil, err
	}
	return Run(ctx, s, Request{Journal: all, Seeds: all.asked.Seeds, Strategies: all.asked.Strategies, Progress: progress})
}

// full returns an error if requested runs are missing.
func (j *Journal) full() error {
	const most = 5 // strategies that are named
	asked := j.asked
	var missing string
	var labels []string
	for _, label := range asked.Strategies {
		var there results.SeedSet
		for _, seed := range slices.Sorted(maps.Keys(j.runs[label])) {
			there.Add(seed)
		}
		if j.sums != nil {
			if i := slices.Index(j.sums.labels(), label); i >= 0 {
				there.AddAll(j.sums.Uses[i].Seeds, 0)
			}
		}
		text := results.SeedSet{Ranges: []results.SeedRange{asked.Seeds}}.Without(there).First(mostRanges).String()
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
