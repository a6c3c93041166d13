package locktest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"lockquake/reports/story"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/search"
)

// patience is how long a test that fails looks for a smaller run, in real time.
const patience = 10 * time.Second

// failure says what was not as expected. If a run violates a check that had to hold, the story of the
// smallest such run follows, with the command that repeats it.
func (r *request) failure(ctx context.Context, s *scenarios.Scenario, c *results.Campaign) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", s.Name, c.Summary())
	found := unexpected(s, c)
	if found == nil {
		return b.String()
	}
	b.WriteByte('\n')
	trial := found.Trial
	if small, path := r.shrink(ctx, s, found); small != nil {
		trial = small.Trial
		defer func() {}()
		r.tell(&b, trial, found.Check)
		fmt.Fprintf(&b, "%s violated by %v,\nwhere seed %d has %v\nscenario: %s\n", found.Check, small.To, found.Seed, small.From, path)
	} else {
		r.tell(&b, trial, found.Check)
	}
	fmt.Fprintf(&b, "run it again with: %s\n", r.command(trial.Replay))
	return b.String()
}
