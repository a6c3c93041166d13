package tables

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/reports/words"
	"lockquake/scenarios/results"
	"lockquake/scenarios/search"
)

// explored returns a search of two strategies. One of them has one point more.
func explored() *results.Exploration {
	at := func(kind, worker, point string, checks ...string) results.Placement {
		text := "when " + worker + " " + point + " 1 " + kind
		return results.Placement{Places: []results.Place{{Kind: kind, Worker: worker, Point: point, Nth: 1, Text: text}}, Violated: checks}
	}
	pair := at("pause", "worker-1", "acquired", "lost-update")
	pair.Places = append(pair.Places, at("hold", "worker-2", "acquire.sent").Places...)
	undecided := at("hold", "worker-2", "acquire.sent")
	undecided.Undecided = []string{"linearizable"}
	return &results.Exploration{
		Scenario: "hand", Seed: 1, Workers: 2, Sections: 1, Faults: 2, For: 15e9, Kinds: []string{"pause", "hold"}, Checks: []string{"lost-update", "told", "fencing"},
		Letters: []results.KindLetter{{Kind: "pause", Letter: "p"}, {Kind: "hold", Letter: "h"}},
		Strategies: []results.ExploredStats{
			{
				Name: "redis", Label: "redis", Fence: "off", Points: 3, Tried: 5, Corrupting: 2, Others: 1, Undecided: 1,
				Checks: map[string]int{"told": 1, "lost-update": 2, "exclusion": 1},
				Singles: []results.Placement{
					at("pause", "worker-1", "acquired", "told"),
					at("pause", "worker-2", "acquire.sent", "lost-update", "exclusion"), undecided,
					at("pause", "worker-1", "released"),
				},
				Pairs:  []results.Placement{pair},
				Pruned: []results.Pruned{{Why: "pairs of faults of one message", Count: 1}},
			},
			{
				Name: "redis-fenced", Label: "fenced", Fence: "reads-writes", Points: 2, Tried: 3, Checks: map[string]int{},
				Without: []string{"load"},
				Singles: []results.Placement{
					at("pause", "worker-1", "acquired"), at("pause", "worker-1", "read-called"),
					at("pause", "worker-1", "released", "fencing"),
				},
			},
		},
	}
}

func TestAnExplorationIsPrintedAsTablesAndAMap(t *testing.T) {
	var b bytes.Buffer
	if err := Exploration(&b, explored(), words.Screen{}); err != nil {
		t.Fatal(err)
	}
	const want = `hand: one fault and two at every point, 2 workers, 1 section each, seed 1
tried 8 placements of pause and hold with redis and fenced, and looked for violations of
  lost-update, told and fencing
a fault lasts 15s

strategy  fence         points  placements  corrupt  break fencing  break others  cannot tell
redis     off                3           5        2              0             1            1
fenced    reads-writes       2           3        0              0             0            0

corrupt: updates lost, or two at work at once
break fencing: tokens out of order, or wrongly accepted or refused

redis violates lost-update 2, exclusion 1, told 1
fenced violates no check

strategy  fault       harmful  tried  first harmful placement
redis     pause  2 and 1 pair      3  when worker-1 acquired 1 pause
fenced    pause             1      3  when worker-1 released 1 pause

redis, left out: 1 pairs of faults of one message

fenced violates without any fault: load

map of the protocol
p pause, h hold
capital: corrupts or breaks fencing; small: breaks another check; ?: cannot tell; dot: safe;
  blank: cannot be placed there; -: no such point
of two faults the mark is at the first
point          nth  redis  fenced
worker-1
 acquired        1  P      .
 read-called     1  -      .
 released        1  .      P

worker-2
 acquire.sent    1  P?     -
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The search was stopped at the second of three placements of redis, and before the first one of fenced.
func TestAPartialExplorationGivesNoVerdictOnWhatWasNotTried(t *testing.T) {
	e := explored()
	e.Faults, e.Partial = 1, true
	for i := range e.Strategies {
		st := &e.Strategies[i]
		*st = results.ExploredStats{Name: st.Name, Label: st.Label, Fence: st.Fence, Points: 3, Checks: map[string]int{}, Singles: st.Singles[:3]}
		for j := range st.Singles {
			st.Singles[j].Violated, st.Singles[j].Undecided = nil, nil
			st.Singles[j].Untried = i > 0 || j > 0
		}
	}
	e.Strategies[0].Tried = 1
	var b bytes.Buffer
	if err := Exploration(&b, e, words.Screen{}); err != nil {
		t.Fatal(err)
	}
	const want = `
redis violates no check so far, in 1 of 3 placements
fenced: no placement was tried

no placement that was tried breaks a check

map of the protocol
p pause, h hold
capital: corrupts or breaks fencing; small: breaks another check; ?: cannot tell; dot: safe; ~:
  not tried; blank: cannot be placed there; -: no such point
point                  nth  redis  fenced
worker-1
 acquired to released       .      ~

worker-2
 acquire.sent            1  ~~     -
`
	if _, got, _ := strings.Cut(b.String(), "refused\n"); got != want {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, got))
	}

	e.Faults, e.Strategies = 2, e.Strategies[:1]
	e.Strategies[0].Tried = 3
	for j := range e.Strategies[0].Singles {
		p := &e.Strategies[0].Singles[j]
		p.Untried, p.PairsUntried = false, j > 0
	}
	b.Reset()
	if err := Exploration(&b, e, words.Screen{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nredis violates no check so far, in 3 placements\n", "\nof two faults the mark is at the first, ~ if not all pairs were tried\n",
		"\n acquired        1  .\n", "\n acquire.sent    1  ~~\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no line %q in\n%s", strings.TrimSpace(want), b.String())
		}
	}

	e.Strategies[0].Tried = 0
	b.Reset()
	if err := Exploration(&b, e, words.Screen{}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(b.String(), "\nredis: no placement was tried\n") {
		t.Errorf("more than that nothing was tried:\n%s", b.String())
	}
}

func TestTheMapMergesSuccessiveRowsWithoutHarm(t *testing.T) {
	got := withoutHarm([][]string{
		{"worker", "point", "nth", "redis"},
		{"worker-1", "a", "1", ". ."},
		{"worker-1", "b", "1", ".."},
		{"worker-1", "c", "2", "-"},
		{"worker-1", "d", "1", "P."},
		{"worker-1", "e", "1", ".."},
		{"worker-1", "f", "1", ".."},
		{"worker-2", "a", "1", ".."},
		{"worker-2", "b", "1", "-"},
		{"worker-2", "c", "1", ". ."},
		{"worker-2", "d", "1", ".~"},
		{"worker-2", "e", "1", "~"},
		{"worker-2", "f", "1", "~ ~"},
		{"worker-2", "g", "1", "~"},
		{"worker-2", "h", "1", "-"},
		{"worker-3", "a", "1", "-"},
		{"worker-3", "b", "1", "-"},
		{"worker-3", "c", "1", "-"},
	})
	want := [][]string{
		{"worker", "point", "nth", "redis"},
		{"worker-1", "a to c", "", "."},
		{"worker-1", "d", "1", "P."},
		{"worker-1", "e", "1", ".."},
		{"worker-1", "f", "1", ".."},
		{"worker-2", "a to c", "", "."},
		{"worker-2", "d", "1", ".~"},
		{"worker-2", "e to h", "", "~"},
		{"worker-3", "a to c", "", "-"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEachKindHasALetterOfItsOwn(t *testing.T) {
	seen := map[string]string{}
	for _, k := range search.PlacedKinds() {
		if other, taken := seen[k.Letter]; taken || len(k.Letter) != 1 {
			t.Errorf("%s has the letter %q, as %q", k.Name, k.Letter, other)
		}
		seen[k.Letter] = k.Name
	}
}
