package evidence_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"lockquake/checker/internal/evidence"
)

// TestSortByIsAStableSort compares lists that are nearly in order, and lists that are not, with a stable sort.
func TestSortByIsAStableSort(t *testing.T) {
	type element struct{ key, at int64 }
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 40, 1000} {
		for _, spread := range []int64{1, 8, 100, 100_000} {
			list := make([]element, n)
			for i := range list {
				list[i] = element{int64(i)/2 + random.Int64N(spread), int64(i)}
			}
			want := slices.Clone(list)
			slices.SortStableFunc(want, func(a, b element) int { return cmp.Compare(a.key, b.key) })
			evidence.SortBy(list, func(e *element) int64 { return e.key })
			if !slices.Equal(list, want) {
				t.Errorf("%d elements that are up to %d from their places: got another order than that of a stable sort", n, spread)
			}
		}
	}
}
