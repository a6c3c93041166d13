package faults

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
)

func TestLinkParams(t *testing.T) {
	link := Params{From: "worker-1", To: "lock"}
	with := func(change func(*Params)) Params { p := link; change(&p); return p }
	wantInvalid(t, []invalid{
		{"reset", instant(Reset, link), "", ""},
		{"reset with a length", moment(Reset, link), "for", "a reset takes none"},
		{"reset of nothing", instant(Reset, Params{From: "worker-1"}), "to", "missing"},
		{"latency", moment(Latency, with(func(p *Params) { p.Add = draw.Fixed(time.Second) })), "", ""},
		{"no latency", moment(Latency, link), "add", "missing"},
		{"wrong latency", moment(Latency, with(func(p *Params) { p.Add = draw.Dist{Kind: "daily"} })), "add", `"daily"`},
		{"loss", moment(Loss, with(func(p *Params) { p.Percent = 100 })), "", ""},
		{"no loss", moment(Loss, link), "percent", "must be from 1 to 100, and is 0"},
		{"too much loss", moment(Loss, with(func(p *Params) { p.Percent = 101 })), "percent", "and is 101"},
		{"loss to a stranger", moment(Loss, Params{From: "worker-1", To: "luck", Percent: 1}), "to", `no worker or server is called "luck"`},
	})
}

// A fault of each worker's link is one for each of them, and what an entry adds
// is in the entry.
func TestLinkSteps(t *testing.T) {
	plan := Generate([]Spec{
		moment(Loss, Params{From: EachWorker, To: "lock", Percent: 7}),
		instant(Reset, Params{From: "lock", To: "worker-2"}),
	}, 1, workers()[:2], duration)
	want := "at 0s loss worker-1 -> lock 7 percent for 1s #1\nat 0s loss worker-2 -> lock 7 percent for 1s #1\nat 0s reset lock -> worker-2 #2\n"
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
