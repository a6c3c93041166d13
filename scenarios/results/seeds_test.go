package results

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func set(t *testing.T, text string) SeedSet {
	t.Helper()
	var s SeedSet
	if err := s.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestASeedSetComesBackFromItsText(t *testing.T) {
	for _, text := range []string{"", "0", "1-3", "3,7-9,12", "0-2,18446744073709551615", "1,...", "..."} {
		if got := set(t, text).String(); got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
	}
	for _, text := range []string{",", "a", "-", "3-1", "3,3", "3,4", "1-3,2", "1,...,5", "1-9999999999", "-1", "5,0"} {
		var s SeedSet
		if err := s.UnmarshalText([]byte(text)); !errors.Is(err, ErrSeeds) {
			t.Errorf("%q is read as %v, %v", text, s, err)
		}
	}
}

// So the text of a set has a bounded length.
func TestTheTextOfALongSeedSetIsCut(t *testing.T) {
	var long SeedSet
	for seed := uint64(1); seed <= 20_000; seed += 2 {
		long.Add(seed)
	}
	text, err := long.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	back := set(t, string(text))
	if !back.Cut || back.Count() != maxRanges || back.Ranges[maxRanges-1].Last != 2*maxRanges-1 {
		t.Errorf("%d seeds of %d came back, cut: %v", back.Count(), long.Count(), back.Cut)
	}
}

func TestSeedSetsJoinLikePlainLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sets [2]SeedSet
		var in [2][30]bool
		for i := range sets {
			for seed := range in[i] {
				if in[i][seed] = rapid.Bool().Draw(t, "in"); in[i][seed] {
					sets[i].Add(uint64(seed))
				}
			}
		}
		for name, keep := range map[string]func(a, b bool) bool{"either": either, "both": both, "first only": firstOnly} {
			var want SeedSet
			for seed := range in[0] {
				if keep(in[0][seed], in[1][seed]) {
					want.Add(uint64(seed))
				}
			}
			if diff := cmp.Diff(want, sets[0].join(sets[1], keep)); diff != "" {
				t.Fatalf("%s of %v and %v (-want +got):\n%s", name, sets[0], sets[1], diff)
			}
		}
	})
}

// Lists that keep the lowest seeds can be added in any order: the result is the lowest seeds of all.
func TestTheLowestSeedsOfManySetsAreAddedInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(0, 12).Draw(t, "most")
		parts := make([]SeedSet, 4)
		var want SeedSet
		for seed := range uint64(40) {
			part := rapid.IntRange(0, len(parts)).Draw(t, "part")
			if part == len(parts) {
				continue // in none
			}
			parts[part].Add(seed)
			if most == 0 || want.Count() < most {
				want.Add(seed)
			} else {
				want.Cut = true
			}
		}
		var got SeedSet
		for _, i := range rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "order") {
			var part SeedSet
			part.AddAll(parts[i], most) // a part keeps its lowest only
			got.AddAll(part, most)
		}
		if got.String() != want.String() {
			t.Fatalf("the lowest %d of %v are %v, want %v", most, parts, got, want)
		}
	})
}

func TestASeedSetKnowsItsSeeds(t *testing.T) {
	s := set(t, "0,3-5,18446744073709551615")
	for seed, want := range map[uint64]bool{0: true, 1: false, 2: false, 3: true, 5: true, 6: false, 1<<64 - 2: false, 1<<64 - 1: true} {
		if s.Has(seed) != want {
			t.Errorf("has seed %d: %v", seed, !want)
		}
	}
	if got := s.Common(set(t, "1-4,7")).String(); got != "3-4" {
		t.Errorf("in common with 1-4,7: %s", got)
	}
	cut := set(t, "1-3,...")
	if !s.Counts(5) || s.Counts(4) || s.Counts(6) || !cut.Counts(4) || cut.Counts(2) {
		t.Error("a complete set has all that are counted, and a cut one can have fewer")
	}
}
