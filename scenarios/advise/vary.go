package advise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"lockquake/internal/draw"
	"lockquake/scenarios/results"
)

// change is another value of an assumption.
type change struct {
	assumption string
	value      string // in words
	set        results.Override
	worse      bool // a value with which more can go wrong
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
	add := func(worse bool, assumption, value, path, to string) {
		all = append(all, change{assumption, value, results.Override{Path: path, Value: to}, worse})
	}
	scaled := func(assumption, path string, s Spread) {
		add(true, assumption, "twice as long", path, s.times(twice).text(a.dir))
		add(false, assumption, "half as long", path, s.times(half).text(a.dir))
	}
	scaled("work", "workload.hold", in.Work)
	scaled("latency", "network.latency", in.Latency)
	if in.Pauses.long() > 0 {
		scaled("pauses", "faults.pause.for", in.Pauses)
	}
	if in.leased() {
		add(false, "TTL", "twice as long", "lock.ttl", brief(in.ttl()*2))
		if shorter := in.ttl() / 2; in.accepts(shorter) {
			add(true, "TTL", "half as long", "lock.ttl", brief(shorter))
		}
	}
	for i, c := range used(in.causes(a.dir), in.candidates()) {
		switch c.name {
		case cutOff:
			scaled("cut-off", fmt.Sprintf("faults[%d].partition.for", i), Spread{Dist: draw.Dist{Kind: draw.Uniform, Max: w.cutOff}})
		case lateWrites:
			scaled("late packets", fmt.Sprintf("faults[%d].latency.add", i), late())
		}
	}
	for _, looks := range []struct {
		heeds results.Heeds
		value string
	}{{results.HeedsNever, "never"}, {results.HeedsBeforeWrite, "before each write"}, {results.HeedsAlways, "always"}} {
		if looks.heeds != in.Looks {
			add(false, "checking the context", looks.value, "workload.heeds", string(looks.heeds))
		}
	}
	add(true, "writes of a job", "10 instead of 1", "workload.writes", "10")
	add(true, "step of a worker", "100us instead of 10us", "step", "100us")
	if in.Topology == Failover {
		scaled("failover", "servers.failover", Spread{Dist: draw.Fixed(w.failover)})
		add(true, "replication lag", "ten times as long", "servers.lag", in.Latency.times(10).text(a.dir))
		add(false, "replication lag", "a tenth as long", "servers.lag", in.Latency.times(0.1).text(a.dir))
	}
	return all
}

// worse returns the changes with which more can go wrong.
func worse(all []change) []change {
	return slices.DeleteFunc(slices.Clone(all), func(c change) bool { return !c.worse })
}

// vary runs the lock in question with each change, and the nearest lock that lost nothing with those
// with which more can go wrong.
func (a *adviser) vary(ctx context.Context) error {
	all := a.changes()
	mine, next := &a.answer.Locks[0], a.nearest()
	a.expect(func(p pair) int {
		switch {
		case p.candidate.label == mine.Label:
			return (len(all) + 1) * a.fewer()
		case next != nil && p.candidate.label == next.Label:
			return (len(worse(all)) + 1) * a.fewer()
		}
		return 0
	})
	if err := a.varyLock(ctx, mine, all); err != nil || next == nil {
		return err
	}
	return a.varyLock(ctx, next, worse(all))
}

// nearest returns the first lock next to the one in question that lost nothing where that one did; nil if there is none.
func (a *adviser) nearest() *results.AdviceLock {
	locks := a.answer.Locks
	for i := range locks {
		if l := &locks[i]; i > 0 && locks[0].Worst() > 0 && l.Worst() == 0 && l.Needs == "" && strings.HasPrefix(l.Label, yours) {
			return l
		}
	}
	return nil
}

// varyLock adds the effect of changes on a lock, the steepest first.
func (a *adviser) varyLock(ctx context.Context, l *results.AdviceLock, changes []change) error {
	var labels []string
	for _, c := range l.Cells {
		labels = append(labels, l.Label+" under "+c.Cause)
	}
	seeds := a.fewer()
	before, err := a.with(ctx, nil, labels, seeds)
	if err != nil {
		return err
	}
	var all []results.AdviceChange
	for _, change := range changes {
		cells, err := a.with(ctx, []results.Override{change.set}, labels, seeds)
		if err != nil {
			return err
		}
		var best results.AdviceChange
		for i, after := range cells {
			c := results.AdviceChange{Lock: l.Label, Assumption: change.assumption, Value: change.value, Cause: after.Cause, Before: before[i], After: after}
			if i == 0 || steeper(c, best) < 0 {
				best = c
			}
		}
		all = append(all, best)
	}
	slices.SortStableFunc(all, steeper)
	a.answer.Changes = append(a.answer.Changes, all...)
	return nil
}

// steeper orders changes: those with a clear effect on what is lost first, then those with the largest
// effect on it, then those with the largest effect on what is finished.
func steeper(x, y results.AdviceChange) int {
	unclear := func(c results.AdviceChange) int {
		if c.Clear() {
			return 0
		}
		return 1
	}
	done := func(c results.AdviceChange) float64 { return math.Abs(c.After.Done() - c.Before.Done()) }
	return cmp.Or(cmp.Compare(unclear(x), unclear(y)), cmp.Compare(math.Abs(y.Effect()), math.Abs(x.Effect())), cmp.Compare(done(y), done(x)))
}
