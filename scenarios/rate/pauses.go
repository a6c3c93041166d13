package rate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/internal/draw"
	"lockquake/internal/strictyaml"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

const (
	// The runs leave out pauses shorter than this share of the shortest long pause: a collector
	// has thousands of them, and together they hardly delay a worker.
	leastShare = 100
	// The background of a process has at most this number of different lengths, and all processes have at most mostInAll.
	mostLengths = 2000
	mostInAll   = 100_000
	// A run without long pauses in the log has one of this many thresholds.
	assumedLengths = 10
	// A run has no longer pause than this many thresholds or leases: what a longer one does to a lock, this one does.
	longestLengths = 10
)

// split sorts the pauses of the log by what they are in a run.
func (e *estimate) split() {
	y := e.result
	pauses := slices.Sorted(slices.Values(e.Log.Pauses))
	least := y.Long.From / leastShare
	from, _ := slices.BinarySearch(pauses, least)
	to, _ := slices.BinarySearch(pauses, y.Long.From)
	e.short, e.long = pauses[from:to], pauses[to:]
	if most := longestLengths * max(y.Long.From, e.lease); y.Log.Longest > most {
		y.Long.Capped = most
	}
	y.Short = results.Short{Count: len(e.short), Least: least}
	if len(e.short) == 0 {
		return
	}
	y.Short.Every = e.every(e.short)
}

// every returns the mean time from the end of one of these pauses to the start of the next.
func (e *estimate) every(pauses []time.Duration) time.Duration {
	paused := time.Duration(0)
	for _, p := range pauses {
		paused += p
	}
	return (e.result.Log.Over - paused) / time.Duration(len(pauses))
}

// possible returns an error if the runs cannot have the pauses of the log, whatever the search finds: it tries those that
// are short at every threshold from the lowest that is expected to the highest.
func (e *estimate) possible() error {
	pauses := slices.Sorted(slices.Values(e.Log.Pauses))
	from, _ := slices.BinarySearch(pauses, e.longest()/leastShare)
	to, _ := slices.BinarySearch(pauses, e.lowest())
	_, err := e.derive(time.Second, pauses[min(from, to):to])
	return err
}

// derive returns the scenario of the runs. Its first fault is a long pause, which each run places
// elsewhere and gives a length of its own. The others are the background.
func (e *estimate) derive(long time.Duration, short []time.Duration) (*scenarios.Scenario, error) {
	with, err := e.scenario.With([]results.Override{{Path: "faults", Value: e.faults(long, short)}, {Path: "expect", Value: "{}"}})
	if err != nil {
		return nil, e.unfit(err)
	}
	text, err := with.Standalone()
	if err != nil {
		return nil, err
	}
	s, err := scenarios.Parse(e.Path, text, e.scenario.Own...)
	if err != nil {
		return nil, e.unfit(err)
	}
	s.Program = e.scenario.Program
	return s, nil
}

// unfit says what is wrong with the scenario of the runs, without its text: it has all lengths of the log.
func (e *estimate) unfit(err error) error {
	text := ""
	if setting, ok := errors.AsType[*scenarios.SettingError](err); ok {
		text = setting.Text
	} else if inFile, ok := errors.AsType[*strictyaml.Error](err); ok {
		text = inFile.Text
	} else {
		return err
	}
	return &Error{fmt.Sprintf("the runs of %s cannot have the pauses of %s: %s", e.scenario.Name, e.File, text)}
}

// faults writes the faults of the runs.
func (e *estimate) faults(long time.Duration, short []time.Duration) string {
	entries := []string{fmt.Sprintf("{at: 0s, pause: {target: worker-1, for: %v}}", e.simulated(long))}
	if len(short) > 0 {
		targets := []string{"each worker"}
		if e.scenario.Processes > 0 {
			targets = e.hosts()
		}
		for _, target := range targets {
			entries = append(entries, fmt.Sprintf("{pause: {target: %s, every: {dist: exponential, mean: %v}, for: {dist: empirical, samples: [%s]}}}",
				target, min(e.every(short), draw.Longest), thinned(short, min(mostLengths, mostInAll/len(targets)))))
		}
	}
	return "[" + strings.Join(entries, ", ") + "]"
}

// thinned writes sorted lengths, at most this many of them at equal distances.
func thinned(sorted []time.Duration, most int) string {
	n := max(1, min(len(sorted), most))
	texts := make([]string, n)
	for i := range texts {
		texts[i] = sorted[(2*i+1)*len(sorted)/(2*n)].String()
	}
	return strings.Join(texts, ", ")
}

// hosts names one worker of each process that uses a lock.
func (e *estimate) hosts() []string {
	names := e.scenario.WorkerNames()
	if e.scenario.Processes > 0 {
		names = names[:min(len(names), e.scenario.Processes)]
	}
	return names
}

// lengths returns the lengths of the long pauses, sorted: those of the log, or an assumed one if it has none.
func (e *estimate) lengths() []time.Duration {
	if len(e.long) == 0 {
		return []time.Duration{e.result.Long.Assumed}
	}
	return e.long
}

// simulated returns how long a long pause takes in a run.
func (e *estimate) simulated(length time.Duration) time.Duration {
	if most := e.result.Long.Capped; most > 0 {
		return min(length, most)
	}
	return length
}
