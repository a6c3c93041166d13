package campaign

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/scenarios/results"
)

// Whether it keeps each run or sums, and in whatever order the pieces come.
func TestACampaignOfPiecesIsTheWholeOne(t *testing.T) {
	for name, request := range map[string]Request{
		"single runs": {Seeds: results.SeedRange{First: 1, Last: 25}},
		"sums":        summedRequest(25),
	} {
		t.Run(name, func(t *testing.T) {
			s := parseText(t, quick)
			whole := shard(t, s, request)
			want, wantText := campaignOf(t, s, request), textOf(t, whole)

			dir := t.TempDir()
			text, _, err := Describe(s, request)
			path := filepath.Join(dir, "description")
			if err = errors.Join(err, os.WriteFile(path, text, 0o600)); err != nil {
				t.Fatal(err)
			}
			all, err := CreateJournal(filepath.Join(dir, "all"), s)
			if err != nil {
				t.Fatal(err)
			}
			for _, piece := range []results.SeedRange{{First: 20, Last: 25}, {First: 1, Last: 1}, {First: 2, Last: 19}} {
				of, err := ReadJournal(path)
				if err != nil {
					t.Fatal(err)
				}
				r, err := of.Campaign()
				if err = errors.Join(err, of.Close()); err != nil {
					t.Fatal(err)
				}
				r.Piece, r.most, r.blockRuns = piece, request.most, request.blockRuns
				if err := all.Import(shard(t, s, r)); err != nil {
					t.Fatal(err)
				}
			}
			r := request
			r.Journal = all
			executed := 0
			r.Progress = func(p Progress) { executed = p.Done - p.Recalled }
			if diff := cmp.Diff(shown(t, want), shown(t, campaignOf(t, s, r))); diff != "" {
				t.Errorf("it differs (-whole +pieces):\n%s", diff)
			}
			if diff := cmp.Diff(wantText, textOf(t, all)); diff != "" {
				t.Errorf("its journal differs (-whole +pieces):\n%s", diff)
			}
			if executed != 0 {
				t.Errorf("%d runs were executed again", executed)
			}
			if err := all.Remove(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAPieceIsAPartOfTheSeeds(t *testing.T) {
	s := parseText(t, quick)
	seeds := results.SeedRange{First: 5, Last: 9}
	for _, r := range []Request{
		{Seeds: seeds, Piece: results.SeedRange{First: 4, Last: 6}},
		{Seeds: seeds, Piece: results.SeedRange{First: 6, Last: 10}},
		{Seeds: seeds, Piece: results.SeedRange{First: 7, Last: 6}},
		{Seeds: seeds, Piece: seeds, Part: 1, Parts: 2},
		{Seeds: seeds, Piece: seeds, Until: 0.1},
	} {
		if c, err := Run(t.Context(), s, r); c != nil || !errors.Is(err, ErrShard) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func TestAJournalWithoutACampaignHasNoRequest(t *testing.T) {
	if _, err := Combine(parseText(t, quick)).Campaign(); err == nil || err.Error() != "merge: no campaign was begun with it" {
		t.Errorf("error %v", err)
	}
}
