package sim

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Events are pushed, removed and popped at random, and compared with a sorted list.
func TestTheQueueReturnsTheFirstEvent(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var q queue
	var want []*event
	order := func(a, b *event) int {
		if (&item{a.at, a.seq, a}).before(&item{b.at, b.seq, b}) {
			return -1
		}
		return 1
	}
	for seq := range uint64(20_000) {
		switch n := random.IntN(10); {
		case n < 5 || len(want) == 0:
			e := &event{at: random.Int64N(50), seq: seq}
			q.push(e)
			want = append(want, e)
		case n < 7:
			i := random.IntN(len(want))
			q.remove(want[i])
			want = slices.Delete(want, i, i+1)
		default:
			first := slices.MinFunc(want, order)
			if got := q.pop(); got != first {
				t.Fatalf("popped an event at %d with number %d, want %d with %d", got.at, got.seq, first.at, first.seq)
			}
			want = slices.DeleteFunc(want, func(e *event) bool { return e == first })
		}
		if len(q.items) != len(want) {
			t.Fatalf("%d events, want %d", len(q.items), len(want))
		}
	}
}
