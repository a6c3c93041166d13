package zookeeper_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/servers"
)

// startReal starts a server with the ticks of the test.
func startReal(t *testing.T) *real {
	t.Helper()
	server := servers.ZooKeeper(t, fmt.Sprintf("tickTime=%d", tick.Milliseconds()), "maxSessionTimeout=60000")
	r, err := newReal(server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.root.Close)
	return r
}

// differ returns what the real service shows, and the difference between both sides, "" for none.
func (r *real) differ(s sequence) (shown []string, diff string) {
	shown, err := r.run(s)
	got, simErr := runModel(s)
	if err != nil || simErr != nil {
		diff = fmt.Sprintf("real: %v, simulated: %v", err, simErr)
		return append(shown, diff), diff
	}
	return shown, cmp.Diff(shown, got)
}

// differs returns the difference between both sides, "" for none. A difference counts if the real service shows the same twice, one
// time after the other. A run counts for nothing if the machine was too slow in it for the timeouts of the real sessions.
func (r *real) differs(s sequence) string {
	const runs = 20
	var before []string
	for range runs {
		shown, diff := r.differ(s)
		switch {
		case diff == "":
			return ""
		case r.slow.Load():
		case slices.Equal(shown, before):
			return diff
		default:
			before = shown
		}
	}
	return fmt.Sprintf("in %d runs the real service never showed the same twice, or its sessions lost their connections without a step that breaks them", runs)
}

// shrink leaves out steps as long as the sides differ.
func (r *real) shrink(s sequence) (sequence, string) {
	diff := r.differs(s)
	for shrunk := true; shrunk; {
		shrunk = false
		for i := range slices.Backward(s.steps) {
			fewer := sequence{slices.Delete(slices.Clone(s.steps), i, i+1), s.timeout}
			if d := r.differs(fewer); d != "" {
				s, diff, shrunk = fewer, d, true
				break
			}
		}
	}
	return s, diff
}

// TestConformance compares the simulation with a real ZooKeeper: both run the same steps of
// several sessions, and show the same results, Stats, errors, events and states of the sessions.
func TestConformance(t *testing.T) {
	t.Run("by hand", func(t *testing.T) {
		r := startReal(t)
		for _, name := range slices.Sorted(maps.Keys(handWritten())) {
			if diff := r.differs(parse(handWritten()[name])); diff != "" {
				t.Errorf("%s (-real +simulated):\n%s", name, diff)
			}
		}
	})
	t.Run("by chance", func(t *testing.T) {
		first, last := servers.Sequences(t)
		const pairs, mostFailures = 4, 3 // an expiry takes time rather than work
		var next, failed atomic.Int64
		next.Store(int64(first) - 1)
		met := servers.NewCoverage(cases()...)
		var all sync.WaitGroup
		for range pairs {
			r := startReal(t)
			all.Go(func() {
				for n := next.Add(1); n <= int64(last) && failed.Load() < mostFailures; n = next.Add(1) {
					s := generator{rand.New(rand.NewPCG(uint64(n), 0))}.sequence()
					lines, _ := runModel(s)
					met.Add(lines...)
					if r.differs(s) == "" {
						continue
					}
					failed.Add(1)
					s, diff := r.shrink(s)
					t.Errorf("sequence %d, made shorter:\n%v\n(-real +simulated):\n%s", n, s, diff)
				}
			})
		}
		all.Wait()
		if last-first+1 >= servers.EnoughSequences && !t.Failed() {
			met.Check(t)
		}
	})
}

// cases lists what random sequences have to show.
func cases() []string {
	return []string{
		"no node", "node exists", "bad version", "node has children", "ephemeral nodes may not have children", "another operation of the multi failed",
		"created /", "deleted /", "data changed /", "children changed /", "expired", "disconnected", "connected", "setData", "sync", "multi", "close",
	}
}
