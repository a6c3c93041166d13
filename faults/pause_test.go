package faults

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAPauseNeedsAKnownTargetOrAPoint(t *testing.T) {
	pause := func(target string, when *When) Spec {
		s := moment(&Pause{OnNode{target}})
		if when != nil {
			s.At, s.When = nil, when
		}
		return s
	}
	point := &When{"worker-2", "acquired", 1}
	wantInvalid(t, []invalid{
		{"worker", pause("worker-3", nil), "", ""},
		{"each worker", pause(EachWorker, nil), "", ""},
		{"target from the point", pause("", point), "", ""},
		{"another than at the point", pause("worker-1", point), "", ""},
		{"no target", pause("", nil), "target", "missing"},
		{"stranger", pause("worker-4", nil), "target", `no worker or server is called "worker-4"`},
		{"server", pause("lock", nil), "", ""},
	})
}

func TestAPauseHitsItsTargetOrElseTheWorkerAtThePoint(t *testing.T) {
	point := &When{Worker: "worker-3"}
	tests := []struct {
		name   string
		when   *When
		target string
		want   []string
	}{
		{"one", nil, "worker-2", []string{"worker-2"}},
		{"each", nil, EachWorker, workers()},
		{"of the point", point, "", []string{"worker-3"}},
		{"beside the point", point, "worker-1", []string{"worker-1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, f := range (Spec{When: test.when, Fault: &Pause{OnNode{test.target}}}).targets(workers()) {
				got = append(got, Names(f)...)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPausesOfOneWorkerThatOverlapAreMerged(t *testing.T) {
	tests := []struct{ name, steps, want string }{
		{
			name:  "overlap",
			steps: "at 1s pause a for 3s #2\nat 2s pause a for 5s #1\n",
			want:  "at 1s pause a for 6s #2\n",
		},
		{
			name:  "one inside another",
			steps: "at 1s pause a for 9s #1\nat 2s pause a for 1s #2\nat 9s pause a for 2s #3\n",
			want:  "at 1s pause a for 10s #1\n",
		},
		{
			name:  "touch",
			steps: "at 1s pause a for 1s #1\nat 2s pause a for 1s #2\n",
			want:  "at 1s pause a for 2s #1\n",
		},
		{
			name:  "apart",
			steps: "at 1s pause a for 1s #1\nat 2.000000001s pause a for 1s #1\n",
			want:  "at 1s pause a for 1s #1\nat 2.000000001s pause a for 1s #1\n",
		},
		{
			name:  "of two workers",
			steps: "at 1s pause a for 3s #1\nat 2s pause b for 3s #1\nat 3s pause a for 3s #1\n",
			want:  "at 1s pause a for 5s #1\nat 2s pause b for 3s #1\n",
		},
		{
			name:  "not with a partition",
			steps: "at 1s partition a -> lock hold for 3s #1\nat 2s pause a for 3s #2\nat 2s partition a -> lock hold for 3s #3\n",
			want:  "at 1s partition a -> lock hold for 3s #1\nat 2s pause a for 3s #2\nat 2s partition a -> lock hold for 3s #3\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			plan, err := ParsePlan(test.steps)
			if err != nil {
				t.Fatal(err)
			}
			got := Plan{mergePauses(plan.Steps)}.String()
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
