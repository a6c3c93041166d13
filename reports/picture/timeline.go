package picture

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockquake/reports/timeline"
	"lockquake/reports/words"
)

// Sizes of the picture of a timeline. Its width fills a slide.
const (
	slideWidth   = vg.Length(960)
	slidePixels  = 144 // dots per inch of the PNG: 1,920 pixels
	slideMargin  = vg.Length(14)
	titleHeight  = vg.Length(46)
	legendLine   = vg.Length(16)
	legendSign   = vg.Length(28) // a sign and the space after it
	laneHeight   = vg.Length(54) // of one row
	rowHeight    = vg.Length(17)
	laneNames    = vg.Length(84)
	axisHeight   = vg.Length(66)
	storyLine    = vg.Length(14)
	barHalf      = vg.Length(8)
	thinHalf     = vg.Length(1.5)
	markRadius   = vg.Length(6.5)
	markLift     = vg.Length(17) // from the middle of a lane up to its marks
	arrowHead    = vg.Length(5)
	storyColumns = 2
)

// Timeline draws a timeline under the name of its strategy.
func Timeline(t *timeline.Timeline, name string) (svg, png []byte, err error) {
	rows := (len(t.Steps) + storyColumns - 1) / storyColumns
	legend := legendOf(t)
	head := titleHeight + legendLine*vg.Length(legend[len(legend)-1].line+1)
	height := 2*slideMargin + head + lanesHeight(t, len(t.Lanes)) + axisHeight + storyLine*vg.Length(rows)
	var lines []string
	for i, step := range t.Steps {
		lines = append(lines, fmt.Sprintf("%d. %s s %s %s", i+1, strings.TrimSpace(step.Time), step.Actor, step.Text))
	}
	return picture(slideWidth, height, slidePixels, about{slideTitle(t, name), strings.Join(lines, "; ")}, func(c draw.Canvas) {
		s := slide{Canvas: c, t: t, legend: legend, head: head}
		s.draw(name, rows)
	})
}

// slide draws a timeline onto a canvas.
type slide struct {
	draw.Canvas
	t      *timeline.Timeline
	legend []legendEntry
	head   vg.Length      // title and legend
	taken  []vg.Rectangle // the boxes of marks and labels, which must not overlap
}

func (s *slide) draw(name string, rows int) {
	s.FillPolygon(color.White, corners(s.Rectangle))
	top := s.Max.Y - slideMargin
	s.write(slideMargin, top-10, 15, ink(), slideTitle(s.t, name))
	for _, entry := range s.legend {
		s.explain(entry, top-38-legendLine*vg.Length(entry.line))
	}
	s.bands()
	s.axis()
	for i := range s.t.Spans {
		s.span(&s.t.Spans[i])
	}
	for i := range s.t.Arrows {
		s.arrow(&s.t.Arrows[i])
	}
	for i := range s.t.Spans {
		s.spanLabel(&s.t.Spans[i])
	}
	s.marks()
	for i := range s.t.Arrows {
		s.token(&s.t.Arrows[i])
	}
	s.story(slideMargin+storyLine*vg.Length(rows), rows)
}

func slideTitle(t *timeline.Timeline, name string) string {
	return fmt.Sprintf("%s fails %s, seed %d of %s", name, t.Check, t.Seed, t.Scenario)
}

func spanColor(kind string) color.Color {
	switch kind {
	case "belief", "after":
		return color.RGBA{R: 0x8c, G: 0xc4, B: 0xe8, A: 0xff}
	case "lease":
		return color.RGBA{R: 0x7f, G: 0xd0, B: 0xb3, A: 0xff}
	case "fault":
		return color.RGBA{R: 0xf2, G: 0xb8, B: 0x4b, A: 0xff}
	case "quiet":
		return color.RGBA{R: 0xd9, G: 0xdd, B: 0xe2, A: 0xff}
	default: // wait
		return color.RGBA{R: 0xa8, G: 0xb0, B: 0xba, A: 0xff}
	}
}

// thin reports whether spans of a kind are thin bars without a label.
func thin(kind string) bool { return kind == "wait" || kind == "after" }

func (s *slide) x(at timeline.Moment) vg.Length {
	left, right := slideMargin+laneNames+markRadius, s.Max.X-slideMargin-markRadius
	return left + (right-left)*vg.Length(s.t.Place(at))
}

// lanesHeight returns the height of the first n lanes.
func lanesHeight(t *timeline.Timeline, n int) vg.Length {
	height := laneHeight * vg.Length(n)
	for i := range n {
		height += moreRows(t, i)
	}
	return height
}

// moreRows returns the height of the rows of a lane beyond the first one.
func moreRows(t *timeline.Timeline, lane int) vg.Length {
	return rowHeight * vg.Length(max(1, t.Lanes[lane].Rows)-1)
}

// y returns the middle of the bars in the lowest row of a lane.
func (s *slide) y(lane int) vg.Length {
	return s.Max.Y - slideMargin - s.head - lanesHeight(s.t, lane+1) + 18
}

// rowOf returns the middle of the bars in the row of a span.
func (s *slide) rowOf(span *timeline.Span) vg.Length {
	return s.y(span.Lane) + moreRows(s.t, span.Lane) - rowHeight*vg.Length(span.Row)
}

func (s *slide) write(x, y, size vg.Length, c color.Color, words string) {
	s.FillText(textStyle(size, c, draw.XLeft), vg.Point{X: x, Y: y}, words)
}

// legendEntry explains a colour or a sign.
type legendEntry struct {
	words string
	kind  string // of the spans; else a line or a dot is explained
	ink   color.Color
	dot   bool
	line  int // of the legend, from 0
	x     vg.Length
}

// legendOf explains the colours and signs that a timeline has. It breaks into lines that fit on the slide.
func legendOf(t *timeline.Timeline) []legendEntry {
	const slack = 1.1 // other fonts are wider
	var entries []legendEntry
	belief := "believes that it holds the lock"
	if t.NoLock {
		belief = "is in its section"
	}
	for _, entry := range []legendEntry{
		{kind: "belief", words: belief},
		{kind: "after", words: "its call has not returned"},
		{kind: "lease", words: "lease at the server"},
		{kind: "quiet", words: "other sections and leases"},
		{kind: "wait", words: "waits"},
		{kind: "fault", words: "fault"},
	} {
		if slices.ContainsFunc(t.Spans, func(span timeline.Span) bool { return span.Kind == entry.kind }) {
			entries = append(entries, entry)
		}
	}
	if slices.ContainsFunc(t.Arrows, func(a timeline.Arrow) bool { return !a.Failed }) {
		entries = append(entries, legendEntry{ink: dimInk(), words: "message"})
	}
	if slices.ContainsFunc(t.Arrows, func(a timeline.Arrow) bool { return a.Failed }) {
		entries = append(entries, legendEntry{ink: alarmInk(), words: "refused or lost"})
	}
	entries = append(entries, legendEntry{ink: alarmInk(), dot: true, words: "completes the violation"})
	style := textStyle(10, dimInk(), draw.XLeft)
	x, line := slideMargin, 0
	for i := range entries {
		width := legendSign + style.Width(entries[i].words)*slack
		if x+width > slideWidth-slideMargin {
			x, line = slideMargin, line+1
		}
		entries[i].x, entries[i].line = x, line
		x += width + 14
	}
	return entries
}

// explain draws an entry of the legend.
func (s *slide) explain(entry legendEntry, y vg.Length) {
	sign := rectangle(entry.x, entry.x+22, y-barHalf+2, y+barHalf-2)
	switch {
	case entry.dot:
		s.dot(vg.Point{X: entry.x + 11, Y: y}, entry.ink)
	case entry.kind == "":
		s.line(vg.Point{X: sign.Min.X, Y: y}, vg.Point{X: sign.Max.X, Y: y}, entry.ink, 1)
	default:
		if thin(entry.kind) {
			sign.Min.Y, sign.Max.Y = y-thinHalf, y+thinHalf
		}
		s.FillPolygon(spanColor(entry.kind), corners(sign))
	}
	s.write(entry.x+legendSign, y, 10, dimInk(), entry.words)
}

func (s *slide) bands() {
	for i, lane := range s.t.Lanes {
		y := s.y(i)
		if i%2 == 0 {
			s.FillPolygon(color.RGBA{R: 0xf6, G: 0xf7, B: 0xf9, A: 0xff},
				corners(rectangle(slideMargin, s.Max.X-slideMargin, y-18, y+laneHeight+moreRows(s.t, i)-18)))
		}
		s.write(slideMargin+6, y+moreRows(s.t, i)/2, 11, ink(), words.Plain(lane.Name, 13))
	}
}

// axis draws the time axis with the moments of the story, and a note that it is not to
// scale.
func (s *slide) axis() {
	bottom := s.y(len(s.t.Lanes)-1) - 18
	top := s.Max.Y - slideMargin - s.head
	times := map[timeline.Moment]string{}
	for _, step := range s.t.Steps {
		times[step.At] = step.Time
		if step.Decisive {
			s.line(vg.Point{X: s.x(step.At), Y: bottom}, vg.Point{X: s.x(step.At), Y: top}, alarmInk(), 1.2)
		}
	}
	for _, knot := range s.t.Ruler[:max(0, len(s.t.Ruler)-1)] {
		label, ok := times[knot.At]
		if !ok {
			continue
		}
		x := s.x(knot.At)
		s.line(vg.Point{X: x, Y: bottom}, vg.Point{X: x, Y: bottom - 4}, dimInk(), 0.8)
		style := textStyle(9, dimInk(), draw.XRight)
		style.Rotation = math.Pi / 4
		s.FillText(style, vg.Point{X: x + 2, Y: bottom - 8}, label)
	}
	s.write(slideMargin+6, bottom-14, 9, dimInk(), "time, s")
	style := textStyle(9, dimInk(), draw.XRight)
	s.FillText(style, vg.Point{X: s.Max.X - slideMargin, Y: bottom - axisHeight + 16}, "the time axis is stretched where much happens")
}

// bar returns the box of a span.
func (s *slide) bar(span *timeline.Span) vg.Rectangle {
	y, from, to, half := s.rowOf(span), s.x(span.From), s.x(span.To), barHalf
	switch {
	case thin(span.Kind):
		half = thinHalf
	case span.Kind == "fault":
		y, half = s.y(span.Lane)-barHalf-4, 5
	case span.Kind == "quiet":
		half = 5
	}
	return rectangle(from, max(to, from+1.5), y-half, y+half)
}

func (s *slide) span(span *timeline.Span) {
	box := s.bar(span)
	s.FillPolygon(spanColor(span.Kind), corners(box))
	if !thin(span.Kind) {
		frame(s.Canvas, box, 0.6, color.White)
	}
}

// spanLabel writes the label of a span into its bar, if there is room, over the arrows that cross it.
func (s *slide) spanLabel(span *timeline.Span) {
	box, size, c := s.bar(span), vg.Length(9), ink()
	switch span.Kind {
	case "fault":
		size = 7.5
	case "quiet":
		size, c = 8, dimInk()
	}
	style := textStyle(size, c, draw.XLeft)
	width := style.Width(span.Label)
	if thin(span.Kind) || width > box.Max.X-box.Min.X-6 {
		return
	}
	const edge = 0.6
	s.FillPolygon(spanColor(span.Kind), corners(rectangle(box.Min.X+3, box.Min.X+5+width, box.Min.Y+edge, box.Max.Y-edge)))
	s.FillText(style, vg.Point{X: box.Min.X + 4, Y: (box.Min.Y+box.Max.Y)/2 + 0.8}, span.Label)
}

// arrow draws a message from the edge of one bar to the edge of the other.
func (s *slide) arrow(a *timeline.Arrow) {
	c := dimInk()
	if a.Failed {
		c = alarmInk()
	}
	from, to := s.ends(a)
	s.line(from, to, c, 0.9)
	angle := math.Atan2(float64(to.Y-from.Y), float64(to.X-from.X))
	wing := func(turn float64) vg.Point {
		return vg.Point{
			X: to.X - arrowHead*vg.Length(math.Cos(angle+turn)),
			Y: to.Y - arrowHead*vg.Length(math.Sin(angle+turn)),
		}
	}
	s.FillPolygon(c, []vg.Point{to, wing(0.45), wing(-0.45)})
}

func (s *slide) ends(a *timeline.Arrow) (from, to vg.Point) {
	from, to = vg.Point{X: s.x(a.Sent), Y: s.y(a.From)}, vg.Point{X: s.x(a.Arrived), Y: s.y(a.To)}
	upper, lower := &from.Y, &to.Y
	lane := a.To
	if a.To < a.From {
		upper, lower, lane = lower, upper, a.From
	}
	*upper -= barHalf
	*lower += barHalf + moreRows(s.t, lane)
	return from, to
}

// token writes the token of an arrow beside its middle, if there is room.
func (s *slide) token(a *timeline.Arrow) {
	if a.Label == "" {
		return
	}
	from, to := s.ends(a)
	style := textStyle(7.5, ink(), draw.XLeft)
	for _, share := range []vg.Length{0.7, 0.5, 0.3} {
		at := vg.Point{X: from.X + (to.X-from.X)*share + 2, Y: from.Y + (to.Y-from.Y)*share}
		width := style.Width(a.Label)
		box := rectangle(at.X, at.X+width, at.Y-4, at.Y+4)
		if box.Max.X > s.Max.X-slideMargin || s.covered(box) {
			continue
		}
		s.taken = append(s.taken, box)
		s.FillText(style, at, a.Label)
		return
	}
}

// covered reports whether a box overlaps a mark, a label or a bar.
func (s *slide) covered(box vg.Rectangle) bool {
	for _, other := range s.taken {
		if box.Min.X < other.Max.X && other.Min.X < box.Max.X && box.Min.Y < other.Max.Y && other.Min.Y < box.Max.Y {
			return true
		}
	}
	for i := range s.t.Spans {
		span := &s.t.Spans[i]
		if y := s.rowOf(span); box.Min.X < s.x(span.To) && s.x(span.From) < box.Max.X && box.Min.Y < y+barHalf && y-2*barHalf < box.Max.Y {
			return true
		}
	}
	return false
}

// marks draws the number of each step at its place. It stacks the numbers of steps at the
// same place.
func (s *slide) marks() {
	for i, step := range s.t.Steps {
		if step.Lane < 0 {
			continue
		}
		at := vg.Point{X: s.x(step.At), Y: s.y(step.Lane)}
		if s.t.Lanes[step.Lane].Kind != "resource" { // which has no bars
			at.Y += markLift + moreRows(s.t, step.Lane)
		}
		box := rectangle(at.X-markRadius+1, at.X+markRadius-1, at.Y-markRadius+1, at.Y+markRadius-1)
		for s.covered(box) {
			shift := vg.Point{Y: 2 * markRadius}
			at, box = at.Add(shift), box.Add(shift)
		}
		s.taken = append(s.taken, box)
		c := ink()
		if step.Decisive {
			c = alarmInk()
		}
		s.dot(at, c)
		style := textStyle(8, color.White, draw.XCenter)
		s.FillText(style, vg.Point{X: at.X, Y: at.Y + 0.5}, strconv.Itoa(i+1))
	}
}

// story writes the numbered lines of the story below the picture.
func (s *slide) story(top vg.Length, rows int) {
	width := (s.Max.X - 2*slideMargin) / storyColumns
	for i, step := range s.t.Steps {
		x, y := slideMargin+width*vg.Length(i/rows), top-storyLine*vg.Length(i%rows)
		c := ink()
		if step.Decisive {
			c = alarmInk()
		}
		s.write(x+6, y, 9.5, c, strconv.Itoa(i+1))
		// The points are below each other. A point between two texts would vanish in a wider font.
		whole, _, _ := strings.Cut(step.Time, ".")
		s.write(x+36-textStyle(9.5, c, draw.XLeft).Width(whole), y, 9.5, c, step.Time)
		line := step.Actor + "  " + step.Text
		for style := textStyle(9.5, c, draw.XLeft); style.Width(line) > width-92; {
			line = words.Plain(line, len([]rune(line))-1)
		}
		s.write(x+82, y, 9.5, c, line)
	}
}

func (s *slide) line(from, to vg.Point, c color.Color, width vg.Length) {
	s.StrokeLine2(draw.LineStyle{Color: c, Width: width}, from.X, from.Y, to.X, to.Y)
}

func (s *slide) dot(at vg.Point, c color.Color) {
	s.DrawGlyphNoClip(draw.GlyphStyle{Color: c, Radius: markRadius, Shape: draw.CircleGlyph{}}, at)
}
