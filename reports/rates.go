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
	rows := [][]string{{"strategy", "label", "check", "runs", "violating", "unknown", "rate", "low", "high"}}
	for i := range c.Strategies {
		s := &c.Strategies[i]
		rows = append(rows, csvRow(s, allChecks, s.Violating, s.Unknown))
		for _, check := range s.Order {
			if stats := s.Checks[check]; stats.Applies {
				rows = append(rows, csvRow(s, check, stats.Violating, stats.Unknown))
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func csvRow(s *scenarios.StrategyStats, check string, violating, unknown int) []string {
	low, high := scenarios.Wilson(violating, s.Runs)
	rate := ""
	if s.Runs > 0 {
		rate = strconv.FormatFloat(float64(violating)/float64(s.Runs), 'f', 6, 64)
	}
	return []string{
		s.Name, s.Label, check, strconv.Itoa(s.Runs), strconv.Itoa(violating), strconv.Itoa(unknown),
		rate, strconv.FormatFloat(low, 'f', 6, 64), strconv.FormatFloat(high, 'f', 6, 64),
	}
}
