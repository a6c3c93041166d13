package picture

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Sizes of a plot over one parameter.
const (
	sweepWidth  = vg.Length(680)
	sweepHeight = vg.Length(400)
	endGap      = vg.Length(26) // from the end of a line to its label
	endLine     = vg.Length(14) // from one label to the next
	barGap      = vg.Length(7)  // between the bars of two strategies at one value
)

// Sweep draws a sweep: lines over one parameter, a map for each strategy over two.
func Sweep(s *results.Sweep) (svg, png []byte, err error) {
	draft := linesPicture
	if len(s.Axes) > 1 {
		draft = mapsPicture
	}
	width, height, paintOn := draft(s)
	return picture(width, height, plotPixels, about{sweepTitle(s), tables.SweepRuns(s)}, func(c draw.Canvas) {
		c.FillPolygon(color.White, corners(c.Rectangle))
		paintOn(framed(c))
	})
}

func sweepTitle(s *results.Sweep) string {
	return fmt.Sprintf("%s: how often each strategy fails, by %s", words.Plain(s.Scenario, 40), tables.Axes(s))
}

// linesPicture draws a line for each strategy: the parameter from left to right, percent
// upwards.
func linesPicture(s *results.Sweep) (width, height vg.Length, paintOn func(draw.Canvas)) {
	axis := newSweepAxis(s.Axes[0])
	p := newPlot(sweepTitle(s))
	p.X.Label.Text = axis.label
	if axis.log {
		p.X.Label.Text += ", logarithmic"
		p.X.Scale = plot.LogScale{}
	}
	intervals := "bands"
	p.X.Min, p.X.Max = axis.at[0], axis.at[len(axis.at)-1]
	if axis.words {
		intervals = "bars"
		p.X.Min, p.X.Max = p.X.Min-0.5, p.X.Max+0.5
	}
	// A blank line separates the name of the axis from the note.
	p.X.Label.Text += "\n\n" + tables.SweepRuns(s) + "; " + intervals + ": 95 % Wilson intervals"
	if marks := sweepMarks(s, axis); len(marks) > 0 {
		p.Add(marks)
		p.X.Label.Text += "; upright: where the strategy begins or stops to break"
	}
	p.Y.Label.Text = tables.SweepCounts(s) + " (%)"
	p.Y.Label.TextStyle.Font = sans(10.5)
	p.Y.Label.Padding = 4
	p.Y.Tick.Label.Font = sans(10.5)
	p.X.Padding, p.Y.Padding = 4, 4
	lines := sweepLines(s, axis)
	highest := 0.0
	for _, l := range lines {
		highest = max(highest, slices.Max(append(l.high, 0)))
	}
	p.Add(lines)
	p.Y.Min, p.Y.Max = 0, RoundAxis(highest)
	p.Y.Tick.Marker = tenths(p.Y.Max)
	p.X.Tick.Marker = axis.ticks()
	height = max(sweepHeight, plotMargin+endLine*vg.Length(len(lines)))
	return sweepWidth, height, func(c draw.Canvas) { p.Draw(c) }
}

// sweepMark is a value at which a strategy begins or stops to break.
type sweepMark struct {
	at    float64
	color color.RGBA
}

// thresholdMarks plots the values that a search has found.
type thresholdMarks []sweepMark

// sweepMarks returns the middle between the two values of each threshold, in the colour of its strategy.
func sweepMarks(s *results.Sweep, axis sweepAxis) thresholdMarks {
	var marks thresholdMarks
	for _, l := range sweepLines(s, axis) {
		for _, t := range s.Thresholds {
			breaks, found := axis.position(t.Breaks)
			holds, alsoFound := axis.position(t.Holds)
			if found && alsoFound && words.Plain(t.Label, longestLabel) == l.label {
				marks = append(marks, sweepMark{(breaks + holds) / 2, l.color})
			}
		}
	}
	return marks
}

// Plot draws an upright line at each value. The lines of strategies with one threshold share its length.
func (marks thresholdMarks) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	paths := make([][]vg.Point, len(marks))
	for i, m := range marks {
		paths[i] = []vg.Point{{X: toX(m.at), Y: toY(p.Y.Min)}, {X: toX(m.at), Y: toY(p.Y.Max)}}
	}
	for i, m := range marks {
		const dash, gap = vg.Length(3), vg.Length(3)
		place, n := among(paths, i, paths[i]...)
		style := draw.LineStyle{Color: m.color, Width: 1.2, Dashes: []vg.Length{dash, gap + (dash+gap)*vg.Length(n-1)}}
		style.DashOffs = (dash + gap) * vg.Length(n-place)
		c.StrokeLine2(style, paths[i][0].X, paths[i][0].Y, paths[i][1].X, paths[i][1].Y)
	}
}
