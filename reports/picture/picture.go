package picture

import (
	"bytes"
	"image/color"
	stdpng "image/png"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// picture paints a picture as SVG and as PNG; dots is the resolution of the PNG in dots
// per inch. The SVG is the same on every processor, the PNG on every processor of one
// kind.
func picture(width, height vg.Length, dots int, a about, paintOn func(draw.Canvas)) (svg, png []byte, err error) {
	vector := vgsvg.New(width, height)
	image := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dots))
	var widths []vg.Length
	for _, canvas := range []vg.CanvasSizer{measuringCanvas{vector, &widths}, image} {
		paintOn(draw.New(steadyCanvas{canvas}))
	}
	var asSVG, asPNG bytes.Buffer
	if _, err := vector.WriteTo(&asSVG); err != nil {
		return nil, nil, err
	}
	// The default compression takes most of the time of a report.
	if err := (&stdpng.Encoder{CompressionLevel: stdpng.BestSpeed}).Encode(&asPNG, image.Image()); err != nil {
		return nil, nil, err
	}
	return accessible(asSVG.Bytes(), a, widths), asPNG.Bytes(), nil
}

// framed returns the canvas without a margin on all sides.
func framed(c draw.Canvas) draw.Canvas {
	const margin = vg.Length(10)
	return draw.Crop(c, margin, -margin, margin, -margin)
}

// newPlot returns an empty plot with a title and the fonts of all plots.
func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font = sans(13)
	p.Title.Padding = 8
	p.X.Label.TextStyle.Font = sans(10.5)
	p.X.Label.Padding = 4
	p.X.Tick.Label.Font = sans(10.5)
	return p
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// textStyle returns a style of text: size, colour and horizontal alignment.
func textStyle(size vg.Length, c color.Color, x text.XAlignment) text.Style {
	return text.Style{Color: c, Font: sans(size), XAlign: x, YAlign: draw.YCenter, Handler: plot.DefaultTextHandler}
}

// The colours are those of Okabe and Ito, on white.
func ink() color.Color      { return color.RGBA{R: 0x1a, G: 0x1f, B: 0x26, A: 0xff} }
func dimInk() color.Color   { return color.RGBA{R: 0x5b, G: 0x64, B: 0x70, A: 0xff} }
func alarmInk() color.Color { return color.RGBA{R: 0xc0, G: 0x46, B: 0x00, A: 0xff} }
func blue() color.RGBA      { return color.RGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff} }
func vermilion() color.RGBA { return color.RGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff} }
func grey() color.RGBA      { return color.RGBA{R: 0x59, G: 0x59, B: 0x59, A: 0xff} }

// shade returns a blue: nearly white for 0, dark for 1.
func shade(share float64) color.Color {
	return blend(color.RGBA{R: 0xf0, G: 0xf4, B: 0xf8, A: 0xff}, color.RGBA{R: 0x08, G: 0x30, B: 0x6b, A: 0xff}, share)
}

// ochre returns a yellow: nearly white for 0. At 1 black text is still readable on it.
func ochre(share float64) color.Color {
	return blend(color.RGBA{R: 0xf8, G: 0xf4, B: 0xe0, A: 0xff}, color.RGBA{R: 0xe6, G: 0xb4, B: 0x3c, A: 0xff}, share)
}

func blend(from, to color.RGBA, share float64) color.Color {
	mix := func(from, to uint8) uint8 {
		return uint8(math.Round(float64(from) + (float64(to)-float64(from))*share))
	}
	return color.RGBA{R: mix(from.R, to.R), G: mix(from.G, to.G), B: mix(from.B, to.B), A: 0xff}
}

func rectangle(left, right, bottom, top vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: right, Y: top}}
}

func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}

func frame(c draw.Canvas, box vg.Rectangle, width vg.Length, line color.Color) {
	c.StrokeLines(draw.LineStyle{Color: line, Width: width}, append(corners(box), box.Min))
}
