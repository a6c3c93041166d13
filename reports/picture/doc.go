// Package picture draws rates, sweeps and timelines. Each function returns the picture as
// SVG and as PNG. The same input gives the same SVG on every processor; a PNG may differ in
// a few pixels between kinds of processors.
//
// rates.go draws a campaign, cases.go one with cases, sweep.go a sweep over one parameter
// (sweepaxis.go its axis, sweeplines.go its lines), sweepmap.go one over two, timeline.go a
// failure, matrix.go a matrix. picture.go has the common fonts, colours and shapes. steady.go
// rounds coordinates, so that an SVG does not depend on the processor. vector.go gives an
// SVG its title and its description, and each text its width, so that its layout does not depend on
// the font.
package picture
