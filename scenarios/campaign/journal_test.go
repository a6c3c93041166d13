package campaign

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// shown is all that a report is made of.
func shown(t *testing.T, c *results.Campaign) string {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	if err := e.Encode(c); err != nil {
		t.Fatal(err)
	}
	for _, st := range c.Strategies {
		for _, f := range st.Failures {
			if err := e.Encode([]any{f.Trial.Label, f.Check, f.Trial.Replay, f.Trial.Plan.String(), f.Trial.History, f.Trial.Results}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out.String()
}

func open(t *testing.T, path string, s *scenarios.Scenario) *Journal {
	t.Helper()
	j, err := OpenJournal(path, s)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func closed(t *testing.T, j *Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// journalOf is the text of a journal of a number of seeds of both strategies of
// quick: its lines 1 and 2 say what it is, and the runs follow.
func journalOf(t *testing.T, s *scenarios.Scenario, seeds uint64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "runs")
	j := open(t, path, s)
	campaignOf(t, s, Request{Seeds: results.SeedRange{First: 1, Last: seeds}, Jobs: 1, Journal: j})
	closed(t, j)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func put(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "runs")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// signed is a line with a sum that is right.
func signed(content string) string {
	return fmt.Sprintf("%08x %s\n", journalChecksum([]byte(content)), content)
}

// However often a campaign is stopped, and by whatever it is resumed, it ends as
// if it had not been.
func TestResumedCampaignEndsTheSame(t *testing.T) {
	s := parseText(t, quick)
	for _, test := range []struct {
		name    string
		request Request
	}{
		{"all seeds", Request{Seeds: results.SeedRange{First: 3, Last: 12}}},
		{"until the rate is known", Request{Until: 0.05}},
		{"a strategy of the catalogue", Request{Seeds: results.SeedRange{First: 1, Last: 10}, Strategies: []string{"redis-watchdog", "redis"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := campaignOf(t, s, test.request)
			path := filepath.Join(t.TempDir(), "runs")
			for _, stop := range []int{1, 2, 7, 11, 12} {
				ctx, cancel := context.WithCancel(t.Context())
				j := open(t, path, s)
				r := test.request
				r.Jobs, r.Journal = 1+stop%3, j
				r.Progress = func(p Progress) {
					if p.Done == stop {
						cancel()
					}
				}
				c, err := Run(ctx, s, r)
				if !errors.Is(err, context.Canceled) || !c.Partial || j.Runs() < stop {
					t.Errorf("stopped after %d runs with %v, and %d are kept", stop, err, j.Runs())
				}
				closed(t, j)
			}
			j := open(t, path, s)
			r := test.request
			r.Journal = j
			got := campaignOf(t, s, r)
			if diff := cmp.Diff(shown(t, want), shown(t, got)); diff != "" {
				t.Errorf("resumed it differs (-want +got):\n%s", diff)
			}
			closed(t, j)

			// A complete campaign executes no runs.
			j = open(t, path, s)
			r.Journal = j
			r.Progress = func(p Progress) {
				if p.Recalled != p.Done {
					t.Errorf("a run of %s is new: %+v", p.Label, p)
				}
			}
			got = campaignOf(t, s, r)
			if diff := cmp.Diff(shown(t, want), shown(t, got)); diff != "" {
				t.Errorf("done already it differs (-want +got):\n%s", diff)
			}
			closed(t, j)
		})
	}
}

// What is not asked for is left alone, and still there when it is asked for.
func TestResumeWithOtherSeedsAndStrategies(t *testing.T) {
	s := parseText(t, quick)
	path := filepath.Join(t.TempDir(), "runs")
	for _, test := range []struct {
		first, last uint64
		strategies  []string
		fresh       int
	}{
		{1, 4, []string{"redis", "fenced"}, 8},
		{3, 6, []string{"fenced"}, 2},
		{1, 6, []string{"fenced", "redis"}, 2},
		{1, 6, []string{"redis", "fenced"}, 0},
	} {
		r := Request{Seeds: results.SeedRange{First: test.first, Last: test.last}, Strategies: test.strategies}
		want := campaignOf(t, s, r)
		j := open(t, path, s)
		fresh := 0
		r.Journal, r.Progress = j, func(p Progress) { fresh = p.Done - p.Recalled }
		got := campaignOf(t, s, r)
		closed(t, j)
		if diff := cmp.Diff(shown(t, want), shown(t, got)); diff != "" || fresh != test.fresh {
			t.Errorf("seeds %d to %d of %s: %d runs were executed, want %d; differs in %s", test.first, test.last, test.strategies, fresh, test.fresh, diff)
		}
	}
}

// Wherever the last record is cut, it is as if it had never been begun.
func TestTornRecordIsCutOff(t *testing.T) {
	s := parseText(t, quick)
	text := journalOf(t, s, 2)
	last := strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n') + 1
	ends := []string{text[last:len(text)-2] + "~\n", "\x00\x00\x00\x00"}
	for cut := last; cut < len(text); cut++ {
		ends = append(ends, text[last:cut])
	}
	for _, end := range ends {
		path := put(t, text[:last]+end)
		if j, err := ReadJournal(path); err != nil || j.Runs() != 3 {
			t.Errorf("ending in %q it reads as %+v, %v", end, j, err)
		}
		j := open(t, path, s)
		if j.Runs() != 3 {
			t.Errorf("ending in %q it has %d runs", end, j.Runs())
		}
		closed(t, j)
		if left, err := os.ReadFile(path); string(left) != text[:last] {
			t.Errorf("ending in %q it was cut to %d bytes, not %d: %v", end, len(left), last, err)
		}
	}
	for cut := range strings.IndexByte(text, '\n') { // the only record is the first
		j := open(t, put(t, text[:cut]), s)
		if j.Runs() != 0 {
			t.Errorf("cut to %q it has %d runs", text[:cut], j.Runs())
		}
		closed(t, j)
	}
}

// What cannot come from a program that was killed is an error that names the place.
func TestDamagedJournals(t *testing.T) {
	s := parseText(t, quick)
	text := journalOf(t, s, 2)
	lines := strings.SplitAfter(text, "\n")
	run := strings.TrimSpace(lines[2][journalChecksumLength:])
	with := func(old, now string) string {
		if !strings.Contains(run, old) {
			t.Fatalf("%s holds no %s", run, old)
		}
		return signed(strings.Replace(run, old, now, 1))
	}
	for _, test := range []struct {
		name, text, want string
	}{
		{"a byte of a run", strings.Replace(text, `"seed":1`, `"seed":3`, 1), ":3: the record is damaged"},
		{"a byte of the beginning", strings.Replace(text, "quick", "quack", 1), ":1: this is not a journal of lockquake, or its beginning is damaged"},
		{"a line is empty", lines[0] + lines[1] + "\n" + lines[2], ":3: the record is damaged"},
		{"half a line in the middle", lines[0] + lines[1] + lines[2][:40] + "\n" + lines[3], ":3: the record is damaged"},
		{"another file", "to do: everything\n", ":1: this is not a journal"},
		{"another file without a line", "to do", ":1: this is not a journal"},
		{"no beginning", lines[2] + lines[3], ":1: a journal begins in its first line, and only there"},
		{"two beginnings", text + text, ":7: a journal begins in its first line, and only there"},
		{"another format", signed(`{"journal":{"format":1}}`), ":1: the journal has format 1, and this version reads format 2"},
		{"wrong JSON", lines[0] + signed(`{"run":`) + lines[2], ":2: the record cannot be read"},
		{"a list", lines[0] + signed(`[1]`), ":2: the record cannot be read"},
		{"null", lines[0] + signed(`null`), ":2: the record is neither"},
		{"a seed too large", lines[0] + signed(`{"run":{"label":"redis","seed":18446744073709551616}}`), ":2: the record cannot be read"},
		{"a seed below zero", lines[0] + signed(`{"run":{"label":"redis","seed":-1}}`), ":2: the record cannot be read"},
		{"two kinds in a line", lines[0] + signed(`{"run":{"label":"a"},"asked":{"strategies":["a"]}}`), ":2: the record is neither"},
		{"a campaign of nothing", lines[0] + signed(`{"asked":{"strategies":["a"],"seeds":{"first":2,"last":1}}}`), ":2: the record is of a campaign without runs"},
		{"a run twice, and not the same", text + with(`"acquisitions":2`, `"acquisitions":3`), `:7: seed 1 of "redis" is not the same run as in `},
		{"a line without end", lines[0] + strings.Repeat("x", journalLongest+1), ":2: the line is longer than any record"},

		{"a check too few", lines[0] + with(`"results":"`, `"results":"v `), ":2: the run is not of the scenario quick"},
		{"no results", lines[0] + with(`"results"`, `"outcome"`), ":2: the run is not of the scenario quick"},
		{"a verdict that is none", lines[0] + with(`"results":"i`, `"results":"x`), ":2: the run cannot be read"},
		{"a count that is none", lines[0] + with(`"results":"i`, `"results":"i-`), ""},
		{"a count too large", lines[0] + with(`"results":"i`, `"results":"i9999999999999999999`), ":2: the run cannot be read"},
		{"a fault that is not there", lines[0] + with(`"spec":0`, `"spec":1`), ":2: the run is not of the scenario quick"},
		{"a fault below zero", lines[0] + with(`"spec":0`, `"spec":-1`), ":2: the run is not of the scenario quick"},
		{"a fault of another kind", lines[0] + with(`"kind":"pause"`, `"kind":"crash"`), ":2: the run is not of the scenario quick"},
		{"a strategy that nobody knows", lines[0] + with(`"redis"`, `"nobody's"`), ""},
		{"the same run twice", text + lines[2], ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := put(t, test.text)
			j, err := OpenJournal(path, s)
			if err == nil {
				_, err = Run(t.Context(), s, Request{Seeds: results.SeedRange{First: 1, Last: 2}, Journal: j})
				closed(t, j)
			}
			var journal *JournalError
			switch {
			case test.want == "" && err == nil:
			case test.want == "", !errors.As(err, &journal), !strings.HasPrefix(err.Error(), path+test.want), strings.Contains(err.Error(), "\n"):
				t.Errorf("it gives %v, want %s%s", err, path, test.want)
			case test.text != "" && !strings.Contains(test.want, "of the scenario") && !strings.Contains(test.want, "the run"):
				if left, err := os.ReadFile(path); string(left) != test.text {
					t.Errorf("the file was touched: %v", err)
				}
			}
		})
	}
}

func TestJournalOfOtherRuns(t *testing.T) {
	s := parseText(t, quick)
	text := journalOf(t, s, 1)
	path := put(t, text)
	other := func(text string, overrides ...results.Override) *scenarios.Scenario {
		with, err := parseText(t, text).With(overrides)
		if err != nil {
			t.Fatal(err)
		}
		return with
	}
	for _, test := range []struct {
		name     string
		scenario *scenarios.Scenario
		want     string
	}{
		{"another scenario", other(strings.Replace(quick, "quick", "slow", 1)), `its runs are of the scenario "quick", and not of "slow"`},
		{"the file has changed", other(quick + "# better\n"), "its runs are of another state of the scenario: hash"},
		{"a value is set", other(quick, results.Override{Path: "lock.ttl", Value: "2s"}), `its runs have set nothing, and not "lock.ttl=2s"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := OpenJournal(path, test.scenario); err == nil || !strings.HasPrefix(err.Error(), path+":1: "+test.want) {
				t.Errorf("it gives %v", err)
			}
			j := open(t, path, s)
			defer closed(t, j)
			if _, err := Run(t.Context(), test.scenario, Request{Journal: j}); err == nil || !strings.HasPrefix(err.Error(), path+":1: "+test.want) {
				t.Errorf("run with it: %v", err)
			}
		})
	}
	header, rest, _ := strings.Cut(text, "\n")
	old := put(t, signed(strings.Replace(header[journalChecksumLength:], `"version":"`+results.Version, `"version":"0.0.9`, 1))+rest)
	want := `its runs are of lockquake "0.0.9", and not of "` + results.Version + `"`
	if _, err := OpenJournal(old, s); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("another version gives %v", err)
	}
}

func TestJournalHasOneWriter(t *testing.T) {
	s := parseText(t, quick)
	path := put(t, journalOf(t, s, 1))
	j := open(t, path, s)
	for name, again := range map[string]func(string, *scenarios.Scenario) (*Journal, error){"open": OpenJournal, "create": CreateJournal} {
		if _, err := again(path, s); err == nil || err.Error() != path+": a campaign that is under way writes it" {
			t.Errorf("%s a second time gives %v", name, err)
		}
	}
	if j.Runs() != 2 {
		t.Errorf("it has %d runs", j.Runs())
	}
	closed(t, j)
	closed(t, open(t, path, s))
}

func TestCreateJournalReplacesOnlyJournals(t *testing.T) {
	s := parseText(t, quick)
	text := journalOf(t, s, 1)
	for _, test := range []struct {
		text string
		ok   bool
	}{
		{text, true},
		{text[:5], true},
		{"", true},
		{text + "damaged\n", true},
		{"my notes", false},
		{"00000000 \n", false},
	} {
		path := put(t, test.text)
		j, err := CreateJournal(path, s)
		if (err == nil) != test.ok {
			t.Errorf("over %.20q: %v", test.text, err)
			continue
		}
		if err != nil {
			if left, _ := os.ReadFile(path); string(left) != test.text {
				t.Errorf("%q has become %q", test.text, left)
			}
			continue
		}
		closed(t, j)
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a journal without a run is kept: %v", err)
		}
	}
}

// A run that another program executed differently is not reported as if it were the one that was
// counted.
func TestRunThatDoesNotRepeat(t *testing.T) {
	s := parseText(t, quick)
	lines := strings.SplitAfter(journalOf(t, s, 1), "\n")
	at := strings.Index(lines[2], `"checksum":"`) + len(`"checksum":"`)
	forged := signed(strings.TrimSpace(lines[2][journalChecksumLength:at] + "0123456789abcdef" + lines[2][at+16:]))
	j := open(t, put(t, lines[0]+lines[1]+forged), s)
	defer closed(t, j)
	_, err := Run(t.Context(), s, Request{Seeds: results.SeedRange{First: 1, Last: 1}, Strategies: []string{"redis"}, Journal: j})
	repeat, ok := errors.AsType[*run.RepeatError](err)
	if !ok || repeat.Then != "0123456789abcdef" || repeat.Label != "redis" || repeat.Seed != 1 {
		t.Errorf("it ends with %v", err)
	}
}

// A campaign that cannot keep its runs ends.
func TestJournalThatCannotBeWritten(t *testing.T) {
	s := parseText(t, quick)
	j := open(t, filepath.Join(t.TempDir(), "runs"), s)
	_, err := Run(t.Context(), s, Request{Journal: j, Progress: func(p Progress) {
		if p.Done == 3 {
			_ = j.file.Close()
		}
	}})
	if !errors.Is(err, os.ErrClosed) {
		t.Errorf("it ends with %v", err)
	}
}

// An error names the journal once.
func TestJournalWhoseFirstRecordCannotBeWritten(t *testing.T) {
	path := put(t, "")
	_, err := openJournal(path, parseText(t, quick), func(j *Journal) (err error) {
		j.file, err = os.Open(path) // cannot be written to
		return err
	})
	if err == nil || !strings.HasPrefix(err.Error(), "journal: write "+path) || strings.Contains(err.Error(), "\n") {
		t.Errorf("it ends with %v", err)
	}
}

// Whatever a file holds, reading it ends in an error or in runs.
func FuzzJournal(f *testing.F) {
	s, err := scenarios.Parse("quick.yaml", []byte(quick))
	if err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(f.TempDir(), "runs")
	j, err := OpenJournal(path, s)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := Run(context.Background(), s, Request{Seeds: results.SeedRange{First: 1, Last: 1}, Journal: j}); err != nil {
		f.Fatal(err)
	}
	if err := j.Close(); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		f.Add(line[journalChecksumLength:], line[journalChecksumLength:])
	}
	begin, _, _ := bytes.Cut(data, []byte("\n"))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		text := string(begin) + "\n" + signed(string(one)) + signed(string(two))
		j, err := ReadJournal(put(t, text))
		if err != nil {
			return
		}
		defer func() { _ = j.Close() }()
		for run := range j.all() {
			if sum, err := j.summary(s, run.Label, run.Seed); err == nil {
				all := newSums(s, []scenarios.Strategy{{Name: "redis", Label: "redis"}})
				all.addRun(s, 0, run.Seed, sum)
				if _, err := json.Marshal(all); err != nil {
					t.Errorf("%s: %v", text, err)
				}
			}
		}
		_, _, _ = mergeOf(t, s, []*Journal{j}, nil)
	})
}

// Runs of two commits are not put together. Where one of them is not known, the
// version has to do.
func TestJournalsOfTwoBuilds(t *testing.T) {
	of := func(build string) journalHeader {
		return journalHeader{Format: journalFormat, Version: results.Version, Build: build, Scenario: "x"}
	}
	if text := of("one").differs(of("other")); !strings.Contains(text, `a lockquake built from "one", and not from "other"`) {
		t.Errorf("two builds: %q", text)
	}
	for _, same := range [][2]string{{"one", "one"}, {"", "one"}, {"one", ""}} {
		if text := of(same[0]).differs(of(same[1])); text != "" {
			t.Errorf("%q and %q: %s", same[0], same[1], text)
		}
	}
}

// A journal may be compressed. One that is damaged then is refused as any other.
func TestReadCompressedJournal(t *testing.T) {
	s := parseText(t, quick)
	text := journalOf(t, s, 3)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	j, err := ReadJournal(put(t, packed.String()))
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, j)
	plain, err := ReadJournal(put(t, text))
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, plain)
	var want, got bytes.Buffer
	if _, err := plain.WriteTo(&want); err != nil {
		t.Fatal(err)
	}
	if _, err := j.WriteTo(&got); err != nil || got.String() != want.String() || j.Runs() == 0 {
		t.Errorf("it reads back as\n%s, %v, want\n%s", got.String(), err, want.String())
	}
	for name, data := range map[string]string{"cut": packed.String()[:packed.Len()/2], "no journal": "\x1f\x8bwords"} {
		var wrong *JournalError
		if _, err := ReadJournal(put(t, data)); !errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
