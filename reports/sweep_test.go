package reports

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/reports/internal/sample"
	"lockquake/scenarios/results"
)

func TestASweepReplacesOnlyTheDirectoryOfASweep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sweep")
	want := sample.Swept(sample.TTLs())
	for range 2 {
		if err := WriteSweep(dir, want); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range sweepContents() {
		if info, err := os.Stat(filepath.Join(dir, c.Name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "sweep.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got results.Sweep
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, &got); diff != "" {
		t.Error(diff)
	}
	table, err := os.Open(filepath.Join(dir, "sweep.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if rows, err := csv.NewReader(table).ReadAll(); err != nil || len(rows) != 1+4*2*2 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteSweep(dir, want); !errors.Is(err, ErrForeignDir) {
		t.Errorf("somebody's notes: %v", err)
	}
	campaign, scenario := sample.GCPause()
	if err := WriteDir(dir, campaign, scenario, nil); !errors.Is(err, ErrForeignDir) {
		t.Errorf("a campaign over a sweep: %v", err)
	}
}
