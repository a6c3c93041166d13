package picture

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Sizes of the picture of a campaign with cases.
const (
	casesCellWidth  = vg.Length(26)
	casesCellHeight = vg.Length(18)
	casesTop        = vg.Length(58) // title, note and classes
	casesLine       = vg.Length(14) // a further line of the note
	casesClassGap   = vg.Length(8)  // between the columns of two classes
	casesFoot       = vg.Length(6)  // between the cells and the names of the cases
)

// drawCases draws a row for each strategy and a column for each case, ordered by class.
func drawCases(c *results.Campaign) (width, height vg.Length, paintOn func(draw.Canvas)) {
	const margins = 20
	p := casesPlot{c: c, labels: tables.BaseLabels(c)}
	for _, class := range tables.CaseClasses(c) {
		for _, st := range c.Strategies {
			if st.Class == class.Letter && !slices.ContainsFunc(p.columns, func(col casesColumn) bool { return col.name == st.Case }) {
				p.columns = append(p.columns, casesColumn{name: st.Case, class: class})
			}
		}
	}
	names := textStyle(10.5, ink(), draw.XRight)
	for _, label := range p.labels {
		p.left = max(p.left, names.Width(words.Plain(label, longestLabel))+8)
	}
	foot := vg.Length(0)
	for i := range p.columns {
		foot = max(foot, names.Width(words.Plain(p.columns[i].name, longestLabel)))
		p.columns[i].x = p.left + casesCellWidth*vg.Length(i)
		if i > 0 {
			p.columns[i].x = p.columns[i-1].x + casesCellWidth
			if p.columns[i].class != p.columns[i-1].class {
				p.columns[i].x += casesClassGap
			}
		}
	}
	title := textStyle(13, ink(), draw.XLeft)
	p.spelt = p.shortened()
	note := textStyle(10, ink(), draw.XLeft)
	width = max(p.columns[len(p.columns)-1].x+casesCellWidth, title.Width(casesTitle(c)), note.Width(casesNote), note.Width(p.spelt)) + margins
	height = p.top() + casesCellHeight*vg.Length(len(p.labels)) + casesFoot + foot + margins
	return width, height, p.paint
}

const casesNote = "share of runs (%). Blue: the resource was corrupted. Yellow: only the service failed; a yellow corner: the service failed, too. Frame: the strategy claims that the resource is safe. Blank: no fault hit"

type casesColumn struct {
	name  string
	class results.FaultClass
	x     vg.Length // its left side
}

type casesPlot struct {
	c       *results.Campaign
	labels  []string
	columns []casesColumn
	left    vg.Length // room for the labels
	spelt   string    // the names of the classes that have only their letter above their columns
}

// top is the room for the title, the note and the classes.
func (p casesPlot) top() vg.Length {
	if p.spelt == "" {
		return casesTop
	}
	return casesTop + casesLine
}

func casesTitle(c *results.Campaign) string {
	return fmt.Sprintf("%s: which faults each strategy survives, %s", words.Plain(c.Scenario, 40), tables.Seeds(c))
}

func (p casesPlot) paint(c draw.Canvas) {
	c.FillText(textStyle(13, ink(), draw.XLeft), vg.Point{X: c.Min.X, Y: c.Max.Y - 8}, casesTitle(p.c))
	note := textStyle(10, dimInk(), draw.XLeft)
	c.FillText(note, vg.Point{X: c.Min.X, Y: c.Max.Y - 26}, casesNote)
	if p.spelt != "" {
		c.FillText(note, vg.Point{X: c.Min.X, Y: c.Max.Y - 26 - casesLine}, p.spelt)
	}
	top := c.Max.Y - p.top()
	p.classes(c, top)
	names := textStyle(10.5, ink(), draw.XRight)
	for i, label := range p.labels {
		y := top - casesCellHeight*vg.Length(i+1)
		c.FillText(names, vg.Point{X: c.Min.X + p.left - 6, Y: y + casesCellHeight/2}, words.Plain(label, longestLabel))
		for _, st := range p.c.Strategies {
			if st.Use() != label {
				continue
			}
			at := slices.IndexFunc(p.columns, func(col casesColumn) bool { return col.name == st.Case })
			p.cell(c, vg.Point{X: c.Min.X + p.columns[at].x, Y: y}, st)
		}
	}
	bottom := top - casesCellHeight*vg.Length(len(p.labels)) - casesFoot
	names.Rotation = math.Pi / 2
	for _, column := range p.columns {
		c.FillText(names, vg.Point{X: c.Min.X + column.x + casesCellWidth/2, Y: bottom}, words.Plain(column.name, longestLabel))
	}
}

// casesHead is a class above its columns.
type casesHead struct {
	class    results.FaultClass
	from, to vg.Length
	text     string // the letter and the name, or the letter if there is no room for more
}

func (p casesPlot) heads() []casesHead {
	var heads []casesHead
	style := textStyle(10, ink(), draw.XCenter)
	for i := 0; i < len(p.columns); {
		first, last := i, i
		for last+1 < len(p.columns) && p.columns[last+1].class == p.columns[first].class {
			last++
		}
		i = last + 1
		h := casesHead{class: p.columns[first].class, from: p.columns[first].x, to: p.columns[last].x + casesCellWidth}
		h.text = strings.TrimSpace(h.class.Letter + " " + h.class.Name)
		if h.class.Letter != "" && style.Width(h.text) > h.to-h.from {
			h.text = h.class.Letter
		}
		heads = append(heads, h)
	}
	return heads
}

// shortened spells out the classes that have only their letter above their columns, "" if there are none.
func (p casesPlot) shortened() string {
	var spelt []string
	for _, h := range p.heads() {
		if h.class.Name != "" && !strings.Contains(h.text, h.class.Name) {
			spelt = append(spelt, h.class.Letter+": "+h.class.Name)
		}
	}
	return strings.Join(spelt, ", ")
}

// classes writes each class above its columns.
func (p casesPlot) classes(c draw.Canvas, top vg.Length) {
	for _, h := range p.heads() {
		c.FillText(textStyle(10, ink(), draw.XCenter), vg.Point{X: c.Min.X + (h.from+h.to)/2, Y: top + 8}, h.text)
	}
}

// cell paints the result of one strategy under one case.
func (p casesPlot) cell(c draw.Canvas, corner vg.Point, st results.StrategyStats) {
	const gap = 0.75
	box := vg.Rectangle{
		Min: vg.Point{X: corner.X + gap, Y: corner.Y + gap},
		Max: vg.Point{X: corner.X + casesCellWidth - gap, Y: corner.Y + casesCellHeight - gap},
	}
	if st.Hit == 0 {
		return
	}
	corrupted, flawed := tables.Harm(st)
	fill, share := shade(corrupted), corrupted
	if corrupted == 0 && flawed > 0 {
		fill, share = ochre(flawed), flawed
	}
	c.FillPolygon(fill, corners(box))
	if corrupted > 0 && flawed > 0 {
		const corner = 6
		c.FillPolygon(ochre(1), []vg.Point{{X: box.Max.X - corner, Y: box.Min.Y}, {X: box.Max.X, Y: box.Min.Y}, {X: box.Max.X, Y: box.Min.Y + corner}})
	}
	switch {
	case tables.OutcomeOf(st) == tables.Unexpected:
		frame(c, box, 2, color.RGBA{R: 0xc0, A: 0xff})
	case tables.ClaimsSafety(st):
		frame(c, box, 0.8, ink())
	}
	if share == 0 {
		return
	}
	number := textStyle(9, ink(), draw.XCenter)
	if corrupted > 0.5 {
		number.Color = color.White
	}
	c.FillText(number, vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y+box.Max.Y)/2 + 1}, words.WholePercent(share))
}
