package faults

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
)

func TestLinkFaultsNeedTwoEndsAndTheirParameter(t *testing.T) {
	link := OnLink{From: "worker-1", To: "lock"}
	wantInvalid(t, []invalid{
		{"reset", instant(&Reset{link}), "", ""},
		{"reset with a length", moment(&Reset{link}), "for", "a reset has no length"},
		{"reset of nothing", instant(&Reset{OnLink: OnLink{From: "worker-1"}}), "to", "missing"},
		{"latency", moment(&Latency{link, draw.Fixed(time.Second)}), "", ""},
		{"no latency", moment(&Latency{OnLink: link}), "add", "missing"},
		{"wrong latency", moment(&Latency{link, draw.Dist{Kind: "daily"}}), "add", `"daily"`},
		{"loss", moment(&Loss{link, 100}), "", ""},
		{"no loss", moment(&Loss{OnLink: link}), "percent", "must be from 1 to 100, and is 0"},
		{"too much loss", moment(&Loss{link, 101}), "percent", "and is 101"},
		{"loss to a stranger", moment(&Loss{OnLink: OnLink{From: "worker-1", To: "luck"}, Percent: 1}), "to", `no worker or server is called "luck"`},
	})
}

func TestAPlanHasAStepForEachLinkWithAllParameters(t *testing.T) {
	link := OnLink{From: "worker-1", To: "lock"}
	plan := Generate([]Spec{
		moment(&Loss{OnLink: OnLink{From: EachWorker, To: "lock"}, Percent: 7}),
		instant(&Reset{OnLink: OnLink{From: "lock", To: "worker-2"}}),
		moment(&Latency{link, draw.Dist{Kind: draw.Empirical, File: "late.txt", Samples: []time.Duration{time.Second, 2 * time.Second}}}),
	}, 1, workers()[:2], duration)
	want := "at 0s loss worker-1 -> lock 7 percent for 1s #1\nat 0s loss worker-2 -> lock 7 percent for 1s #1\nat 0s reset lock -> worker-2 #2\n" +
		"at 0s latency worker-1 -> lock add empirical samples 1s,2s for 1s #3\n"
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
