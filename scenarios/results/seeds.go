package results

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// SeedRange is a closed range of seeds.
type SeedRange struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// Count returns the number of seeds in the range.
func (r SeedRange) Count() int { return int(r.Last-r.First) + 1 }

// SeedSet is a set of seeds as rising ranges with gaps between them. As text it is a list
// such as 3,7-9,12; the empty set is the empty text.
type SeedSet struct {
	Ranges []SeedRange
	// Cut: the list is incomplete, so nothing is known about seeds after its last one. The
	// text ends with an ellipsis then.
	Cut bool
}

// maxRanges bounds the text of a set.
const maxRanges = 4000

// ErrSeeds is the error for a text that is no set of seeds.
var ErrSeeds = errors.New("not a set of seeds: it is a list such as 3,7-9,12 that rises")

const ellipsis = "..."

// IsZero reports whether the set is empty.
func (s SeedSet) IsZero() bool { return len(s.Ranges) == 0 && !s.Cut }

// Count returns the number of listed seeds.
func (s SeedSet) Count() int {
	n := 0
	for _, r := range s.Ranges {
		n += r.Count()
	}
	return n
}

// Add adds a seed, which must be higher than all others.
func (s *SeedSet) Add(seed uint64) {
	if last := len(s.Ranges) - 1; last >= 0 && s.Ranges[last].Last+1 == seed {
		s.Ranges[last].Last = seed
		return
	}
	s.Ranges = append(s.Ranges, SeedRange{seed, seed})
}

// String returns the whole set as text.
func (s SeedSet) String() string {
	var parts []string
	for _, r := range s.Ranges {
		part := strconv.FormatUint(r.First, 10)
		if r.Last > r.First {
			part += "-" + strconv.FormatUint(r.Last, 10)
		}
		parts = append(parts, part)
	}
	if s.Cut {
		parts = append(parts, ellipsis)
	}
	return strings.Join(parts, ",")
}

// First returns the set with at most that many ranges. It is cut if the set has more.
func (s SeedSet) First(ranges int) SeedSet {
	if len(s.Ranges) > ranges {
		return SeedSet{Ranges: s.Ranges[:ranges], Cut: true}
	}
	return s
}

// MarshalText writes at most 4,000 ranges, those of the lowest seeds.
func (s SeedSet) MarshalText() ([]byte, error) { return []byte(s.First(maxRanges).String()), nil }

// UnmarshalText reads what MarshalText writes. Its error wraps ErrSeeds.
func (s *SeedSet) UnmarshalText(text []byte) error {
	*s = SeedSet{}
	list := string(text)
	if list == "" {
		return nil
	}
	for part := range strings.SplitSeq(list, ",") {
		if s.Cut {
			return fmt.Errorf("%w: something follows the end", ErrSeeds)
		}
		if part == ellipsis {
			s.Cut = true
			continue
		}
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.ParseUint(from, 10, 64)
		last, err2 := strconv.ParseUint(to, 10, 64)
		if err1 != nil || err2 != nil || first > last || last-first > math.MaxInt32 {
			return fmt.Errorf("%w: %.40q", ErrSeeds, part)
		}
		if n := len(s.Ranges); n > 0 && (first == 0 || s.Ranges[n-1].Last >= first-1) {
			return fmt.Errorf("%w: %.40q", ErrSeeds, part)
		}
		s.Ranges = append(s.Ranges, SeedRange{first, last})
	}
	return nil
}

// Without returns the seeds that the other set does not hold.
func (s SeedSet) Without(other SeedSet) SeedSet { return s.join(other, firstOnly) }

// Common returns the seeds that both sets hold.
func (s SeedSet) Common(other SeedSet) SeedSet { return s.join(other, both) }

// Has reports whether the set lists a seed.
func (s SeedSet) Has(seed uint64) bool {
	i, _ := slices.BinarySearchFunc(s.Ranges, seed, func(r SeedRange, seed uint64) int { return cmp.Compare(r.Last, seed) })
	return i < len(s.Ranges) && s.Ranges[i].First <= seed
}

// Counts reports whether the list is one of n seeds: it has n, or fewer if it is cut.
func (s SeedSet) Counts(n int) bool { return s.Count() == n || s.Cut && s.Count() < n }

// AddAll adds the seeds of another set, and keeps at most that many, the lowest; 0: all. The set is cut
// if the other is, or if seeds are left out. Lists that keep the same number can be added in any order.
func (s *SeedSet) AddAll(other SeedSet, most int) {
	cut := s.Cut || other.Cut
	if n := len(s.Ranges); n > 0 && len(other.Ranges) > 0 && s.Ranges[n-1].Last < other.Ranges[0].First {
		first := other.Ranges[0]
		s.Add(first.First) // it may continue the last range
		s.Ranges[len(s.Ranges)-1].Last = first.Last
		s.Ranges = append(s.Ranges, other.Ranges[1:]...)
	} else {
		*s = s.join(other, either)
	}
	s.Cut = cut
	if most > 0 {
		s.keep(most)
	}
}

// keep cuts the set to its lowest seeds, if it has more than that many.
func (s *SeedSet) keep(most int) {
	for i := range s.Ranges {
		r := &s.Ranges[i]
		if n := r.Count(); n <= most {
			most -= n
			continue
		}
		s.Cut = true
		if most > 0 {
			r.Last = r.First + uint64(most) - 1
			i++
		}
		s.Ranges = s.Ranges[:i]
		return
	}
}

// The ways to join two sets.
func either(a, b bool) bool    { return a || b }
func both(a, b bool) bool      { return a && b }
func firstOnly(a, b bool) bool { return a && !b }

// join returns the seeds for which keep returns true. The arguments of keep tell which of
// the two sets has the seed. keep(false, false) must be false.
func (s SeedSet) join(other SeedSet, keep func(inFirst, inSecond bool) bool) SeedSet {
	var result SeedSet
	a, b := s.Ranges, other.Ranges
	for at := uint64(0); len(a) > 0 || len(b) > 0; {
		inA, endA := piece(&a, at)
		inB, endB := piece(&b, at)
		end := min(endA, endB)
		if keep(inA, inB) {
			if last := len(result.Ranges) - 1; last >= 0 && result.Ranges[last].Last+1 == at {
				result.Ranges[last].Last = end
			} else {
				result.Ranges = append(result.Ranges, SeedRange{at, end})
			}
		}
		if end == math.MaxUint64 {
			break
		}
		at = end + 1
	}
	return result
}

// piece reports whether the ranges have the seed at, and the last seed up to which the
// answer is the same. It drops the ranges before at.
func piece(ranges *[]SeedRange, at uint64) (in bool, end uint64) {
	for len(*ranges) > 0 && (*ranges)[0].Last < at {
		*ranges = (*ranges)[1:]
	}
	switch {
	case len(*ranges) == 0:
		return false, math.MaxUint64
	case (*ranges)[0].First > at:
		return false, (*ranges)[0].First - 1
	}
	return true, (*ranges)[0].Last
}

// known returns the seeds of s up to the last seed of a cut list, or all if the list is not
// cut.
func (s SeedSet) known(list SeedSet) SeedSet {
	if !list.Cut {
		return s
	}
	if len(list.Ranges) == 0 {
		return SeedSet{}
	}
	return s.join(SeedSet{Ranges: []SeedRange{{0, list.Ranges[len(list.Ranges)-1].Last}}}, both)
}
