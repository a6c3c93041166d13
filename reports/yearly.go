package reports

import (
	"bytes"
	"fmt"

	"lockquake/reports/tables"
	"lockquake/scenarios/results"
)

// yearlyContents lists the files in the directory of an estimate.
func yearlyContents() []content {
	return []content{
		{"report.md", "the rates, how they were found, and the commands that repeat them"},
		{"rate.json", "everything counted, for programs"},
		{"scenario.yaml", "the scenario of the runs, with the pauses of the log"},
	}
}

// MayWriteYearly returns an error if a directory has anything but the report of an estimate.
func MayWriteYearly(dir string) error { return mayWrite(dir, yearlyContents(), "rate.json") }

// WriteYearly writes the report of an estimate into a directory, with the scenario of its runs. It replaces an
// earlier report, and nothing else, as [WriteDir] does.
func WriteYearly(dir string, y *results.Yearly, scenario []byte) error {
	var document bytes.Buffer
	if err := results.WriteJSON(&document, y); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	files := []file{
		{path: "report.md", data: sectionsMarkdown(tables.YearlySections(y))},
		{path: "rate.json", data: document.Bytes()},
		{path: "scenario.yaml", data: scenario},
	}
	return replaceDir(dir, files, yearlyContents(), "rate.json")
}
