package picture

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// about has the title and the description of a picture, for screen readers.
type about struct{ title, text string }

// fonts are Liberation Sans, with which the pictures are laid out, and those that replace it. The
// first ones have the same widths.
const fonts = "Liberation Sans,Arimo,Arial,Helvetica,DejaVu Sans,sans-serif"

// roomy reports whether a text has room for a wider font: the number in a cell, or a time. Squeezed into the width of a
// narrower font its decimal point could not be seen.
func roomy(text string) bool { return len(text) <= 7 && !strings.ContainsFunc(text, unicode.IsLetter) }

// measuringCanvas records the width of each text, in the order of drawing.
type measuringCanvas struct {
	vg.CanvasSizer
	widths *[]vg.Length
}

func (c measuringCanvas) FillString(face font.Face, p vg.Point, text string) {
	width := vg.Length(0)
	if !roomy(text) {
		width = steady(face.Width(text))
	}
	*c.widths = append(*c.widths, width)
	c.CanvasSizer.FillString(face, p, text)
}

var svgStart = regexp.MustCompile(`(?s)<svg [^>]*>`)

// accessible adds to an SVG its role, its title and its description. It names the fonts once, and
// fixes the width of each text: another font is squeezed or stretched into it, so that no text
// runs into the next one.
func accessible(svg []byte, a about, widths []vg.Length) []byte {
	const textFont, textStart = "font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal;", "<text "
	var b bytes.Buffer
	start := svgStart.FindIndex(svg)
	b.Write(svg[:start[1]-1])
	fmt.Fprintf(&b, "\n\trole=\"img\" font-family=\"%s\">\n<title>%s</title>\n<desc>%s</desc>", fonts, html.EscapeString(a.title), html.EscapeString(a.text))
	parts := strings.Split(strings.ReplaceAll(string(svg[start[1]:]), textFont, ""), textStart)
	for i, part := range parts {
		if i > 0 {
			b.WriteString(textStart)
			if width := widths[i-1]; width > 0 {
				fmt.Fprintf(&b, `textLength="%.5g" lengthAdjust="spacingAndGlyphs" `, width.Points())
			}
		}
		b.WriteString(part)
	}
	return b.Bytes()
}
