package checker

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// measured returns the metrics of a history, which must be valid.
func measured(t *testing.T, s *scriptedHistory) Metrics {
	t.Helper()
	h := s.history()
	sections, err := h.Sections()
	if err != nil {
		t.Fatal(err)
	}
	_, m, err := Judge(h, sections, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every event comes a millisecond after the one before it.
func TestMetricsCountCallsWaitsAndHolds(t *testing.T) {
	s := story("counter", "off")
	s.meta.Workers = []string{"a", "b", "c"}
	s.acquire("a", 0)               // called at 1 ms, granted at 2, inside at 3
	s.call("b").refusedBy("b", "a") // 4, 5
	s.read("a", "0").write("a", "1")
	s.release("a")             // left at 12, freed at 13, returned at 14
	s.grant("b").enter("b", 0) // inside at 16
	s.release("b")             // left at 17, freed at 18, returned at 19
	m := measured(t, s)
	if m.Calls != 2 || m.Acquisitions != 2 || m.Refusals != 1 || m.LossesNoticed+m.LossesUnnoticed != 0 {
		t.Errorf("%+v", m)
	}
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	if m.Wait.N != 2 || m.Wait.Total != ms(2+12) || m.Wait.Max != ms(12) {
		t.Errorf("waits: %d, %v in all, at most %v", m.Wait.N, m.Wait.Total, m.Wait.Max)
	}
	if m.Hold.Total != ms(9+1) {
		t.Errorf("held for %v", m.Hold.Total)
	}
	// From 1 to 3 ms a waits while the lock is free, from 14 to 16 ms b does.
	if m.Unavailable != ms(4) {
		t.Errorf("unavailable for %v", m.Unavailable)
	}
	// Two of three got one each: (1+1)^2 / (3 x (1+1)).
	if m.Fairness < 0.666 || m.Fairness > 0.667 {
		t.Errorf("fairness %v", m.Fairness)
	}
}

func TestALossIsNoticedWhenTheHolderIsTold(t *testing.T) {
	// a loses its lock at 4 ms, writes at 6, is told at 8, writes again at 10.
	noticed := story("counter", "off").acquire("a", 0).expire("a").write("a", "1").told("a").write("a", "2")
	noticed.release("a")
	m := measured(t, noticed)
	if m.LossesNoticed != 1 || m.LossesUnnoticed != 0 || m.ActsAfterLoss != 1 || m.Notice.Max != 4*time.Millisecond {
		t.Errorf("noticed: %+v", m)
	}
	if m.Wasted != m.Hold.Total || m.Wasted == 0 {
		t.Errorf("wasted %v, held for %v", m.Wasted, m.Hold.Total)
	}
	unnoticed := story("counter", "off").acquire("a", 0).expire("a").write("a", "1").write("a", "2").release("a")
	if m := measured(t, unnoticed); m.LossesNoticed != 0 || m.LossesUnnoticed != 1 || m.ActsAfterLoss != 2 {
		t.Errorf("unnoticed: %+v", m)
	}
	late := story("counter", "off").acquire("a", 0).release("a").expire("a")
	if m := measured(t, late); m.LossesNoticed+m.LossesUnnoticed != 0 || m.Wasted != 0 {
		t.Errorf("a lease that ends after the section is no loss: %+v", m)
	}
}

// The figures of two runs add up, and fairness is their mean.
func TestMetricsOfTwoRunsAddUp(t *testing.T) {
	one := story("counter", "off").acquire("a", 0).write("a", "1").release("a")
	one.meta.Workers = []string{"a"}
	two := story("counter", "off").acquire("a", 0).expire("a").release("a")
	two.meta.Workers = []string{"a", "b"}
	a, b := measured(t, one), measured(t, two)
	var sum Metrics
	sum.Add(&a)
	sum.Add(&b)
	if diff := cmp.Diff([]int64{2, 2, 1}, []int64{sum.Calls, sum.Acquisitions, sum.LossesUnnoticed}); diff != "" {
		t.Error(diff)
	}
	if sum.Fairness != 0.75 || sum.Time != a.Time+b.Time || sum.Wait.N != 2 {
		t.Errorf("%+v", sum)
	}
}

// With three servers and a quorum of two, the end of one grant is no loss, but the end of a second
// one is.
func TestALossNeedsTheEndOfAQuorum(t *testing.T) {
	three := func(ends int) Metrics {
		s := story("counter", "off").call("a").grantOn("a", "lock-1").grantOn("a", "lock-2").grantOn("a", "lock-3").enter("a", 0)
		s.meta.Nodes, s.meta.Quorum = 3, 2
		for i := range ends {
			s.expireOn("a", []string{"lock-2", "lock-3"}[i])
		}
		return measured(t, s.write("a", "1").leave("a").ofSection("a", "released"))
	}
	if m := three(1); m.LossesUnnoticed != 0 {
		t.Errorf("one of three ended: %+v", m)
	}
	if m := three(2); m.LossesUnnoticed != 1 || m.ActsAfterLoss != 1 {
		t.Errorf("two of three ended: %+v", m)
	}
}
