package picture

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"

	"lockquake/reports/internal/sample"
	"lockquake/reports/tables"
	"lockquake/scenarios/results"
)

// Three of four runs are no rate: the cell has one colour, whatever its share.
func TestACellWithTooFewRunsForARateSaysThatItFails(t *testing.T) {
	colours := map[int]string{}
	for _, violating := range []int{1, 3, 4} {
		m := sample.Matrix()
		cell := m.Needs[0].Row("redis").Cell("pauses")
		cell.Violating, cell.Runs = violating, 4
		svg, _, err := Matrix(m)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf(">fails %d/4<", violating)
		before, _, found := strings.Cut(string(svg), text)
		if !found {
			t.Fatalf("the picture does not have %q", text)
		}
		before = before[strings.LastIndex(before, "<path"):]
		fill := regexp.MustCompile(`fill:(#[0-9A-Fa-f]{6})`).FindStringSubmatch(before)
		if fill == nil {
			t.Fatalf("no colour in %q", before)
		}
		colours[violating] = fill[1]
	}
	if colours[1] != colours[3] || colours[3] != colours[4] {
		t.Errorf("1, 3 and 4 of 4 failing runs have the colours %v, want one colour", colours)
	}
}

// A cell without a violation shows how many jobs were left, and not that all runs failed.
func TestACellSaysHowManyJobsWereLeft(t *testing.T) {
	m := sample.Matrix()
	cell := &m.Needs[0].Rows[0].Cells[0]
	cell.State, cell.Worst, cell.Violating, cell.Jobs, cell.Left = results.CellFails, results.LeftUndone, 0, 60, 3
	svg, _, err := Matrix(m)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(svg), ">3 left<") {
		t.Error("the picture does not say that 3 jobs were left")
	}
}

// The note breaks into lines, so that a picture of one need is no wider than its panel and its title.
func TestThePictureOfOneNeedIsNotAsWideAsItsNote(t *testing.T) {
	m := sample.Matrix()
	m.Needs = m.Needs[:1]
	svg, _, err := Matrix(m)
	if err != nil {
		t.Fatal(err)
	}
	width := regexp.MustCompile(`<svg width="([0-9.]+)pt"`).FindStringSubmatch(string(svg))
	if width == nil {
		t.Fatalf("no width in %.200s", svg)
	}
	points, err := strconv.ParseFloat(width[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	title := textStyle(13, ink(), draw.XLeft).Width(tables.MatrixHead(m)).Points()
	if panel := float64(len(m.Needs[0].Cases))*42 + 150; points > max(panel, title*1.1)+40 {
		t.Errorf("the picture is %v points wide, the panel about %v, and the title %v", points, panel, title)
	}
	if !strings.Contains(string(svg), ">class of faults<") {
		t.Error("the axis has no title")
	}
}

// A stopped matrix may not have begun a need, which then would be a panel of empty cells.
func TestANeedWithoutRunsHasNoPanel(t *testing.T) {
	m := sample.Matrix()
	m.Partial = true
	for i := range m.Needs[1].Rows {
		for j := range m.Needs[1].Rows[i].Cells {
			m.Needs[1].Rows[i].Cells[j] = results.MatrixCell{State: results.CellUnknown}
		}
	}
	svg, _, err := Matrix(m)
	if err != nil {
		t.Fatal(err)
	}
	for title, want := range map[string]bool{m.Needs[0].Title: true, m.Needs[1].Title: false, "0/0?": false} {
		if strings.Contains(string(svg), ">"+title+"<") != want {
			t.Errorf("the picture has %q: %v, want %v", title, !want, want)
		}
	}
	if len(m.Needs) != 2 {
		t.Error("the picture has changed the matrix")
	}
}
