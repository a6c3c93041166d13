package reports

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockquake/internal/stats"
	"lockquake/scenarios/results"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/vg"
)

// swept is a made-up sweep. The rate of redis falls with the first axis, and
// rises with the second, if there is one; fenced never fails.
func swept(axes ...results.Axis) *results.Sweep {
	const runs = 50
	s := &results.Sweep{
		Schema: 1, Version: "0.1.0", Scenario: "gc-pause", Hash: "1a2b3c4d5e6f", Seeds: results.SeedRange{First: 1, Last: runs},
		Overrides: []string{"workers=4"}, Axes: axes,
	}
	rate := func(label string, violating int) results.SweepRate {
		low, high := stats.Wilson(violating, runs)
		r := results.SweepRate{
			Name: "redis", Label: label, Runs: runs, Violating: violating, Rate: float64(violating) / runs, Low: low, High: high,
			Order: []string{"exclusion", "told"}, Checks: map[string]results.CheckStats{"exclusion": {Applies: true, Violating: violating}},
		}
		return r
	}
	for i, value := range axes[0].Values {
		if len(axes) == 1 {
			s.Points = append(s.Points, results.SweepPoint{Values: []string{value}, Met: int64(10 * i), Strategies: []results.SweepRate{
				rate("redis", runs/(i+1)), rate("fenced", 0),
			}})
			continue
		}
		for j, other := range axes[1].Values {
			s.Points = append(s.Points, results.SweepPoint{Values: []string{value, other}, Met: 1, Strategies: []results.SweepRate{
				rate("redis", runs*j/(len(axes[1].Values)-1)/(i+1)), rate("fenced", 0),
			}})
		}
	}
	return s
}

func ttls() results.Axis {
	return results.Axis{Path: "lock.ttl", Values: []string{"500ms", "1s", "5s", "30s"}, Log: true}
}

func fences() results.Axis {
	return results.Axis{Path: "strategies.fenced.resource.fence", Values: []string{"off", "writes", "reads-writes"}}
}

func found() *results.Sweep {
	s := swept(results.Axis{Path: "faults.pause.for", Values: []string{"5s", "10s", "15s"}})
	s.Thresholds = []results.Threshold{
		{
			Label: "redis", Side: results.Smallest, Breaks: "9.928s", Holds: "9.857s", Precision: 0.007151, TTL: 10 * time.Second, Margin: 0.9928, Changes: 1, Replay: "a@b:redis:1:0.1.0:f",
			Why: "3 of 50 runs violate lost-update", Jobs: 8000, Finished: 7928, FinishedLow: 0.98868, FinishedHigh: 0.99286,
		},
		{
			Label: "short", Side: results.Largest, Breaks: "6.1s", Holds: "6.15s", Precision: 0.0082, TTL: 20 * time.Second, Margin: 0.305, Changes: 2,
			Why: "finished was expected to be >= 99 %, and is 98.6 %", Jobs: 1000, Finished: 1000, FinishedLow: 0.99617, FinishedHigh: 1,
		},
		{Label: "none", Side: results.Always, Why: "finished 0 of 900, so nothing was tested"},
		{Label: "fenced", Side: results.Never},
	}
	return s
}

func TestGoldenSweep(t *testing.T) {
	tests := []struct {
		file  string
		write func(io.Writer) error
	}{
		{"sweep-one.txt", func(w io.Writer) error { return SweepTable(w, swept(ttls()), Options{}) }},
		{"sweep-two.txt", func(w io.Writer) error { return SweepTable(w, swept(ttls(), fences()), Options{}) }},
		{"sweep-find.txt", func(w io.Writer) error { return SweepTable(w, found(), Options{}) }},
		{"sweep.csv", func(w io.Writer) error { return writeSweepCSV(w, swept(ttls(), fences())) }},
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

// Whatever is varied, and however little of it was done, there is a picture of
// it with the names of all that was run.
func TestSweepPictures(t *testing.T) {
	partial := swept(ttls(), fences())
	partial.Points, partial.Partial = partial.Points[:2], true
	unrun := swept(ttls())
	unrun.Points = unrun.Points[:1]
	for i := range unrun.Points[0].Strategies {
		unrun.Points[0].Strategies[i].Runs = 0
	}
	tests := []struct {
		name  string
		sweep *results.Sweep
		words []string
	}{
		{"lines", swept(ttls()), []string{"lock.ttl (s), logarithmic", "redis", "fenced", "0.5", "20", "50 runs at each point, seeds 1 to 50, workers=4; bands: 95 % Wilson intervals"}},
		{"numbers", swept(results.Axis{Path: "workers", Values: []string{"2", "3", "4"}}), []string{"workers", "2.4", "4"}},
		{"words", swept(fences()), []string{"off", "writes", "reads-writes"}},
		{"map", swept(ttls(), fences()), []string{"lock.ttl (s)", "reads-writes", "0.5", "100"}},
		{"partial map", partial, []string{"stopped before the end"}},
		{"no runs", unrun, []string{"lock.ttl (s), logarithmic"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			vector, image, err := sweepPicture(tt.sweep)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := png.Decode(bytes.NewReader(image)); err != nil {
				t.Errorf("the PNG cannot be read: %v", err)
			}
			var texts []string
			for d := xml.NewDecoder(bytes.NewReader(vector)); ; {
				token, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if text, ok := token.(xml.CharData); ok {
					texts = append(texts, strings.TrimSpace(string(text)))
				}
			}
			for _, word := range tt.words {
				if !strings.Contains("\n"+strings.Join(texts, "\n")+"\n", word+"\n") {
					t.Errorf("the picture does not say %q: %q", word, texts)
				}
			}
			again, _, _ := sweepPicture(tt.sweep)
			if !bytes.Equal(vector, again) {
				t.Error("the same sweep gives two pictures")
			}
		})
	}
}

// Names at the end of lines keep their distance, and stay on the picture.
func TestLineEndsKeepTheirDistance(t *testing.T) {
	s := swept(ttls())
	for i := range s.Points {
		for n := range 20 {
			s.Points[i].Strategies = append(s.Points[i].Strategies, results.SweepRate{Label: "more-" + strconv.Itoa(n), Runs: 1, High: 1})
		}
	}
	height := func(percent float64) vg.Length { return vg.Length(3 * percent) }
	ends := sweepLines(s, newSweepAxis(s.Axes[0])).ends(height, 0, 300)
	taken := map[int]bool{}
	for _, y := range ends {
		if y < 0 || y > 300 || taken[int(y/endLine)] {
			t.Errorf("a name is at %v beside %v", y, ends)
		}
		taken[int(y/endLine)] = true
	}
}

func TestRoundNumbers(t *testing.T) {
	tests := []struct {
		low, high float64
		log       bool
		want      []float64
	}{
		{1, 60, true, []float64{1, 2, 5, 10, 20, 50}},
		{0.5, 2, true, []float64{0.5, 1, 2}},
		{0.001, 1000, true, []float64{0.001, 0.01, 0.1, 1, 10, 100, 1000}},
		{2, 20, false, []float64{2, 4, 6, 8, 10, 12, 14, 16, 18, 20}},
		{-100, 100, false, []float64{-100, -80, -60, -40, -20, 0, 20, 40, 60, 80, 100}},
		{1, 30, false, []float64{5, 10, 15, 20, 25, 30}},
	}
	for _, tt := range tests {
		got := roundNumbers(tt.low, tt.high, tt.log)
		if diff := cmp.Diff(tt.want, got, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9*max(1, math.Abs(b)) })); diff != "" {
			t.Errorf("%v to %v: %s", tt.low, tt.high, diff)
		}
	}
}

// A sweep's directory replaces that of an earlier sweep and nothing else, and
// its JSON reads back.
func TestWriteSweep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sweep")
	want := swept(ttls())
	for range 2 {
		if err := WriteSweep(dir, want); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range SweepContents() {
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
	campaign, scenario := gcPause()
	if err := WriteDir(dir, campaign, scenario, nil); !errors.Is(err, ErrForeignDir) {
		t.Errorf("a campaign over a sweep: %v", err)
	}
}
