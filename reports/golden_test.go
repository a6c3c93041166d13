package reports

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"lockquake/reports/internal/sample"
	"lockquake/scenarios/results"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestTheGoldenResultsStayTheSame(t *testing.T) {
	campaign, _ := sample.GCPause()
	var got bytes.Buffer
	if err := results.WriteJSON(&got, campaign); err != nil {
		t.Fatal(err)
	}
	sample.Golden(t, *update, "results.json", got.Bytes())
}

func TestTheGoldenReportStaysTheSame(t *testing.T) {
	campaign, scenario := sample.GCPause()
	dir := filepath.Join(t.TempDir(), "report")
	if err := WriteDir(dir, campaign, scenario, nil); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	sample.Golden(t, *update, "report.md", got)
}
