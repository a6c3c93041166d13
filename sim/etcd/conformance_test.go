package etcd_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"lockquake/internal/servers"
	"lockquake/sim/etcd/store"
)

// difference is the first step in which the sides differ.
type difference struct {
	step      int
	real, sim string
}

// compare runs a sequence on both sides. It returns nil if they agree.
func compare(real, simulated side, s sequence) (*difference, []sight, error) {
	want, err := simulated.run(s, nil)
	if err != nil {
		return nil, want, err
	}
	got, err := real.run(s, want)
	if err != nil {
		return nil, want, err
	}
	for i := range want {
		if got[i].String() != want[i].String() {
			return &difference{i, got[i].String(), want[i].String()}, want, nil
		}
	}
	return nil, want, nil
}

// shrink leaves out steps as long as the sides differ.
func shrink(real, simulated side, s sequence, d *difference) (sequence, *difference) {
	for shrunk := true; shrunk; {
		shrunk = false
		for i := range slices.Backward(s) {
			fewer := slices.Delete(slices.Clone(s), i, i+1)
			if other, _, err := compare(real, simulated, fewer); err == nil && other != nil {
				s, d, shrunk = fewer[:min(len(fewer), other.step+1)], other, true
				break
			}
		}
	}
	return s, d
}

func report(t *testing.T, name any, s sequence, d *difference) {
	t.Helper()
	t.Errorf("sequence %v, step %d: real %s\nsimulated %s\n%v", name, d.step+1, d.real, d.sim, s)
}

// TestConformance compares the simulation with a real etcd: both run the same requests and watches of
// several clients, and after each step the answers and what the watches have received are the same.
func TestConformance(t *testing.T) {
	first, last := servers.Sequences(t)
	const pairs, mostFailures = 3, 5
	var next, failed, crashes atomic.Int64
	var all sync.WaitGroup
	met := servers.NewCoverage(cases()...)
	for range pairs {
		real := newReality(t, 1)
		all.Go(func() {
			for seed := next.Add(1) - 1 + int64(first); seed <= int64(last) && failed.Load() < mostFailures; seed = next.Add(1) - 1 + int64(first) {
				g := generator{Rand: rand.New(rand.NewPCG(uint64(seed), 0))}
				s := g.sequence()
				d, seen, err := compare(real, model{1}, s)
				for i := range seen {
					met.Add(seen[i].String())
				}
				if _, crash := errors.AsType[*store.CrashError](err); crash { // see TestConformanceOfACrash
					crashes.Add(1)
					continue
				}
				if err != nil {
					failed.Add(1)
					t.Errorf("sequence %d: %v\n%v", seed, err, s)
				}
				if d == nil {
					continue
				}
				failed.Add(1)
				s, d = shrink(real, model{1}, s[:d.step+1], d)
				report(t, seed, s, d)
			}
		})
	}
	all.Wait()
	t.Logf("%d sequences that crash a real etcd were left out", crashes.Load())
	const oneIn = 1000 // 2 of the first 10,000 crash it
	if most := int64(1 + (last-first)/oneIn); crashes.Load() > most {
		t.Errorf("%d sequences were left out, more than %d", crashes.Load(), most)
	}
	if last-first+1 >= servers.EnoughSequences && !t.Failed() {
		met.Check(t)
	}
}
