package tables

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Assumed lists the assumptions that the rates of a campaign depend on, beside the
// figures of the scenario, a few words each.
func Assumed(c *results.Campaign) []string {
	waking := fmt.Sprintf("waking takes %s", words.Plain(c.WakeLag, 200))
	switch c.Wake {
	case results.DeadlinesFirst:
		waking += ", deadlines first"
	case results.Arrival:
		waking += ", in order of arrival"
	case results.WakeDrawn:
		waking += fmt.Sprintf(" on each of %d cores", c.Cores)
	}
	return []string{fmt.Sprintf("a step takes %v", c.Step), waking, heeding(c)}
}

// heeding says when the work heeds its context, and which uses and workers differ from
// the first use.
func heeding(c *results.Campaign) string {
	if len(c.Strategies) == 0 {
		return "no work"
	}
	first := c.Strategies[0]
	var differ, workers []string
	for _, st := range c.Strategies {
		if st.Heeds != first.Heeds {
			differ = append(differ, fmt.Sprintf("under %s %s", words.Plain(st.Label, 60), heeds(st.Heeds)))
		}
		for worker, way := range st.HeedsOf {
			workers = append(workers, fmt.Sprintf("of %s %s", words.Plain(worker, 60), heeds(way)))
		}
	}
	slices.Sort(workers)
	differ = append(differ, slices.Compact(workers)...)
	text := "work heeds its context " + heeds(first.Heeds)
	if differ != nil {
		text += " (" + strings.Join(differ, ", ") + ")"
	}
	return text
}

// heeds prints a way to heed a context. Results of older versions have none: it was
// always.
func heeds(h results.Heeds) string {
	switch h {
	case results.HeedsBeforeWrite:
		return "only before a write"
	case results.HeedsNever:
		return "never"
	case results.HeedsAlways:
	}
	return "always"
}
