package picture

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"time"

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

// sweepAxis is the axis of a parameter in a plot.
type sweepAxis struct {
	label  string
	at     []float64 // the position of each value, in the unit of the axis
	values []string
	words  bool // the values are words, at equal distances
	log    bool
	unit   float64 // of the axis, in nanoseconds if it is a duration
}

// position returns the place of a value on the axis, false if it has none.
func (a sweepAxis) position(value string) (float64, bool) {
	q, measured := results.ParseQuantity(value)
	return q.X / a.unit, measured && !a.words
}

func newSweepAxis(a results.Axis) sweepAxis {
	path := words.Plain(a.Path, 60)
	quantities, measured := a.Quantities()
	axis := sweepAxis{label: path, words: !measured, log: measured && a.Log}
	unit := 1.0
	if measured && quantities[0].Duration {
		largest := time.Duration(max(math.Abs(quantities[0].X), math.Abs(quantities[len(quantities)-1].X)))
		name := ""
		name, unit = unitOf(largest)
		axis.label = fmt.Sprintf("%s (%s)", path, name)
	}
	for i, value := range a.Values {
		axis.values = append(axis.values, words.Plain(value, 20))
		if measured {
			axis.at = append(axis.at, quantities[i].X/unit)
		} else {
			axis.at = append(axis.at, float64(i))
		}
	}
	axis.unit = unit
	return axis
}

// unitOf returns a unit in which a duration is a short number.
func unitOf(d time.Duration) (name string, unit float64) {
	switch {
	case d >= 3*time.Hour:
		return "h", float64(time.Hour)
	case d >= 10*time.Minute:
		return "min", float64(time.Minute)
	case d >= time.Second:
		return "s", float64(time.Second)
	case d >= time.Millisecond:
		return "ms", float64(time.Millisecond)
	}
	return "µs", float64(time.Microsecond)
}

// ticks labels round numbers, and marks every value of the sweep.
func (a sweepAxis) ticks() plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for i, x := range a.at {
		tick := plot.Tick{Value: x}
		if a.words {
			tick.Label = a.values[i]
		}
		ticks = append(ticks, tick)
	}
	if a.words {
		return ticks
	}
	labelled := roundNumbers(a.at[0], a.at[len(a.at)-1], a.log)
	for _, end := range []float64{a.at[0], a.at[len(a.at)-1]} {
		if !slices.ContainsFunc(labelled, func(x float64) bool { return a.near(x, end) }) {
			labelled = append(labelled, end)
		}
	}
	for _, x := range labelled {
		ticks = append(ticks, plot.Tick{Value: x, Label: strconv.FormatFloat(x+0, 'g', 6, 64)}) // +0: a zero has no sign
	}
	return ticks
}

// near reports whether two values are too close for both labels.
func (a sweepAxis) near(x, y float64) bool {
	const room = 0.06 // of the axis
	first, last := a.at[0], a.at[len(a.at)-1]
	if a.log {
		x, y, first, last = math.Log(x), math.Log(y), math.Log(first), math.Log(last)
	}
	return math.Abs(x-y) < room*(last-first)
}

// roundNumbers returns round numbers between low and high. On a logarithmic axis they are
// 1, 2 and 5 times each power of ten, on a linear one up to ten multiples of such a number.
func roundNumbers(low, high float64, log bool) []float64 {
	const most = 10
	var numbers []float64
	if log {
		decades := math.Log10(high / low)
		for exponent := math.Floor(math.Log10(low)); exponent <= math.Log10(high); exponent++ {
			for _, digit := range []float64{1, 2, 5} {
				x := digit * math.Pow(10, exponent)
				if decades > most/3 && digit != 1 {
					continue
				}
				if x >= low*(1-1e-9) && x <= high*(1+1e-9) {
					numbers = append(numbers, x)
				}
			}
		}
		return numbers
	}
	size := math.Pow(10, math.Floor(math.Log10((high-low)/most)))
	for _, digit := range []float64{1, 2, 5, 10} {
		step := digit * size
		if (high-low)/step > most {
			continue
		}
		for i := math.Ceil(low/step - 1e-9); i*step <= high+step*1e-9; i++ {
			numbers = append(numbers, i*step)
		}
		break
	}
	return numbers
}

// sweepLine is the line of one strategy. Its values are in percent, x is in the unit of
// the axis.
type sweepLine struct {
	label              string
	x, rate, low, high []float64
	color              color.RGBA
	shape              draw.GlyphDrawer
	dashes             []vg.Length
	joined             bool
	whole              bool      // it reaches the last value of the axis
	shift              vg.Length // to the right, so that bars do not overlap
}

// strategyLines plots the lines of all strategies.
type strategyLines []sweepLine

// sweepLines returns the lines of a sweep, each with a colour and a shape. The colours are
// those of Okabe and Ito; lines that reuse a colour are dashed.
func sweepLines(s *results.Sweep, axis sweepAxis) strategyLines {
	colors := []color.RGBA{
		blue(),
		vermilion(),
		{R: 0x00, G: 0x9e, B: 0x73, A: 0xff},
		{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff},
		{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff},
		{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff},
		{R: 0x40, G: 0x40, B: 0x40, A: 0xff},
	}
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, draw.RingGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}}
	var lines strategyLines
	labels := tables.SweepLabels(s)
	for i, label := range labels {
		line := sweepLine{
			label: words.Plain(label, longestLabel), color: colors[i%len(colors)], shape: shapes[i%len(shapes)], joined: !axis.words,
		}
		if axis.words {
			line.shift = barGap * (vg.Length(i) - vg.Length(len(labels)-1)/2)
		}
		if i >= len(colors) {
			line.dashes = []vg.Length{6, 3}
		}
		for j := range s.Points {
			if r, ok := s.Points[j].Of(label); ok && r.Runs > 0 {
				line.x = append(line.x, axis.at[j])
				line.rate, line.low, line.high = append(line.rate, 100*r.Rate), append(line.low, 100*r.Low), append(line.high, 100*r.High)
			}
		}
		if last := len(line.x) - 1; last >= 0 {
			line.whole = line.x[last] == axis.at[len(axis.at)-1]
			lines = append(lines, line)
		}
	}
	return lines
}

// Plot draws the intervals, then the lines above them, and to the right the name of each
// line near its end.
func (lines strategyLines) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	grid := draw.LineStyle{Color: color.Gray{Y: 0xe6}, Width: 0.5}
	for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if tick.Label != "" {
			c.StrokeLine2(grid, toX(p.X.Min), toY(tick.Value), toX(p.X.Max), toY(tick.Value))
		}
	}
	for _, l := range lines {
		l.interval(c, toX, toY)
	}
	paths := make([][]vg.Point, len(lines))
	for i, l := range lines {
		for j, x := range l.x {
			paths[i] = append(paths[i], vg.Point{X: toX(x) + l.shift, Y: toY(l.rate[j])})
		}
	}
	for i, l := range lines {
		if l.joined {
			l.stroke(c, i, paths)
		}
	}
	for i, l := range lines {
		for j, at := range paths[i] {
			// Where lines meet, each has its turn from point to point. A glyph beside its point would show a wrong value.
			if place, n := among(paths, i, at); j%n != place {
				continue
			}
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: l.color, Radius: glyphRadius * 0.8, Shape: l.shape}, at)
		}
	}
	names := valueStyle()
	for i, y := range lines.ends(toY, c.Min.Y, c.Max.Y) {
		l := lines[i]
		last := len(l.x) - 1
		from := vg.Point{X: toX(l.x[last]) + l.shift + glyphRadius, Y: toY(l.rate[last])}
		to := vg.Point{X: toX(p.X.Max) + endGap, Y: y}
		if l.whole { // else it would look like a part of the line where nothing was measured
			c.StrokeLine2(draw.LineStyle{Color: l.color, Width: 0.5, Dashes: l.dashes}, from.X, from.Y, to.X-glyphRadius-3, to.Y)
		}
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: l.color, Radius: glyphRadius * 0.8, Shape: l.shape}, to)
		c.FillText(names, vg.Point{X: to.X + labelGap, Y: y + capHalf/3}, l.label)
	}
}

// among returns how many paths have all of these points, and the place of path i among them, from 0.
func among(paths [][]vg.Point, i int, points ...vg.Point) (place, n int) {
	const apart = 0.5 // of a point; less cannot be seen
	for j, path := range paths {
		if slices.ContainsFunc(points, func(at vg.Point) bool {
			return !slices.ContainsFunc(path, func(p vg.Point) bool { return math.Hypot(float64(p.X-at.X), float64(p.Y-at.Y)) < apart })
		}) {
			continue
		}
		if j < i {
			place++
		}
		n++
	}
	return place, n
}

// stroke draws line i. Where lines coincide, each has its turn: dashes of each colour follow each other.
func (l sweepLine) stroke(c draw.Canvas, i int, paths [][]vg.Point) {
	const turn = vg.Length(8)
	path := paths[i]
	shared := func(j int) (place, n int) { return among(paths, i, path[j], path[j+1]) }
	for first := 0; first < len(path)-1; {
		place, n := shared(first)
		last := first + 1
		for last < len(path)-1 {
			if p, m := shared(last); p != place || m != n {
				break
			}
			last++
		}
		style := draw.LineStyle{Color: l.color, Width: 1.5, Dashes: l.dashes}
		if n > 1 {
			style.Dashes = []vg.Length{turn, turn * vg.Length(n-1)}
			style.DashOffs = turn * vg.Length(n-place)
		}
		c.StrokeLines(style, path[first:last+1])
		first = last
	}
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

// interval draws the intervals of a line: as a band, or as bars if the values are words.
func (l sweepLine) interval(c draw.Canvas, toX, toY func(float64) vg.Length) {
	const faint = 0x28
	pale := color.NRGBA{R: l.color.R, G: l.color.G, B: l.color.B, A: faint}
	var band []vg.Point
	for i, x := range l.x {
		band = append(band, vg.Point{X: toX(x), Y: toY(l.high[i])})
		if !l.joined {
			c.StrokeLine2(draw.LineStyle{Color: l.color, Width: 1}, toX(x)+l.shift, toY(l.low[i]), toX(x)+l.shift, toY(l.high[i]))
		}
	}
	for i, x := range slices.Backward(l.x) {
		band = append(band, vg.Point{X: toX(x), Y: toY(l.low[i])})
	}
	if l.joined {
		c.FillPolygon(pale, band)
	}
}

// ends returns the height of each line's name: that of its last point, moved so that names
// do not overlap.
func (lines strategyLines) ends(toY func(float64) vg.Length, bottom, top vg.Length) []vg.Length {
	heights := make([]vg.Length, len(lines))
	order := make([]int, len(lines))
	for i, l := range lines {
		heights[i], order[i] = toY(l.rate[len(l.rate)-1]), i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case heights[a] < heights[b]:
			return 1
		case heights[a] > heights[b]:
			return -1
		}
		return 0
	})
	// From the top down: leave room for the names below, and keep the distance from the
	// name above.
	room := top
	for i, at := range order {
		below := bottom + endLine*vg.Length(len(order)-1-i)
		heights[at] = min(room, max(heights[at], below))
		room = heights[at] - endLine
	}
	return heights
}

// GlyphBoxes returns the boxes of the names, so that the plot leaves room for them.
func (lines strategyLines) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	var boxes []plot.GlyphBox
	for _, l := range lines {
		box := valueStyle().Rectangle(l.label).Add(vg.Point{X: endGap + labelGap})
		boxes = append(boxes, plot.GlyphBox{X: 1, Y: 0.5, Rectangle: box})
	}
	return boxes
}
