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
