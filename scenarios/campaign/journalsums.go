package campaign

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// mostRanges is the largest number of ranges of seeds that an error names.
const mostRanges = 5

// continues returns a [*JournalError] if the sums of the journal have runs that a campaign does not
// have, since a run cannot be taken out of sums. The campaign runs the given seeds, and keeps only sums if
// it is summed.
func (j *Journal) continues(asked journalAsked, seeds results.SeedRange, summed bool) error {
	if j == nil || j.sums == nil {
		return nil
	}
	needed := results.SeedSet{Ranges: []results.SeedRange{seeds}}
	until := func(halfWidth float64) string {
		if halfWidth == 0 {
			return "all seeds"
		}
		return fmt.Sprintf("--until %.4g%%", halfWidth*100)
	}
	var has, needs string
	switch there := j.sums.seeds(); {
	case !there.Without(needed).IsZero():
		has, needs = "seeds "+there.First(mostRanges).String(), "seeds "+needed.String()
	case !slices.Equal(asked.Strategies, j.sums.labels()):
		has, needs = strings.Join(j.sums.labels(), ", "), strings.Join(asked.Strategies, ", ")
	case asked.Until != j.asked.Until:
		has, needs = until(j.asked.Until), until(asked.Until)
	case !summed:
		has, needs = "more than a million runs", "each run"
	default:
		return nil
	}
	remedy := ""
	if j.writes {
		remedy = ". Leave out --resume to start again"
	}
	path := cmp.Or(j.source, j.path)
	return &JournalError{path, 0, fmt.Sprintf("it has only sums, for %.200s; this campaign needs %.200s%s", has, needs, remedy)}
}

// sumsOf returns the sums of the journal; nil if there are none, or no journal.
func (j *Journal) sumsOf(s *scenarios.Scenario) (*sums, error) {
	if j == nil || j.sums == nil {
		return nil, nil //nolint:nilnil // nil: the journal has no sums
	}
	if text := j.sums.of(s); text != "" {
		return nil, j.wrong(0, "%s", text)
	}
	return j.sums, nil
}

// importSums adds the sums of another journal.
func (j *Journal) importSums(from *Journal) error {
	if from.sums == nil {
		return nil
	}
	if j.sums != nil {
		if text := j.sums.differs(from.sums); text != "" {
			return from.wrong(0, "%s", text)
		}
	}
	all := j.sums
	if all == nil {
		all = from.sums.empty()
		j.asked = from.asked
		if j.file != nil {
			j.source = from.path
		}
		if err := j.write(journalRecord{Asked: &j.asked}); err != nil {
			return err
		}
	}
	all.add(from.sums, named)
	return j.settleSums(all)
}

// settle stores the sums of all finished blocks, and drops the single runs that they have. It keeps a
// copy, since the campaign goes on adding to its own.
func (j *Journal) settle(all *sums) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	settled := all.empty()
	settled.add(all, named)
	return j.settleSums(settled)
}

// settleSums appends the sums. If most of the file is no longer needed then, it replaces the file:
// what is left appears at once and complete, in place of the old file.
func (j *Journal) settleSums(all *sums) error {
	j.sums = all
	j.forgetSummed()
	if j.file == nil {
		return nil
	}
	head, err := j.head()
	if err != nil {
		return err
	}
	needed := int64(len(head))
	for _, place := range j.all() {
		needed += int64(place.length)
	}
	const little = 1 << 16 // bytes, for which the file is not replaced
	if j.end < 2*needed+little {
		return j.write(journalRecord{Sums: all})
	}
	return j.rewrite()
}

// forgetSummed drops the single runs that the sums have.
func (j *Journal) forgetSummed() {
	if j.sums == nil {
		return
	}
	j.count = 0
	for label, seeds := range j.runs {
		maps.DeleteFunc(seeds, func(seed uint64, _ journalPlace) bool { return j.sums.has(label, seed) })
		j.count += len(seeds)
	}
}

// rewrite replaces the file by one without the records that are no longer needed. A program that is
// killed meanwhile leaves the old file, and the fresh one, which the next rewrite replaces. The fresh
// file is synced first: a power cut must not leave an empty file in place of the runs of hours. If no
// file can be created, rewrite appends the sums to the old one.
func (j *Journal) rewrite() error {
	fresh, err := os.Create(j.path + ".new")
	if err != nil {
		return j.write(journalRecord{Sums: j.sums})
	}
	out := bufio.NewWriter(fresh)
	head, err := j.head()
	if err == nil {
		_, err = out.Write(head)
	}
	moved := map[string]map[uint64]journalPlace{}
	end, lines := int64(len(head)), 3
	for run, place := range j.all() {
		var line []byte
		if err == nil {
			line, err = place.read()
		}
		if err == nil {
			_, err = out.Write(line)
		}
		if moved[run.Label] == nil {
			moved[run.Label] = map[uint64]journalPlace{}
		}
		lines++
		moved[run.Label][run.Seed] = journalPlace{j, end, place.length, lines}
		end += int64(place.length)
	}
	if err = errors.Join(err, out.Flush()); err == nil {
		err = fresh.Sync()
	}
	if err == nil {
		fresh, err = journalReplace(j.file, fresh, j.path)
	}
	if err != nil {
		return fmt.Errorf("journal: %w", errors.Join(err, fresh.Close(), os.Remove(fresh.Name())))
	}
	j.file, j.runs, j.end, j.lines = fresh, moved, end, lines
	return nil
}
