package postgres

import (
	"testing"

	"lockquake/lock"
	"lockquake/lock/env"
)

// What an entry says of shared locks and of several locks in one call is true of its strategy.
func TestAnEntrySaysWhatItsStrategyCanLock(t *testing.T) {
	shares, several := 0, 0
	for _, e := range append(Family().Strategies, lock.None()) {
		s := e.New(lock.Deps{Env: env.Real(), Params: e.Defaults, Port: Port{}})
		if _, ok := s.(lock.Sharer); ok != e.Shares {
			t.Errorf("%s: the strategy is a Sharer: %v, and the entry says %v", e.Name, ok, e.Shares)
		}
		if _, ok := s.(lock.MultiLocker); ok != e.Several {
			t.Errorf("%s: the strategy is a MultiLocker: %v, and the entry says %v", e.Name, ok, e.Several)
		}
		if e.Shares {
			shares++
		}
		if e.Several {
			several++
		}
	}
	if shares != 3 || several != 1 {
		t.Errorf("%d strategies share and %d lock several keys, want 3 and 1", shares, several)
	}
}

// All callers take their locks in the order of the numbers, whatever the names and their order, and
// each of them once.
func TestLocksHaveOneOrder(t *testing.T) {
	a, b := lockNumbers([]string{"x", "y", "z", "x"}), lockNumbers([]string{"z", "y", "x"})
	if len(a) != 3 || len(b) != 3 {
		t.Fatalf("%v, %v", a, b)
	}
	for i := range a {
		if a[i] != b[i] || i > 0 && a[i-1] >= a[i] {
			t.Errorf("%v, %v", a, b)
		}
	}
}
