package campaign

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"lockquake/checker"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/sim/resource"
)

// Without the flag the mutants run with few seeds, and print nothing.
var mutants = flag.Int("mutants", 0, "seeds of each run of the mutants; prints the table")

// verdicts returns the page about the checks.
func verdicts(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/verdicts.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// catchers returns, for each flaw, the check that has to catch it, from the table in docs/verdicts.md. A
// flaw of the catalogue that is missing there fails the test.
func catchers(t *testing.T) map[string]string {
	t.Helper()
	names := map[string]string{}
	for line := range strings.Lines(verdicts(t)) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || !slices.ContainsFunc(checker.Names(), func(name string) bool { return cells[1] == " `"+name+"` " }) {
			continue
		}
		for flaw := range strings.SplitSeq(cells[2], ",") {
			names[strings.TrimSpace(flaw)] = strings.Trim(cells[1], " `")
		}
	}
	return names
}

// mutant is a flaw with the run that is to show it.
type mutant struct {
	flaw, check string
	scenario    *scenarios.Scenario
	label       string
	seed        uint64 // the first that shows it; 0: none did
}

// findMutant looks for a built-in scenario that expects the flaw to be caught
// by its check.
func findMutant(t *testing.T, all []*scenarios.Scenario, flaw, check string) mutant {
	t.Helper()
	for _, s := range all {
		for _, use := range s.Strategies {
			if (use.Name == flaw || s.ResourceOf(use).Fence == flaw) && slices.Contains(s.Expect[use.Label].Violates, check) {
				return mutant{flaw: flaw, check: check, scenario: s, label: use.Label}
			}
		}
	}
	t.Errorf("no built-in scenario expects %s to violate %s", flaw, check)
	return mutant{}
}

func builtins(t *testing.T) []*scenarios.Scenario {
	t.Helper()
	var all []*scenarios.Scenario
	for _, name := range scenarios.Builtins() {
		s := loaded(t, name)
		all = append(all, s)
	}
	return all
}

// Every flawed strategy and every flawed resource is caught by the check that
// is named for it, within 100 seeds of a built-in scenario.
func TestMutantsAreCaught(t *testing.T) {
	const within = 100
	var flaws []string
	for _, e := range scenarios.Strategies() {
		if e.Flawed {
			flaws = append(flaws, e.Name)
		}
	}
	for _, p := range resource.Policies() {
		if p.Flawed {
			flaws = append(flaws, string(p.Policy))
		}
	}
	named, all := catchers(t), builtins(t)
	for flaw := range named {
		if !slices.Contains(flaws, flaw) {
			t.Errorf("docs/verdicts.md names the flaw %s, which no strategy and no resource has", flaw)
		}
	}
	var caught []mutant
	for _, flaw := range flaws {
		if named[flaw] == "" {
			t.Errorf("docs/verdicts.md names no check that catches %s", flaw)
			continue
		}
		m := findMutant(t, all, flaw, named[flaw])
		if m.scenario == nil {
			continue
		}
		for seed := uint64(1); seed <= within && m.seed == 0; seed++ {
			trial := trialOf(t, m.scenario, m.label, seed)
			for _, r := range trial.Results {
				if r.Check == m.check && r.Verdict == "invalid" {
					m.seed = seed
				}
			}
		}
		if m.seed == 0 {
			t.Errorf("%s: %s does not catch it in %d seeds of %s", flaw, m.check, within, m.scenario.Name)
		}
		caught = append(caught, m)
	}
	if *mutants == 0 {
		return
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer out.Flush()
	fmt.Fprintf(out, "flaw\tcaught by\tin\twith seed\n")
	for _, m := range caught {
		fmt.Fprintf(out, "%s\t%s\t%s\t%d\n", m.flaw, m.check, m.scenario.Name, m.seed)
	}
}

// No sound strategy is accused under the classes of faults that it claims to
// stand; where it claims nothing, the table says how often it breaks.
func TestSoundStrategiesKeepTheirClaims(t *testing.T) {
	for _, s := range builtins(t) {
		if s.Claims {
			t.Run(s.Name, func(t *testing.T) { keepsItsClaims(t, s.Name) })
		}
	}
}

// keepsItsClaims runs the strategies of a scenario of claims.
func keepsItsClaims(t *testing.T, name string) {
	seeds := *mutants
	switch {
	case seeds > 0:
	case testing.Short():
		seeds = 1
	case os.Getenv("CI") != "":
		seeds = 10
	default:
		seeds = 20
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
	s := loaded(t, name)
	// Where a strategy claims nothing, a tenth of the runs says how it breaks.
	var claimed, others []string
	for _, use := range s.Strategies {
		if _, claims := s.ExpectOf(use); claims {
			claimed = append(claimed, use.Label)
		} else {
			others = append(others, use.Label)
		}
	}
	var all []results.StrategyStats
	met := map[int]bool{}
	for _, part := range []struct {
		labels []string
		seeds  int
	}{{claimed, seeds}, {others, max(1, seeds/10)}} {
		c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: uint64(part.seeds)}, Strategies: part.labels})
		all = append(all, c.Strategies...)
		for _, f := range c.Faults {
			met[f.Spec] = met[f.Spec] || f.Hit > 0
		}
	}
	for _, st := range all {
		if st.Expects == nil {
			continue
		}
		for _, check := range st.Expects.Holds {
			if stats := st.Checks[check]; stats.Violating+stats.Unknown > 0 {
				t.Errorf("%s: %s is violated in %d of %d runs and unknown in %d: %s", st.Label, check, stats.Violating, st.Runs, stats.Unknown, stats.Replay)
			}
		}
	}
	for i, spec := range s.Faults {
		if !met[i] && !testing.Short() { // a single seed may have no hit by chance
			t.Errorf("fault %d (%s) hit nothing", i+1, spec.Kind())
		}
	}
	if *mutants == 0 {
		return
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer out.Flush()
	fmt.Fprintf(out, "sound strategy\truns\tclaimed, violated\tnot claimed, corrupted\n")
	for _, st := range all {
		claimed, broken := 0, 0
		for _, check := range []string{"linearizable", "lost-update", "exclusion"} {
			if st.Expects == nil || !slices.Contains(st.Expects.Holds, check) {
				broken = max(broken, st.Checks[check].Violating)
			}
		}
		if st.Expects != nil {
			for _, check := range st.Expects.Holds {
				claimed = max(claimed, st.Checks[check].Violating)
			}
		}
		fmt.Fprintf(out, "%s\t%d\t%d\t%d\n", st.Label, st.Runs, claimed, broken)
	}
}

// Every sound strategy without a lock has a scenario of claims.
func TestStrategiesWithoutALockHaveAMatrix(t *testing.T) {
	for _, e := range scenarios.Strategies() {
		if !e.LockFree || e.Flawed {
			continue
		}
		s := loaded(t, e.Name+"-matrix")
		if !s.Claims || s.Strategies[0].Name != e.Name {
			t.Errorf("the scenario %s says nothing of the claims of %s", s.Name, e.Name)
		}
	}
}

// single-writer has no place in redis-matrix, since half of the workers wait in vain, but its claims
// hold there.
func TestSingleWriterKeepsItsClaims(t *testing.T) {
	s := loaded(t, "redis-matrix")
	uses, err := s.Uses([]string{"single-writer"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, use := range uses {
		if e, claims := s.ExpectOf(use); claims && slices.Contains(e.Holds, "exclusion") {
			labels = append(labels, use.Label)
		}
	}
	if len(labels) == 0 {
		t.Fatal("it claims nothing")
	}
	c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 10}, Strategies: labels})
	for _, st := range c.Strategies {
		for _, check := range st.Expects.Holds {
			if stats := st.Checks[check]; stats.Violating > 0 {
				t.Errorf("%s: %s is violated in %d of %d runs: %s", st.Label, check, stats.Violating, st.Runs, stats.Replay)
			}
		}
	}
}

// The flawed strategies of lock servers, which claim nothing, are run under every case too; each
// case meets each of them, unless it is marked as one that not every strategy has
// something for.
func TestFlawedStrategiesUnderEveryFault(t *testing.T) {
	flawed := map[string][]string{} // by matrix
	for _, e := range scenarios.Strategies() {
		if !e.Flawed || e.LockFree {
			continue
		}
		matrix := e.Family + "-matrix"
		if len(e.Needs) > 0 {
			matrix = "job-matrix"
		}
		flawed[matrix] = append(flawed[matrix], e.Name)
	}
	for _, matrix := range slices.Sorted(maps.Keys(flawed)) {
		t.Run(matrix, func(t *testing.T) { meetsEveryFault(t, matrix, flawed[matrix]) })
	}
}

// casesOf returns the cases of a scenario, and whether not every strategy has something for them.
func casesOf(s *scenarios.Scenario) map[string]bool {
	cases := map[string]bool{}
	for _, f := range s.Faults {
		cases[f.Case] = f.Optional
	}
	return cases
}

// meetsEveryFault runs flawed strategies under every case of a scenario.
func meetsEveryFault(t *testing.T, matrix string, flawed []string) {
	t.Helper()
	s := loaded(t, matrix)
	c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 1}, Strategies: flawed})
	noRelease := []string{"failed-release", "cancelled-release"}
	without := map[string][]string{ // cases with nothing to hit, by strategy
		"redis-fenced-published":      slices.Collect(maps.Keys(casesOf(s))), // no worker ever holds it, so there is no work
		"pg-advisory-try-leak":        noRelease,
		"pg-advisory-xact-autocommit": noRelease,
		"leader-overlapping":          {"cancelled-acquire"}, // its second request is that of a campaign beside the sections
	}
	cases := casesOf(s)
	if got, want := len(c.Strategies), len(flawed)*len(cases); got != want {
		t.Errorf("%d uses of %d strategies, want %d", got, len(flawed), want)
	}
	var missed []string
	for _, st := range c.Strategies {
		if st.Hit == 0 && !cases[st.Case] && !slices.Contains(without[st.Name], st.Case) {
			missed = append(missed, st.Label)
		}
	}
	if missed == nil {
		return
	}
	again := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 2, Last: 10}, Strategies: missed})
	for _, st := range again.Strategies {
		if st.Hit == 0 {
			t.Errorf("%s: the fault hit nothing in 10 runs", st.Label)
		}
	}
}

// The page has the right numbers of locks and cases.
func TestThePageOfTheChecksCountsTheMutants(t *testing.T) {
	s := loaded(t, "redis-matrix")
	locks, cases := map[string]bool{}, map[string]bool{}
	for _, use := range s.Strategies {
		locks[use.Name], cases[use.Case] = true, true
	}
	if want := fmt.Sprintf("%d locks, %d cases", len(locks), len(cases)); !strings.Contains(verdicts(t), want) {
		t.Errorf("docs/verdicts.md does not say %q of redis-matrix", want)
	}
}
