package search

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// The search finds the place of Kleppmann's pause without a hint. For the fenced
// strategy it finds all that a single fault can do.
func TestExploreFindsKleppmannsFailure(t *testing.T) {
	s := runtest.Load(t, "kleppmann")
	e, err := Explore(t.Context(), s, ExploreRequest{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]results.ExploredStats{}
	for _, st := range e.Strategies {
		found[st.Label] = st
		if st.Points < 80 || len(st.Without) > 0 || len(st.Pruned) > 0 {
			t.Errorf("%s: %d points, violated without faults: %v, left out: %v", st.Label, st.Points, st.Without, st.Pruned)
		}
	}
	if n := found["redis-checked"].Tried; n != 304 { // the tutorial says so
		t.Errorf("redis-checked: %d placements", n)
	}
	const pause = "when worker-1 lease-checked 1 pause worker-1 for 15s"
	for _, label := range []string{"redis", "redis-checked", "redis-watchdog"} {
		i := slices.IndexFunc(found[label].Singles, func(p results.Placement) bool { return p.Places[0].Text == pause })
		if i < 0 || !slices.Contains(found[label].Singles[i].Violated, "lost-update") {
			t.Errorf("%s: no lost update by %q", label, pause)
		}
	}
	tried := map[string]int{}
	for _, p := range found["fenced"].Singles {
		kind, point := p.Places[0].Kind, p.Places[0].Point
		tried[kind]++
		if p.Harm() < results.Unfences || kind == "server-crash" || kind == "drop" && !strings.HasSuffix(point, ".replied") {
			continue
		}
		t.Errorf("fenced: %s violates %v", p.Places[0].Text, p.Violated)
	}
	// Two messages for each of 18 or so exchanges, every other kind at each point.
	points := found["fenced"].Points
	want := map[string]int{"pause": points, "crash": points, "server-crash": points, "hold": tried["drop"], "drop": tried["hold"]}
	if diff := cmp.Diff(want, tried); diff != "" || tried["hold"] < 30 {
		t.Errorf("placements by kind (-want +got):\n%s", diff)
	}
	if st := found["fenced"]; st.Corrupting == 0 || st.Fencing == 0 {
		t.Errorf("a server that loses its data does no harm: %d corrupt, %d break fencing", st.Corrupting, st.Fencing)
	}
}

// A pause does more to work that does not check its context than to work that
// does: explore takes the setting from the scenario.
func TestExploreHeedsTheScenario(t *testing.T) {
	s := runtest.Parse(t, `
name: heeds
duration: 20s
workload: {kind: counter, hold: 100ms}
network: {latency: 1ms}
wake-lag: 100us
lock: {ttl: 2s, retry: {attempts: unlimited, delay: 100ms, jitter: 50ms}}
strategies:
  - redis-watchdog-cancel
  - {name: redis-watchdog-cancel, label: unheeded, workload: {heeds: never}}
each: [{worker: worker-2, start: 50ms}]
`)
	e, err := Explore(t.Context(), s, ExploreRequest{Kinds: []string{"pause"}})
	if err != nil {
		t.Fatal(err)
	}
	heeded, unheeded := e.Strategies[0], e.Strategies[1]
	if heeded.Corrupting == 0 || unheeded.Corrupting <= heeded.Corrupting {
		t.Errorf("of %d pauses %d corrupt with work that heeds, and of %d %d with work that does not",
			heeded.Tried, heeded.Corrupting, unheeded.Tried, unheeded.Corrupting)
	}
	t.Logf("%d and %d of %d", heeded.Corrupting, unheeded.Corrupting, heeded.Tried)
}

func TestExploreDoesNotDependOnTheNumberOfJobs(t *testing.T) {
	s := runtest.Load(t, "kleppmann")
	explore := func(jobs int) *results.Exploration {
		e, err := Explore(t.Context(), s, ExploreRequest{Kinds: []string{"hold", "drop"}, Jobs: jobs, Strategies: []string{"redis", "fenced"}})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if diff := cmp.Diff(explore(1), explore(3)); diff != "" {
		t.Errorf("one job and three (-1 +3):\n%s", diff)
	}
}

// A resource that looks at the tokens of writes only is safe from any single
// pause of this length: the late write comes when the next holder has written.
// If that one is paused in turn between its read and its write, it is not.
func TestPairsFindWhatNoSingleFaultDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	s := runtest.Parse(t, `
name: pairs
duration: 20s
workload: {kind: counter, hold: 20ms}
lock: {ttl: 1s, retry: {attempts: unlimited, delay: 300ms, jitter: 0s}}
strategies: [{name: redis-fenced, resource: {fence: writes}}]
each: [{worker: worker-2, start: 10ms}]
checks: [lost-update, exclusion]
`)
	e, err := Explore(t.Context(), s, ExploreRequest{Kinds: []string{"pause"}, Faults: 2})
	if err != nil {
		t.Fatal(err)
	}
	st := e.Strategies[0]
	for _, p := range st.Singles {
		if p.Harm() == results.Corrupts {
			t.Errorf("alone: %s", p.Places[0].Text)
		}
	}
	want := []string{
		"when worker-1 lease-checked 1 pause worker-1 for 1.5s",
		"when worker-2 read-done 1 pause worker-2 for 1.5s",
	}
	if !slices.ContainsFunc(st.Pairs, func(p results.Placement) bool { return p.Places[0].Text == want[0] && p.Places[1].Text == want[1] }) {
		t.Errorf("of %d placements, none is %q", st.Tried, want)
	}
	if st.Tried-len(st.Singles) < st.Points*(st.Points-1)/2 {
		t.Errorf("%d placements of %d points are not all pairs", st.Tried, st.Points)
	}
}

// Of two faults at one point each pair is tried once.
func TestPairsAtOnePointAreTriedOnce(t *testing.T) {
	x := &explorer{base: &scenarios.Scenario{}, points: scenarios.Points(), jobs: &searchJobs{Pool: &run.Pool{}}}
	var err error
	if x.kinds, err = chosenKinds([]string{"crash", "drop", "pause"}); err != nil {
		t.Fatal(err)
	}
	points := []run.Arrival{
		{Worker: "worker-1", Point: "acquired", Nth: 1},
		{Worker: "worker-1", Point: "read.sent", Nth: 1},
		{Worker: "worker-2", Point: "setup", Nth: 1}, // no file can name it
	}
	var got []string
	for _, p := range x.second(spot{x.kinds[1], points[1]}, points) {
		got = append(got, p.kind.Name+" "+p.visit.Point)
	}
	if diff := cmp.Diff([]string{"crash read.sent"}, got); diff != "" {
		t.Errorf("after a drop at read.sent (-want +got):\n%s", diff)
	}
	got = nil
	for _, p := range x.second(spot{x.kinds[0], points[0]}, points) {
		got = append(got, p.kind.Name+" "+p.visit.Point)
	}
	want := []string{"crash acquired", "pause read.sent", "drop read.sent", "crash read.sent"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after a pause at acquired (-want +got):\n%s", diff)
	}
}

func TestStoppedExplorationIsPartial(t *testing.T) {
	s := runtest.Load(t, "kleppmann")
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	e, err := Explore(ctx, s, ExploreRequest{Jobs: 1, Progress: func(campaign.Progress) {
		if runs++; runs == 10 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if !e.Partial || e.Strategies[0].Tried != 10 {
		t.Errorf("partial %v after %d placements, want 10", e.Partial, e.Strategies[0].Tried)
	}
	for i, want := range []int{294, 304} { // of 304 placements of redis, and of those of redis-checked
		st := e.Strategies[i]
		if singles, pairs := st.Untried(); singles != want || pairs != 0 || len(st.Singles) != 304 {
			t.Errorf("%s: %d of %d placements untried, want %d of 304; %d with untried pairs", st.Label, singles, len(st.Singles), want, pairs)
		}
	}
}

// The search stops at the third pair, when all single faults were tried.
func TestAStoppedSearchOfPairsNamesTheFaultsWhosePairsAreNotTried(t *testing.T) {
	s := runtest.Load(t, "kleppmann")
	ctx, cancel := context.WithCancel(t.Context())
	runs, singles := 0, 0
	e, err := Explore(ctx, s, ExploreRequest{
		Kinds: []string{"drop"}, Faults: 2, Jobs: 1, Strategies: []string{"redis"},
		Progress: func(p campaign.Progress) {
			if runs++; runs == 1 {
				singles = p.Total
			}
			if runs == singles+3 {
				cancel()
			}
		},
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	st := e.Strategies[0]
	untried, pairs := st.Untried()
	if untried != 0 || len(st.Singles) != singles || st.Tried != singles+3 {
		t.Errorf("%d single faults untried, %d of %d there, %d placements tried", untried, len(st.Singles), singles, st.Tried)
	}
	// The last fault has no later point, and a fault that corrupts by itself gets no second one.
	if pairs < singles/2 || st.Singles[singles-1].PairsUntried {
		t.Errorf("%d faults have untried pairs, and the last one: %v", pairs, st.Singles[singles-1].PairsUntried)
	}
}

func TestErrorsOfASearch(t *testing.T) {
	s := runtest.Load(t, "kleppmann")
	for _, test := range []struct {
		name   string
		search ExploreRequest
		want   string
	}{
		{"another kind", ExploreRequest{Kinds: []string{"pauze"}}, `unknown kind of fault to place "pauze"; did you mean "pause"?`},
		{"three faults", ExploreRequest{Faults: 3}, "one fault can be placed or two, not 3"},
		{"no time", ExploreRequest{For: -1}, "a fault lasts from 1ns to 87600h0m0s, not -1ns"},
		{"no workers", ExploreRequest{Workers: -1}, "there are from 1 to 100000 workers, not -1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Explore(t.Context(), s, test.search)
			if _, ok := errors.AsType[*Error](err); !ok || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// A placement's text gives the same run as the search had, and a file of it,
// too.
func TestPlacementCanBeRunAgain(t *testing.T) {
	s := runtest.Load(t, "kleppmann")
	search := ExploreRequest{Kinds: []string{"server-crash", "error", "cancel"}, Strategies: []string{"fenced"}}
	e, err := Explore(t.Context(), s, search)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(e.Strategies[0].Singles); i += 10 {
		p := e.Strategies[0].Singles[i]
		specs, err := ParsePlacement(p.Places[0].Text)
		if err != nil {
			t.Fatal(err)
		}
		placed, trials, err := search.Place(t.Context(), s, specs)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p.Violated, trials[0].Checks(checker.Invalid)); diff != "" {
			t.Errorf("%s (-search +again):\n%s", p.Places[0].Text, diff)
		}
		text, err := scenarios.Rewrite(placed, "")
		if err != nil {
			t.Fatal(err)
		}
		file, err := scenarios.Parse("placed.yaml", text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		again := runtest.Trial(t, file, "fenced", 1)
		if again.Checksum != trials[0].Checksum {
			t.Errorf("%s: the file gives another run:\n%s", p.Places[0].Text, text)
		}
	}
	if _, err := ParsePlacement("when worker-1 acquired"); err == nil {
		t.Error("an incomplete fault counts as one")
	}
}

// What a search prints of a placement of any kind is read as the fault that it placed.
func TestPlacementOfEachKindIsReadAgain(t *testing.T) {
	for _, k := range PlacedKinds() {
		placed := ExploreRequest{For: 3 * time.Second}.spec(spot{k, run.Arrival{Worker: "worker-1", Point: "acquire.sent", Nth: 2}})
		want := faults.Generate([]faults.Spec{placed}, 1, []string{"worker-1"}, time.Minute)
		specs, err := ParsePlacement(lineOf(placed, []string{"worker-1"}))
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if diff := cmp.Diff(want, faults.Generate(specs, 1, []string{"worker-1"}, time.Minute)); diff != "" {
			t.Errorf("%s (-placed +read):\n%s", k.Name, diff)
		}
	}
}

// A client has tasks of its own, whose points belong to no worker. The messages that
// they receive belong to the worker that dialled.
func TestExploreIgnoresThePointsOfClientTasks(t *testing.T) {
	s, err := scenarios.Load("kleppmann")
	if err != nil {
		t.Fatal(err)
	}
	e, err := Explore(t.Context(), s, ExploreRequest{Kinds: []string{"drop", "crash"}, Strategies: []string{"redis-notify", "redis-notify-shared"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range e.Strategies {
		if len(st.Pruned) > 0 {
			t.Errorf("%s: left out: %v", st.Label, st.Pruned)
		}
		heard, hangs := false, false
		for _, p := range st.Singles {
			heard = heard || p.Places[0].Worker == "worker-2" && p.Places[0].Point == "message.taken"
			hangs = hangs || slices.Contains(p.Violated, "progress")
		}
		if shared := st.Label == "redis-notify-shared"; !heard || hangs != shared {
			t.Errorf("%s: a fault was placed at a message: %v; somebody waits for ever: %v", st.Label, heard, hangs)
		}
	}
}
