package picture

import (
	"bytes"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"lockquake/reports/internal/sample"
)

func TestSteadyIgnoresTheLastBits(t *testing.T) {
	const bits = 1e-11 // far more than what a fused addition changes
	for x, want := range map[vg.Length]vg.Length{
		0: 0, 0.125: 0.13, 123.125: 123.13, 123.375: 123.38, 1234.005: 1234.01, 12.344: 12.34, 12.346: 12.35, -0.125: -0.12, -3.5: -3.5, 600: 600,
	} {
		for _, near := range []vg.Length{x - bits, x, x + bits} {
			if got := steady(near); got != want {
				t.Errorf("%v is rounded to %v, not to %v", float64(near), float64(got), float64(want))
			}
		}
	}
}

// shaken moves all coordinates by more than the errors of a processor that fuses
// multiplications with additions.
type shaken struct {
	vg.CanvasSizer
	by vg.Length
}

func (c shaken) point(p vg.Point) vg.Point { return vg.Point{X: p.X + c.by, Y: p.Y + c.by} }

func (c shaken) path(path vg.Path) vg.Path {
	moved := make(vg.Path, len(path))
	for i, part := range path {
		part.Pos = c.point(part.Pos)
		moved[i] = part
	}
	return moved
}

func (c shaken) Stroke(path vg.Path)  { c.CanvasSizer.Stroke(c.path(path)) }
func (c shaken) Fill(path vg.Path)    { c.CanvasSizer.Fill(c.path(path)) }
func (c shaken) Translate(p vg.Point) { c.CanvasSizer.Translate(c.point(p)) }
func (c shaken) FillString(face font.Face, p vg.Point, text string) {
	c.CanvasSizer.FillString(face, c.point(p), text)
}

// So an SVG is the same on every processor. Without steadyCanvas it would differ.
func TestSVGIgnoresTheLastBits(t *testing.T) {
	const (
		width, height = vg.Length(600), vg.Length(300)
		bits          = vg.Length(1e-11)
	)
	campaign, _ := sample.GCPause()
	paint := func(steadily bool, by vg.Length) []byte {
		vector := vgsvg.New(width, height)
		var canvas vg.CanvasSizer = vector
		if steadily {
			canvas = steadyCanvas{vector}
		}
		c := draw.New(shaken{canvas, by})
		ratesPlot(campaign).Draw(framed(c))
		// The middle of the glyph is halfway between two hundredths.
		c.DrawGlyph(draw.GlyphStyle{Color: ink(), Radius: glyphRadius, Shape: draw.CircleGlyph{}}, vg.Point{X: 123.125, Y: 123.375})
		var out bytes.Buffer
		if _, err := vector.WriteTo(&out); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	if !bytes.Equal(paint(true, 0), paint(true, -bits)) || !bytes.Equal(paint(true, 0), paint(true, bits)) {
		t.Error("the last bits show in the picture")
	}
	if bytes.Equal(paint(false, -bits), paint(false, bits)) {
		t.Error("nothing in this picture lies between two numbers, so the test shows nothing")
	}
}
