package checker

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/history"
)

func TestCatalogueIsCompleteAndInOrder(t *testing.T) {
	want := []string{"linearizable", "lost-update", "once", "conserved", "bounds", "torn-read", "exclusion", "capacity", "belief", "fencing", "told", "recovery", "progress", "errors", "ownership", "needless-loss", "stampede", "load"}
	if diff := cmp.Diff(want, Names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, c := range Catalogue() {
		if c.Doc == "" || c.run == nil {
			t.Errorf("%s has no doc or no function", c.Name)
		}
		if c.Unit == "" {
			t.Errorf("%s does not say what one violation is", c.Name)
		}
	}
}

// Corruption ranks before tokens, tokens before service, and the advisory checks come last.
func TestEachCheckHasAConcernAndARank(t *testing.T) {
	want := map[Concern][]string{
		Corruption: {"linearizable", "lost-update", "once", "conserved", "bounds", "torn-read", "exclusion", "capacity"},
		Fencing:    {"fencing"},
		Service:    {"told", "recovery", "progress", "errors", "ownership"},
		Belief:     {"belief"},
		Efficiency: {"needless-loss", "stampede", "load"},
	}
	got := map[Concern][]string{}
	for _, c := range Catalogue() {
		got[c.About] = append(got[c.About], c.Name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	last := 0 // the worst rank of what is more serious
	for _, of := range []func(Check) bool{
		func(c Check) bool { return c.About == Corruption },
		func(c Check) bool { return c.About == Fencing },
		func(c Check) bool { return c.About != Corruption && c.About != Fencing && !c.Advisory },
		func(c Check) bool { return c.Advisory },
	} {
		before := last
		for _, name := range NamesOf(of) {
			c, _ := Lookup(name)
			if c.Rank <= before {
				t.Errorf("%s has rank %d, no lower than what is more serious", name, c.Rank)
			}
			last = max(last, c.Rank)
		}
	}
}

func TestSomeChecksJudgeHoldersOrGrantsOnly(t *testing.T) {
	holders := []string{"exclusion", "capacity", "belief", "fencing", "told", "recovery", "ownership", "needless-loss", "load"}
	if diff := cmp.Diff(holders, NamesOf(func(c Check) bool { return c.OfHolders })); diff != "" {
		t.Errorf("of holders (-want +got):\n%s", diff)
	}
	grants := []string{"told", "recovery", "ownership", "needless-loss", "load"}
	if diff := cmp.Diff(grants, NamesOf(func(c Check) bool { return c.OfGrants })); diff != "" {
		t.Errorf("of grants (-want +got):\n%s", diff)
	}
}

func TestSomeChecksJudgeTheirWorkloadsOnly(t *testing.T) {
	special := []string{"lost-update", "once", "conserved", "bounds", "stampede", "torn-read", "capacity"}
	for workload, want := range map[string][]string{
		"counter": {"lost-update"}, "multi-lock": {"lost-update"}, "set-add": {"lost-update"}, "register": nil,
		"cron": {"once"}, "charge": {"once"}, "jobs": {"once", "bounds"}, "transfer": {"conserved"}, "flash-sale": {"conserved", "bounds"},
		"rate-limit": {"bounds"}, "cache-fill": {"stampede"}, "read-write": {"torn-read"}, "leader": {"lost-update"},
		"limited": {"capacity"}, "nested": {"lost-update"}, "steal": {"once"},
	} {
		for _, c := range Catalogue() {
			want := !slices.Contains(special, c.Name) || slices.Contains(want, c.Name)
			if got := c.AppliesTo(workload); got != want {
				t.Errorf("%s judges %s: %v, want %v", c.Name, workload, got, want)
			}
		}
	}
}

func TestRunKeepsTheOrderOfNames(t *testing.T) {
	h := story("counter", "off").acquire("a", 0).write("a", "1").release("a").history()
	for _, names := range [][]string{nil, {}, {"fencing", "belief"}, {"belief", "linearizable", "belief"}} {
		results, err := Run(h, names)
		if err != nil {
			t.Fatal(err)
		}
		want := names
		if want == nil {
			want = Names()
		}
		got := []string{}
		for _, r := range results {
			got = append(got, r.Check)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestRunRefusesUnknownChecksAndContradictions(t *testing.T) {
	tests := []struct {
		name   string
		events []history.Event
		checks []string
		want   string
	}{
		{"unknown check", nil, []string{"belief", "relief"}, `unknown check "relief"; there are linearizable, `},
		{"a history that contradicts itself", []history.Event{{Seq: 1, Type: history.Acquired, Worker: "a", Section: 1}}, nil, "never called"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			results, err := Run(&history.History{Events: tt.events}, tt.checks)
			if err == nil || !strings.Contains(err.Error(), tt.want) || results != nil {
				t.Errorf("got %v and %v, want %q", results, err, tt.want)
			}
		})
	}
}

func TestTheWorseVerdictWins(t *testing.T) {
	tests := []struct{ a, b, want Verdict }{
		{Valid, Valid, Valid},
		{Valid, Unknown, Unknown},
		{Unknown, Invalid, Invalid},
		{Valid, Invalid, Invalid},
	}
	for _, tt := range tests {
		if got := tt.a.Worse(tt.b); got != tt.want {
			t.Errorf("%s and %s: %s, want %s", tt.a, tt.b, got, tt.want)
		}
		if got := tt.b.Worse(tt.a); got != tt.want {
			t.Errorf("%s and %s: %s, want %s", tt.b, tt.a, got, tt.want)
		}
	}
}

// An invalid finding wins over an unknown one, and the result shows violations only.
func TestInvalidWinsOverUnknown(t *testing.T) {
	for _, verdicts := range [][]Verdict{{Invalid, Unknown}, {Unknown, Invalid}} {
		var r Result
		for _, v := range verdicts {
			r.find(v, nil, "%s", v)
		}
		if r.Verdict != Invalid || r.Count != 1 || len(r.Findings) != 1 || r.Findings[0].Text != "invalid" {
			t.Errorf("%v: got %+v", verdicts, r)
		}
	}
}

// wellOrdered returns a history of a fenced counter in which nothing goes wrong.
func wellOrdered(sections int) *scriptedHistory {
	s := story("counter", "reads-writes").fenced()
	for i := range sections {
		w := fmt.Sprintf("worker-%d", i%8)
		s.acquire(w, int64(i+1)).read(w, fmt.Sprint(i)).write(w, fmt.Sprint(i+1)).release(w)
	}
	return s.final(fmt.Sprint(sections))
}

// pausing returns such a history in which a writer sometimes sleeps through another section.
func pausing(sections int) *scriptedHistory {
	s := story("counter", "off")
	n := 0
	for i := range sections / 2 {
		a, b := fmt.Sprintf("worker-%d", i%8), fmt.Sprintf("worker-%d", (i+1)%8)
		s.acquire(a, 0).read(a, fmt.Sprint(n))
		if i%50 == 49 {
			s.acquire(b, 0).read(b, fmt.Sprint(n)).write(b, fmt.Sprint(n+1)).release(b).write(a, fmt.Sprint(n+1)).release(a)
			n++
			continue
		}
		s.write(a, fmt.Sprint(n+1)).release(a).acquire(b, 0).read(b, fmt.Sprint(n+1)).write(b, fmt.Sprint(n+2)).release(b)
		n += 2
	}
	return s
}

func BenchmarkRun(b *testing.B) {
	for _, bench := range []struct {
		name string
		tell func(int) *scriptedHistory
		ops  int
		want Verdict
	}{
		{"well-ordered/1k", wellOrdered, 1_000, Valid},
		{"well-ordered/2k", wellOrdered, 2_000, Valid},
		{"well-ordered/10k", wellOrdered, 10_000, Valid},
		{"well-ordered/100k", wellOrdered, 100_000, Valid},
		{"pausing/1k", pausing, 1_000, Invalid},
		{"pausing/10k", pausing, 10_000, Invalid},
		{"pausing/100k", pausing, 100_000, Invalid},
		{"unwitnessed/10k", func(n int) *scriptedHistory { return asUnwitnessed(wellOrdered(n)) }, 10_000, Valid},
	} {
		b.Run(bench.name, func(b *testing.B) {
			h := bench.tell(bench.ops / 2).history()
			b.ReportAllocs()
			for b.Loop() {
				for _, r := range mustRun(b, h, Names()...) {
					if r.Check == "linearizable" && r.Verdict != bench.want {
						b.Fatalf("%s: %+v", r.Verdict, r.Findings)
					}
				}
			}
		})
	}
}

func asUnwitnessed(s *scriptedHistory) *scriptedHistory {
	h := unwitnessed(s.history())
	s.recorder.Reset()
	for _, e := range h.Events {
		s.recorder.Record(e)
	}
	return s
}
