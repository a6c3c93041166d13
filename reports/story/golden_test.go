package story

import (
	"bytes"
	"flag"
	"testing"

	"lockquake/reports/internal/sample"
	"lockquake/scenarios/results"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestTheGoldenStoriesStayTheSame(t *testing.T) {
	tests := []struct {
		file string
		run  *results.Trial
	}{
		{"story-redis.txt", sample.Kleppmann(0)},
		{"story-fenced.txt", sample.Kleppmann(33)},
		{"story-long.txt", sample.Long()},
		{"story-late-packet.txt", sample.LatePacket()},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			var got bytes.Buffer
			if err := Tell(tt.run).Write(&got, InFile()); err != nil {
				t.Fatal(err)
			}
			sample.Golden(t, *update, tt.file, got.Bytes())
		})
	}
}
