package reports

import (
	"encoding/csv"
	"io"
	"strconv"

	"lockquake/scenarios"
)

// allChecks is what rates.csv calls the row of a strategy that counts the
// runs in which any check that decides was violated.
const allChecks = "any"

// writeCSV writes one row for each strategy and check, so that a spreadsheet
// or a script can turn it any way it likes. Rates are shares of 1.
func writeCSV(w io.Writer, c *scenarios.Campaign) error {
	rows := [][]string{{"strategy", "label", "check", "runs", "violating", "unknown", "rate", "low", "high", "violations", "per_1000_acquisitions", "per_1000_low", "per_1000_high", "per_lock_hour", "per_hour_low", "per_hour_high"}}
	for i := range c.Strategies {
		s := &c.Strategies[i]
		rows = append(rows, csvRow(s, allChecks, scenarios.CheckStats{Violating: s.Violating, Unknown: s.Unknown}))
		for _, check := range s.Order {
			if stats := s.Checks[check]; stats.Applies {
				rows = append(rows, csvRow(s, check, stats))
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func csvRow(s *scenarios.StrategyStats, check string, stats scenarios.CheckStats) []string {
	low, high := scenarios.Wilson(stats.Violating, s.Runs)
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', 6, 64) }
	rate := ""
	if s.Runs > 0 {
		rate = number(float64(stats.Violating) / float64(s.Runs))
	}
	row := []string{
		s.Name, s.Label, check, strconv.Itoa(s.Runs), strconv.Itoa(stats.Violating), strconv.Itoa(stats.Unknown),
		rate, number(low), number(high), "",
	}
	// Violations are counted by check: one event may violate several.
	if check != allChecks {
		row[len(row)-1] = strconv.FormatInt(stats.Violations, 10)
	}
	for _, r := range []*scenarios.Rate{stats.PerThousand, stats.PerLockHour} {
		if r == nil {
			row = append(row, "", "", "")
			continue
		}
		row = append(row, number(r.Rate), number(r.Low), number(r.High))
	}
	return row
}
