package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/reports/internal/sample"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

func seedSet(t *testing.T, text string) (s results.SeedSet) {
	t.Helper()
	if err := s.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return s
}

// checked returns a campaign of one strategy and one check.
type checked struct {
	runs               string // seeds
	violating, unknown string // seeds
	noSeeds            bool   // only the counts are known, as in an older file
	holds              bool   // it is expected to hold
	checksum           string
	more               int // violating runs that are not listed
}

func (r checked) campaign(t *testing.T) *results.Campaign {
	t.Helper()
	runs, violating, unknown := seedSet(t, r.runs), seedSet(t, r.violating), seedSet(t, r.unknown)
	stats := results.CheckStats{Applies: true, Violating: violating.Count() + r.more, Unknown: unknown.Count()}
	st := results.StrategyStats{Name: "redis", Label: "redis", Runs: runs.Count(), Order: []string{"once"}, Decides: r.holds, Checksum: r.checksum}
	if !r.noSeeds {
		st.Seeds, stats.Seeds, stats.UnknownSeeds = runs, violating, unknown
	}
	if r.holds {
		st.Expects = &results.Expect{Holds: []string{"once"}}
	}
	st.Checks = map[string]results.CheckStats{"once": stats}
	return &results.Campaign{Schema: 1, Version: "0.1.0", Scenario: "s", Hash: "1", Strategies: []results.StrategyStats{st}}
}

func TestCompareJudgesByTheTestAndTheClaim(t *testing.T) {
	for _, tt := range []struct {
		name       string
		base, head checked
		want       judgement
		why        string
		changed    bool
	}{
		{"no seed changed", checked{runs: "1-100", violating: "3,5"}, checked{runs: "1-100", violating: "3,5"}, same, "no verdict of 100 seeds changed", false},
		{"six more of the same seeds", checked{runs: "1-100", violating: "1"}, checked{runs: "1-100", violating: "1-7"}, worse, "of 100 shared seeds 6 broke and 0 fixed (McNemar, p = 0.031)", true},
		{"six fewer", checked{runs: "1-100", violating: "1-7"}, checked{runs: "1-100", violating: "1"}, better, "0 broke and 6 fixed", true},
		{"five more could be chance", checked{runs: "1-100"}, checked{runs: "1-100", violating: "1-5"}, cannotTell, "5 broke and 0 fixed (McNemar, p = 0.062)", true},
		{"one is enough against a promise", checked{runs: "1-100", holds: true}, checked{runs: "1-100", violating: "9", holds: true}, worse, "it is expected to hold, and held; of 100 shared seeds 1 broke", true},
		{"a promise that was broken before", checked{runs: "1-100", violating: "2", holds: true}, checked{runs: "1-100", violating: "2,9", holds: true}, cannotTell, "p = 1.00", true},
		{"a few of very many", checked{runs: "1-5000", violating: "1-3"}, checked{runs: "1-5000", violating: "2-5"}, same, "differ by less than 1.0 %", true},
		{"it cannot be told any more", checked{runs: "1-100"}, checked{runs: "1-100", unknown: "1-50"}, cannotTell, "of 50 shared seeds", true},
		{"unknown as before", checked{runs: "1-100", unknown: "4"}, checked{runs: "1-100", unknown: "4"}, same, "no verdict", false},
		{"other seeds, much worse", checked{runs: "1-100", violating: "1-5"}, checked{runs: "201-300", violating: "201-250"}, worse, "Fisher, p < 0.001", true},
		{"other seeds, few runs", checked{runs: "1-20"}, checked{runs: "21-40"}, cannotTell, "Fisher, p = 1.00", false},
		{"other seeds, many runs", checked{runs: "1-1000"}, checked{runs: "1001-2000"}, same, "differ by less than", false},
		{"few seeds in common", checked{runs: "1-100"}, checked{runs: "99-200"}, cannotTell, "of 2 shared seeds", false},
		{"fewer seeds than before", checked{runs: "1-100", violating: "4"}, checked{runs: "1-50", violating: "4"}, same, "no verdict of 50 seeds", false},
		{"an older file", checked{runs: "1-100", violating: "1-60", noSeeds: true}, checked{runs: "1-100", violating: "1-20"}, better, "Fisher, p < 0.001", true},
		{"a list of the first seeds only", checked{runs: "1-10000", violating: "1,3,...", more: 98}, checked{runs: "1-10000", violating: "1-3,...", more: 197}, worse, "too few seeds are listed to compare them one by one (Fisher, p < 0.001)", true},
		{"a list of most seeds", checked{runs: "1-10000", violating: "1,9000,...", more: 98}, checked{runs: "1-10000", violating: "1,9000,..."}, cannotTell, "of 9000 shared seeds 0 broke", false},
		{"an older file and itself", checked{runs: "1-100", violating: "1-6", noSeeds: true, checksum: "ab"}, checked{runs: "1-100", violating: "1-6", noSeeds: true, checksum: "ab"}, same, "the runs are the same", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Compare(tt.base.campaign(t), tt.head.campaign(t))
			check := c.Strategies[0].Checks[0]
			if check.Verdict != tt.want || !strings.Contains(check.Why, tt.why) || c.Changed != tt.changed {
				t.Errorf("%s (changed: %v): %s; want %s: %s", check.Verdict, c.Changed, check.Why, tt.want, tt.why)
			}
			if c.Verdict != tt.want || c.Strategies[0].Verdict != tt.want {
				t.Errorf("the strategy is %s, the whole %s", c.Strategies[0].Verdict, c.Verdict)
			}
		})
	}
}

// A difference that is significant in one comparison is not significant among ten.
func TestCompareCorrectsForManyChecks(t *testing.T) {
	base, head := checked{runs: "1-100"}.campaign(t), checked{runs: "1-100", violating: "1-6"}.campaign(t)
	for _, c := range []*results.Campaign{base, head} {
		for _, label := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
			st := c.Strategies[0]
			st.Label = label
			c.Strategies = append(c.Strategies, st)
		}
	}
	c := Compare(base, head)
	if why := c.Strategies[9].Checks[0].Why; c.Verdict != cannotTell || !strings.HasSuffix(why, "(McNemar, p = 0.031), not significant after Holm's correction") {
		t.Errorf("p = 0.031 ten times is %s: %s", c.Verdict, why)
	}
}

func TestCompareNamesTheSettingsAndStrategiesThatDiffer(t *testing.T) {
	base, head := checked{runs: "1-10"}.campaign(t), checked{runs: "1-10"}.campaign(t)
	base.Text = "name: s\nlock: {ttl: 2s}\nstrategies: [redis, {name: redis-fenced, label: f, lock: {ttl: 1s}}, gone]\nfaults:\n  - pause: {for: 1s}\n"
	head.Text = "name: s # the same\nlock: {ttl: 1s}\nstrategies: [{name: redis-fenced, label: f, lock: {ttl: 3s}}, {name: redis, lock: {ttl: 4s}}]\nfaults:\n  - pause: {for: 2s}\nseeds: 3\n"
	head.Hash, head.Version = "2", "0.2.0"
	head.Strategies[0].Checksum, head.Strategies[0].Label = "other", "mine"
	c := Compare(base, head)
	want := []change{
		{"lock.ttl", "2s", "1s"},
		{"strategies[f].lock.ttl", "1s", "3s"},
		{"strategies[gone]", "gone", ""},
		{"faults[1].pause.for", "1s", "2s"},
		{"strategies[redis].lock.ttl", "", "4s"},
		{"seeds", "", "3"},
	}
	if diff := cmp.Diff(want, c.Parameters); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	if !c.Changed || c.Verdict != same || c.Removed[0] != "redis" || c.Added[0] != "mine" {
		t.Errorf("changed %v, %s, removed %v, added %v", c.Changed, c.Verdict, c.Removed, c.Added)
	}
	head.Text = strings.ReplaceAll(base.Text, "name: s\n", "# another\nname: s\n")
	if c := Compare(base, head); len(c.Parameters) != 0 || !strings.Contains(c.Notes[0], "no setting") {
		t.Errorf("a comment gives %v, %v", c.Parameters, c.Notes)
	}
	head.Text = ""
	if c := Compare(base, head); !strings.Contains(c.Notes[0], "older file") {
		t.Errorf("no text gives %v", c.Notes)
	}
}

// Text from a file is one line in every format.
func TestAComparisonEscapesTextFromFiles(t *testing.T) {
	base, head := checked{runs: "1-100"}.campaign(t), checked{runs: "1-100", violating: "1-20"}.campaign(t)
	for _, c := range []*results.Campaign{base, head} {
		c.Scenario, c.Strategies[0].Label = "<b>\x1b[31m|", "a\n| b | <script>"
	}
	base.Text, head.Hash, head.Text = "a: '<i>'", "2", "a: \"|\\e\\n\""
	c := Compare(base, head)
	var table, markdown, document bytes.Buffer
	if err := errors.Join(c.Table(&table, words.Screen{}), c.Markdown(&markdown), c.JSON(&document)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<b>", "<script>", "<i>", "\x1b", "\n| b"} {
		if strings.Contains(markdown.String(), bad) {
			t.Errorf("the markdown holds %q:\n%s", bad, markdown.String())
		}
	}
	if strings.Contains(table.String(), "\x1b") {
		t.Errorf("the table holds an escape:\n%s", table.String())
	}
	for _, text := range []string{"worse", "20 broke", "1-20"} {
		if !strings.Contains(markdown.String(), text) || !strings.Contains(table.String(), text) {
			t.Errorf("%q is missing:\n%s\n%s", text, table.String(), markdown.String())
		}
	}
	var back Comparison
	if err := json.Unmarshal(document.Bytes(), &back); err != nil || back.Strategies[0].Checks[0].Broken.String() != "1-20" {
		t.Errorf("the JSON comes back as %+v, %v", back, err)
	}
}

// A violated belief decides nothing unless the scenario names belief.
func TestAHarmlessCheckIsReportedAndDoesNotDecide(t *testing.T) {
	believes := func(violating string, expected bool) *results.Campaign {
		c := checked{runs: "1-40"}.campaign(t)
		st := &c.Strategies[0]
		seeds := seedSet(t, violating)
		st.Order = append(st.Order, "belief")
		st.Checks["belief"] = results.CheckStats{Applies: true, Violating: seeds.Count(), Seeds: seeds}
		if st.Decides = true; expected {
			st.Expects = &results.Expect{Holds: []string{"belief"}}
		}
		return c
	}
	c := Compare(believes("", false), believes("1-40", false))
	belief := c.Strategies[0].Checks[1]
	if c.Verdict != same || c.Changed || c.headline() != "the same" || len(c.Worsened()) != 0 {
		t.Errorf("%s (changed: %v): %s, worse: %v", c.Verdict, c.Changed, c.headline(), c.Worsened())
	}
	if belief.Verdict != worse || !belief.Harmless || belief.Broken.String() != "1-40" {
		t.Errorf("belief: %+v", belief)
	}
	var out bytes.Buffer
	if err := c.Markdown(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "| belief | worse (harmless) |") {
		t.Errorf("no row for belief, worse (harmless), in\n%s", out.String())
	}
	if c := Compare(believes("", true), believes("1-40", true)); c.Verdict != worse || c.Strategies[0].Checks[1].Harmless {
		t.Errorf("a belief that is expected to hold: %s", c.Verdict)
	}
}

// 20 of 40 runs violate both checks in head, none in base. Told has other figures: 19 runs.
func TestChecksWithTheSameFiguresShareARow(t *testing.T) {
	campaign := func(violating, told string) *results.Campaign {
		c := checked{runs: "1-40", violating: violating}.campaign(t)
		st := &c.Strategies[0]
		st.Order = append(st.Order, "exclusion", "told")
		st.Checks["exclusion"] = st.Checks["once"]
		seeds := seedSet(t, told)
		st.Checks["told"] = results.CheckStats{Applies: true, Violating: seeds.Count(), Seeds: seeds}
		return c
	}
	var out bytes.Buffer
	if err := Compare(campaign("", ""), campaign("1-20", "2-20")).Markdown(&out); err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(out.String()) {
		if head, _, found := strings.Cut(line, " of 40 |"); found || strings.Contains(line, "newly violated") {
			rows = append(rows, strings.TrimSpace(head))
		}
	}
	want := []string{
		"| redis | once, exclusion | **worse** | 0.0 %, 0", "| redis | told | **worse** | 0.0 %, 0",
		"- redis, once, exclusion: newly violated with 20 seeds: 1-20", "- redis, told: newly violated with 19 seeds: 2-20",
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, out.String())
	}
}

func TestACampaignIsTheSameAsItself(t *testing.T) {
	campaign, scenario := sample.GCPause()
	dir := filepath.Join(t.TempDir(), "report")
	if err := WriteDir(dir, campaign, scenario, nil); err != nil {
		t.Fatal(err)
	}
	one, err := results.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	two, err := results.Read(filepath.Join(dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	c := Compare(one, two)
	if c.Verdict != same || c.Changed || len(c.Strategies) != 6 || len(c.Parameters)+len(c.Notes) != 0 {
		t.Errorf("%+v", c)
	}
	for _, st := range c.Strategies {
		for _, check := range st.Checks {
			if check.Verdict != same {
				t.Errorf("%s, %s: %s, %s", st.Label, check.Check, check.Verdict, check.Why)
			}
		}
	}
}

// What is clear comes first. Figures that are the same are no difference.
func TestTheHeadlineOfAComparisonCountsWhatIsNotClear(t *testing.T) {
	several := func(list ...checked) *results.Campaign {
		c := &results.Campaign{Scenario: "s"}
		for i, one := range list {
			st := one.campaign(t).Strategies[0]
			st.Label = []string{"a", "b", "c"}[i]
			c.Strategies = append(c.Strategies, st)
		}
		return c
	}
	all, none := checked{runs: "1-40", violating: "1-40"}, checked{runs: "1-40"}
	one, other := checked{runs: "1-40", violating: "1-28"}, checked{runs: "41-80", violating: "41-68"}
	for _, tt := range []struct {
		name       string
		base, head *results.Campaign
		want       string
	}{
		{"better and unclear", several(all, all, none), several(none, none, checked{runs: "1-40", violating: "7"}), "better: a, b; not clear: 1 check"},
		{"better only", several(all, all, none), several(none, none, none), "better: a, b"},
		{"the same counts of other seeds", several(one), several(other), "no clear difference in 1 check"},
		{"three unclear", several(one, one, one), several(other, other, other), "no clear difference in 3 checks"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Compare(tt.base, tt.head)
			if got := c.headline(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			for _, d := range c.Unsure() {
				if strings.Contains(d.Text, "28 of 40") {
					t.Errorf("a difference: %s", d.Text)
				}
			}
		})
	}
}

// The most serious check comes first, with both rates and their intervals.
func TestTheHeadlineOfAComparisonSaysWhatGotWorse(t *testing.T) {
	for _, tt := range []struct {
		name       string
		base, head checked
		want       string
	}{
		{"worse", checked{runs: "1-40", holds: true}, checked{runs: "1-40", violating: "1-40", holds: true}, "redis got worse: once from 0 of 40 runs (fewer than 7.3 %) to 40 of 40 runs (91.2 to 100.0 %)"},
		{"chance", checked{runs: "1-100"}, checked{runs: "1-100", violating: "1-5"}, "redis may have changed: once from 0 of 100 runs (fewer than 3 %) to 5 of 100 runs (2.2 to 11.2 %)"},
		{"better", checked{runs: "1-100", violating: "1-7"}, checked{runs: "1-100", violating: "1"}, "redis got better: once from 7 of 100 runs (3.4 to 13.7 %) to 1 of 100 runs (0.2 to 5.4 %)"},
		{"the same", checked{runs: "1-100"}, checked{runs: "1-100"}, "the same"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Compare(tt.base.campaign(t), tt.head.campaign(t))
			if got := c.headline(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestAComparisonListsAllThatGotWorse(t *testing.T) {
	base, head := checked{runs: "1-40", holds: true}.campaign(t), checked{runs: "1-40", violating: "1-40", holds: true}.campaign(t)
	for _, c := range []*results.Campaign{base, head} {
		second := c.Strategies[0]
		second.Label = "second"
		c.Strategies = append(c.Strategies, second)
	}
	var table, page bytes.Buffer
	c := Compare(base, head)
	if err := errors.Join(c.Table(&table, words.Screen{}), c.Markdown(&page)); err != nil {
		t.Fatal(err)
	}
	const first, other = "redis got worse: once from 0 of 40 runs", "second got worse: once from 0 of 40 runs"
	for _, text := range []string{table.String(), page.String()} {
		heading, rest, _ := strings.Cut(text, "\n")
		if !strings.Contains(heading, first) || !strings.Contains(rest, other) {
			t.Errorf("the heading is %q, and then\n%s", heading, rest)
		}
	}
}

// Each strategy is named once. Checks with the same figures share them.
func TestAStrategyIsNamedOnceWithAllThatGotWorse(t *testing.T) {
	from := func(label, about, figures string) Difference {
		return Difference{Strategy: label, About: about, figures: figures}
	}
	list := []Difference{
		from("a", "lost-update", "from 0 to 3"), from("b", "lost-update", "from 1 to 9"), from("a", "exclusion", "from 0 to 3"),
		from("a", "told", "from 0 to 4"), from("a", "finished", "from 99 % to 90 %"),
	}
	var got []string
	for _, s := range byStrategy(list, "got worse") {
		got = append(got, s.Text)
	}
	want := []string{
		"a got worse: lost-update, exclusion from 0 to 3; told from 0 to 4; finished from 99 % to 90 %",
		"b got worse: lost-update from 1 to 9",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
