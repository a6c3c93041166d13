// Package picture draws rates, sweeps and timelines. Each function returns the picture as
// SVG and as PNG. The same input gives the same SVG on every processor; a PNG may differ in
// a few pixels between kinds of processors.
//
// rates.go draws a campaign, cases.go one with cases, sweep.go a sweep over one parameter,
// sweepmap.go over two, timeline.go a failure. picture.go has what they share (fonts,
// colours, shapes), steady.go rounds coordinates, so that no processor shows in an SVG.
package picture
