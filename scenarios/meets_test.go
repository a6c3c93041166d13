package scenarios

import (
	"testing"

	"lockquake/faults"
)

func TestAStrategyWithoutALockMeetsNoFaultOfTheServersOfTheLock(t *testing.T) {
	s, err := Load("need-database")
	if err != nil {
		t.Fatal(err)
	}
	link := func(from, to string) faults.Fault {
		return &faults.Partition{OnLink: faults.OnLink{From: from, To: to}}
	}
	node := func(name string) faults.Fault { return faults.Named("crash", name) }
	for _, test := range []struct {
		fault           faults.Fault
		locked, without bool
	}{
		{node("lock"), true, false},
		{node("lock-replica"), true, false},
		{link("worker-1", "lock"), true, false},
		{link("lock-1", "worker-1"), true, false},
		{node("resource"), true, true},
		{node("worker-1"), true, true},
		{link("worker-1", "resource"), true, true},
	} {
		for name, want := range map[string]bool{"redis": test.locked, "none": test.without, "optimistic": test.without, "unique-key": test.without} {
			if got := s.Meets(Strategy{Name: name, Label: name + " under servers"}, test.fault); got != want {
				t.Errorf("%s meets a fault of %v: %v, want %v", name, faults.Names(test.fault), got, want)
			}
		}
	}
}
