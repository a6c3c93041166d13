package reports

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"lockquake/scenarios/results"
)

// SweepContents lists what is in the directory of a sweep.
func SweepContents() []Content {
	return []Content{
		{"sweep.png", "the rates over what was varied, as a picture"},
		{"sweep.svg", "the same picture, sharp at every size"},
		{"sweep.csv", "the rates and intervals as a table"},
		{"sweep.json", "everything counted, for programs"},
	}
}

// WriteSweep writes the report of a sweep into a directory, which holds
// SweepContents then, as [WriteDir] does.
func WriteSweep(dir string, s *results.Sweep) error {
	var results, table bytes.Buffer
	if err := SweepJSON(&results, s); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := writeSweepCSV(&table, s); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	svg, png, err := sweepPicture(s)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	files := []file{
		{path: "sweep.png", data: png},
		{path: "sweep.svg", data: svg},
		{path: "sweep.csv", data: table.Bytes()},
		{path: "sweep.json", data: results.Bytes()},
	}
	return replaceDir(dir, files, SweepContents(), "sweep.json")
}

// SweepJSON prints a sweep as one document, the same as sweep.json.
func SweepJSON(w io.Writer, s *results.Sweep) error {
	return writeJSON(w, s)
}

// writeSweepCSV writes one row for each point, strategy and check. The row of
// the check that the sweep counts, if that is any that decides, has allChecks.
func writeSweepCSV(w io.Writer, s *results.Sweep) error {
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

// sweepLabels lists the strategies of a sweep in the order of its first point
// that has them.
func sweepLabels(s *results.Sweep) []string {
	var labels []string
	seen := map[string]bool{}
	for _, point := range s.Points {
		for _, r := range point.Strategies {
			if !seen[r.Label] {
				seen[r.Label] = true
				labels = append(labels, r.Label)
			}
		}
	}
	return labels
}

// sweepCounts says which violations a sweep counts.
func sweepCounts(s *results.Sweep) string {
	if s.Check != "" {
		return "runs that violate " + plain(s.Check, 40)
	}
	return "runs that violate a deciding check"
}

// sweepRuns says how many runs stand behind a figure.
func sweepRuns(s *results.Sweep) string {
	n := int(s.Seeds.Last-s.Seeds.First) + 1
	words := []string{count(n, "run") + " at each point", seedRange(s.Seeds)}
	text := strings.Join(append(words, overridden(s.Overrides)...), ", ")
	if s.Partial {
		text += "; stopped before the end"
	}
	return text
}
