package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/stats"
	"lockquake/scenarios/results"
)

// chancy is like quick, but the pause outlasts the lease in about half of the
// runs.
func chancy() string {
	return strings.Replace(quick, "pause: {for: 2s}", "pause: {for: {dist: uniform, min: 500ms, max: 1300ms}}", 1)
}

// A campaign tells how each strategy differs from the first, on the same seeds.
func TestCampaignPairsStrategies(t *testing.T) {
	s := parseText(t, strings.Replace(chancy(), "strategies: [redis,", "strategies: [redis, {name: redis, label: again}, ", 1))
	c := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 60}})
	if len(c.Paired) != 2 {
		t.Fatalf("there are %d pairs: %+v", len(c.Paired), c.Paired)
	}
	again, fenced, redis := c.Paired[0], c.Paired[1], c.Strategies[0]
	if again.Differs || again.Only+again.BaseOnly != 0 || again.Says != "In linearizable, lost-update and 2 more checks, again and redis do the same on all 60 seeds" {
		t.Errorf("the same strategy twice gives %+v", again)
	}
	if redis.Violating < 15 || redis.Violating > 45 || fenced.BaseOnly != redis.Violating || fenced.Only != 0 || !fenced.Differs {
		t.Errorf("redis violates in %d runs; the pair is %+v", redis.Violating, fenced)
	}
	want := fmt.Sprintf("In linearizable, lost-update and 2 more checks, fenced fails less often than redis: violating seeds, of the same 60: 0 with fenced only, %d with redis only, 0 with both (McNemar, p < 0.001)", redis.Violating)
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
	c, err := Run(context.Background(), s, Request{Seeds: results.SeedRange{First: 1, Last: 5}})
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
func TestUntilRunsEachStrategyForItsInterval(t *testing.T) {
	s := parseText(t, chancy())
	var texts []string
	for _, jobs := range []int{1, 3} {
		last := Progress{}
		c := campaignOf(t, s, Request{Jobs: jobs, Until: 0.05, Progress: func(p Progress) { last = p }})
		redis, fenced := c.Strategies[0], c.Strategies[1]
		if redis.Runs != 400 && redis.Runs != 300 || fenced.Runs != 100 || c.Partial || c.Seeds.Last != uint64(redis.Runs) {
			t.Errorf("%d and %d runs; partial %v, seeds %v", redis.Runs, fenced.Runs, c.Partial, c.Seeds)
		}
		if (redis.High-redis.Low)/2 > 0.05 {
			t.Errorf("redis ends at %v to %v", redis.Low, redis.High)
		}
		if low, high := stats.Wilson(redis.Violating-50, redis.Runs-100); (high-low)/2 <= 0.05 {
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
func TestUntilRunsAtMostTheRequestedSeeds(t *testing.T) {
	s := parseText(t, chancy())
	c, err := Run(context.Background(), s, Request{Until: 0.001, Seeds: results.SeedRange{First: 11, Last: 160}})
	if err != nil || c.Partial || c.Strategies[0].Runs != 150 || c.Seeds != (results.SeedRange{First: 11, Last: 160}) {
		t.Errorf("%v; %+v", err, c)
	}
	for _, at := range []int{30, 200, 230} {
		ctx, cancel := context.WithCancel(t.Context())
		c, err := Run(ctx, s, Request{Until: 0.02, Jobs: 1, Progress: func(p Progress) {
			if p.Done == at {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || c == nil || !c.Partial || c.Strategies[0].Runs+c.Strategies[1].Runs != at {
			t.Errorf("stopped after %d runs: %v, %+v", at, err, c)
		}
		cancel()
	}
	for _, until := range []float64{-0.1, 0.5} {
		if _, err := Run(context.Background(), s, Request{Until: until}); err == nil {
			t.Errorf("until %v is taken", until)
		}
	}
}
