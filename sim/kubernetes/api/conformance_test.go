package api

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"lockquake/internal/servers"
	"lockquake/lock/kubernetes"
)

// differ returns the index of the first answer in which the sides differ, -1 if they do not, and both answers.
func (r *real) differ(s sequence) (at int, reals, sims string, err error) {
	want, err := s.run(simulated())
	if err != nil {
		return -1, "", "", err
	}
	got, err := s.run(r.do)
	if err != nil {
		return -1, "", "", err
	}
	for i := range want {
		if got[i] != want[i] {
			return i, got[i], want[i], nil
		}
	}
	return -1, "", "", nil
}

// shrink leaves out steps as long as the sides differ.
func (r *real) shrink(s sequence) (shorter sequence, reals, sims string) {
	for shrunk := true; shrunk; {
		shrunk = false
		for i := range slices.Backward(s) {
			fewer := slices.Delete(slices.Clone(s), i, i+1)
			r.empty(s)
			if at, _, _, err := r.differ(fewer); err == nil && at >= 0 {
				s, shrunk = fewer[:at+1], true
				break
			}
		}
	}
	r.empty(s)
	_, reals, sims, _ = r.differ(s)
	return s, reals, sims
}

// empty deletes the objects of a sequence, so that it can run again.
func (r *real) empty(s sequence) {
	for _, st := range s {
		_, _ = r.do(0, &Request{Verb: Delete, Lease: kubernetes.Lease{Name: st.name}})
	}
}

// TestConformance compares the store with a real API server.
func TestConformance(t *testing.T) {
	r := newReal(t, servers.Etcd(t, 1))
	t.Run("by hand", r.compareByHand)
	t.Run("by chance", r.compareByChance)
	t.Run("recorded", r.record)
	t.Run("concurrent clients", r.checkConcurrentClients)
	t.Run("a crash", r.checkCrash)
}

// compareByHand runs the rules of the store.
func (r *real) compareByHand(t *testing.T) {
	for _, rule := range rules() {
		r.empty(rule.requests)
		if at, real, sim, err := r.differ(rule.requests); at >= 0 || err != nil {
			t.Errorf("%s: %v\nreal       %s\nsimulated  %s", rule.name, err, real, sim)
		}
	}
}

// compareByChance runs random requests of several clients, one after another.
func (r *real) compareByChance(t *testing.T) {
	first, last := servers.Sequences(t)
	const pairs, mostFailures = 4, 5
	var next, failed atomic.Int64
	next.Store(int64(first) - 1)
	met := servers.NewCoverage(cases()...)
	var all sync.WaitGroup
	for range pairs {
		all.Go(func() {
			for n := next.Add(1); n <= int64(last) && failed.Load() < mostFailures; n = next.Add(1) {
				s := newGenerator(int(n), 0).sequence()
				at, _, _, err := r.differ(s)
				if err != nil {
					failed.Add(1)
					t.Errorf("sequence %d: %v", n, err)
				}
				if at >= 0 {
					failed.Add(1)
					shorter, real, sim := r.shrink(s[:at+1])
					t.Errorf("sequence %d, made shorter:\n%v\nreal       %s\nsimulated  %s", n, shorter, real, sim)
				}
				lines, _ := s.run(simulated())
				met.Add(lines...)
			}
		})
	}
	all.Wait()
	if last-first+1 >= servers.EnoughSequences && !t.Failed() {
		met.Check(t)
	}
}

// cases lists what enough sequences must meet.
func cases() []string {
	return []string{
		"200 u", "201 u", "NotFound", "AlreadyExists", "the object has been modified", "UID in precondition",
		"must be specified for an update", "invalid syntax", "leaseDurationSeconds", "leaseTransitions", "metadata.name", "[", "resourceVersion should not be set",
		"the UID in the precondition", "the ResourceVersion in the precondition",
	}
}
