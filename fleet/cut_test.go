package fleet

import (
	"testing"
	"time"

	"lockquake/scenarios/results"
)

func TestAPieceTakesAboutAMinuteUnlessTheCampaignIsSmallOrHuge(t *testing.T) {
	for _, test := range []struct {
		name  string
		seeds uint64
		first int
		took  time.Duration // of the first piece
		want  int           // seeds of the others
	}{
		{"10 ms a seed, 10,000 s in all: 200 pieces would take 50 s", 1_000_000, 2, 20 * time.Millisecond, 5000},
		{"10 ms a seed, 20,000 s in all: a minute", 2_000_000, 2, 20 * time.Millisecond, 6000},
		{"a small campaign: 5 s", 10_000, 2, 20 * time.Millisecond, 500},
		{"a seed of two minutes", 1000, 1, 2 * time.Minute, 1},
		{"a billion seeds: 10,000 pieces, the first one among them", 1_000_000_000, 2, 20 * time.Millisecond, 100_011},
		{"no time at all", 100, 2, 0, 5_000_000_000},
	} {
		seeds := results.SeedRange{First: 7, Last: 6 + test.seeds}
		got := cut(seeds, test.first, test.took)
		if got.First != test.first || got.Each != test.want || got.count(seeds) > most {
			t.Errorf("%s: %+v, %d pieces, want %d seeds each", test.name, got, got.count(seeds), test.want)
		}
	}
}

func TestTheFirstPieceHasAboutSixteenRuns(t *testing.T) {
	for _, test := range []struct{ seeds, strategies, want int }{{100, 1, 16}, {100, 3, 6}, {100, 16, 1}, {100, 300, 1}, {4, 1, 4}} {
		if got := firstSeeds(results.SeedRange{First: 1, Last: uint64(test.seeds)}, test.strategies); got != test.want {
			t.Errorf("%d strategies: %d seeds, want %d", test.strategies, got, test.want)
		}
	}
}

func TestThePiecesCoverEverySeedOnce(t *testing.T) {
	for last := uint64(1); last <= 12; last++ {
		for first := 1; first <= int(last); first++ {
			for each := 1; each <= 13; each++ {
				seeds := results.SeedRange{First: 100, Last: 99 + last}
				by, next, n := plan{first, each}, seeds.First, 0
				for p := range by.pieces(seeds) {
					if p.First != next || p.Last < p.First {
						t.Fatalf("%+v of %v: %v comes after seed %d", by, seeds, p, next-1)
					}
					next, n = p.Last+1, n+1
				}
				if next != seeds.Last+1 || n != by.count(seeds) {
					t.Fatalf("%+v of %v: %d pieces to seed %d, and count says %d", by, seeds, n, next-1, by.count(seeds))
				}
			}
		}
	}
	// The highest seed there is.
	const highest = 1<<64 - 1
	n := 0
	for p := range (plan{1, 2}).pieces(results.SeedRange{First: highest - 4, Last: highest}) {
		if n++; n == 3 && p.Last != highest {
			t.Errorf("the last piece is %v", p)
		}
	}
	if n != 3 {
		t.Errorf("%d pieces, want 3", n)
	}
}
