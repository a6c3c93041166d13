package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"lockquake/scenarios/results"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestGolden(t *testing.T) {
	campaign, _ := gcPause()
	story := func(run *results.Trial, check string) func(io.Writer) error {
		return func(w io.Writer) error { return TellCheck(run, check).Write(w, Options{}) }
	}
	timeline := func(run *results.Trial) func(io.Writer) error {
		return func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(TimelineOf(run, "lost-update"))
		}
	}
	picture := func(run *results.Trial) func(io.Writer) error {
		return func(w io.Writer) error {
			t := TimelineOf(run, "lost-update")
			svg, _, err := timelinePicture(&t, "redis")
			return errors.Join(err, writeAll(w, svg))
		}
	}
	tests := []struct {
		file  string
		write func(io.Writer) error
	}{
		{"story-redis.txt", story(kleppmann(0), "")},
		{"story-fenced.txt", story(kleppmann(33), "")},
		{"story-long.txt", story(long(), "")},
		{"story-late-packet.txt", story(latePacket(), "")},
		{"timeline-redis.json", timeline(kleppmann(0))},
		{"timeline-late-packet.json", timeline(latePacket())},
		{"timeline-long.svg", picture(long())},
		{"table.txt", func(w io.Writer) error { return Table(w, campaign, Options{Report: "out/report.md"}) }},
		{"results.json", func(w io.Writer) error { return JSON(w, campaign) }},
		{"rates.csv", func(w io.Writer) error { return writeCSV(w, campaign) }},
		{"rates.svg", func(w io.Writer) error {
			svg, _, err := ratesPicture(campaign)
			return errors.Join(err, writeAll(w, svg))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			var got bytes.Buffer
			if err := tt.write(&got); err != nil {
				t.Fatal(err)
			}
			golden(t, tt.file, got.Bytes())
		})
	}
}

// TestGoldenReport takes report.md from a whole report.
func TestGoldenReport(t *testing.T) {
	campaign, scenario := gcPause()
	dir := filepath.Join(t.TempDir(), "report")
	if err := WriteDir(dir, campaign, scenario, nil); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "report.md", got)
}

func writeAll(w io.Writer, data []byte) error {
	_, err := w.Write(data)
	return err
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}
