package faults

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// rules returns specs with at, when and every, of a few kinds.
func rules() []Spec {
	pauses := draw.Dist{Kind: draw.Lognormal, Median: 2 * time.Second, P99: 30 * time.Second}
	return []Spec{
		{Fault: &Pause{OnNode: OnNode{Target: EachWorker}}, Timing: Timing{Every: seconds(20), For: pauses}},
		{At: new(5 * time.Second), Fault: &Partition{OnLink: OnLink{From: "worker-1", To: "lock"}}, Timing: Timing{For: draw.Fixed(10 * time.Second)}},
		{When: &When{"worker-1", "lease-checked", 1}, Fault: &Pause{}, Timing: Timing{For: draw.Fixed(90 * time.Second)}},
		{Fault: &Partition{OnLink: OnLink{From: EachWorker, To: "resource"}, Mode: ModeDrop}, Timing: Timing{Every: seconds(30), For: pauses}},
		{When: &When{"worker-2", "acquire.replied", 0}, Fault: &Drop{}, Timing: Timing{For: pauses}},
		{When: &When{"worker-3", "renew.sent", 2}, Fault: &Hold{}, Timing: Timing{For: pauses}},
	}
}

// The golden file holds the plans of a few seeds. They must be the same on every
// architecture.
func TestTheGoldenPlansStayTheSame(t *testing.T) {
	var got strings.Builder
	for seed := range uint64(3) {
		fmt.Fprintf(&got, "# seed %d\n%v", seed, Generate(rules(), seed, workers(), duration))
	}
	const path = "testdata/plans.golden"
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("plans changed, and with them every stored run (-want +got):\n%s", diff)
	}
}

func TestEveryPlanKeepsTheRules(t *testing.T) {
	for _, rule := range rules() {
		if err := rule.Validate(workers(), nodes(), duration); err != nil {
			t.Fatal(err)
		}
	}
	for seed := range uint64(300) {
		plan := Generate(rules(), seed, workers(), duration)
		var before Step
		awake := map[string]time.Duration{}
		tied := 0
		for i, step := range plan.Steps {
			fail := func(text string) {
				t.Fatalf("seed %d, step %d %s:\n%v", seed, i+1, text, plan)
			}
			if step.For <= 0 {
				fail("lasts no time")
			}
			if step.When != nil {
				tied++
				if before.When != nil && step.Spec < before.Spec {
					fail("comes before another spec")
				}
				before = step
				continue
			}
			if before.When != nil {
				fail("has a moment and follows one that has none")
			}
			if step.At < before.At || step.At == before.At && step.Spec < before.Spec {
				fail("comes before the last one")
			}
			if step.At < 0 || step.At >= duration {
				fail("does not begin before the duration is over")
			}
			if worker := step.Target(); step.Kind() == "pause" {
				if end, paused := awake[worker]; paused && step.At <= end {
					fail("pauses a worker that is paused")
				}
				awake[worker] = step.At + step.For
			}
			before = step
		}
		if tied != 3 {
			t.Fatalf("seed %d: %d steps are tied to points, want 3", seed, tied)
		}
	}
}

func TestAFaultNearTheEndOfTheRunKeepsItsLength(t *testing.T) {
	at := duration - time.Second
	for _, rule := range []Spec{
		{At: &at, Fault: &Crash{OnNode: OnNode{Target: "lock"}}, Timing: Timing{For: draw.Fixed(time.Minute)}},
		{Fault: &Crash{OnNode: OnNode{Target: "lock"}}, Timing: Timing{Every: new(draw.Fixed(at)), For: draw.Fixed(time.Minute)}},
	} {
		plan := Generate([]Spec{rule}, 1, workers(), duration)
		if len(plan.Steps) != 1 || plan.Steps[0].At != at || plan.Steps[0].For != time.Minute {
			t.Errorf("the plan is %v, want one crash at %v for 1m", plan, at)
		}
	}
}

func TestOneMoreSpecOrWorkerDoesNotMoveTheOtherFaults(t *testing.T) {
	kept := func(plan Plan, keep func(Step) bool) string {
		var rest Plan
		for _, step := range plan.Steps {
			if keep(step) {
				rest.Steps = append(rest.Steps, step)
			}
		}
		return rest.String()
	}
	cuts := Spec{Fault: &Partition{OnLink: OnLink{From: "lock", To: EachWorker}}, Timing: Timing{Every: seconds(1), For: draw.Fixed(time.Second)}}
	tests := []struct {
		name    string
		specs   []Spec
		workers []string
		keep    func(Step) bool
	}{
		{"spec", append(rules(), cuts), workers(), func(s Step) bool { return s.Spec < len(rules()) }},
		{"worker", rules(), append([]string{"worker-0"}, workers()...), func(s Step) bool {
			return !slices.Contains(Names(s.Fault), "worker-0")
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := Generate(rules(), 5, workers(), duration)
			got := Generate(test.specs, 5, test.workers, duration)
			if len(got.Steps) <= len(want.Steps) {
				t.Error("nothing was added")
			}
			if diff := cmp.Diff(want.String(), kept(got, test.keep)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEachSeedHasAPlanOfItsOwn(t *testing.T) {
	seen := map[string]uint64{}
	for seed := range uint64(200) {
		plan := Generate(rules()[:1], seed, workers(), duration).String()
		if other, found := seen[plan]; found {
			t.Errorf("seeds %d and %d have one plan:\n%s", other, seed, plan)
		}
		seen[plan] = seed
	}
}

// The gaps are exponential with mean 20 s, and the faults last almost no time. So their
// number is that of a Poisson process.
func TestRepeatedFaultsHaveTheRateOfTheirGaps(t *testing.T) {
	const runs = 400
	rule := Spec{Fault: &Partition{OnLink: OnLink{From: EachWorker, To: "lock"}}, Timing: Timing{Every: seconds(20), For: draw.Fixed(1)}}
	count := 0
	for seed := range uint64(runs) {
		count += len(Generate([]Spec{rule}, seed, workers(), duration).Steps)
	}
	want := runs * 3 * 60.0 / 20
	if math.Abs(float64(count)-want) > 4*math.Sqrt(want) {
		t.Errorf("%d faults, want about %v", count, want)
	}
}

func TestAGapBeginsAtTheEndOfTheFaultBefore(t *testing.T) {
	every := draw.Fixed(10 * time.Second)
	rule := Spec{Fault: &Pause{OnNode: OnNode{Target: "worker-1"}}, Timing: Timing{Every: &every, For: draw.Fixed(15 * time.Second)}}
	want := "at 10s pause worker-1 for 15s #1\nat 35s pause worker-1 for 15s #1\n"
	if diff := cmp.Diff(want, Generate([]Spec{rule}, 1, workers(), duration).String()); diff != "" {
		t.Error(diff)
	}
}

func TestAStepHasTheDrawnLengthAndAtLeastOneNanosecond(t *testing.T) {
	long, worker := Timing{For: draw.Fixed(time.Hour)}, &Pause{OnNode{"worker-1"}}
	specs := []Spec{
		{When: &When{"worker-1", "acquired", 0}, Timing: long, Fault: worker},
		{At: new(50 * time.Second), Timing: long, Fault: worker},
		// A length that was drawn as 0 becomes 1 ns.
		{At: new(20 * time.Second), Fault: &Pause{OnNode: OnNode{Target: "worker-2"}}, Timing: Timing{For: draw.Dist{Kind: draw.Empirical, Samples: []time.Duration{0}}}},
	}
	want := `at 20s pause worker-2 for 1ns #3
at 50s pause worker-1 for 1h0m0s #2
when worker-1 acquired 1 pause worker-1 for 1h0m0s #1
`
	if diff := cmp.Diff(want, Generate(specs, 1, workers(), duration).String()); diff != "" {
		t.Error(diff)
	}
}

func TestAChangedPlanDoesNotChangeTheSpecs(t *testing.T) {
	specs := rules()
	plan := Generate(specs, 1, workers(), duration)
	for _, step := range plan.Steps {
		if step.When != nil {
			step.When.Nth = 99
		}
	}
	if diff := cmp.Diff(rules(), specs); diff != "" {
		t.Error(diff)
	}
}

// The draws of these faults do not depend on the other cases.
func TestARunUnderACaseHasTheFaultsOfThatCaseAndThoseOfNoCase(t *testing.T) {
	specs := rules()
	specs[0].Case, specs[1].Case = "one", "other"
	all := Generate(specs, 3, workers(), duration)
	var want []Step
	for _, step := range all.Steps {
		if step.Spec != 1 {
			want = append(want, step)
		}
	}
	if len(want) == 0 || len(want) == len(all.Steps) {
		t.Fatalf("%d of %d steps are of the case or of none", len(want), len(all.Steps))
	}
	if diff := cmp.Diff(Plan{want}, GenerateCase(specs, "one", 3, workers(), duration)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
