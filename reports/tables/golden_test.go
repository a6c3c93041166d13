package tables

import (
	"bytes"
	"flag"
	"io"
	"testing"

	"lockquake/reports/internal/sample"
	"lockquake/reports/words"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestTheGoldenTablesStayTheSame(t *testing.T) {
	campaign, _ := sample.GCPause()
	tests := []struct {
		file  string
		write func(io.Writer) error
	}{
		{"table.txt", func(w io.Writer) error { return Campaign(w, campaign, Options{Report: "out/report.md"}) }},
		{"table-metrics.txt", func(w io.Writer) error { return Campaign(w, campaign, Options{Metrics: true}) }},
		{"rates.csv", func(w io.Writer) error { return CSV(w, campaign) }},
		{"sweep-one.txt", func(w io.Writer) error { return Sweep(w, sample.Swept(sample.TTLs()), words.Screen{}) }},
		{"sweep-two.txt", func(w io.Writer) error {
			return Sweep(w, sample.Swept(sample.TTLs(), sample.Fences()), words.Screen{})
		}},
		{"sweep-find.txt", func(w io.Writer) error { return Sweep(w, sample.Found(), words.Screen{}) }},
		{"matrix.txt", func(w io.Writer) error {
			return Matrix(w, sample.Matrix(), MatrixOptions{Screen: words.Screen{Width: 80}})
		}},
		{"yearly.txt", func(w io.Writer) error { return Yearly(w, estimated(), words.Screen{}) }},
		{"sweep.csv", func(w io.Writer) error { return SweepCSV(w, sample.Swept(sample.TTLs(), sample.Fences())) }},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			var got bytes.Buffer
			if err := tt.write(&got); err != nil {
				t.Fatal(err)
			}
			sample.Golden(t, *update, tt.file, got.Bytes())
		})
	}
}
