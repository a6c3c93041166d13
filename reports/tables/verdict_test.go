package tables

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/reports/internal/sample"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// use returns a strategy with a number of runs, and the runs that violate each check.
func use(label string, runs int, violating map[string]int) results.StrategyStats {
	st := results.StrategyStats{
		Name: label, Label: label, Runs: runs, Order: checker.Names(), Checks: map[string]results.CheckStats{},
		Metrics: checker.Metrics{Jobs: 1000, Finished: 980},
	}
	for _, check := range st.Order {
		st.Checks[check] = results.CheckStats{Applies: true, Violating: violating[check]}
	}
	return st
}

func texts(list []Sentence) []string {
	var all []string
	for _, s := range list {
		all = append(all, string(s.Grade)+": "+s.Text)
	}
	return all
}

// twice returns a use with this number of units that were done twice.
func twice(st results.StrategyStats, units int64) results.StrategyStats {
	st.Metrics.DoneTwice = units
	return st
}

func TestTheVerdictSaysWhatHappenedWorstFirst(t *testing.T) {
	asked := use("asked", 200, map[string]int{"belief": 150})
	asked.Expects = &results.Expect{Violates: []string{"belief"}}
	idle := use("idle", 200, nil)
	idle.Metrics = checker.Metrics{Jobs: 1000, Finished: 3}
	undecided := use("undecided", 200, nil)
	undecided.Checks["progress"] = results.CheckStats{Applies: true, Unknown: 3}
	tests := []struct {
		name     string
		workload string
		uses     []results.StrategyStats
		want     []string
	}{
		{
			"corruption before a flaw of the service, and the more frequent first", "counter",
			[]results.StrategyStats{
				use("fenced", 1000, nil),
				use("slow", 1000, map[string]int{"progress": 1000}),
				use("seldom", 1000, map[string]int{"lost-update": 2}),
				use("redis", 1000, map[string]int{"lost-update": 690, "linearizable": 690, "belief": 900}),
			},
			[]string{
				"failed: redis lost updates in 69 % of runs (66 to 72 %)",
				"failed: seldom lost updates in 0.2 % of runs (0.055 to 0.7 %)",
				"flawed: slow left a worker waiting too long in all 1,000 runs (99.6 to 100 %)",
				"held: fenced had no failure in 1,000 runs (fewer than 0.3 %), and finished 98 % of its work",
			},
		},
		{
			"a strategy that held says so without the sentences before it", "charge",
			[]results.StrategyStats{
				twice(use("none", 40, map[string]int{"once": 9}), 12), use("key", 40, nil), use("other", 40, nil),
			},
			[]string{
				"failed: work without a lock charged a card twice in 9 of 40 runs (12 to 38 %)",
				"held: key and other had no failure in 40 runs (fewer than 7.3 %), and finished 98 % of their work",
			},
		},
		{
			"equal strategies share a sentence", "leader",
			[]results.StrategyStats{
				use("first", 1, map[string]int{"exclusion": 1}), use("second", 1, map[string]int{"exclusion": 1}),
			},
			[]string{"failed: first and second had two leaders at work at once in the only run (21 to 100 %)"},
		},
		{
			"two of two runs", "leader",
			[]results.StrategyStats{use("first", 2, map[string]int{"exclusion": 2})},
			[]string{"failed: first had two leaders at work at once in both runs (34 to 100 %)"},
		},
		{
			"what is clearly more frequent than the most serious failure is said too", "counter",
			[]results.StrategyStats{use("late", 100, map[string]int{"lost-update": 1, "exclusion": 60})},
			[]string{"failed: late lost updates in 1.0 % of runs (0.2 to 5.4 %), and had two holders at work at once in 60 % of runs"},
		},
		{
			"unknown is no pass, and says why", "counter",
			[]results.StrategyStats{idle, undecided, use("unrun", 0, nil)},
			[]string{
				"unknown: unknown: idle finished 3 of 1000, less than 1 %, so hardly anything was tested",
				"unknown: unknown: undecided could not be judged by progress in 3 of 200 runs",
				"unknown: unknown: unrun finished no run",
			},
		},
		{
			"what does no harm is no failure, and is said if the scenario asks for it", "counter",
			[]results.StrategyStats{asked, use("unasked", 200, map[string]int{"belief": 150})},
			[]string{
				"held: asked had no failure in 200 runs (fewer than 1.5 %), and finished 98 % of its work; without harm it had two workers that believed they held the lock in 75 % of runs",
				"held: unasked had no failure in 200 runs (fewer than 1.5 %), and finished 98 % of its work",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := texts(Verdict(&results.Campaign{Workload: tt.workload, Strategies: tt.uses}))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A strategy with cases has one sentence, which names the classes of faults.
func TestTheVerdictOfACampaignWithCases(t *testing.T) {
	want := []string{
		"failed: third had two holders at work at once under pauses and worker crashes (up to 10 of 10 runs)",
		"failed: first had two holders at work at once under pauses (up to 3 of 10 runs)",
		"flawed: second kept a lock held after its owner had gone under other faults (up to 10 of 10 runs)",
	}
	if diff := cmp.Diff(want, texts(Verdict(sample.CaseCampaign()))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAFaultThatHitNothingIsNamed(t *testing.T) {
	c := &results.Campaign{
		Strategies: []results.StrategyStats{use("redis", 200, nil)},
		Faults:     []results.FaultStats{{Spec: 0, Kind: "pause", Planned: 5}, {Spec: 1, Kind: "drop", Planned: 5, Optional: true}, {Spec: 2, Kind: faults.Kind("hold"), Hit: 1}},
	}
	want := []string{
		"unknown: fault 1 (pause) hit no section, lease or call, so it tested nothing",
		"held: redis had no failure in 200 runs (fewer than 1.5 %), and finished 98 % of its work",
	}
	if diff := cmp.Diff(want, texts(Verdict(c))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFaultsThatHitNothingShareASentence(t *testing.T) {
	c := &results.Campaign{
		Strategies: []results.StrategyStats{use("redis", 200, nil)},
		Faults:     []results.FaultStats{{Spec: 0, Kind: "pause", Planned: 5}, {Spec: 1, Kind: "drop", Hit: 1}, {Spec: 2, Kind: "hold", Planned: 5}},
	}
	want := "unknown: faults 1, 3 hit no section, lease or call, so they tested nothing"
	if got := texts(Verdict(c)); got[0] != want {
		t.Errorf("%q, want %q first", got, want)
	}
}

func TestRunsThatShowNothingAreNamed(t *testing.T) {
	idle := use("redis", 200, nil)
	idle.Decides = true
	idle.Metrics.ContendedOf, idle.Metrics.Tenure.N = 1000, 1000
	want := []string{
		"unknown: unknown: nothing competed for a lock and nothing failed, so the runs show nothing about mutual exclusion",
		"held: redis had no failure in 200 runs (fewer than 1.5 %), and finished 98 % of its work",
	}
	if diff := cmp.Diff(want, texts(Verdict(&results.Campaign{Strategies: []results.StrategyStats{idle}}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of many strategies those with the same failure share a sentence, which bounds their shares.
func TestManyStrategiesMakeFewSentences(t *testing.T) {
	c := &results.Campaign{Workload: "counter"}
	for i := range 13 {
		c.Strategies = append(c.Strategies,
			use(string(rune('a'+i)), 100, map[string]int{"lost-update": 10 + 5*i}), use(string(rune('A'+i)), 100, nil))
	}
	want := []string{
		"failed: 13 strategies (m, l, k, j and 9 more) lost updates in 10 to 70 % of runs",
		"held: 13 strategies (A, B, C, D and 9 more) had no failure in 100 runs (fewer than 3 %), and finished 98 % of their work",
	}
	if diff := cmp.Diff(want, texts(Verdict(c))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAShardIsDoneOnlyIfItWasNotStopped(t *testing.T) {
	c := &results.Campaign{Scenario: "s", Workload: "counter", WakeLag: "0s", Strategies: []results.StrategyStats{use("redis", 200, nil)}}
	const done, stopped = "\nshard 2/3 is done; lockquake merge decides, once all are\n", "\nshard 2/3 is not done; run it again with --resume\n"
	for _, partial := range []bool{false, true} {
		c.Partial = partial
		var text strings.Builder
		if err := Campaign(&text, c, Options{Part: "2/3"}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text.String(), done) == partial || strings.Contains(text.String(), stopped) != partial {
			t.Errorf("partial %v: it prints\n%s", partial, text.String())
		}
	}
}

func TestShortenedKeepsWhatHeld(t *testing.T) {
	var list []Sentence
	for range 15 {
		list = append(list, Sentence{Grade: Failed})
	}
	list = append(list, Sentence{Text: "last", Grade: Held})
	shown, more := Shortened(list)
	if len(shown) != 12 || more != 4 || shown[11].Text != "last" {
		t.Errorf("%d sentences and %d more, the last is %q", len(shown), more, shown[len(shown)-1].Text)
	}
}

func TestATerminalShowsFailuresInTheAlarmColourAndTheExpectedFaint(t *testing.T) {
	c := &results.Campaign{
		Scenario: "s", Workload: "counter", Verdict: results.Pass, WakeLag: "0s",
		Strategies: []results.StrategyStats{use("redis", 200, map[string]int{"lost-update": 9}), use("fenced", 200, nil), use("slow", 200, map[string]int{"load": 1})},
	}
	c.Strategies[0].Decides = true
	var plain, coloured strings.Builder
	if err := errors.Join(Campaign(&plain, c, Options{}), Campaign(&coloured, c, Options{Screen: words.Screen{Color: true}})); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(plain.String(), "\x1b") {
		t.Errorf("without colours it prints %q", plain.String())
	}
	for _, want := range []string{
		"\x1b[1;31mredis lost updates in 4.5 % of runs (2.4 to 8.3 %)\x1b[0m\n", "\x1b[1mslow polled ", "\nfenced had no failure ", "\x1b[2mas expected\x1b[0m\n",
	} {
		if !strings.Contains(coloured.String(), want) {
			t.Errorf("it does not print %q, but\n%q", want, coloured.String())
		}
	}
	c.Verdict, c.Reasons = results.Fail, []string{"unknown: b", "not expected: a"}
	coloured.Reset()
	if err := Campaign(&coloured, c, Options{Screen: words.Screen{Color: true}}); err != nil {
		t.Fatal(err)
	}
	if want := "\x1b[1;31mnot expected: a\x1b[0m\n\x1b[1munknown: b\x1b[0m\n"; !strings.Contains(coloured.String(), want) {
		t.Errorf("it does not print %q, but\n%q", want, coloured.String())
	}
}

// The line replays the first run that violates the most serious check of the strategy that failed most. Work
// without a lock fails anywhere, and is replayed only if no lock failed. The line is not wrapped.
func TestTheFirstFailingRunOfTheWorstLockIsReplayed(t *testing.T) {
	failed := func(label string, runs int, check string) results.StrategyStats {
		st := use(label, 200, map[string]int{check: runs})
		st.Checks[check] = results.CheckStats{Applies: true, Violating: runs, Replay: "'" + label + " " + strings.Repeat("x", 120) + "'"}
		return st
	}
	none, redis, checked, believer := failed("none", 200, "lost-update"), failed("redis", 9, "lost-update"), failed("checked", 30, "exclusion"), failed("believer", 200, "belief")
	tests := []struct {
		strategies []results.StrategyStats
		want       string // label
	}{
		{[]results.StrategyStats{none, redis}, "redis"},
		{[]results.StrategyStats{failed("rare", 1, "lost-update"), redis}, "redis"},
		{[]results.StrategyStats{failed("slow", 200, "load"), checked}, "checked"},
		{[]results.StrategyStats{none}, "none"},
		{[]results.StrategyStats{believer}, ""},
	}
	for _, tt := range tests {
		c := &results.Campaign{Scenario: "s", Workload: "counter", WakeLag: "0s", Strategies: tt.strategies}
		var text strings.Builder
		if err := Campaign(&text, c, Options{Screen: words.Screen{Width: 40}}); err != nil {
			t.Fatal(err)
		}
		_, line, found := strings.Cut(text.String(), "\nfirst failing run: ")
		line, _, _ = strings.Cut(line, "\n")
		switch want := "lockquake replay '" + tt.want + " " + strings.Repeat("x", 120) + "'"; {
		case tt.want == "" && found:
			t.Errorf("a run without harm is replayed: %s", line)
		case tt.want != "" && line != want:
			t.Errorf("it prints %q, want %q", line, want)
		}
	}
}

// With --set an expectation may no longer fit, so the reader is told whose it is.
func TestAnUnmetExpectationOfAChangedScenarioIsNamedAsSuch(t *testing.T) {
	st := use("redis", 200, nil)
	st.Expects, st.Expected, st.Decides = &results.Expect{Violates: []string{"lost-update"}}, results.NotAsExpected, true
	c := &results.Campaign{Verdict: results.Fail, Reasons: []string{"not expected: a"}, Strategies: []results.StrategyStats{st}, Overrides: []string{"lock.ttl=60s", "workers=2"}}
	want := []string{"failed: not expected: a", "failed: the expectation is that of the unchanged scenario, without --set lock.ttl=60s --set workers=2"}
	if diff := cmp.Diff(want, texts(Expectations(c))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c.Overrides = nil
	if diff := cmp.Diff(want[:1], texts(Expectations(c))); diff != "" {
		t.Errorf("without --set (-want +got):\n%s", diff)
	}
}

// The case without faults is no class of faults. Alone it is a campaign without cases.
func TestAFailureWithoutAFaultIsUnderNoFault(t *testing.T) {
	under := func(label, of, class string, lost int) results.StrategyStats {
		st := use(label+" under "+of, 10, map[string]int{"lost-update": lost})
		st.Name, st.Case, st.Class = label, of, class
		return st
	}
	pauses := results.FaultClasses()[0]
	for _, test := range []struct {
		name string
		uses []results.StrategyStats
		want string
	}{
		{"alone", []results.StrategyStats{under("redis", results.NoFault, "", 5)}, "redis under no-fault lost updates in 5 of 10 runs (24 to 76 %)"},
		{
			"beside a class of faults",
			[]results.StrategyStats{under("redis", results.NoFault, "", 2), under("redis", "p", pauses.Letter, 5)},
			"redis lost updates under " + pauses.Name + " and no fault (up to 5 of 10 runs)",
		},
	} {
		c := &results.Campaign{Workload: "counter", Strategies: test.uses}
		got := Verdict(c)
		if len(got) != 1 || got[0].Text != test.want {
			t.Errorf("%s: %q, want %q", test.name, texts(got), test.want)
		}
		if cases := HasCases(c); cases != (len(test.uses) > 1) {
			t.Errorf("%s: a map of cases: %v", test.name, cases)
		}
	}
}
