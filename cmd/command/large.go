package command

import (
	"io"
	"os"
	"runtime/debug"

	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
)

// collectOften makes the program collect garbage more often if the runs of a scenario are large. It returns a
// function that ends that.
func collectOften(s *scenarios.Scenario) (end func()) {
	if !s.Large() || os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(campaign.LargeGCPercent) // Main has set one for small runs
	return func() { debug.SetGCPercent(before) }
}

// noteHistories prints how much memory a command may need that keeps the whole histories of that many runs, if that
// is much. To judge a history takes twice its size.
func noteHistories(w io.Writer, s *scenarios.Scenario, runs int) {
	const (
		judging  = 2
		gigabyte = 1e9
	)
	if bytes := float64(runs+judging) * s.HistoryBytes(); bytes >= gigabyte {
		say(w, "lockquake: %d workers for %v may take about %.1f GB of memory, because the story of a run needs its whole history",
			s.Workers, s.Duration, bytes/gigabyte)
	}
}
