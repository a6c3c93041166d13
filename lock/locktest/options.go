package locktest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lockquake/checker"
	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/scenarios/results"
)

// Option changes what [Run], [Do], [Explore] or [RunEntry] runs or expects.
type Option func(*request)

// request is one call of RunEntry, Run, Do or Explore.
type request struct {
	test      string // name of the test
	call      int    // of those of the test, from 1
	scenario  string // built-in name or path
	entry     lock.Entry
	seeds     int
	seeded    bool // seeds was given; else it is as many as the scenario says
	overrides []results.Override
	library   *library // the lock of Run; nil: that of RunEntry
	cores     int      // processors of the machine that Go uses
	jobs      int      // processes, or runs at once of RunEntry; 0: the default
	results   func(*results.Campaign)
	kinds     []string       // that Explore places; nil: the default ones
	expect    results.Expect // its checks replace all other expectations, if there are any
	patience  time.Duration  // how long a test that fails looks for a smaller run, in real time
	passed    string         // what the log of a test that passes says
}

// Seeds runs the seeds 1 to n. By default n is the number of seeds of the scenario.
func Seeds(n int) Option { return func(r *request) { r.seeds, r.seeded = n, true } }

// Set sets a value of the scenario, as the flag --set of the command does:
// Set("resource.fence", "reads-writes") makes the resource check fencing tokens.
func Set(path, value string) Option {
	return func(r *request) { r.overrides = append(r.overrides, results.Override{Path: path, Value: value}) }
}

// Results calls f with the results of all runs. Then only f and the checks of Holds and Violates decide.
func Results(f func(*results.Campaign)) Option { return func(r *request) { r.results = f } }

// Kinds lets [Explore] place these kinds of faults only, as the flag --kinds of the command does:
// Kinds("pause", "hold", "drop") places no server-crash, after which a server has lost its data and no lock is safe.
// The command lockquake explore --help lists them.
func Kinds(kinds ...string) Option {
	return func(r *request) { r.kinds = append(append([]string{}, r.kinds...), kinds...) }
}

// OneProcess runs all seeds in the process of the test, one after the other. Use it if the test counts in a variable: each process
// has its own copy.
func OneProcess() Option { return func(r *request) { r.jobs = 1 } }

// Holds expects that no run violates these checks. Then only the checks of Holds and Violates decide.
func Holds(checks ...string) Option {
	return func(r *request) { r.expect.Holds = append(r.expect.Holds, checks...) }
}

// Violates expects that at least one run violates each of these checks, as a test of a known flaw
// does.
func Violates(checks ...string) Option {
	return func(r *request) { r.expect.Violates = append(r.expect.Violates, checks...) }
}

func newRequest(t testing.TB, scenario string, entry lock.Entry, options []Option) *request {
	r := &request{test: t.Name(), call: callOf(t), scenario: scenario, entry: entry, jobs: *jobsFlag, patience: patience}
	for _, option := range options {
		option(r)
	}
	return r
}

// calls counts the calls of each test.
//
//nolint:gochecknoglobals // a test calls functions, which share nothing else
var calls sync.Map // of *int, by testing.TB

// callOf returns the number of the call of a test, from 1.
func callOf(t testing.TB) int {
	counted, known := calls.LoadOrStore(t, new(int))
	if !known {
		t.Cleanup(func() { calls.Delete(t) })
	}
	n := counted.(*int)
	*n++
	return *n
}

// names reports whether the options name checks.
func (r *request) names() bool { return len(r.expect.Holds)+len(r.expect.Violates) > 0 }

// unknownCheck returns what is wrong with the checks of the options, "" if nothing is.
func (r *request) unknownCheck(known []string) string {
	for _, check := range slices.Concat(r.expect.Holds, r.expect.Violates) {
		switch {
		case !slices.Contains(checker.Names(), check):
			return strictyaml.Unknown("check", check, checker.Names())
		case !slices.Contains(known, check):
			return fmt.Sprintf("%s does not judge %q: add locktest.Set(\"checks\", \"[%s]\")", r.scenario, check, strings.Join(append(slices.Clip(known), check), ", "))
		}
	}
	return ""
}
