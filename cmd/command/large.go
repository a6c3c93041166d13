package command

import (
	"io"
	"os"
	"runtime/debug"

	"lockquake/scenarios"
)

// setGC sets GOGC, unless the user has set it. It returns a function that restores the value for small runs, which Main
// has set.
func setGC(percent int) (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(percent)
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
