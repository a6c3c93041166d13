package faults

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
)

func TestServerParams(t *testing.T) {
	wantInvalid(t, []invalid{
		{"overload", moment(Overload, Params{Target: "lock", Service: draw.Fixed(time.Second)}), "", ""},
		{"overload of the lock", moment(Overload, Params{Service: draw.Fixed(time.Second)}), "", ""},
		{"overload of a worker", moment(Overload, Params{Target: "worker-1", Service: draw.Fixed(time.Second)}), "target", `no server is called "worker-1"`},
		{"overload by nothing", moment(Overload, Params{Target: "lock"}), "service", "missing"},
		{"failover", instant(Failover, Params{}), "", ""},
		{"failover with a length", moment(Failover, Params{}), "for", "a failover takes none"},
		{"delete", instant(Delete, Params{Key: "resource-*"}), "", ""},
		{"delete of two words", instant(Delete, Params{Key: "a b"}), "key", `"a b" has a space in it`},
		{"evict", instant(Evict, Params{}), "", ""},
		{"stale", moment(Stale, Params{Target: "resource", By: time.Second}), "", ""},
		{"stale by nothing", moment(Stale, Params{Target: "resource"}), "by", "missing"},
	})
}

func TestServerSteps(t *testing.T) {
	every := Spec{Kind: Evict, Params: Params{Key: "*", Every: &draw.Dist{Kind: draw.Constant, Value: 25 * time.Second}}}
	tied := Spec{Kind: Crash, When: &When{Worker: "worker-1", Point: "acquired"}, Params: Params{Target: "lock", Data: DataKept, For: draw.Fixed(time.Second)}}
	plan := Generate([]Spec{every, instant(Failover, Params{}), tied}, 1, workers(), duration)
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
