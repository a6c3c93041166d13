package campaign

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"lockquake/internal/stats"
)

// gcPause is gc-pause without the engine, in seconds: eight workers, one lock, the
// scenario's own distributions, and no steps, connections or clocks. It knows a
// lock that only cancels the context of its work, and one that does nothing.
type gcPause struct {
	*rand.Rand
	renews bool
	never  bool // the work computes, and looks at nothing
	pauses [8][]span
	next   [8]float64 // when a worker sends its next request for the lock
	done   []span     // sections whose write took effect, from their read to their write
}

type span struct{ from, to float64 }

const (
	gcEnd, gcTTL, gcThink = 60.0, 2.0, 0.1
	gcDrift               = gcTTL/100 + 0.002
	gcStep                = 10e-6
)

// lognormal draws from a lognormal distribution by its median and 99 % quantile.
func (g *gcPause) lognormal(median, p99 float64) float64 {
	return median * math.Exp(math.Log(p99/median)/2.3263478740408408*g.NormFloat64())
}

func (g *gcPause) latency() float64 { return g.lognormal(0.001, 0.020) }

// stopped is the pause of a worker that holds t, or begins between t and until.
func (g *gcPause) stopped(worker int, t, until float64) (span, bool) {
	for _, p := range g.pauses[worker] {
		if p.to > t && p.from < until {
			return p, true
		}
	}
	return span{}, false
}

// awake is the first moment from t on at which the worker runs.
func (g *gcPause) awake(worker int, t float64) float64 {
	if p, ok := g.stopped(worker, t, t); ok && p.from <= t {
		return p.to
	}
	return t
}

// plan draws the pauses of every worker.
func (g *gcPause) plan() {
	for i := range g.pauses {
		g.next[i] = 0
		g.pauses[i] = nil
		for t := g.ExpFloat64() * 20; t < gcEnd; t += g.ExpFloat64() * 20 {
			p := span{t, t + g.lognormal(2, 30)}
			g.pauses[i] = append(g.pauses[i], p)
			t = p.to
		}
	}
	g.done = nil
}

// violates executes one run and reports whether an update was lost.
func (g *gcPause) violates() bool {
	g.plan()
	for free := 0.0; ; {
		first, arrival := -1, math.Inf(1)
		for i := range g.next {
			for {
				sent := g.awake(i, g.next[i])
				if sent >= gcEnd {
					g.next[i] = sent
					break
				}
				if at := sent + g.latency(); at >= free {
					g.next[i] = sent
					if at < arrival {
						first, arrival = i, at
					}
					break
				}
				g.next[i] = sent + g.latency() + g.latency() + 0.1 + 0.05*g.Float64()
			}
		}
		if first < 0 {
			break
		}
		free = g.section(first, g.next[first], arrival)
	}
	slices.SortFunc(g.done, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(g.done); i++ {
		if g.done[i].from < g.done[i-1].to {
			return true
		}
	}
	return false
}

// section is one that was granted: it returns when the lock is free again.
func (g *gcPause) section(worker int, sent, granted float64) (free float64) {
	end, gone := sent+gcTTL-gcDrift, granted+gcTTL // by the holder's clock, at the server
	lost, late := false, true                      // late: the lost section writes anyway
	// wait lets the worker go on at t; work is what it does meanwhile with its
	// own time.
	now := sent
	wait := func(t float64, sleeps, works bool) {
		for {
			p, hit := g.stopped(worker, now, t)
			if !hit {
				break
			}
			if works {
				t += p.to - max(p.from, now)
			}
			now = p.to
			t = max(t, now)
			switch {
			case !g.renews || lost:
			case now >= end:
				lost, late = true, g.never || sleeps && t == now && g.overtakes()
			case now >= sent+gcTTL/3:
				end, gone = now+gcTTL-gcDrift, now+g.latency()+gcTTL
			}
		}
		now = t
	}
	wait(granted+g.latency(), false, false)
	read := now + g.latency()
	wait(read+g.latency(), false, false)
	wait(now+0.02+0.18*g.Float64(), true, g.never)
	if !lost || late {
		write := now + g.latency()
		g.done = append(g.done, span{read, write})
		wait(write+g.latency(), false, false)
	}
	released := now + g.latency()
	wait(released+g.latency(), false, false)
	g.next[worker] = now + gcThink
	return min(gone, released)
}

// overtakes draws whether, of two processors that wake, the one of the hold is
// ahead of the one of the alarm by more than a step, if these are two.
func (g *gcPause) overtakes() bool {
	return g.Float64() < 0.5 && g.lognormal(100e-6, 10e-3)+gcStep < g.lognormal(100e-6, 10e-3)
}

// gcPauseRate is the 95 % interval of the share of runs in which an update is
// lost.
func gcPauseRate(renews, never bool) (low, high float64) {
	const runs = 2000
	g := &gcPause{Rand: rand.New(rand.NewPCG(1, 2)), renews: renews, never: never}
	lost := 0
	for range runs {
		if g.violates() {
			lost++
		}
	}
	return stats.Wilson(lost, runs)
}
