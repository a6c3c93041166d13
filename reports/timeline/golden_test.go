package timeline

import (
	"bytes"
	"encoding/json"
	"flag"
	"testing"

	"lockquake/reports/internal/sample"
	"lockquake/scenarios/results"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestTheGoldenTimelinesStayTheSame(t *testing.T) {
	tests := []struct {
		file string
		run  *results.Trial
	}{
		{"timeline-redis.json", sample.Kleppmann(0)},
		{"timeline-late-packet.json", sample.LatePacket()},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			var got bytes.Buffer
			e := json.NewEncoder(&got)
			e.SetIndent("", " ")
			if err := e.Encode(Of(tt.run, "lost-update")); err != nil {
				t.Fatal(err)
			}
			sample.Golden(t, *update, tt.file, got.Bytes())
		})
	}
}
