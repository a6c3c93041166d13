package reports

import (
	"bytes"
	"fmt"

	"lockquake/reports/picture"
	"lockquake/reports/tables"
	"lockquake/scenarios/results"
)

// sweepContents lists the files in the directory of a sweep.
func sweepContents() []content {
	return []content{
		{"sweep.png", "the rates over what was varied, as a picture"},
		{"sweep.svg", "the same picture, sharp at every size"},
		{"sweep.csv", "the rates and intervals as a table"},
		{"sweep.json", "everything counted, for programs"},
	}
}

// MayWriteSweep returns the error that WriteSweep would return for a directory, as far as it can be known beforehand.
func MayWriteSweep(dir string) error { return mayWrite(dir, sweepContents(), "sweep.json") }

// WriteSweep writes the report of a sweep into a directory. It replaces an earlier report,
// and nothing else, as [WriteDir] does.
func WriteSweep(dir string, s *results.Sweep) error {
	var document, table bytes.Buffer
	if err := results.WriteJSON(&document, s); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := tables.SweepCSV(&table, s); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	svg, png, err := picture.Sweep(s)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	files := []file{
		{path: "sweep.png", data: png},
		{path: "sweep.svg", data: svg},
		{path: "sweep.csv", data: table.Bytes()},
		{path: "sweep.json", data: document.Bytes()},
	}
	return replaceDir(dir, files, sweepContents(), "sweep.json")
}
