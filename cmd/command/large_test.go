package command

import (
	"strings"
	"testing"

	"lockquake/scenarios"
)

// The history of a run of 1,000 workers for 60 s has 1,000 x 60 x 17 events of 408 bytes: 0.42 GB. To judge it takes twice as much.
func TestALargeHistoryIsAnnounced(t *testing.T) {
	const text = "name: big\ndescription: many\nduration: 60s\nworkers: 1000\nworkload: {kind: counter}\nstrategies: [redis]\nchecks: [lost-update]\n"
	for _, test := range []struct {
		name, more, want string
		runs             int
	}{
		{name: "one run", runs: 1, want: "lockquake: 1000 workers for 1m0s may take about 1.2 GB of memory, because the story of a run needs its whole history"},
		{name: "two runs", runs: 2, want: "lockquake: 1000 workers for 1m0s may take about 1.7 GB of memory, because the story of a run needs its whole history"},
		{name: "three sections each", more: "sections: 3\n", runs: 1},
	} {
		s, err := scenarios.Parse("big.yaml", []byte(text+test.more))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		noteHistories(&out, s, test.runs)
		if got := strings.Join(strings.Fields(out.String()), " "); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
