package picture

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Sizes of a plot. 600 points are 800 pixels of a browser; the PNG has twice as many
// pixels, for dense screens.
const (
	plotWidth    = vg.Length(600)
	plotMargin   = vg.Length(104) // title, axis and its label
	plotRow      = vg.Length(30)  // each strategy
	plotPixels   = 192            // dots per inch of the PNG
	labelGap     = vg.Length(8)   // between the axis and the values beside it
	capHalf      = vg.Length(5)   // half the height of an interval's ends
	glyphRadius  = vg.Length(4)
	longestLabel = 32 // characters
)

// Rates draws the rates of a campaign: a row for each strategy, or for a campaign with cases
// a cell for each strategy and case.
func Rates(c *results.Campaign) (svg, png []byte, err error) {
	width, height := plotWidth, plotMargin+plotRow*vg.Length(max(1, len(c.Strategies)))
	paintOn := ratesPlot(c).Draw
	if tables.HasCases(c) {
		width, height, paintOn = drawCases(c)
	}
	return picture(width, height, plotPixels, aboutRates(c), func(c draw.Canvas) { paintOn(framed(c)) })
}

// aboutRates says the rates in words. Of a campaign with cases it says how to read the picture.
func aboutRates(c *results.Campaign) about {
	if tables.HasCases(c) {
		return about{casesTitle(c), casesNote}
	}
	var rates []string
	for i := range c.Strategies {
		s := &c.Strategies[i]
		rates = append(rates, words.Plain(s.Label, longestLabel)+" "+rateLabel(s))
	}
	return about{ratesTitle(c), strings.Join(rates, "; ")}
}

func ratesTitle(c *results.Campaign) string {
	return fmt.Sprintf("%s: how often each strategy fails, %s", words.Plain(c.Scenario, 40), tables.Seeds(c))
}

// ratesPlot returns a plot with a row for each strategy, the first on top, and percent
// from left to right.
func ratesPlot(c *results.Campaign) *plot.Plot {
	p := newPlot(ratesTitle(c))
	p.X.Label.Text = "violating runs (%), with the 95 % interval"
	if slices.ContainsFunc(c.Strategies, func(st results.StrategyStats) bool { return tables.OutcomeOf(st) == tables.Unasked }) {
		p.X.Label.Text += "; hollow and grey: nothing was expected"
	}
	p.Y.Tick.Label.Font = sans(11.5)

	var rows plotRows
	end := 0.0
	ticks := make(plot.ConstantTicks, len(c.Strategies))
	for i := range c.Strategies {
		s := &c.Strategies[i]
		y := float64(len(c.Strategies) - 1 - i)
		ticks[i] = plot.Tick{Value: y, Label: words.Plain(s.Label, longestLabel)}
		rows = append(rows, newRateMark(s, y))
		end = max(end, 100*tables.Highest(*s))
	}
	p.Add(rows)
	p.Y.Tick.Marker = ticks
	p.Y.Tick.Length = 0
	p.Y.Width = 0
	p.Y.Min, p.Y.Max = -0.6, float64(max(1, len(rows)))-0.4
	p.X.Min, p.X.Max = 0, RoundAxis(end)
	p.X.Tick.Marker = tenths(p.X.Max)
	p.X.Padding, p.Y.Padding = 2, 4
	return p
}

// RoundAxis returns the end of an axis of percentages that shows values up to highest: a
// round number, at most 100.
func RoundAxis(highest float64) float64 {
	for _, end := range []float64{1, 2, 5, 10, 20, 50} {
		if highest <= end {
			return end
		}
	}
	return 100
}

// tenths marks every tenth of an axis and numbers every other of them.
func tenths(end float64) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for i := range 11 {
		tick := plot.Tick{Value: end * float64(i) / 10}
		if i%2 == 0 {
			tick.Label = strconv.FormatFloat(tick.Value, 'g', 3, 64)
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// rateMark is one strategy in the plot. All numbers but y are in percent.
type rateMark struct {
	y, rate, low, high float64
	known              bool // there were runs at all
	label              string
	color              color.Color
	shape              draw.GlyphDrawer
}

// newRateMark chooses colour, shape and words. Each of them alone identifies the outcome.
// The colours are those of Okabe and Ito, which colour-blind people can tell apart.
func newRateMark(s *results.StrategyStats, y float64) rateMark {
	r := rateMark{
		y: y, rate: 100 * s.Rate, low: 100 * s.Low, high: 100 * tables.Highest(*s), known: s.Runs > 0,
		label: rateLabel(s),
	}
	switch tables.OutcomeOf(*s) {
	case tables.Unasked:
		r.color, r.shape = grey(), draw.RingGlyph{}
	case tables.AsExpected:
		r.color, r.shape = blue(), draw.CircleGlyph{}
	case tables.Unexpected:
		r.color, r.shape = vermilion(), draw.PyramidGlyph{}
	case tables.Undecided:
		r.color, r.shape = grey(), draw.BoxGlyph{}
	}
	return r
}

// rateLabel says the rate of a strategy, and whether it is as expected.
func rateLabel(s *results.StrategyStats) string {
	label := fmt.Sprintf("%s (%d/%d)", words.Percent(s.Rate), s.Violating, s.Runs)
	switch o := tables.OutcomeOf(*s); {
	case s.Runs == 0:
		return "no runs"
	case o == tables.Unexpected:
		return label + ", not as expected"
	case o == tables.Undecided:
		return label + ", cannot tell"
	}
	return label
}

// plotRows is the plotter of all strategies.
type plotRows []rateMark

// Plot draws each row: a faint rule to guide the eye, the interval, the rate,
// and the numbers to the right of the axis.
func (rows plotRows) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	rule := draw.LineStyle{Color: color.Gray{Y: 0xe0}, Width: 0.5}
	for _, r := range rows {
		y := toY(r.y)
		c.StrokeLine2(rule, toX(p.X.Min), y, toX(p.X.Max), y)
		if r.known {
			low, high := toX(r.low), toX(r.high)
			line := draw.LineStyle{Color: r.color, Width: 1.5}
			c.StrokeLine2(line, low, y, high, y)
			c.StrokeLine2(line, low, y-capHalf, low, y+capHalf)
			c.StrokeLine2(line, high, y-capHalf, high, y+capHalf)
			// A hollow shape covers its interval.
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: color.White, Radius: glyphRadius, Shape: draw.CircleGlyph{}}, vg.Point{X: toX(r.rate), Y: y})
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: r.color, Radius: glyphRadius, Shape: r.shape}, vg.Point{X: toX(r.rate), Y: y})
		}
		c.FillText(valueStyle(), vg.Point{X: toX(p.X.Max) + labelGap, Y: y + capHalf/3}, r.label)
	}
}

// GlyphBoxes returns the boxes of the numbers, so that the plot leaves room for them.
func (rows plotRows) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	var boxes []plot.GlyphBox
	for _, r := range rows {
		box := valueStyle().Rectangle(r.label).Add(vg.Point{X: labelGap})
		boxes = append(boxes, plot.GlyphBox{X: 1, Y: p.Y.Norm(r.y), Rectangle: box})
	}
	return boxes
}

// valueStyle returns the style of text to the right of an axis.
func valueStyle() text.Style { return textStyle(10.5, color.Black, draw.XLeft) }
