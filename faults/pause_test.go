package faults

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
)

func TestPauseParams(t *testing.T) {
	pause := func(p Params, when *When) Spec {
		p.For = draw.Fixed(time.Second)
		if when != nil {
			return Spec{When: when, Kind: Pause, Params: p}
		}
		return Spec{At: new(time.Duration), Kind: Pause, Params: p}
	}
	point := &When{"worker-2", "acquired", 1}
	wantInvalid(t, []invalid{
		{"worker", pause(Params{Target: "worker-3"}, nil), "", ""},
		{"each worker", pause(Params{Target: EachWorker}, nil), "", ""},
		{"target from the point", pause(Params{}, point), "", ""},
		{"another than at the point", pause(Params{Target: "worker-1"}, point), "", ""},
		{"no target", pause(Params{}, nil), "target", "missing"},
		{"stranger", pause(Params{Target: "worker-4"}, nil), "target", `no worker or server is called "worker-4"`},
		{"server", pause(Params{Target: "lock"}, nil), "", ""},
		{"link", pause(Params{Target: "worker-1", To: "lock"}, nil), "to", "a pause takes none"},
	})
}

func TestPauseTargets(t *testing.T) {
	tests := []struct {
		name string
		spec Spec
		want []string
	}{
		{"one", Spec{Params: Params{Target: "worker-2"}}, []string{"worker-2"}},
		{"each", Spec{Params: Params{Target: EachWorker}}, workers()},
		{"of the point", Spec{When: &When{Worker: "worker-3"}}, []string{"worker-3"}},
		{"beside the point", Spec{When: &When{Worker: "worker-3"}, Params: Params{Target: "worker-1"}}, []string{"worker-1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.spec.Kind = Pause
			var got []string
			for _, a := range test.spec.actions(workers()) {
				got = append(got, a.Target)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPausesOfOneWorkerUnite(t *testing.T) {
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
			got := Plan{unitePauses(plan.Steps)}.String()
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
