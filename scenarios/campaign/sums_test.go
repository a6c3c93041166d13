package campaign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// summedRequest is one for seeds 1 to last that keeps sums, of blocks of four seeds.
func summedRequest(last uint64) Request {
	return Request{Seeds: results.SeedRange{First: 1, Last: last}, most: 1, blockRuns: 8}
}

// textOf returns a journal as it is written into a report.
func textOf(t *testing.T, j *Journal) string {
	t.Helper()
	var text bytes.Buffer
	if _, err := j.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// Of three runs the faults hit twice in the first, never in the second, and once in the third.
func TestTheRunsThatAFaultHitAreCounted(t *testing.T) {
	s := parseText(t, quick)
	use := s.Strategies[0]
	all := newSums(s, []scenarios.Strategy{use})
	for i, hits := range [][]int64{{2}, {0}, {0, 1}} {
		run := &summary{Results: make(outcomes, len(s.Checks))}
		for _, n := range hits {
			run.Faults = append(run.Faults, results.FaultStats{Hit: n})
		}
		all.addRun(s, 0, uint64(i+1), run)
	}
	if u := all.Uses[0]; u.Hit != 3 || u.HitRuns != 2 {
		t.Errorf("%d hits in %d runs, want 3 in 2", u.Hit, u.HitRuns)
	}
	more := all.empty()
	more.add(all, 0)
	if got := more.Uses[0].HitRuns; got != 2 {
		t.Errorf("the sum has %d runs that a fault hit, want 2", got)
	}
}

// A campaign that keeps sums has the figures of one that keeps each run. Only its checksum is another.
func TestSumsHaveTheFiguresOfTheSingleRuns(t *testing.T) {
	for _, test := range []struct {
		name, text string
		single     Request
	}{
		{"all seeds", quick, Request{Seeds: results.SeedRange{First: 1, Last: 30}}},
		{"until the rate is known", quick, Request{Until: 0.05}},
		{"cases", cased, Request{Seeds: results.SeedRange{First: 1, Last: 4}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := parseText(t, test.text)
			want := campaignOf(t, s, test.single)
			r := test.single
			r.most, r.blockRuns = 1, 8
			got := campaignOf(t, s, r)
			if !got.Summed || want.Summed {
				t.Fatalf("summed: %v and %v", got.Summed, want.Summed)
			}
			got.Summed = false
			for i := range got.Strategies {
				if got.Strategies[i].Checksum == want.Strategies[i].Checksum {
					t.Errorf("%s has the same checksum", got.Strategies[i].Label)
				}
				got.Strategies[i].Checksum = want.Strategies[i].Checksum
			}
			if diff := cmp.Diff(shown(t, want), shown(t, got)); diff != "" {
				t.Errorf("it differs (-single +summed):\n%s", diff)
			}
		})
	}
}

// The sums of any split, merged in any order, are those of the whole, byte for byte.
func TestMergedSumsAreThoseOfTheWhole(t *testing.T) {
	const last = 61
	s := parseText(t, quick)
	whole := shard(t, s, summedRequest(last))
	want, wantText := campaignOf(t, s, summedRequest(last)), textOf(t, whole)
	if strings.Contains(wantText, `{"run":`) || !strings.Contains(wantText, `{"sums":`) {
		t.Fatalf("single runs are kept:\n%.2000s", wantText)
	}
	parts := func(n int) []*Journal {
		var list []*Journal
		for i := range n {
			r := summedRequest(last)
			r.Part, r.Parts = i+1, n
			list = append(list, shard(t, s, r))
		}
		return list
	}
	ranges := func(most int, firsts ...uint64) []*Journal {
		var list []*Journal
		for i, first := range firsts {
			r := summedRequest(last)
			r.Seeds.First, r.most = first, most
			if i < len(firsts)-1 {
				r.Seeds.Last = firsts[i+1] - 1
			}
			list = append(list, shard(t, s, r))
		}
		return list
	}
	backwards := parts(5)
	slices.Reverse(backwards)
	shuffled := parts(7)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, k int) { shuffled[i], shuffled[k] = shuffled[k], shuffled[i] })
	for _, test := range []struct {
		name string
		from []*Journal
	}{
		{"the whole", []*Journal{whole}},
		{"2 parts", parts(2)},
		{"5 parts backwards", backwards},
		{"7 parts shuffled", shuffled},
		{"61 parts", parts(last)},
		{"campaigns of unequal size", ranges(1, 1, 2, 50)},
		{"campaigns of which some keep each run", ranges(30, 1, 2, 14, 16, 61)},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := Combine(s)
			for _, j := range test.from {
				if err := all.Collect(j); err != nil {
					t.Fatal(err)
				}
			}
			r := summedRequest(last)
			r.Journal, r.Strategies = all, all.asked.Strategies
			if diff := cmp.Diff(shown(t, want), shown(t, campaignOf(t, s, r))); diff != "" {
				t.Errorf("it differs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(wantText, textOf(t, all)); diff != "" {
				t.Errorf("the journals differ (-want +got):\n%s", diff)
			}
		})
	}
}

// However often a campaign that keeps sums is stopped or killed, it ends as if it had not been, and does no
// finished run again.
func TestResumedSumsEndTheSame(t *testing.T) {
	s := parseText(t, quick)
	until := summedRequest(1)
	until.Seeds, until.Until = results.SeedRange{}, 0.01
	for _, test := range []struct {
		name    string
		request Request
		stops   []int
	}{
		{"all seeds", summedRequest(30), []int{1, 7, 8, 9, 15, 16, 45}}, // a block has 8 runs
		{"until the rate is known", until, []int{1, 200, 207}},          // a block has 200
	} {
		t.Run(test.name, func(t *testing.T) {
			request := test.request
			want := campaignOf(t, s, request)
			path := filepath.Join(t.TempDir(), "runs")
			done := 0
			for _, stop := range test.stops {
				ctx, cancel := context.WithCancel(t.Context())
				j := open(t, path, s)
				r := request
				r.Jobs, r.Journal = 1, j
				r.Progress = func(p Progress) {
					if p.Done == stop && p.Recalled < stop {
						cancel()
					}
				}
				c, err := Run(ctx, s, r)
				if !errors.Is(err, context.Canceled) || !c.Partial || j.Runs() < stop || j.Runs() < done {
					t.Errorf("stopped after %d runs with %v, and %d are kept", stop, err, j.Runs())
				}
				done = j.Runs()
				// The report of the stopped campaign has the journal too.
				reported := open(t, put(t, textOf(t, j)), s)
				again := request
				again.Journal = reported
				if reported.Runs() != done {
					t.Errorf("stopped with %d runs, its report has %d", done, reported.Runs())
				}
				if diff := cmp.Diff(shown(t, want), shown(t, campaignOf(t, s, again))); diff != "" {
					t.Errorf("stopped with %d runs, and resumed from its report, it differs (-want +got):\n%s", done, diff)
				}
				closed(t, reported)
				closed(t, j)
			}
			j := open(t, path, s)
			fresh := 0
			request.Journal, request.Progress = j, func(p Progress) { fresh = p.Done - p.Recalled }
			got := campaignOf(t, s, request)
			if diff := cmp.Diff(shown(t, want), shown(t, got)); diff != "" {
				t.Errorf("resumed it differs (-want +got):\n%s", diff)
			}
			runs := 0
			for _, st := range want.Strategies {
				runs += st.Runs
			}
			if done+fresh != runs {
				t.Errorf("%d runs were kept and %d done, of %d", done, fresh, runs)
			}
			closed(t, j)
		})
	}
}

func snapshot(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return put(t, string(text))
}

// After any run, the file is one that a killed campaign continues with: it has that run, and all before.
func TestSumsOfACampaignKilledAfterAnyRun(t *testing.T) {
	s := parseText(t, quick)
	request := summedRequest(12)
	want := shown(t, campaignOf(t, s, request))
	path := filepath.Join(t.TempDir(), "runs")
	j := open(t, path, s)
	var killed []string
	r := request
	r.Jobs, r.Journal, r.Progress = 1, j, func(Progress) { killed = append(killed, snapshot(t, path)) }
	campaignOf(t, s, r)
	closed(t, j)
	for i, path := range killed {
		// It was killed as it appended a record, or as it wrote the file that would replace this one.
		torn, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := torn.WriteString(`01234567 {"sums":{"uses":[{"label":"redis"`); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(torn.Close(), os.WriteFile(path+".new", []byte("01234567 {"), 0o600)); err != nil {
			t.Fatal(err)
		}
		j := open(t, path, s)
		if j.Runs() != i+1 {
			t.Errorf("killed after %d runs, it has %d", i+1, j.Runs())
		}
		again := request
		again.Journal = j
		if diff := cmp.Diff(want, shown(t, campaignOf(t, s, again))); diff != "" {
			t.Errorf("killed after %d runs, it differs (-want +got):\n%s", i+1, diff)
		}
		closed(t, j)
	}
	if len(killed) != 24 {
		t.Errorf("%d runs, want 24", len(killed))
	}
}

// A scenario with cases keeps one failure of each check and class of faults. So does the merge of its parts.
func TestMergedSumsOfCasesKeepTheSameFailures(t *testing.T) {
	s := parseText(t, cased)
	r := summedRequest(5)
	want := campaignOf(t, s, r)
	all := Combine(s)
	for _, part := range []int{3, 1, 2} {
		r.Part, r.Parts = part, 3
		if err := all.Collect(shard(t, s, r)); err != nil {
			t.Fatal(err)
		}
	}
	r = summedRequest(5)
	r.Journal = all
	if diff := cmp.Diff(shown(t, want), shown(t, campaignOf(t, s, r))); diff != "" {
		t.Errorf("it differs (-want +got):\n%s", diff)
	}
}

// The journal of a campaign that keeps sums does not grow with the runs: what the sums have is removed.
func TestJournalOfSumsStaysSmall(t *testing.T) {
	s := parseText(t, quick)
	path := filepath.Join(t.TempDir(), "runs")
	j := open(t, path, s)
	var sizes []int64
	r := summedRequest(300)
	r.Journal, r.blockRuns = j, 100
	r.Progress = func(p Progress) {
		if p.Done%50 == 0 {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, info.Size())
		}
	}
	campaignOf(t, s, r)
	// A run takes less than 2 KB. The file is replaced when 64 KB and half of it are not needed.
	if biggest := slices.Max(sizes); len(sizes) != 12 || biggest > 200<<10 || slices.IsSorted(sizes) {
		t.Errorf("its sizes are %d", sizes)
	}
	closed(t, j)
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// If the smaller file cannot be created, the sums are appended, and the campaign goes on.
func TestSumsAreAppendedIfTheJournalCannotBeReplaced(t *testing.T) {
	s := parseText(t, quick)
	path := filepath.Join(t.TempDir(), "runs")
	if err := os.Mkdir(path+".new", 0o700); err != nil { // no file can have this name
		t.Fatal(err)
	}
	j := open(t, path, s)
	r := summedRequest(100)
	r.Journal, r.blockRuns = j, 50
	got := campaignOf(t, s, r)
	closed(t, j)
	if diff := cmp.Diff(shown(t, campaignOf(t, s, summedRequest(100))), shown(t, got)); diff != "" {
		t.Errorf("it differs (-want +got):\n%s", diff)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// 100 seeds of two strategies in blocks of 25 seeds.
	if n := bytes.Count(text, []byte(`{"sums":`)); n != 4 {
		t.Errorf("the sums were appended %d times, want 4", n)
	}
	if again := read(t, path); again.Runs() != 200 || again.HasSingleRuns() {
		t.Errorf("%d runs, single ones: %v", again.Runs(), again.HasSingleRuns())
	}
}

// Runs that were kept one by one are not done again when the campaign grows beyond what keeps each.
func TestSingleRunsBecomeSums(t *testing.T) {
	s := parseText(t, quick)
	path := filepath.Join(t.TempDir(), "runs")
	j := open(t, path, s)
	r := summedRequest(10)
	r.most, r.Journal = 20, j
	campaignOf(t, s, r)
	closed(t, j)
	j = open(t, path, s)
	r.Journal, r.Seeds.Last = j, 15
	fresh := 0
	r.Progress = func(p Progress) { fresh = p.Done - p.Recalled }
	got := campaignOf(t, s, r)
	if diff := cmp.Diff(shown(t, campaignOf(t, s, summedRequest(15))), shown(t, got)); diff != "" || fresh != 10 {
		t.Errorf("%d runs were done, want 10; it differs (-want +got):\n%s", fresh, diff)
	}
	if j.HasSingleRuns() || j.Runs() != 30 {
		t.Errorf("%d runs, single ones: %v", j.Runs(), j.HasSingleRuns())
	}
	closed(t, j)
}

// No run can be taken out of sums. A campaign that would need it is refused, and changes nothing.
func TestSumsRefuseOtherCampaigns(t *testing.T) {
	s := parseText(t, quick)
	text := textOf(t, shard(t, s, summedRequest(9)))
	for _, test := range []struct {
		name string
		set  func(r *Request)
		want string
	}{
		{"fewer seeds", func(r *Request) { r.Seeds.Last = 7 }, ": it has only sums, for seeds 1-9; this campaign needs seeds 1-7. Leave out --resume to start again"},
		{"a shard of them", func(r *Request) { r.Part, r.Parts = 2, 3 }, ": it has only sums, for seeds 1-9; this campaign needs seeds 4-6. Leave out --resume to start again"},
		{"fewer strategies", func(r *Request) { r.Strategies = []string{"redis"} }, ": it has only sums, for redis, fenced; this campaign needs redis. Leave"},
		{"until", func(r *Request) { r.Until = 0.1 }, ": it has only sums, for all seeds; this campaign needs --until 10%. Leave"},
		{"each run is kept", func(r *Request) { r.most = 100 }, ": it has only sums, for more than a million runs; this campaign needs each run. Leave"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := put(t, text)
			j := open(t, path, s)
			r := summedRequest(9)
			r.Journal = j
			test.set(&r)
			c, err := Run(t.Context(), s, r)
			if wrong := (*JournalError)(nil); c != nil || !errors.As(err, &wrong) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("it gives %v, want %s", err, test.want)
			}
			closed(t, j)
			if now, err := os.ReadFile(path); err != nil || string(now) != text {
				t.Errorf("the journal has changed: %v", err)
			}
		})
	}
}

func TestMergeRefusesSumsThatDoNotFit(t *testing.T) {
	s := parseText(t, quick)
	part := func(n int) *Journal {
		r := summedRequest(9)
		r.Part, r.Parts = n, 3
		return shard(t, s, r)
	}
	other := summedRequest(9)
	other.Part, other.Parts, other.Strategies = 3, 3, []string{"redis"}
	swapped := other
	swapped.Strategies = []string{"fenced", "redis"} // each is compared with the first
	lines := strings.SplitAfter(textOf(t, shard(t, s, summedRequest(3))), "\n")
	forged := func(old, now string) *Journal {
		text := strings.TrimSpace(lines[2][journalChecksumLength:])
		if !strings.Contains(text, old) {
			t.Fatalf("%s has no %s", text, old)
		}
		return read(t, put(t, lines[0]+lines[1]+signed(strings.Replace(text, old, now, 1))))
	}
	for _, test := range []struct {
		name string
		from []*Journal
		want string
	}{
		{"one is missing", []*Journal{part(1), part(3)}, "merge: seeds 4-6 are missing"},
		{"one is there twice", []*Journal{part(1), part(2), part(2)}, ": seeds 4-6 of redis are in two of the reports"},
		{"other strategies", []*Journal{part(1), part(2), shard(t, s, other)}, ": its runs are of redis, and not of redis, fenced: with more than a million runs the strategies and their order must be the same"},
		{"other strategies first", []*Journal{shard(t, s, other), part(1), part(2)}, ": its runs are of redis, fenced, and not of redis: with more"},
		{"another order", []*Journal{part(1), part(2), shard(t, s, swapped)}, ": its runs are of fenced, redis, and not of redis, fenced: with more"},
		{"another order first", []*Journal{shard(t, s, swapped), part(1), part(2)}, ": its runs are of redis, fenced, and not of fenced, redis: with more"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if c, _, err := mergeOf(t, s, test.from, nil); c != nil || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("it gives %v, want %s", err, test.want)
			}
		})
	}
	r := summedRequest(3)
	r.Journal = forged(`"faults":[`, `"nofaults":[`)
	if _, err := Run(t.Context(), s, r); err == nil || !strings.HasSuffix(err.Error(), ": its sums are not of the scenario quick") {
		t.Errorf("without faults it gives %v", err)
	}
	// In the sums of redis each of the seeds 1-3 violates the first check once.
	for _, test := range []struct{ old, now string }{
		{`"runs":3`, `"runs":4`},
		{`"seeds":"1-3"`, `"seeds":"1-3,..."`},
		{`"violating":3`, `"violating":4`},
		{`"unknown":0`, `"unknown":-1`},
		{`"first":{`, `"last":{`},
		{`"uses":[`, `"uses":[null,`},
		{`],"faults":[`, `,null],"faults":[`},
		{`"first":{"seed":1,`, `"first":{"seed":2,`},
		{`"first":{"seed":1,`, `"first":{"seed":4,`},
		{`"bit_runs":3`, `"bit_runs":4`},
		{`"violating":3,"unknown":0,"violations":3,"squares":3,"seeds":"1-3"`, `"violating":3,"unknown":0,"violations":2,"squares":3,"seeds":"1-3"`},
		{`"violations":3,"squares":3`, `"violations":3,"squares":2`},
		{`"violations":0,"squares":0`, `"violations":1,"squares":1`},
		{`"squares":3,"seeds":"1-3"`, `"squares":3,"seeds":"1,3-4"`},
		{`"squares":3,"seeds":"1-3"`, `"squares":3,"seeds":"..."`},
		{`"violating":0,"unknown":0,`, `"violating":0,"unknown":1,"unknown_seeds":"7",`},
		{`"acquisitions":`, `"acquisitions":-`},
		{`"commands":`, `"commands":-`},
		{`"wait":{"n":`, `"wait":{"n":1`},
		{`"bit":`, `"bit":-`},
		{`"planned":`, `"planned":-`},
		{`"fairness":`, `"fairness":1`},
		{`"runs":3},"checksum"`, `"runs":4},"checksum"`},
		{`"pair":{"seeds":0`, `"pair":{"seeds":4`},
		{`"pair":{"seeds":3,"both":0`, `"pair":{"seeds":3,"both":-1`},
		{`"pair":{"seeds":3,"both":0`, `"pair":{"seeds":3,"both":1`},
		{`"checks":[`, `"unread":{"seed":4,"reason":"no"},"checks":[`},
	} {
		text := strings.TrimSpace(lines[2][journalChecksumLength:])
		if !strings.Contains(text, test.old) {
			t.Errorf("%s has no %s", text, test.old)
		}
		path := put(t, lines[0]+lines[1]+signed(strings.Replace(text, test.old, test.now, 1)))
		if _, err := ReadJournal(path); err == nil || !strings.HasPrefix(err.Error(), path+":3: ") || !strings.HasSuffix(err.Error(), " contradict each other") {
			t.Errorf("%s: it gives %v", test.now, err)
		}
	}
	for _, test := range []struct{ old, now, want string }{
		{`"label":"fenced"`, `"label":"redis"`, `strategy "redis" appears twice`},
		{`"uses":[`, `"users":[`, "sums of no strategy"},
	} {
		path := put(t, lines[0]+lines[1]+signed(strings.Replace(strings.TrimSpace(lines[2][journalChecksumLength:]), test.old, test.now, 1)))
		if _, err := ReadJournal(path); err == nil || err.Error() != path+":3: "+test.want {
			t.Errorf("%s: it gives %v", test.now, err)
		}
	}
}

// shardOfABillion returns made-up sums of the million seeds of a shard, counted from 0, of which 1,500 + shard
// violate a check with redis.
func shardOfABillion(s *scenarios.Scenario, uses []scenarios.Strategy, checksum string, shard int) *sums {
	const million = 1_000_000
	a := newSums(s, uses)
	first := uint64(shard*million) + 1
	for i, u := range a.Uses {
		u.Seeds.AddAll(results.SeedSet{Ranges: []results.SeedRange{{First: first, Last: first + million - 1}}}, 0)
		u.Runs, u.Acquisitions, u.Checksum = million, 2*million, uint64(shard)<<40
		u.Metrics = checker.Metrics{Jobs: 2 * million, Finished: 2*million - 1, Fairness: 0.25 + float64(shard)/2000, Time: checker.SumOf(million * time.Minute), Runs: million}
		for k := range 900 {
			u.Metrics.Wait.Add(time.Duration(k*k+shard) * time.Microsecond)
			u.Metrics.Hold.Add(time.Duration(k*shard) * time.Microsecond)
		}
		for k := range u.Checks {
			c := &u.Checks[k]
			if c.Applies = true; i > 0 || s.Checks[k] != "lost-update" {
				continue
			}
			c.Violating = 1500 + shard
			c.First = &firstRun{first, checksum}
			c.Seeds = results.SeedSet{Ranges: []results.SeedRange{{First: first, Last: first + named - 1}}, Cut: true}
			c.Violations, c.Squares = int64(c.Violating), checker.SumOf(int64(c.Violating))
			u.Violating = c.Violating
		}
	}
	return a
}

// A thousand shards of a billion seeds are merged in the memory of a few, in any order, to the same
// bytes.
func TestAThousandShardsOfABillionSeeds(t *testing.T) {
	const shards = 1000
	s := parseText(t, quick)
	uses, err := s.Uses(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	checksum := trialOf(t, s, "redis", 1).Checksum
	header := journalHeaderOf(s)
	asked := journalAsked{Strategies: []string{"redis", "fenced"}, Seeds: results.SeedRange{First: 1, Last: shards * 1_000_000}}
	dir := t.TempDir()
	pathOf := func(i int) string { return filepath.Join(dir, fmt.Sprint(i)) }
	for i := range shards {
		var text []byte
		for _, record := range []journalRecord{{Journal: &header}, {Asked: &asked}, {Sums: shardOfABillion(s, uses, checksum, i)}} {
			line, err := journalLine(record)
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, line...)
		}
		if err := os.WriteFile(pathOf(i), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var want string
	for name, order := range map[string][]int{"rising": rising(shards), "falling": falling(shards), "shuffled": rand.New(rand.NewPCG(3, 4)).Perm(shards)} {
		all := Combine(s)
		heap := map[int]uint64{}
		for n, i := range order {
			j, err := ReadJournal(pathOf(i))
			if err == nil {
				err = all.Collect(j)
			}
			if err != nil {
				t.Fatal(err)
			}
			closed(t, j)
			if n+1 == 50 || n+1 == shards {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				heap[n+1] = m.HeapAlloc
			}
		}
		if grown := int64(heap[shards]) - int64(heap[50]); grown > 1<<20 {
			t.Errorf("%s: the memory grew by %d bytes from 50 shards to all", name, grown)
		}
		text := textOf(t, all)
		if want == "" {
			want = text
		}
		if text != want {
			t.Errorf("%s: the merged journal has other bytes", name)
		}
		c, err := Merge(t.Context(), s, all, nil)
		if err != nil {
			t.Fatal(err)
		}
		st := c.Strategies[0]
		// 1,500 a shard, and 0 + 1 + ... + 999 more.
		const violating = 1500*shards + 999*1000/2
		lost := st.Checks["lost-update"]
		if !c.Summed || st.Runs != 1e9 || st.Violating != violating || lost.Violations != violating || lost.FirstSeed != 1 {
			t.Errorf("%s: %+v", name, st)
		}
		// Each of the 1,000 lowest seeds that violate it is in the first shard.
		if lost.Seeds.String() != "1-1000,..." || len(st.Failures) != 1 || st.Failures[0].Trial == nil {
			t.Errorf("%s: seeds %s, %d failures", name, lost.Seeds, len(st.Failures))
		}
		// A billion minutes; fairness rises by 1/2000 a shard from 1/4 on; the checksums are 0 to 999 times 2^40.
		if st.Metrics.Time.String() != "60000000000000000000" || st.Metrics.Fairness != 0.49975 || st.Checksum != "079f2c0000000000" {
			t.Errorf("%s: time %v, fairness %v, checksum %s", name, st.Metrics.Time, st.Metrics.Fairness, st.Checksum)
		}
		if st.Metrics.Wait.N != 900*shards || st.Rate != 0.0019995 {
			t.Errorf("%s: %d waits, rate %v", name, st.Metrics.Wait.N, st.Rate)
		}
	}
}

func rising(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func falling(n int) []int {
	list := rising(n)
	slices.Reverse(list)
	return list
}

func TestTheRunsOfAStrategyWithoutALockDoNotCountFaultsOfTheLocksServers(t *testing.T) {
	s, err := scenarios.Load("need-database")
	if err != nil {
		t.Fatal(err)
	}
	uses := []scenarios.Strategy{{Name: "none", Label: "none under servers"}, {Name: "redis", Label: "redis under servers"}}
	all := newSums(s, uses)
	for i, target := range []string{"lock", "resource"} {
		spec := slices.IndexFunc(s.Faults, func(f faults.Spec) bool {
			return f.Case == "servers" && slices.Equal(faults.Names(f.Fault), []string{target})
		})
		for use := range uses {
			run := &summary{Results: make(outcomes, len(s.Checks)), Faults: []results.FaultStats{{Spec: spec, Hit: 1}}}
			all.addRun(s, use, uint64(i+1), run)
		}
	}
	for use, want := range []int{1, 2} {
		if u := all.Uses[use]; u.Hit != 2 || u.HitRuns != want {
			t.Errorf("%s: %d hits in %d runs, want 2 in %d", u.Label, u.Hit, u.HitRuns, want)
		}
	}
}
