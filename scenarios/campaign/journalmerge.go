package campaign

import (
	"cmp"
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
	j := &Journal{path: "merge", header: journalHeaderOf(s), runs: map[string]map[uint64]journalPlace{}}
	for _, use := range s.Strategies {
		j.order = append(j.order, use.Label)
	}
	return j
}

// Collect adds the runs of another journal to a combined one, and the campaign that it is a part of. It
// returns a [*JournalError] if the two do not belong together. A journal with only sums is not needed
// any more then, so that the memory does not grow with the number of journals.
//
// The journals may be collected in any order. If all journals have the strategies in the same order,
// that order is kept. Otherwise the strategies get the order of the scenario, and those that it does
// not name follow, sorted by name.
func (j *Journal) Collect(from *Journal) error {
	all := j.asked
	switch {
	case len(from.asked.Strategies) == 0:
		return from.wrong(0, "no campaign was begun with it")
	case from.asked.Until > 0:
		return from.wrong(0, "its campaign ran each strategy until its rate was known: there is nothing to add to it")
	case len(all.Strategies) == 0:
		all.Seeds, all.Strategies = from.asked.Seeds, from.asked.Strategies
	}
	all.Seeds = results.SeedRange{First: min(all.Seeds.First, from.asked.Seeds.First), Last: max(all.Seeds.Last, from.asked.Seeds.Last)}
	if !slices.Equal(all.Strategies, from.asked.Strategies) {
		all.Strategies = j.sorted(slices.Concat(all.Strategies, from.asked.Strategies))
	}
	err := j.Import(from)
	j.asked = all
	return err
}

// sorted returns each label once: those of the scenario in its order, and then the others by name.
func (j *Journal) sorted(labels []string) []string {
	slices.SortFunc(labels, func(a, b string) int {
		// The index of a label that the scenario does not have is -1, which becomes the highest.
		return cmp.Or(cmp.Compare(uint(slices.Index(j.order, a)), uint(slices.Index(j.order, b))), cmp.Compare(a, b))
	})
	return slices.Compact(labels)
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

// Import adds the runs of another journal that this one does not have. It returns a [*JournalError]
// if a run differs between the two, if the other journal has another scenario or version, or if both
// have sums of the same runs.
func (j *Journal) Import(from *Journal) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	before := j.total()
	defer func() { j.imported += j.total() - before }()
	if err := from.fits(j.header); err != nil {
		return err
	}
	if err := j.importSums(from); err != nil {
		return err
	}
	for run, place := range from.all() {
		if j.sums.has(run.Label, run.Seed) {
			continue
		}
		_, known := j.runs[run.Label][run.Seed]
		if !known && j.file != nil {
			line, err := place.read()
			if err == nil {
				err = j.put(run.Label, run.Seed, line)
			}
			if err != nil {
				return err
			}
			continue
		}
		if err := j.index(run.Label, run.Seed, place); err != nil {
			return err
		}
	}
	return nil
}
