package picture

import (
	"flag"
	"testing"

	"lockquake/reports/internal/sample"
	"lockquake/reports/timeline"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestTheGoldenPicturesStayTheSame(t *testing.T) {
	campaign, _ := sample.GCPause()
	failure := timeline.Of(sample.Long(), "lost-update")
	tests := []struct {
		file string
		draw func() (svg, png []byte, err error)
	}{
		{"rates.svg", func() (svg, png []byte, err error) { return Rates(campaign) }},
		{"matrix.svg", func() (svg, png []byte, err error) { return Matrix(sample.Matrix()) }},
		{"timeline-long.svg", func() (svg, png []byte, err error) { return Timeline(&failure, "redis") }},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			svg, _, err := tt.draw()
			if err != nil {
				t.Fatal(err)
			}
			sample.Golden(t, *update, tt.file, svg)
		})
	}
}
