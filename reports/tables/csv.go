package tables

import (
	"encoding/csv"
	"io"
	"strconv"

	"lockquake/internal/stats"
	"lockquake/scenarios/results"
)

// allChecks names, in rates.csv, the row of a strategy that counts the runs in which any
// deciding check was violated.
const allChecks = "any"

// CSV writes rates.csv: one row for each strategy and check, with the rate and its
// interval as shares of 1.
func CSV(w io.Writer, c *results.Campaign) error {
	rows := [][]string{{"strategy", "label", "check", "runs", "violating", "unknown", "rate", "low", "high", "jobs", "finished", "finished_share", "violations", "per_1000_acquisitions", "per_1000_low", "per_1000_high", "per_lock_hour", "per_hour_low", "per_hour_high"}}
	for i := range c.Strategies {
		s := &c.Strategies[i]
		rows = append(rows, csvRow(s, allChecks, results.CheckStats{Violating: s.Violating, Unknown: s.Unknown}))
		for _, check := range s.Order {
			if found := s.Checks[check]; found.Applies {
				rows = append(rows, csvRow(s, check, found))
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func csvRow(s *results.StrategyStats, check string, found results.CheckStats) []string {
	row := append(rateCells(s.Name, s.Label, check, s.Runs, found.Violating, found.Unknown), finishedCells(s.Metrics.Jobs, s.Metrics.Finished)...)
	row = append(row, "")
	// Violations are counted by check: one event may violate several.
	if check != allChecks {
		row[len(row)-1] = strconv.FormatInt(found.Violations, 10)
	}
	for _, r := range []*stats.Rate{found.PerThousand, found.PerLockHour} {
		if r == nil {
			row = append(row, "", "", "")
			continue
		}
		row = append(row, csvNumber(r.Rate), csvNumber(r.Low), csvNumber(r.High))
	}
	return row
}

// rateCells returns the cells that rates.csv and sweep.csv share: strategy, check, counts,
// the rate and its interval.
func rateCells(name, label, check string, runs, violating, unknown int) []string {
	low, high := stats.Wilson(violating, runs)
	rate := ""
	if runs > 0 {
		rate = csvNumber(float64(violating) / float64(runs))
	}
	return []string{
		name, label, check, strconv.Itoa(runs), strconv.Itoa(violating), strconv.Itoa(unknown), rate, csvNumber(low), csvNumber(high),
	}
}

// finishedCells returns the cells about the work of a strategy: the number of jobs, of
// finished jobs, and their share. They are the same for all its checks.
func finishedCells(jobs, finished int64) []string {
	share := ""
	if jobs > 0 {
		share = csvNumber(float64(finished) / float64(jobs))
	}
	return []string{strconv.FormatInt(jobs, 10), strconv.FormatInt(finished, 10), share}
}

func csvNumber(x float64) string { return strconv.FormatFloat(x, 'f', 6, 64) }
