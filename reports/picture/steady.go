package picture

import (
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// steadyCanvas rounds all coordinates to a grid, so that an SVG is the same on every
// processor. Some processors fuse a multiplication with an addition, which changes the
// last bit of a coordinate. Without the grid that bit would decide how a coordinate halfway
// between two decimals is printed.
type steadyCanvas struct{ vg.CanvasSizer }

// steady rounds to a multiple of a hundredth of a point. It rounds up halfway between two
// of them, even if the last bits are a little below the middle.
func steady(x vg.Length) vg.Length {
	const (
		grid = 100
		near = 1e-6 // to the middle, as a part of the grid
	)
	return vg.Length(math.Floor(float64(x*grid)+0.5+near) / grid)
}

func steadyPoint(p vg.Point) vg.Point { return vg.Point{X: steady(p.X), Y: steady(p.Y)} }

func steadyPath(path vg.Path) vg.Path {
	rounded := make(vg.Path, len(path))
	for i, part := range path {
		part.Pos = steadyPoint(part.Pos)
		controls := make([]vg.Point, len(part.Control))
		for j, p := range part.Control {
			controls[j] = steadyPoint(p)
		}
		part.Control = controls
		rounded[i] = part
	}
	return rounded
}

func (c steadyCanvas) Stroke(path vg.Path) { c.CanvasSizer.Stroke(steadyPath(path)) }

func (c steadyCanvas) Fill(path vg.Path) { c.CanvasSizer.Fill(steadyPath(path)) }

func (c steadyCanvas) Translate(p vg.Point) { c.CanvasSizer.Translate(steadyPoint(p)) }

func (c steadyCanvas) FillString(face font.Face, p vg.Point, text string) {
	c.CanvasSizer.FillString(face, steadyPoint(p), text)
}
