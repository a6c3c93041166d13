package faults

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
)

func TestServerFaultsNeedAServerAndTheirParameter(t *testing.T) {
	wantInvalid(t, []invalid{
		{"overload", moment(&Overload{OnServer: OnServer{Target: "lock"}, Service: draw.Fixed(time.Second)}), "", ""},
		{"overload of the lock", moment(&Overload{Service: draw.Fixed(time.Second)}), "", ""},
		{"overload of a worker", moment(&Overload{OnServer: OnServer{Target: "worker-1"}, Service: draw.Fixed(time.Second)}), "target", `no server is called "worker-1"`},
		{"overload by nothing", moment(&Overload{OnServer: OnServer{Target: "lock"}}), "service", "missing"},
		{"failover", instant(&Failover{}), "", ""},
		{"failover with a length", moment(&Failover{}), "for", "a failover has no length"},
		{"delete", instant(&Delete{OnKeys{Key: "resource-*"}}), "", ""},
		{"delete of two words", instant(&Delete{OnKeys{Key: "a b"}}), "key", `"a b" has a space in it`},
		{"evict", instant(&Evict{}), "", ""},
		{"evict of two words", instant(&Evict{OnKeys{Key: "a b"}}), "key", `"a b" has a space in it`},
		{"stale", moment(&Stale{OnServer: OnServer{Target: "resource"}, By: time.Second}), "", ""},
		{"stale by nothing", moment(&Stale{OnServer: OnServer{Target: "resource"}}), "by", "missing"},
	})
}

// The distribution of a scenario may come from a file, and that of a plan has its samples.
func TestAPlanHasTheSamplesOfAnOverload(t *testing.T) {
	service := draw.Dist{Kind: draw.Empirical, Samples: []time.Duration{time.Millisecond}, File: "service.txt"}
	plan := Generate([]Spec{moment(&Overload{Service: service})}, 1, workers(), duration)
	if got := plan.Steps[0].Fault.(*Overload).Service; got.File != "" || len(got.Samples) != 1 {
		t.Errorf("the service time of the plan is %+v, want its samples only", got)
	}
}

func TestAServerFaultHitsTheLockByDefault(t *testing.T) {
	every := Spec{Fault: &Evict{OnKeys{Key: "*"}}, Timing: Timing{Every: &draw.Dist{Kind: draw.Constant, Value: 25 * time.Second}}}
	tied := Spec{When: &When{Worker: "worker-1", Point: "acquired"}, Timing: Timing{For: draw.Fixed(time.Second)}, Fault: &Crash{OnNode{"lock"}, DataKept}}
	plan := Generate([]Spec{every, instant(&Failover{}), tied}, 1, workers(), duration)
	want := "at 0s failover lock #2\nat 25s evict lock key * #1\nat 50s evict lock key * #1\nwhen worker-1 acquired 1 crash lock data kept for 1s #3\n"
	if diff := cmp.Diff(want, plan.String()); diff != "" {
		t.Error(diff)
	}
	again, err := ParsePlan(want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plan, again); diff != "" {
		t.Error(diff)
	}
}
