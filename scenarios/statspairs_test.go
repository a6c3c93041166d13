package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func set(t *testing.T, text string) SeedSet {
	t.Helper()
	var s SeedSet
	if err := s.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSeedSetsAsText(t *testing.T) {
	for _, text := range []string{"", "0", "1-3", "3,7-9,12", "0-2,18446744073709551615", "1,...", "..."} {
		if got := set(t, text).String(); got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
	}
	for _, text := range []string{",", "a", "-", "3-1", "3,3", "3,4", "1-3,2", "1,...,5", "1-9999999999", "-1", "5,0"} {
		var s SeedSet
		if err := s.UnmarshalText([]byte(text)); !errors.Is(err, ErrSeeds) {
			t.Errorf("%q is read as %v, %v", text, s, err)
		}
	}
}

// However many seeds there are, a set is written in bounded space, and says
// how far it goes.
func TestLongSeedSetsAreCut(t *testing.T) {
	var long SeedSet
	for seed := uint64(1); seed <= 20_000; seed += 2 {
		long.add(seed)
	}
	text, err := long.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	back := set(t, string(text))
	if !back.Cut || back.Count() != maxRanges || back.Ranges[maxRanges-1].Last != 2*maxRanges-1 {
		t.Errorf("%d seeds of %d came back, cut: %v", back.Count(), long.Count(), back.Cut)
	}
}

// Sets agree with a plain list of what is in them.
func TestSeedSetsJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sets [2]SeedSet
		var in [2][30]bool
		for i := range sets {
			for seed := range in[i] {
				if in[i][seed] = rapid.Bool().Draw(t, "in"); in[i][seed] {
					sets[i].add(uint64(seed))
				}
			}
		}
		for name, keep := range map[string]func(a, b bool) bool{"either": either, "both": both, "first only": firstOnly} {
			var want SeedSet
			for seed := range in[0] {
				if keep(in[0][seed], in[1][seed]) {
					want.add(uint64(seed))
				}
			}
			if diff := cmp.Diff(want, sets[0].join(sets[1], keep)); diff != "" {
				t.Fatalf("%s of %v and %v (-want +got):\n%s", name, sets[0], sets[1], diff)
			}
		}
	})
}

func TestPair(t *testing.T) {
	verdicts := func(runs, violating, unknown string) Verdicts {
		return Verdicts{set(t, runs), set(t, violating), set(t, unknown)}
	}
	for _, tt := range []struct {
		name          string
		first, second Verdicts
		want          string // seeds, both, broken, fixed, changed
	}{
		{"alike", verdicts("1-10", "3,5", "7"), verdicts("1-10", "3,5", "7"), "9 2  "},
		{"some differ", verdicts("1-10", "3,5", ""), verdicts("1-10", "5-7", ""), "10 1 6-7 3 3,6-7"},
		{"other seeds", verdicts("1-10", "3,9", ""), verdicts("8-20", "8,15", ""), "3 0 8 9 8-9"},
		{"no seed in common", verdicts("1-10", "3", ""), verdicts("11-20", "15", ""), "0 0   "},
		{"unknown on one side", verdicts("1-10", "3", "5"), verdicts("1-10", "5", "3"), "8 0   3,5"},
		{"known up to 6 only", verdicts("1-100", "3,6,...", ""), verdicts("1-100", "4,50-90", ""), "6 0 4 3,6 3-4,6"},
	} {
		p := Pair(tt.first, tt.second)
		got := fmt.Sprintf("%d %d %v %v %v", p.Seeds, p.Both, p.Broken, p.Fixed, p.Changed)
		if strings.TrimRight(got, " ") != strings.TrimRight(tt.want, " ") {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if p := Pair(verdicts("1-10", "1-8", ""), verdicts("1-10", "1,9", "")); p.P != mcNemar(7, 1) {
		t.Errorf("7 fixed and 1 broken give %v", p.P)
	}
}

// chancy is like quick, but the pause outlasts the lease in about half of the
// runs.
func chancy() string {
	return strings.Replace(quick, "pause: {for: 2s}", "pause: {for: {dist: uniform, min: 500ms, max: 1300ms}}", 1)
}

// A campaign tells how each strategy differs from the first, on the same seeds.
func TestCampaignPairsStrategies(t *testing.T) {
	s := parseText(t, strings.Replace(chancy(), "strategies: [redis,", "strategies: [redis, {name: redis, label: again}, ", 1))
	c := campaignOf(t, s, WithSeeds(1, 60))
	if len(c.Paired) != 2 {
		t.Fatalf("there are %d pairs: %+v", len(c.Paired), c.Paired)
	}
	again, fenced, redis := c.Paired[0], c.Paired[1], c.Strategies[0]
	if again.Differs || again.Only+again.BaseOnly != 0 || again.Says != "again and redis do the same on all 60 seeds" {
		t.Errorf("the same strategy twice gives %+v", again)
	}
	if redis.Violating < 15 || redis.Violating > 45 || fenced.BaseOnly != redis.Violating || fenced.Only != 0 || !fenced.Differs {
		t.Errorf("redis violates in %d runs; the pair is %+v", redis.Violating, fenced)
	}
	want := fmt.Sprintf("fenced fails less often than redis: of the same 60 seeds 0 violate with fenced only, %d with redis only, 0 with both (McNemar, p < 0.001)", redis.Violating)
	if fenced.Says != want {
		t.Errorf("it says %q, want %q", fenced.Says, want)
	}
	if got := redis.Checks["lost-update"].Seeds.Count(); got != redis.Checks["lost-update"].Violating || redis.Seeds.String() != "1-60" {
		t.Errorf("%d seeds are kept of %d violations; seeds %v", got, redis.Checks["lost-update"].Violating, redis.Seeds)
	}
}

// The other strategies are compared with the first that is a lock.
func TestCampaignPairsWithALock(t *testing.T) {
	s := parseText(t, strings.Replace(quick, "strategies: [redis,", "strategies: [none, redis,", 1))
	c, err := Run(context.Background(), s, WithSeeds(1, 5))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range c.Paired {
		got = append(got, p.Label+" with "+p.Base)
	}
	if want := []string{"none with redis", "fenced with redis"}; !slices.Equal(got, want) {
		t.Errorf("compared are %v, want %v", got, want)
	}
}

// Each strategy is run for as long as its own interval takes, in whole blocks,
// and the number of jobs changes nothing.
func TestUntil(t *testing.T) {
	s := parseText(t, chancy())
	var texts []string
	for _, jobs := range []int{1, 3} {
		last := Progress{}
		c := campaignOf(t, s, WithJobs(jobs), WithUntil(0.05), WithProgress(func(p Progress) { last = p }))
		redis, fenced := c.Strategies[0], c.Strategies[1]
		if redis.Runs != 400 && redis.Runs != 300 || fenced.Runs != 100 || c.Partial || c.Seeds.Last != uint64(redis.Runs) {
			t.Errorf("%d and %d runs; partial %v, seeds %v", redis.Runs, fenced.Runs, c.Partial, c.Seeds)
		}
		if (redis.High-redis.Low)/2 > 0.05 {
			t.Errorf("redis ends at %v to %v", redis.Low, redis.High)
		}
		if low, high := Wilson(redis.Violating-50, redis.Runs-100); (high-low)/2 <= 0.05 {
			t.Errorf("redis could have stopped after %d runs", redis.Runs-100)
		}
		if last.Done != redis.Runs+fenced.Runs {
			t.Errorf("progress ends at %+v", last)
		}
		text, err := json.MarshalIndent(c, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if diff := cmp.Diff(texts[0], texts[1]); diff != "" {
		t.Errorf("one job and three differ:\n%s", diff)
	}
}

// The seeds that are asked for are the most that are run, and a campaign that
// is stopped in the midst of a block is partial.
func TestUntilEnds(t *testing.T) {
	s := parseText(t, chancy())
	c, err := Run(context.Background(), s, WithUntil(0.001), WithSeeds(11, 160))
	if err != nil || c.Partial || c.Strategies[0].Runs != 150 || c.Seeds != (SeedRange{11, 160}) {
		t.Errorf("%v; %+v", err, c)
	}
	for _, at := range []int{30, 200, 230} {
		ctx, cancel := context.WithCancel(t.Context())
		c, err := Run(ctx, s, WithUntil(0.02), WithJobs(1), WithProgress(func(p Progress) {
			if p.Done == at {
				cancel()
			}
		}))
		if !errors.Is(err, context.Canceled) || c == nil || !c.Partial || c.Strategies[0].Runs+c.Strategies[1].Runs != at {
			t.Errorf("stopped after %d runs: %v, %+v", at, err, c)
		}
		cancel()
	}
	for _, until := range []float64{-0.1, 0.5} {
		if _, err := Run(context.Background(), s, WithUntil(until)); err == nil {
			t.Errorf("until %v is taken", until)
		}
	}
}
