package tables

import (
	"encoding/csv"
	"io"
	"slices"

	"lockquake/scenarios/results"
)

// SweepCSV writes sweep.csv: one row for each point, strategy and check. If the sweep
// counts all deciding checks, their row is named "any".
func SweepCSV(w io.Writer, s *results.Sweep) error {
	var head []string
	for _, axis := range s.Axes {
		head = append(head, axis.Path)
	}
	rows := [][]string{append(head, "strategy", "label", "check", "runs", "violating", "unknown", "rate", "low", "high", "jobs", "finished", "finished_share")}
	for _, point := range s.Points {
		for i := range point.Strategies {
			r := &point.Strategies[i]
			row := func(check string, violating, unknown int) {
				rows = append(rows, slices.Concat(point.Values, rateCells(r.Name, r.Label, check, r.Runs, violating, unknown), finishedCells(r.Jobs, r.Finished)))
			}
			if s.Check == "" {
				row(allChecks, r.Violating, r.Unknown)
			}
			for _, check := range r.Order {
				if stats := r.Checks[check]; stats.Applies {
					row(check, stats.Violating, stats.Unknown)
				}
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}
