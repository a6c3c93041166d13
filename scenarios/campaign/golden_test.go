package campaign

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// An emulated machine is too slow for all scenarios.
var tenth = flag.Bool("tenth", false, "compare the checksums of every tenth scenario only")

// Whether a second core changes a checksum does not depend on the architecture.
var oneCore = flag.Bool("one-core", false, "compute the checksums under one core only")

// compared lists the scenarios whose checksums are compared.
func compared() []string {
	all := scenarios.Builtins()
	if !*tenth {
		return all
	}
	var some []string
	for i := 0; i < len(all); i += 10 {
		some = append(some, all[i])
	}
	return some
}

// committed returns the lines of the golden file about some scenarios.
func committed(t *testing.T, file string, names []string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for line := range strings.Lines(string(text)) {
		if name, _, _ := strings.Cut(line, " "); slices.Contains(names, name) {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

// checksums runs some built-in scenarios over a few seeds and lists the
// checksum of each strategy.
func checksums(t *testing.T, names []string, jobs int) string {
	t.Helper()
	var out bytes.Buffer
	for _, name := range names {
		s := loaded(t, name)
		seeds := uint64(3)
		if len(s.Faults) > 0 && s.Faults[0].Case != "" { // many runs as it is
			seeds = 1
		}
		c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: seeds}, Jobs: jobs})
		for _, st := range c.Strategies {
			fmt.Fprintf(&out, "%s %s %s\n", name, st.Label, st.Checksum)
		}
	}
	return out.String()
}

// The checksums of all built-in scenarios are committed. They are the same
// under one core and under two, and on any architecture.
func TestGoldenChecksums(t *testing.T) {
	const file = "testdata/checksums.golden"
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	names := compared()
	one := checksums(t, names, 1)
	if !*oneCore {
		runtime.GOMAXPROCS(2)
		if diff := cmp.Diff(one, checksums(t, names, 4)); diff != "" {
			t.Errorf("one core and two give different checksums:\n%s", diff)
		}
	}
	if *update && !*tenth {
		if err := os.WriteFile(file, []byte(one), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(file); !*tenth && (err != nil || string(text) != committed(t, file, names)) {
		t.Errorf("%s has lines of scenarios that are not built in (%v)", file, err)
	}
	if diff := cmp.Diff(committed(t, file, names), one); diff != "" {
		t.Errorf("checksums (-committed +now); if the change is meant, run make update and say why:\n%s", diff)
	}
}

// The traces of two seeds differ in more than the seed, and one seed gives one
// trace to the byte.
func TestTracesDifferBySeedAndRepeat(t *testing.T) {
	s := loaded(t, "gc-pause")
	trace := func(seed uint64) []byte {
		var out bytes.Buffer
		if _, err := run.Once(s, run.Request{Label: "redis", Seed: seed, Trace: &out}); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	first := trace(1)
	if !bytes.Equal(first, trace(1)) {
		t.Error("one seed gave two traces")
	}
	a, b := bytes.Split(first, []byte("\n")), bytes.Split(trace(2), []byte("\n"))
	same := 0
	seen := map[string]bool{}
	for _, line := range a {
		seen[string(line)] = true
	}
	for _, line := range b {
		if seen[string(line)] {
			same++
		}
	}
	if same > len(b)/100 {
		t.Errorf("%d of %d lines of seed 2 stand in the trace of seed 1 too", same, len(b))
	}
}

// All strategies of one seed meet the same plan.
func TestStrategiesArePaired(t *testing.T) {
	s := loaded(t, "gc-pause")
	a := trialOf(t, s, "none", 7)
	b := trialOf(t, s, "fenced", 7)
	if diff := cmp.Diff(a.Plan.String(), b.Plan.String()); diff != "" {
		t.Errorf("two strategies of one seed met different plans:\n%s", diff)
	}
}
