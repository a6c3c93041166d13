package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// shard runs a part of a campaign and returns its journal, opened for reading.
func shard(t *testing.T, s *scenarios.Scenario, r Request) *Journal {
	t.Helper()
	path := filepath.Join(t.TempDir(), "runs")
	j := open(t, path, s)
	r.Journal = j
	campaignOf(t, s, r)
	closed(t, j)
	return read(t, path)
}

func read(t *testing.T, path string) *Journal {
	t.Helper()
	j, err := ReadJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// mergeOf merges journals. It also returns them as one.
func mergeOf(t *testing.T, s *scenarios.Scenario, from []*Journal, progress func(Progress)) (*results.Campaign, *Journal, error) {
	t.Helper()
	all := Combine(s)
	for _, j := range from {
		if err := all.Collect(j); err != nil {
			return nil, nil, err
		}
	}
	c, err := Merge(t.Context(), s, all, progress)
	return c, all, err
}

func TestShardsCoverAllSeeds(t *testing.T) {
	for _, test := range []struct {
		first, last uint64
		parts       int
		want        string
	}{
		{1, 10, 1, "1-10"},
		{1, 10, 3, "1-4 5-7 8-10"},
		{11, 14, 4, "11-11 12-12 13-13 14-14"},
		{1<<64 - 5, 1<<64 - 1, 2, "18446744073709551611-18446744073709551613 18446744073709551614-18446744073709551615"},
	} {
		var got []string
		for part := range test.parts {
			r := Request{Seeds: results.SeedRange{First: test.first, Last: test.last}, Part: part + 1, Parts: test.parts}
			if _, err := r.choose(&scenarios.Scenario{Seeds: 1}); err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%d-%d", r.Seeds.First, r.Seeds.Last))
		}
		if text := strings.Join(got, " "); text != test.want {
			t.Errorf("seeds %d to %d in %d parts: %s, want %s", test.first, test.last, test.parts, text, test.want)
		}
	}
	for _, r := range []Request{{Part: 3, Parts: 2}, {Part: 0, Parts: 2}, {Part: -1, Parts: 2}, {Part: 1, Parts: 11}, {Part: 1, Parts: 2, Until: 0.1}} {
		if _, err := r.choose(&scenarios.Scenario{Seeds: 10}); !errors.Is(err, ErrShard) {
			t.Errorf("part %d of %d with --until %v gives %v", r.Part, r.Parts, r.Until, err)
		}
	}
}

// Shards, or parts cut in any other way, come to what one campaign comes to.
func TestMergedCampaignIsTheSame(t *testing.T) {
	s := parseText(t, quick)
	whole := shard(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 9}})
	want := campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 9}})
	var shards []*Journal
	for part := range 4 {
		shards = append(shards, shard(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 9}, Part: part + 1, Parts: 4}))
	}
	for _, test := range []struct {
		name string
		from []*Journal
	}{
		{"shards", shards},
		{"shards in another order", []*Journal{shards[2], shards[0], shards[3], shards[1]}},
		{"all of it", []*Journal{whole}},
		{"some of it twice", []*Journal{shards[1], whole, shards[2]}},
		{"by strategy", []*Journal{shard(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 9}, Strategies: []string{"redis"}}), shard(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 9}, Strategies: []string{"fenced"}})}},
		{"seeds that follow each other", []*Journal{shard(t, s, Request{Seeds: results.SeedRange{First: 6, Last: 9}}), shard(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 5}})}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, runs, err := mergeOf(t, s, test.from, func(p Progress) {
				if p.Recalled != p.Done {
					t.Errorf("a run is new: %+v", p)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(shown(t, want), shown(t, got)); diff != "" {
				t.Errorf("it differs (-want +got):\n%s", diff)
			}
			// Its journal is that of the one campaign, whatever the order of its runs was.
			var one, two bytes.Buffer
			if _, err := whole.WriteTo(&one); err != nil {
				t.Fatal(err)
			}
			if n, err := runs.WriteTo(&two); err != nil || n != int64(two.Len()) {
				t.Fatalf("%d bytes written, %v", n, err)
			}
			if diff := cmp.Diff(one.String(), two.String()); diff != "" {
				t.Errorf("the journals differ (-want +got):\n%s", diff)
			}
		})
	}
}

// Journals of different strategies are merged in any order to the same report: first the strategies of the
// scenario in its order, then the others by name.
func TestMergedStrategiesHaveTheOrderOfTheScenario(t *testing.T) {
	s := parseText(t, quick)
	of := func(labels ...string) *Journal {
		return shard(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 3}, Strategies: labels})
	}
	redis, fenced, watchdog, none := of("redis"), of("fenced"), of("redis-watchdog"), of("none")
	forwards, backwards := of("redis", "fenced"), of("fenced", "redis")
	for _, test := range []struct {
		want string
		from []*Journal
	}{
		{"redis fenced", []*Journal{redis, fenced}},
		{"redis fenced", []*Journal{forwards, backwards}},
		{"fenced redis", []*Journal{backwards, backwards}}, // as one campaign with the same flags
		{"redis fenced", []*Journal{fenced, backwards}},
		{"redis fenced none redis-watchdog", []*Journal{watchdog, fenced, none, redis}},
	} {
		backwards := slices.Clone(test.from)
		slices.Reverse(backwards)
		var reports []string
		for _, from := range [][]*Journal{test.from, backwards} {
			c, all, err := mergeOf(t, s, from, nil)
			if err != nil {
				t.Fatal(err)
			}
			var labels []string
			for _, st := range c.Strategies {
				labels = append(labels, st.Label)
			}
			if got := strings.Join(labels, " "); got != test.want {
				t.Errorf("the strategies are %s, want %s", got, test.want)
			}
			reports = append(reports, shown(t, c)+textOf(t, all))
		}
		if diff := cmp.Diff(reports[0], reports[1]); diff != "" {
			t.Errorf("%s: backwards it differs (-forwards +backwards):\n%s", test.want, diff)
		}
	}
}

func TestMergeRefusesJournalsThatDoNotFit(t *testing.T) {
	s := parseText(t, quick)
	shards := map[int]*Journal{}
	for part := range 3 {
		shards[part+1] = shard(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 9}, Part: part + 1, Parts: 3})
	}
	set, err := s.With([]results.Override{{Path: "lock.ttl", Value: "2s"}})
	if err != nil {
		t.Fatal(err)
	}
	text := journalOf(t, s, 9)
	lines := strings.SplitAfter(text, "\n")
	other := signed(strings.TrimSpace(strings.Replace(lines[2][journalChecksumLength:], `"acquisitions":2`, `"acquisitions":1`, 1)))
	for _, test := range []struct {
		name string
		from []*Journal
		want string
	}{
		{"the first shard is missing", []*Journal{shards[2], shards[3]}, "merge: seeds 1-3 are missing"},
		{"one in the middle is missing", []*Journal{shards[1], shards[3]}, "merge: seeds 4-6 are missing"},
		{"the last is missing", []*Journal{shards[1], shards[2]}, "merge: seeds 7-9 are missing"},
		{"a strategy is missing in one", []*Journal{shards[1], shards[2], shard(t, s, Request{Seeds: results.SeedRange{First: 7, Last: 9}, Strategies: []string{"redis"}})}, "merge: seeds 7-9 of fenced are missing"},
		{"seeds between two", []*Journal{shard(t, s, Request{Seeds: results.SeedRange{First: 1, Last: 2}}), shard(t, s, Request{Seeds: results.SeedRange{First: 5, Last: 6}})}, "merge: seeds 3-4 are missing"},
		{"two runs are missing", []*Journal{read(t, put(t, strings.Join(append(lines[:2:2], lines[4:]...), "")))}, "merge: seeds 1 are missing"},
		{"another value is set", []*Journal{shards[1], shard(t, set, Request{Seeds: results.SeedRange{First: 4, Last: 9}})}, `:1: its runs have set "lock.ttl=2s", and not nothing`},
		{"a run is another one", []*Journal{shards[1], read(t, put(t, lines[0]+lines[1]+other))}, `:3: seed 1 of "redis" is not the same run as in `},
		{"a campaign that stopped by itself", []*Journal{shard(t, s, Request{Until: 0.1})}, "its campaign ran each strategy until its rate was known"},
		{"nothing was begun", []*Journal{read(t, put(t, lines[0]+lines[2]))}, ": no campaign was begun with it"},
		{"more seeds than there are runs", []*Journal{read(t, put(t, lines[0]+signed(`{"asked":{"strategies":["redis"],"seeds":{"first":0,"last":18446744073709551615}}}`)+lines[2]))}, "merge: seeds 0,2-18446744073709551615 are missing"},
		{"a strategy that nobody knows", []*Journal{read(t, put(t, lines[0]+signed(`{"asked":{"strategies":["nobody's"],"seeds":{"first":1,"last":1}}}`)+signed(`{"run":{"label":"nobody's","seed":1}}`)))}, `quick: unknown strategy "nobody's"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if c, _, err := mergeOf(t, s, test.from, nil); c != nil || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("it gives %v, want %s", err, test.want)
			}
		})
	}
}

// A journal holds its scenario, with what was set.
func TestScenarioOfAJournal(t *testing.T) {
	s, err := parseText(t, quick).With([]results.Override{{Path: "lock.ttl", Value: "2s"}, {Path: "workers", Value: "3"}})
	if err != nil {
		t.Fatal(err)
	}
	text := journalOf(t, s, 1)
	got, err := read(t, put(t, text)).Scenario()
	if err != nil {
		t.Fatal(err)
	}
	if got.Hash != s.Hash || got.Path != s.Path || got.Workers != 3 || string(got.Text) != string(s.Text) {
		t.Errorf("it is %+v", got)
	}
	header, _, _ := strings.Cut(text, "\n")
	for _, test := range []struct{ old, now, want string }{
		{"workload:", "wrokload:", `:1: its scenario: quick.yaml:7:1: unknown key "wrokload"`},
		{`lock.ttl=2s`, `lock.ttl`, ":1: its scenario: lock.ttl: write path=value"},
		{`lock.ttl=2s`, `lock.tll=2s`, `:1: its scenario: lock.tll=2s: unknown key "tll"`},
		{s.Hash, "000000000000", `:1: its runs are of another state of the scenario: hash "000000000000"`},
	} {
		path := put(t, signed(strings.Replace(header[journalChecksumLength:], test.old, test.now, 1)))
		if _, err := read(t, path).Scenario(); err == nil || !strings.HasPrefix(err.Error(), path+test.want) {
			t.Errorf("%s: it gives %v", test.now, err)
		}
	}
	for _, cut := range []string{"", header[:len(header)/2]} {
		if _, err := ReadJournal(put(t, cut)); err == nil || !strings.HasSuffix(err.Error(), ": the file is empty, or cut off in its first line") {
			t.Errorf("the first %d bytes give %v", len(cut), err)
		}
	}
	if _, err := ReadJournal(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file gives %v", err)
	}
	if _, err := ReadJournal(t.TempDir()); err == nil {
		t.Error("a directory reads as a journal")
	}
}
