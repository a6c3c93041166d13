package search

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/history"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/results"
)

func axis(t *testing.T, text string) results.Axis {
	t.Helper()
	a, err := scenarios.ParseAxis(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A point of a sweep is the campaign that a user gets who sets its values, and
// its token repeats a run of it.
func TestSweepPointIsACampaign(t *testing.T) {
	s := runtest.Load(t, "kleppmann")
	axes := []results.Axis{axis(t, "lock.ttl=5s,20s"), axis(t, "faults.pause.for=3s,10s")}
	sweep, err := Sweep(t.Context(), s, SweepRequest{Axes: axes, Seeds: results.SeedRange{First: 1, Last: 3}, Strategies: []string{"redis", "fenced"}})
	if err != nil {
		t.Fatal(err)
	}
	// A pause shorter than the TTL is harmless, a longer one hurts a strategy without a fence.
	want := [][2]int{{0, 0}, {3, 0}, {0, 0}, {0, 0}}
	if len(sweep.Points) != len(want) || sweep.Partial {
		t.Fatalf("%d points, partial %v", len(sweep.Points), sweep.Partial)
	}
	for i, point := range sweep.Points {
		for j, label := range []string{"redis", "fenced"} {
			if r, ok := point.Of(label); !ok || r.Violating != want[i][j] || r.Runs != 3 {
				t.Errorf("%v, %s: %d of %d runs, want %d", point.Values, label, r.Violating, r.Runs, want[i][j])
			}
		}
	}
	set, err := s.With([]results.Override{{Path: "lock.ttl", Value: "5s"}, {Path: "faults.pause.for", Value: "10s"}})
	if err != nil {
		t.Fatal(err)
	}
	c := runtest.Campaign(t, set, campaign.Request{Seeds: results.SeedRange{First: 1, Last: 3}, Strategies: []string{"redis"}})
	r, _ := sweep.Points[1].Of("redis")
	if diff := cmp.Diff(c.Strategies[0].Checks, r.Checks); diff != "" {
		t.Error(diff)
	}
	token, err := results.ParseToken(r.Replay)
	if err != nil || token.Hash != set.Hash || token.Seed != r.FirstSeed {
		t.Errorf("the point's token is %s: %v", r.Replay, err)
	}
}

// Neither the number of jobs nor the order in which runs end shows.
func TestSweepDoesNotDependOnJobs(t *testing.T) {
	s := runtest.Load(t, "kleppmann")
	var sweeps []*results.Sweep
	for _, jobs := range []int{1, 3} {
		sweep, err := Find(t.Context(), s, FindRequest{Axis: axis(t, "faults.pause.for=9s..11s/3"), Precision: 0.01, Seeds: results.SeedRange{First: 1, Last: 4}, Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		sweeps = append(sweeps, sweep)
	}
	if diff := cmp.Diff(sweeps[0], sweeps[1]); diff != "" {
		t.Error(diff)
	}
}

// A given check is the one that counts, even one that does not decide.
func TestSweepCountsAGivenCheck(t *testing.T) {
	s := runtest.Load(t, "kleppmann")
	sweep, err := Sweep(t.Context(), s, SweepRequest{Axes: []results.Axis{axis(t, "faults.pause.for=1s,15s")}, Check: "belief", Seeds: results.SeedRange{First: 1, Last: 2}, Strategies: []string{"fenced"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{0, 2} {
		if r := sweep.Points[i].Strategies[0]; r.Violating != want {
			t.Errorf("%v: belief is violated in %d runs, want %d", sweep.Points[i].Values, r.Violating, want)
		}
	}
	if _, err := Sweep(t.Context(), s, SweepRequest{Axes: sweep.Axes, Check: "excluson"}); err == nil || !strings.Contains(err.Error(), `did you mean "exclusion"?`) {
		t.Errorf("an unknown check gave %v", err)
	}
}

// What cannot be at one point is said before the first run.
func TestSweepChecksEveryPointFirst(t *testing.T) {
	runs := 0
	_, err := Sweep(t.Context(), runtest.Load(t, "kleppmann"), SweepRequest{Axes: []results.Axis{axis(t, "workers=2,200000")}, Seeds: results.SeedRange{First: 1, Last: 1}, Progress: func(campaign.Progress) { runs++ }})
	if err == nil || !strings.HasPrefix(err.Error(), "workers=200000: ") || runs > 0 {
		t.Errorf("%d runs, and %v", runs, err)
	}
}

func TestSweepStoppedKeepsWhatWasDone(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	sweep, err := Sweep(ctx, runtest.Load(t, "kleppmann"), SweepRequest{Axes: []results.Axis{axis(t, "faults.pause.for=1s..15s")}, Seeds: results.SeedRange{First: 1, Last: 2}, Strategies: []string{"redis"}, Jobs: 1, Progress: func(p campaign.Progress) {
		if p.Total != 20 {
			t.Errorf("%d runs are to be done, want 20", p.Total)
		}
		if p.Done == 5 {
			stop()
		}
	}})
	if err == nil || !sweep.Partial || len(sweep.Points) != 3 {
		t.Fatalf("%d points, partial %v, %v", len(sweep.Points), sweep.Partial, err)
	}
	for i, want := range []int{2, 2, 1} {
		if got := sweep.Points[i].Strategies[0].Runs; got != want {
			t.Errorf("point %d has %d runs, want %d", i, got, want)
		}
	}
}

// The smallest pause that breaks Kleppmann's worker, worked out from the story
// of one run: the pause must last until another worker has got the lock and has
// read. That is the TTL less what went before the pause, and the retry of the
// other, which differs from seed to seed.
func TestFindKleppmannsPause(t *testing.T) {
	const seeds = 5
	s := runtest.Load(t, "kleppmann")
	byHand := time.Duration(math.MaxInt64)
	for seed := range uint64(seeds) {
		trial := runtest.Trial(t, s, "redis", seed+1)
		begin, latency := trial.Injections[0].Begin, s.Network.Latency.Value
		for _, e := range trial.History.Events {
			// The late write is under way for one latency, and must come after the
			// other's read has been answered by the resource.
			if e.Type == history.Applied && e.Worker == "worker-2" && e.Op == "read" {
				byHand = min(byHand, e.At-begin-latency)
			}
		}
	}
	ttl := 10 * time.Second
	if byHand < ttl-110*time.Millisecond || byHand > ttl+100*time.Millisecond {
		t.Fatalf("by hand it is %v: not the TTL less what went before the pause, and a retry", byHand)
	}
	sweep, err := Find(t.Context(), s, FindRequest{Axis: axis(t, "faults.pause.for=5s..15s/3"), Check: "lost-update", Precision: 0.001, Seeds: results.SeedRange{First: 1, Last: seeds}})
	if err != nil {
		t.Fatal(err)
	}
	for _, threshold := range sweep.Thresholds {
		switch threshold.Label {
		case "fenced":
			if threshold.Side != results.Never || threshold.Breaks != "" {
				t.Errorf("fenced breaks: %+v", threshold)
			}
		case "fenced-writes":
			// A resource that looks at the tokens of writes only takes the late write
			// as long as the other has not written: from a pause of 10 s on that breaks
			// the worker, and one of 15 s is too long for it.
			if threshold.Side != results.Smallest || threshold.Changes != 2 {
				t.Errorf("%+v", threshold)
			}
		case "redis":
			breaks, _ := results.ParseQuantity(threshold.Breaks)
			if off := math.Abs(breaks.X-float64(byHand)) / float64(byHand); off > 0.002 {
				t.Errorf("a pause of %s breaks redis, by hand it is %v", threshold.Breaks, byHand)
			}
			fallthrough
		default:
			if threshold.Side != results.Smallest || threshold.Precision > 0.001 || threshold.TTL != ttl ||
				threshold.Margin < 0.98 || threshold.Margin > 1.02 || threshold.Changes != 1 {
				t.Errorf("%+v", threshold)
			}
			token, err := results.ParseToken(threshold.Replay)
			if err != nil || token.Overrides[0].Value != threshold.Breaks {
				t.Errorf("%s does not repeat what breaks at %s: %v", threshold.Replay, threshold.Breaks, err)
			}
		}
	}
}

// A lease that is too short breaks what a longer one does not, and of whole
// numbers the last that breaks is known exactly.
func TestFindTheLargest(t *testing.T) {
	s := runtest.Load(t, "kleppmann")
	sweep, err := Find(t.Context(), s, FindRequest{Axis: axis(t, "lock.ttl=10s..20s/3"), Precision: 0.01, Seeds: results.SeedRange{First: 1, Last: 2}, Strategies: []string{"redis"}})
	if err != nil {
		t.Fatal(err)
	}
	// The pause is one of 15 s, and begins 0.1 s after the lease.
	found := sweep.Thresholds[0]
	breaks, _ := results.ParseQuantity(found.Breaks)
	holds, _ := results.ParseQuantity(found.Holds)
	if found.Side != results.Largest || breaks.X < 14.8e9 || breaks.X > 15.2e9 || holds.X <= breaks.X || found.Margin != 0 {
		t.Errorf("%+v", found)
	}
	sweep, err = Find(t.Context(), s, FindRequest{Axis: axis(t, "faults[0].when.nth=1..9"), Precision: 0.01, Seeds: results.SeedRange{First: 1, Last: 2}, Strategies: []string{"redis"}})
	if err != nil {
		t.Fatal(err)
	}
	if found := sweep.Thresholds[0]; found.Side != results.Largest || found.Breaks != "1" || found.Holds != "2" {
		t.Errorf("%+v", found)
	}
	sweep, err = Find(t.Context(), s, FindRequest{Axis: axis(t, "workers=2..4"), Precision: 0.01, Seeds: results.SeedRange{First: 1, Last: 2}, Strategies: []string{"redis"}})
	if err != nil {
		t.Fatal(err)
	}
	if found := sweep.Thresholds[0]; found.Side != results.Always || found.Breaks != "" {
		t.Errorf("%+v", found)
	}
}
