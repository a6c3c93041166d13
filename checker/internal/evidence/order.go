package evidence

import (
	"cmp"
	"slices"
)

// SortBy sorts a list by a number, and keeps the order of elements with the same number. It takes little
// time for a list that is nearly in order, as those are that follow the sections of a history.
func SortBy[T any](list []T, key func(*T) int64) {
	left := 32 * len(list)
	for i := 1; i < len(list); i++ {
		k := key(&list[i])
		j := i
		for j > 0 && key(&list[j-1]) > k {
			j--
		}
		if j == i {
			continue
		}
		if left -= i - j; left < 0 {
			sortFar(list, key)
			return
		}
		x := list[i]
		copy(list[j+1:i+1], list[j:i])
		list[j] = x
	}
}

// sortFar does the same for a list whose elements are far from their places.
func sortFar[T any](list []T, key func(*T) int64) {
	type place struct {
		key int64
		at  int
	}
	places := make([]place, len(list))
	for i := range list {
		places[i] = place{key(&list[i]), i}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at)) })
	sorted := make([]T, len(list))
	for i, p := range places {
		sorted[i] = list[p.at]
	}
	copy(list, sorted)
}
