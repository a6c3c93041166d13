package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/reports/internal/sample"
	"lockquake/scenarios/results"
)

// tree returns all files below a directory.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestAReportDirectoryHasItsContents(t *testing.T) {
	campaign, scenario := sample.GCPause()
	parent := t.TempDir()
	dir := filepath.Join(parent, "deep", "report")
	if err := WriteDir(dir, campaign, scenario, strings.NewReader("the journal")); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, runsFile)); string(data) != "the journal" {
		t.Errorf("the journal reads %q, %v", data, err)
	}
	want := []string{"junit.xml", "rates.csv", "rates.png", "rates.svg", "report.html", "report.md", "results.json", "runs.log"}
	for _, failure := range []string{"checked_~7c_by_its_own_clock-lost-update", "redis-linearizable", "redis-lost-update"} {
		for _, name := range []string{"history.jsonl", "plan.txt", "replay.txt", "scenario.yaml", "story.txt", "timeline.png", "timeline.svg", "verdict.json"} {
			want = append(want, "failures/"+failure+"/"+name)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if left := tree(t, filepath.Dir(dir)); len(left) != len(want) {
		t.Errorf("something is left beside the report: %q", left)
	}
}

func TestTheFilesOfAFailureCanBeReadBack(t *testing.T) {
	campaign, scenario := sample.GCPause()
	dir := filepath.Join(t.TempDir(), "report")
	if err := WriteDir(dir, campaign, scenario, nil); err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, "failures", "redis-lost-update", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	trial := campaign.Strategies[1].Failures[1].Trial
	h, err := history.Read(bytes.NewReader(read("history.jsonl")))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(trial.History, h); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	plan, err := faults.ParsePlan(string(read("plan.txt")))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(trial.Plan, plan); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	if got, want := string(read("replay.txt")), "lockquake replay "+trial.Replay+"\n"; got != want {
		t.Errorf("replay is %q, want %q", got, want)
	}
	if diff := cmp.Diff(scenario, read("scenario.yaml")); diff != "" {
		t.Errorf("scenario (-want +got):\n%s", diff)
	}
}

// Only the runs of the failures are not in the file.
func TestResultsCanBeReadBack(t *testing.T) {
	campaign, _ := sample.GCPause()
	var out bytes.Buffer
	if err := results.WriteJSON(&out, campaign); err != nil {
		t.Fatal(err)
	}
	var got results.Campaign
	d := json.NewDecoder(&out)
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	for i := range campaign.Strategies {
		for j := range campaign.Strategies[i].Failures {
			campaign.Strategies[i].Failures[j].Trial = nil
		}
	}
	if diff := cmp.Diff(campaign, &got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteDirReplacesOnlyReports(t *testing.T) {
	campaign, scenario := sample.GCPause()
	put := func(t *testing.T, path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name    string
		prepare func(t *testing.T, dir string)
		foreign bool
	}{
		{"an empty directory", func(t *testing.T, dir string) {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"an earlier report", func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "results.json"), `{"schema": 1, "scenario": "other"}`)
			put(t, filepath.Join(dir, "failures", "x-y", "story.txt"), "old")
		}, false},
		{"a report behind a link", func(t *testing.T, dir string) {
			put(t, filepath.Join(dir+"-real", "results.json"), `{"schema": 1, "scenario": "other"}`)
			if err := os.Symlink(dir+"-real", dir); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"somebody's files", func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "thesis.tex"), "years of work")
		}, true},
		{"somebody's file beside a report", func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "results.json"), `{"schema": 1, "scenario": "other"}`)
			put(t, filepath.Join(dir, "notes.txt"), "an afternoon of work")
		}, true},
		{"somebody's results", func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, "results.json"), `{"score": 12}`)
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "report")
			tt.prepare(t, dir)
			before := tree(t, dir)
			err := WriteDir(dir, campaign, scenario, nil)
			if errors.Is(err, ErrForeignDir) != tt.foreign || !tt.foreign && err != nil {
				t.Fatalf("the error is %v", err)
			}
			if tt.foreign {
				if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
					t.Errorf("the directory was touched (-want +got):\n%s", diff)
				}
				return
			}
			if _, err := os.Stat(filepath.Join(dir, "report.md")); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(dir, "failures", "x-y")); err == nil {
				t.Error("the earlier report shines through")
			}
		})
	}
}

func TestTwoReportsOfACampaignAreEqual(t *testing.T) {
	campaign, scenario := sample.GCPause()
	var files [2]map[string][]byte
	for i := range files {
		dir := filepath.Join(t.TempDir(), "report")
		if err := WriteDir(dir, campaign, scenario, nil); err != nil {
			t.Fatal(err)
		}
		files[i] = map[string][]byte{}
		for _, name := range tree(t, dir) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			files[i][name] = data
		}
	}
	for name, data := range files[0] {
		if !bytes.Equal(data, files[1][name]) {
			t.Errorf("%s differs between two reports", name)
		}
	}
}

func TestWriteDirReturnsTheErrorOfTheFileSystem(t *testing.T) {
	campaign, scenario := sample.GCPause()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if err := WriteDir(dir, campaign, scenario, nil); err == nil {
			t.Errorf("a report was written to %s", dir)
		}
	}
}

func TestEachLabelHasADirectoryOfItsOwn(t *testing.T) {
	labels := []string{"a b", "a_b", "a/b", "a.b", "../a", "", "ab", "ä", "a~2fb", "a\x00b"}
	seen := map[string]string{}
	for _, label := range labels {
		dir := failureDir(results.StrategyStats{Label: label}, results.Failure{Check: "belief"})
		if other, ok := seen[dir]; ok {
			t.Errorf("%q and %q share %s", label, other, dir)
		}
		seen[dir] = label
		if filepath.Dir(dir) != "failures" {
			t.Errorf("%q leads to %s", label, dir)
		}
	}
}
