package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/scenarios/results"
)

func TestAnAnnotationEscapesWhatWouldEndIt(t *testing.T) {
	a := annotation{level: errorLevel, file: "a,b:c.yaml", line: 3, title: "s: redis, once", text: "69 % of runs: bad\r\nreplay"}
	const want = "::error file=a%2Cb%3Ac.yaml,line=3,title=s%3A redis%2C once::69 %25 of runs: bad%0D%0Areplay"
	if got := a.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAnnotationsAreForGitHubOnlyAndFew(t *testing.T) {
	var list []annotation
	for range 12 {
		list = append(list, annotation{level: errorLevel, title: "s", text: "one"})
	}
	list = append([]annotation{{level: warningLevel, title: "s", text: "unknown"}}, list...)
	var out strings.Builder
	t.Setenv("GITHUB_ACTIONS", "")
	annotate(&out, list)
	if out.Len() > 0 {
		t.Errorf("elsewhere it prints %s", out.String())
	}
	t.Setenv("GITHUB_ACTIONS", "true")
	annotate(&out, list)
	want := strings.Repeat("::error title=s::one\n", 9) + "::error title=lockquake::3 more, see the report\n::warning title=s::unknown\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestACampaignHasAnAnnotationForEachReason(t *testing.T) {
	use := func(label string, expected results.Expectation, violating int) results.StrategyStats {
		return results.StrategyStats{
			Name: label, Label: label, Runs: 20, Decides: true, Expected: expected, Order: []string{"once"},
			Expects: &results.Expect{Holds: []string{"once"}},
			Checks:  map[string]results.CheckStats{"once": {Applies: violating > 0, Violating: violating, FirstSeed: 4, Replay: "s@1:redis:4"}},
		}
	}
	redis, fenced := use("redis", results.NotAsExpected, 9), use("fenced", results.CannotTell, 0)
	redis.Metrics.DoneTwice = 9
	fenced.Metrics.Jobs, fenced.Metrics.Finished = 10, 10
	c := &results.Campaign{
		Scenario: "s", Workload: "jobs", Needed: 20, Verdict: results.Fail, Strategies: []results.StrategyStats{redis, use("none", results.AsExpected, 0), fenced},
		Reasons: []string{redis.Contradiction().Text, fenced.Undecided(20), "not expected: fault 1 (pause) hit no section, lease or call"},
	}
	want := []annotation{
		{errorLevel, "s.yaml", 2, "s: redis, once", "redis did a job twice in 9 of 20 runs (26 to 66 %); not expected: redis violated once in 9 of 20 runs, first with seed 4\nlockquake replay s@1:redis:4"},
		{warningLevel, "s.yaml", 3, "s: fenced", "unknown: fenced had nothing that a check could judge"},
		{errorLevel, "s.yaml", 1, "s", "not expected: fault 1 (pause) hit no section, lease or call"},
	}
	got := annotationsOf(c, "s.yaml", []byte("strategies:\n- redis\n- {name: redis-fenced, label: fenced}\n"))
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(annotation{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
