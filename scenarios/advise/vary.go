package advise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"lockquake/internal/draw"
	"lockquake/scenarios/results"
)

// change is another value of an assumption.
type change struct {
	assumption string
	value      string // in words
	set        results.Override
}

// twice and half are the factors of the changes.
const (
	twice = 2.0
	half  = 0.5
)

// changes lists the other values of each assumption.
func (a *adviser) changes() []change {
	in, w := a.in, a.in.world()
	var all []change
	add := func(assumption, value, path, to string) {
		all = append(all, change{assumption, value, results.Override{Path: path, Value: to}})
	}
	scaled := func(assumption, path string, s Spread) {
		add(assumption, "twice as long", path, s.times(twice).text(a.dir))
		add(assumption, "half as long", path, s.times(half).text(a.dir))
	}
	scaled("work", "workload.hold", in.Work)
	scaled("latency", "network.latency", in.Latency)
	if in.Pauses.long() > 0 {
		scaled("pauses", "faults.pause.for", in.Pauses)
	}
	if in.leased() {
		scaled("TTL", "lock.ttl", Spread{Dist: draw.Fixed(in.ttl())})
	}
	for i, c := range used(in.causes(a.dir), in.candidates()) {
		if c.name == "cut-off" {
			longest := draw.Dist{Kind: draw.Uniform, Max: w.cutOff}
			scaled("time without the lock's servers", fmt.Sprintf("faults[%d].partition.for", i), Spread{Dist: longest})
		}
	}
	for _, looks := range []results.Heeds{results.HeedsNever, results.HeedsBeforeWrite, results.HeedsAlways} {
		if looks != in.Looks {
			add("the work looks at its context", map[results.Heeds]string{results.HeedsNever: "never", results.HeedsBeforeWrite: "before each write", results.HeedsAlways: "always"}[looks], "workload.heeds", string(looks))
		}
	}
	add("writes of a job", "10 instead of 1", "workload.writes", "10")
	add("step of a worker", "100us instead of 10us", "step", "100us")
	if in.Topology == Failover {
		scaled("time of a failover", "servers.failover", Spread{Dist: draw.Fixed(w.failover)})
		add("replication lag", "ten times as long", "servers.lag", in.Latency.times(10).text(a.dir))
		add("replication lag", "a tenth", "servers.lag", in.Latency.times(0.1).text(a.dir))
	}
	return all
}

// variations returns the number of runs of the later steps.
func (a *adviser) variations() int {
	own := 0
	for _, p := range a.in.pairs(a.dir) {
		if p.candidate.label == yours {
			own++
		}
	}
	return ((len(a.changes())+1)*own + ttlSteps + ttlProbes) * a.fewer()
}

// vary runs the lock in question with each change.
func (a *adviser) vary(ctx context.Context) error {
	var labels []string
	for _, c := range a.answer.Locks[0].Cells {
		labels = append(labels, yours+" under "+c.Cause)
	}
	before, err := a.with(ctx, nil, labels)
	if err != nil {
		return err
	}
	for _, change := range a.changes() {
		cells, err := a.with(ctx, []results.Override{change.set}, labels)
		if err != nil {
			return err
		}
		best := results.AdviceChange{Assumption: change.assumption, Value: change.value}
		for i, after := range cells {
			c := results.AdviceChange{Assumption: change.assumption, Value: change.value, Cause: after.Cause, Before: before[i], After: after}
			if i == 0 || steeper(c, best) < 0 {
				best = c
			}
		}
		a.answer.Changes = append(a.answer.Changes, best)
	}
	slices.SortStableFunc(a.answer.Changes, steeper)
	return nil
}

// steeper orders changes: those with the largest effect on what is lost first, then those with the
// largest effect on what is finished.
func steeper(x, y results.AdviceChange) int {
	done := func(c results.AdviceChange) float64 { return math.Abs(c.After.Done() - c.Before.Done()) }
	return cmp.Or(cmp.Compare(math.Abs(y.Effect()), math.Abs(x.Effect())), cmp.Compare(done(y), done(x)))
}
