package campaign

import (
	"maps"
	"slices"
)

// tally passes the runs of one use on to sums in the order of their seeds. The runs may end in any
// order.
type tally struct {
	add     func(seed uint64, s *summary)
	next    uint64
	waiting map[uint64]*summary // runs that wait for the runs of lower seeds
}

// take stores a run, and adds all runs that no longer wait for a lower seed.
func (t *tally) take(seed uint64, s *summary) {
	t.waiting[seed] = s
	for t.waiting[t.next] != nil {
		t.pass(t.next)
		t.next++
	}
}

// flush adds the runs that still wait for one that did not end.
func (t *tally) flush() {
	for _, seed := range slices.Sorted(maps.Keys(t.waiting)) {
		t.pass(seed)
	}
}

func (t *tally) pass(seed uint64) {
	t.add(seed, t.waiting[seed])
	delete(t.waiting, seed)
}
