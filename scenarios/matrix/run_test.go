package matrix

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

func TestEachNeedHasAScenarioWithItsCases(t *testing.T) {
	var names []string
	for _, need := range Needs() {
		names = append(names, need.Scenario)
		s, err := scenarios.Load(need.Scenario)
		if err != nil {
			t.Errorf("%s: %v", need.Name, err)
			continue
		}
		if err := s.Fits(); err != nil {
			t.Errorf("%s: %v", need.Name, err)
		}
		for _, name := range append([]string{results.NoFault, crashes}, need.Must...) {
			if !slices.ContainsFunc(s.Strategies, func(u scenarios.Strategy) bool { return u.Case == name }) {
				t.Errorf("%s: the scenario has no case %s", need.Name, name)
			}
		}
		if !slices.ContainsFunc(s.Strategies, func(u scenarios.Strategy) bool { return base(u) == baseline }) {
			t.Errorf("%s: the scenario has no baseline", need.Name)
		}
		if need.Saves != "" && !slices.Contains(s.Checks, need.Saves) {
			t.Errorf("%s: the scenario has no check %s", need.Name, need.Saves)
		}
	}
	if diff := cmp.Diff(scenarios.Needs(), names); diff != "" {
		t.Errorf("scenarios of needs (-folder +plan):\n%s", diff)
	}
}

func TestEveryStrategyWithoutAFlawIsRunForSomeNeed(t *testing.T) {
	parts, err := (&Request{}).parts()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range scenarios.Strategies() {
		runs := slices.ContainsFunc(parts, func(p *part) bool {
			return slices.ContainsFunc(p.uses, func(u scenarios.Strategy) bool { return u.Name == e.Name })
		})
		if runs == e.Flawed {
			t.Errorf("%s: flawed is %v, and it is run: %v", e.Name, e.Flawed, runs)
		}
	}
}

// few is a request that takes a second or two.
func few() Request {
	return Request{Needs: []string{"database", "queue"}, Strategies: []string{"redis", "optimistic"}, Seeds: results.SeedRange{First: 1, Last: 6}}
}

func TestTheMatrixDoesNotDependOnTheNumberOfCores(t *testing.T) {
	var of [2]*results.Matrix
	for i, jobs := range []int{1, 3} {
		r := few()
		r.Jobs = jobs
		m, err := Run(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		of[i] = m
	}
	if diff := cmp.Diff(of[0], of[1]); diff != "" {
		t.Errorf("(-1 job +3 jobs):\n%s", diff)
	}
	m := of[0]
	if m.Partial || m.Screen != DefaultScreen {
		t.Errorf("partial %v, screen %d", m.Partial, m.Screen)
	}
	counted := 0
	for _, n := range m.Needs {
		for _, r := range n.Rows {
			for _, c := range r.Cells {
				counted += c.Runs
			}
		}
	}
	if counted != m.Runs {
		t.Errorf("the cells have %d runs, and the matrix says %d", counted, m.Runs)
	}
	row := m.Need("database").Row("redis")
	if row.Verdict != results.CellFails || row.Cell("network").Runs != DefaultScreen {
		t.Errorf("redis: %s with %d runs under network, want fails with %d", row.Verdict, row.Cell("network").Runs, DefaultScreen)
	}
	if row := m.Need("database").Row("optimistic"); row.Verdict != results.CellUnknown || row.Cell("network").Runs != 6 || row.Cell("network").HitRuns != 6 {
		t.Errorf("optimistic: %s (%s) with %d runs under network, want unknown with 6", row.Verdict, row.Why, row.Cell("network").Runs)
	}
}

// The sections of the need efficiency are short, so that a pause hits one in a part of the runs only.
func TestACellWhoseFaultsHitSeldomHasMoreRuns(t *testing.T) {
	m, err := Run(t.Context(), Request{Needs: []string{"efficiency"}, Strategies: []string{"redis"}})
	if err != nil {
		t.Fatal(err)
	}
	row := m.Need("efficiency").Row("redis")
	if row.Verdict != results.CellHolds {
		t.Errorf("redis: %s (%s), want holds", row.Verdict, row.Why)
	}
	for i, c := range m.Need("efficiency").Cases {
		cell := row.Cells[i]
		switch last := cell.Runs - DefaultSeeds; {
		case c.Must && (cell.Tested() < results.EnoughRuns || cell.Runs > DefaultMost):
			t.Errorf("%s: a fault hit in %d of %d runs", c.Name, cell.Tested(), cell.Runs)
		case !c.Must && last != 0, c.Name == results.NoFault && last != 0:
			t.Errorf("%s: %d runs, want %d", c.Name, cell.Runs, DefaultSeeds)
		case c.Name == "pauses" && last == 0:
			t.Errorf("pauses: only %d runs, of which %d were hit", cell.Runs, cell.HitRuns)
		}
	}
}

// A worker that crashes after it has inserted the key of its job leaves the job undone for ever. With
// optimistic another worker does the job.
func TestAKeyLeavesTheJobsOfCrashedWorkersInTheQueue(t *testing.T) {
	m, err := Run(t.Context(), Request{Needs: []string{"queue"}, Strategies: []string{"unique-key", "optimistic"}, Seeds: results.SeedRange{First: 1, Last: DefaultScreen}})
	if err != nil {
		t.Fatal(err)
	}
	key, other := m.Need("queue").Row("unique-key"), m.Need("queue").Row("optimistic")
	if c := key.Cell(crashes); key.Verdict != results.CellFails || c.Left == 0 || c.Worst != results.LeftUndone || c.Violating != 0 {
		t.Errorf("unique-key: %s (%s), %d jobs left", key.Verdict, key.Why, c.Left)
	}
	if c := other.Cell(crashes); other.Verdict != results.CellUnknown || c.Left != 0 || c.Violating != 0 {
		t.Errorf("optimistic: %s (%s), %d jobs left, want unknown after %d runs", other.Verdict, other.Why, c.Left, c.Runs)
	}
	if got := m.Need("queue").Answer.Avoid; !cmp.Equal(got, []string{"unique-key"}) {
		t.Errorf("the answer avoids %v", got)
	}
}

// A strategy that leaves jobs undone fails the need of a queue, and gets no more runs, as one with a violation.
func TestAStrategyThatLeavesJobsUndoneIsNotRunFurther(t *testing.T) {
	m, err := Run(t.Context(), Request{Needs: []string{"queue"}, Strategies: []string{"unique-key"}, Seeds: results.SeedRange{First: 1, Last: DefaultScreen + 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range m.Need("queue").Row("unique-key").Cells {
		if c.Runs != DefaultScreen {
			t.Errorf("%s: %d runs, want %d", c.Case, c.Runs, DefaultScreen)
		}
	}
}

func TestFurtherSeedsFollowUpToTheMost(t *testing.T) {
	for _, test := range []struct {
		first, last uint64
		most        int
		want        []results.SeedRange
	}{
		{1, 30, 50, []results.SeedRange{{First: 31, Last: 40}, {First: 41, Last: 50}}},
		{1, 30, 59, []results.SeedRange{{First: 31, Last: 40}, {First: 41, Last: 50}}},
		{1, 30, 0, nil},
		{math.MaxUint64 - 38, math.MaxUint64 - 9, 0, nil},
		{math.MaxUint64 - 38, math.MaxUint64, 240, nil},
	} {
		if got := further(results.SeedRange{First: test.first, Last: test.last}, test.most); !cmp.Equal(got, test.want) {
			t.Errorf("after %d-%d, up to %d: %v, want %v", test.first, test.last, test.most, got, test.want)
		}
	}
}

func TestTheLastSeedsAreRun(t *testing.T) {
	for _, seeds := range []results.SeedRange{{First: math.MaxUint64 - 1, Last: math.MaxUint64}, {First: math.MaxUint64 - 14, Last: math.MaxUint64 - 9}} {
		m, err := Run(t.Context(), Request{Needs: []string{"database"}, Strategies: []string{"optimistic"}, Seeds: seeds})
		if err != nil {
			t.Fatal(err)
		}
		if c := m.Need("database").Row("optimistic").Cell(crashes); c.Runs != seeds.Count() {
			t.Errorf("%v: %d runs, want %d", seeds, c.Runs, seeds.Count())
		}
	}
}

func TestAStoppedMatrixKeepsItsRunsAndPassesNothing(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	r := few()
	r.Jobs = 1
	r.Progress = func(p Progress) {
		if p.Done == 30 {
			cancel(stop)
		}
	}
	m, err := Run(ctx, r)
	if !errors.Is(err, stop) || m == nil {
		t.Fatalf("%v, %v", m, err)
	}
	if !m.Partial || m.Runs < 30 || m.Runs > 40 {
		t.Errorf("partial %v with %d runs", m.Partial, m.Runs)
	}
	for _, n := range m.Needs {
		for _, row := range n.Rows {
			if row.Verdict == results.CellHolds {
				t.Errorf("%s: %s holds", n.Name, row.Label)
			}
		}
	}
}

func TestAnUnknownNeedIsRefused(t *testing.T) {
	_, err := Run(t.Context(), Request{Needs: []string{"nothing"}})
	if wrong, ok := errors.AsType[*NeedError](err); !ok || wrong.Name != "nothing" {
		t.Errorf("%v", err)
	}
}

func TestAdviceFollowsFromTheStatements(t *testing.T) {
	confirmed := results.AdviceEvidence{Claim: "a", Verdict: results.AdviceConfirmed, Figure: "0 of 9"}
	refuted := results.AdviceEvidence{Claim: "b", Verdict: results.AdviceRefuted, Figure: "9 of 9"}
	open := results.AdviceEvidence{Claim: "c", Verdict: results.AdviceOpen, Figure: "not run"}
	tests := []struct {
		evidence []results.AdviceEvidence
		want     results.AdviceVerdict
		says     string
	}{
		{nil, results.AdviceOpen, "why"},
		{[]results.AdviceEvidence{confirmed}, results.AdviceConfirmed, "0 of 9"},
		{[]results.AdviceEvidence{confirmed, open}, results.AdviceOpen, "c: not run"},
		{[]results.AdviceEvidence{confirmed, open, refuted}, results.AdviceRefuted, "b: 9 of 9"},
	}
	for _, tt := range tests {
		if verdict, says := conclude(advice{open: "why"}, tt.evidence); verdict != tt.want || says != tt.says {
			t.Errorf("%v: %s, %q, want %s, %q", tt.evidence, verdict, says, tt.want, tt.says)
		}
	}
}

func TestAStatementIsDecidedByItsCells(t *testing.T) {
	tests := []struct {
		name     string
		paused   func(c *results.MatrixCell)
		label    string
		survives bool
		about    []string
		want     results.AdviceVerdict
	}{
		{"survives as claimed", nil, "tested", true, nil, results.AdviceConfirmed},
		{"survives against the claim", nil, "tested", false, nil, results.AdviceRefuted},
		{"fails against the claim", func(c *results.MatrixCell) { c.Violating, c.Checks = 1, map[string]int{"lost-update": 1} }, "tested", true, nil, results.AdviceRefuted},
		{"fails as claimed", func(c *results.MatrixCell) { c.Violating, c.Checks = 1, map[string]int{"lost-update": 1} }, "tested", false, nil, results.AdviceConfirmed},
		{"fails to serve, and keeps the data right", func(c *results.MatrixCell) { c.Violating, c.Checks = 1, map[string]int{"recovery": 1} }, "tested", true, nil, results.AdviceConfirmed},
		{"about the service, and fails to serve", func(c *results.MatrixCell) { c.Violating, c.Checks = 1, map[string]int{"recovery": 1} }, "tested", false, []string{"recovery", "progress"}, results.AdviceConfirmed},
		{"about the service, and loses an update", func(c *results.MatrixCell) { c.Violating, c.Checks = 1, map[string]int{"lost-update": 1} }, "tested", true, []string{"recovery", "progress"}, results.AdviceConfirmed},
		{"fails to serve, and was hit in few runs", func(c *results.MatrixCell) { c.Violating, c.Checks, c.HitRuns = 1, map[string]int{"recovery": 1}, 4 }, "tested", true, nil, results.AdviceOpen},
		{"hit by no fault", func(c *results.MatrixCell) { c.HitRuns = 0 }, "tested", true, nil, results.AdviceOpen},
		{"not there", nil, "absent", true, nil, results.AdviceOpen},
	}
	for _, tt := range tests {
		m := matrixOf(nil, tt.paused)
		Judge(m)
		e, err := inNeed{"it holds", "database", tt.label, nil, tt.survives, tt.about}.judge(t.Context(), &adviser{matrix: m})
		if err != nil || e.Verdict != tt.want {
			t.Errorf("%s: %s (%s), %v, want %s", tt.name, e.Verdict, e.Figure, err, tt.want)
		}
	}
}

func TestAStatementOfAStrategyThatWasScreenedOutRunsItsCells(t *testing.T) {
	r := few()
	r.Needs, r.Strategies, r.Seeds.Last = []string{"database"}, []string{"redis"}, 30
	m, err := Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	before := *m.Need("database").Row("redis").Cell("crashes")
	if before.Runs != DefaultScreen {
		t.Fatalf("redis has %d runs under crashes, and nothing is shown", before.Runs)
	}
	e, err := inNeed{"it holds", "database", "redis", []string{"crashes"}, true, nil}.judge(t.Context(), &adviser{matrix: m})
	if want := "redis: no corruption in need-database (in at most 9.6 % of the runs under crashes)"; err != nil || e.Figure != want || e.Command != "run need-database --strategy 'redis under crashes' --seeds 1-30 --no-report" || e.Verdict != results.AdviceConfirmed {
		t.Errorf("%+v, %v, want %q", e, err, want)
	}
	if diff := cmp.Diff(before, *m.Need("database").Row("redis").Cell("crashes"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the matrix was changed (-before +after):\n%s", diff)
	}
}

func TestEveryAdviceHasStatementsOrAReason(t *testing.T) {
	list := published()
	if len(list) != 24 {
		t.Errorf("%d pieces of advice, want 24", len(list))
	}
	for i, a := range list {
		if (len(a.claims) == 0) == (a.open == "") {
			t.Errorf("%d. %s: %d statements and the reason %q", i+1, a.text, len(a.claims), a.open)
		}
		for _, one := range a.claims {
			switch c := one.(type) {
			case inRun:
				if _, err := scenarios.Load(c.scenario); err != nil {
					t.Errorf("%d. %v", i+1, err)
				}
			case inNeed:
				if !slices.Contains(NeedNames(), c.need) {
					t.Errorf("%d. no need %s", i+1, c.need)
				}
			case compared:
				if !slices.Contains(NeedNames(), c.need) {
					t.Errorf("%d. no need %s", i+1, c.need)
				}
			default:
				t.Errorf("%d. an unknown statement %T", i+1, c)
			}
		}
	}
}
