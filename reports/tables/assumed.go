package tables

import (
	"fmt"
	"slices"
	"strings"
	"time"

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
	assumed := []string{fmt.Sprintf("a step takes %v", c.Step), waking, heeding(c)}
	for _, s := range c.Samples {
		assumed = append(assumed, measured(s))
	}
	return assumed
}

// measured says what a file of durations has, and which distributions draw from it.
func measured(s results.Samples) string {
	of := words.Plain(s.Of[0], 60)
	if more := len(s.Of) - 1; more > 0 {
		of += fmt.Sprintf(" and %d more", more)
	}
	text := fmt.Sprintf("%s from %s, %s: %s durations, longest %v", of, words.Plain(s.File, 60), words.Plain(s.Kind, 60), words.Thousands(s.Count), s.Longest)
	if s.Span > 0 {
		text += fmt.Sprintf(", over %v", s.Span.Round(time.Millisecond))
	}
	return text
}

// heeding says when the work checks its context, and which uses and workers differ from
// the first use.
func heeding(c *results.Campaign) string {
	if len(c.Strategies) == 0 {
		return "no work"
	}
	first := c.Strategies[0]
	var differ, workers []string
	for _, st := range c.Strategies {
		if st.Heeds != first.Heeds {
			differ = append(differ, fmt.Sprintf("under %s %s", words.Plain(st.Use(), 60), heeds(st.Heeds)))
		}
		for worker, way := range st.HeedsOf {
			workers = append(workers, fmt.Sprintf("of %s %s", words.Plain(worker, 60), heeds(way)))
		}
	}
	slices.Sort(workers)
	differ = append(slices.Compact(differ), slices.Compact(workers)...)
	text := "work " + heeds(first.Heeds) + " checks its context"
	if first.Heeds == results.HeedsBeforeWrite {
		text = "work checks its context " + heeds(first.Heeds)
	}
	if differ != nil {
		text += " (" + strings.Join(differ, ", ") + ")"
	}
	return text
}

// heeds prints when work checks its context. Results of older versions have none: it was
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
