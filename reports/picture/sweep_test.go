package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/vg"

	"lockquake/reports/internal/sample"
	"lockquake/scenarios/results"
)

// Also a partial sweep has a picture, with the labels of all strategies that ran.
func TestEverySweepHasAPictureWithItsLabels(t *testing.T) {
	partial := sample.Swept(sample.TTLs(), sample.Fences())
	partial.Points, partial.Partial = partial.Points[:2], true
	unrun := sample.Swept(sample.TTLs())
	unrun.Points = unrun.Points[:1]
	for i := range unrun.Points[0].Strategies {
		unrun.Points[0].Strategies[i].Runs = 0
	}
	tests := []struct {
		name  string
		sweep *results.Sweep
		words []string
	}{
		{"lines", sample.Swept(sample.TTLs()), []string{"lock.ttl (s), logarithmic", "redis", "fenced", "0.5", "20", "50 runs at each point, seeds 1 to 50, workers=4; bands: 95 % Wilson intervals"}},
		{"numbers", sample.Swept(results.Axis{Path: "workers", Values: []string{"2", "3", "4"}}), []string{"workers", "2.4", "4"}},
		{"words", sample.Swept(sample.Fences()), []string{"off", "writes", "reads-writes"}},
		{"map", sample.Swept(sample.TTLs(), sample.Fences()), []string{"lock.ttl (s)", "reads-writes", "0.5", "100"}},
		{"partial map", partial, []string{"stopped before the end"}},
		{"no runs", unrun, []string{"lock.ttl (s), logarithmic"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			vector, image, err := Sweep(tt.sweep)
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
			again, _, _ := Sweep(tt.sweep)
			if !bytes.Equal(vector, again) {
				t.Error("the same sweep gives two pictures")
			}
		})
	}
}

// A stopped sweep has measured only the first values. From there to the name at the right edge nothing was measured.
func TestNothingIsDrawnWhereAPartialSweepHasNotMeasured(t *testing.T) {
	whole := sample.Swept(sample.TTLs())
	partial := sample.Swept(sample.TTLs())
	partial.Points, partial.Partial = partial.Points[:2], true
	for want, s := range map[int]*results.Sweep{1: whole, 0: partial} {
		svg, _, err := Sweep(s)
		if err != nil {
			t.Fatal(err)
		}
		if leaders := bytes.Count(svg, []byte("stroke:#0072B2;stroke-width:0.5")); leaders != want {
			t.Errorf("partial %v: %d thin lines in the colour of the first strategy, want %d", s.Partial, leaders, want)
		}
	}
}

// They also stay within the picture.
func TestTheNamesOfLinesDoNotOverlap(t *testing.T) {
	s := sample.Swept(sample.TTLs())
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

func TestAnAxisHasUpToTenRoundNumbers(t *testing.T) {
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

// Three strategies with the same rates share their line: dashes of each colour, and the glyphs of each in turn.
func TestEachOfSeveralLinesThatCoincideIsSeen(t *testing.T) {
	s := sample.Swept(sample.TTLs())
	for i := range s.Points {
		for _, label := range []string{"redis-checked", "redis-watchdog"} {
			same, _ := s.Points[i].Of("redis")
			same.Label = label
			s.Points[i].Strategies = append(s.Points[i].Strategies, same)
		}
	}
	svg, _, err := Sweep(s)
	if err != nil {
		t.Fatal(err)
	}
	// fenced, the second, never fails and has a line of its own. The three have a third of their line each: the first, third
	// and fourth colour.
	for colour, offset := range map[string]string{"#0072B2": "24", "#009E73": "16", "#CC79A7": "8"} {
		want := fmt.Sprintf(`stroke:%s;stroke-width:1.5;stroke-dasharray:8,16;stroke-dashoffset:%s`, colour, offset)
		if n := strings.Count(string(svg), want); n != 1 {
			t.Errorf("%d lines are %s, want 1", n, want)
		}
	}
	if !regexp.MustCompile(`stroke:#D55E00;stroke-width:1.5"`).Match(svg) {
		t.Error("the line of fenced is dashed")
	}
}

// The smaller threshold is between 9.857 s and 9.928 s. The other strategies have none, or one outside of this axis.
func TestTheValueThatASearchFoundIsMarked(t *testing.T) {
	s := sample.Found()
	marks := sweepMarks(s, newSweepAxis(s.Axes[0]))
	if len(marks) != 1 || math.Abs(marks[0].at-9.8925) > 1e-9 || marks[0].color != blue() {
		t.Errorf("marks %v, want one at 9.8925 in the colour of redis", marks)
	}
	svg, _, err := Sweep(s)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(svg, []byte("upright: where the strategy begins or stops to break")) {
		t.Error("the picture does not explain the mark")
	}
}
