package checker

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A leader works several times in a section. Of two leaders one overwrites the work of the other.
func TestTwoLeadersLoseAnUpdate(t *testing.T) {
	for _, test := range []struct {
		name  string
		story *scriptedHistory
		want  int
	}{
		{
			"one after the other",
			story("leader", "off").acquire("a", 0).read("a", "0").write("a", "1").read("a", "1").write("a", "2").release("a").
				acquire("b", 0).read("b", "2").write("b", "3").release("b"), 0,
		},
		{
			"beside each other",
			story("leader", "off").acquire("a", 0).read("a", "0").write("a", "1").ended("a", "expired").
				acquire("b", 0).read("b", "1").read("a", "1").write("b", "2").write("a", "2").release("b").leave("a").answered("a", "lost", "lost"), 1,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := Run(test.story.history(), []string{"lost-update"})
			if err != nil {
				t.Fatal(err)
			}
			if !r[0].Applies || r[0].Count != test.want {
				t.Errorf("%+v, want %d violations", r[0], test.want)
			}
		})
	}
}

func TestOverwritingAnUnseenIncrementIsAViolation(t *testing.T) {
	judge(t, "lost-update", []verdictCase{
		{"nothing", story("counter", "off"), Valid, "", 0},
		{"one after the other", story("counter", "off").
			acquire("a", 0).read("a", "0").write("a", "1").release("a").
			acquire("b", 0).read("b", "1").write("b", "2").release("b").final("2"), Valid, "", 0},
		{
			"Kleppmann's failure", kleppmann("off", 0, 0).applied("a").ok("a").release("a"), Invalid,
			"lost update: a's section 1 saw 0 of item x and wrote 1 over 1, the work of b's section 1 (wrote 1)", 1,
		},
		{"and its final value", kleppmann("off", 0, 0).applied("a").ok("a").release("a").final("1"), Invalid, "lost update", 1},
		{"Kleppmann's failure, fenced", kleppmann("reads-writes", 33, 34).refused("a").fail("a").release("a").final("1"), Valid, "", 0},
		{
			"one write over many updates counts once", story("counter", "off").
				acquire("z", 0).read("z", "0").
				acquire("a", 0).read("a", "0").write("a", "1").write("a", "2").write("a", "3").release("a").
				write("z", "1").release("z").final("1"), Invalid,
			"lost update: z's section 1 saw 0 of item x and wrote 1 over 3", 1,
		},
		{"a final value that nobody wrote counts beside a lost update", kleppmann("off", 0, 0).applied("a").ok("a").release("a").final("7"), Invalid, "lost update", 2},
		{"a fence on writes only", story("counter", "writes").
			acquire("a", 33).read("a", "0").sendWrite("a", "1").expire("a").
			acquire("b", 34).read("b", "0").applied("a").ok("a").release("a").
			write("b", "1").release("b").final("1"), Invalid, "lost update: b's section 1", 1},
		{
			"many at once", story("counter", "off").
				acquire("z", 0).read("z", "0").
				acquire("a", 0).read("a", "0").write("a", "1").write("a", "2").release("a").
				acquire("a", 0).read("a", "2").write("a", "3").release("a").
				acquire("b", 0).read("b", "3").write("b", "4").release("b").
				write("z", "1").release("z"), Invalid,
			"...over 4, the work of others, a's section 1 (wrote 2), a's section 2 (wrote 3), b's section 1 (wrote 4)", 1,
		},
		{
			"a value from nowhere", story("counter", "off").acquire("a", 0).read("a", "7").write("a", "8").release("a"), Invalid,
			"lost update: a's section 1 saw 7 of item x and wrote 8 over 0, which it began with, and no section had written 7", 1,
		},
		{
			"a read of what was there before", story("counter", "off").
				acquire("b", 0).read("b", "0").write("b", "1").release("b").
				acquire("a", 0).read("a", "0").write("a", "1").release("a"), Invalid,
			"lost update: a's section 1 saw 0 of item x and wrote 1 over 1, which b's section 1 had written before that", 1,
		},
		{"two increments in one section", story("counter", "off").
			acquire("a", 0).read("a", "0").write("a", "1").write("a", "2").release("a").final("2"), Valid, "", 0},
		{"a write of unknown outcome that landed", story("counter", "off").
			acquire("a", 0).read("a", "0").sendWrite("a", "1").applied("a").info("a").release("a").final("1"), Valid, "", 0},
		{"one that did not", story("counter", "off").
			acquire("a", 0).read("a", "0").sendWrite("a", "1").info("a").release("a").
			acquire("b", 0).read("b", "0").write("b", "1").release("b").final("1"), Valid, "", 0},
		{"one that landed late", story("counter", "off").
			acquire("a", 0).read("a", "0").sendWrite("a", "1").info("a").release("a").
			acquire("b", 0).read("b", "0").write("b", "1").release("b").applied("a"), Invalid, "lost update: a's section 1", 1},
		{"a crashed holder's late write", story("counter", "off").
			acquire("a", 0).read("a", "0").sendWrite("a", "1").crash("a").
			acquire("b", 0).read("b", "0").write("b", "1").release("b").applied("a"), Invalid, "lost update: a's section 1", 1},
		{"at one instant", story("counter", "off").stop().
			acquire("a", 0).acquire("b", 0).read("a", "0").read("b", "0").write("a", "1").write("b", "1"), Invalid, "lost update", 1},
		{"a final value that the record denies", story("counter", "off").
			acquire("a", 0).read("a", "0").write("a", "1").release("a").final("0"), Invalid, "final value: item x ended at 0, but its last accepted write left 1", 1},
		{"a write without a read sets the counter", story("counter", "off").
			acquire("a", 0).read("a", "0").write("a", "1").release("a").
			acquire("b", 0).write("b", "40").release("b").
			acquire("a", 0).read("a", "40").write("a", "41").release("a").final("41"), Valid, "", 0},
		{"a read that came back too late is no basis", func() *scriptedHistory {
			s := story("counter", "off").acquire("a", 0).sendRead("a", "0")
			read := s.pending["a"]
			s.sendWrite("a", "5")
			write := s.pending["a"]
			s.pending["a"] = read
			s.applied("a").ok("a")
			s.pending["a"] = write
			return s.acquire("b", 0).read("b", "0").write("b", "1").release("b").applied("a").ok("a").final("5")
		}(), Valid, "", 0},
		{"a basis that is no number", story("counter", "off").acquire("a", 0).read("a", "one").write("a", "1").release("a"), Unknown, "not a counter", 0},
		{"an end that is no number", story("counter", "off").acquire("a", 0).read("a", "0").write("a", "1").release("a").final("one"), Unknown, "not a counter", 0},
		{"a begin that is no number", func() *scriptedHistory {
			s := story("counter", "off").acquire("a", 0).read("a", "one").write("a", "1").release("a")
			s.meta.Initial["x"] = "one"
			return s
		}(), Unknown, "not a counter", 0},
		{"no number", story("counter", "off").acquire("a", 0).read("a", "0").write("a", "one").release("a"), Unknown, "not a counter", 0},
	})
}

func TestLostUpdatesAreFoundWithoutTheResourcesRecord(t *testing.T) {
	unseen := func() *scriptedHistory { return story("counter", "off").unwitnessed() }
	judge(t, "lost-update", []verdictCase{
		{"one after the other", unseen().
			acquire("a", 0).read("a", "0").write("a", "1").release("a").
			acquire("b", 0).read("b", "1").write("b", "2").release("b").final("2"), Valid, "", 0},
		{
			"two from one value", unseen().
				acquire("a", 0).acquire("b", 0).read("a", "0").read("b", "0").write("a", "1").write("b", "1"), Invalid,
			"lost update: a's section 1 and b's section 1 both incremented the 0 of item x", 1,
		},
		{"one of them refused", unseen().
			acquire("a", 0).acquire("b", 0).read("a", "0").read("b", "0").write("a", "1").sendWrite("b", "1").fail("b").final("1"), Valid, "", 0},
		{
			"two from the empty item", unseen().
				acquire("a", 0).acquire("b", 0).read("a", "").read("b", "").write("a", "1").write("b", "1"), Invalid,
			"lost update: a's section 1 and b's section 1 both incremented the 0 of item x: both read it empty, which counts as 0", 1,
		},
		{"one of them unknown", unseen().
			acquire("a", 0).acquire("b", 0).read("a", "0").read("b", "0").write("a", "1").sendWrite("b", "1").info("b").final("1"), Valid, "", 0},
		{"the unknown one counts in the end", unseen().
			acquire("a", 0).read("a", "0").write("a", "1").read("a", "1").sendWrite("a", "2").info("a").release("a").final("2"), Valid, "", 0},
		{"too little in the end", unseen().acquire("a", 0).read("a", "0").write("a", "1").release("a").final("0"), Invalid, "final value", 1},
		{"too much in the end", unseen().acquire("a", 0).read("a", "0").write("a", "1").release("a").final("2"), Invalid, "final value", 1},
		{
			"a lost update is counted once, whatever it leads to", unseen().
				acquire("z", 0).read("z", "0").
				acquire("a", 0).read("a", "0").write("a", "1").read("a", "1").write("a", "2").read("a", "2").write("a", "3").release("a").
				write("z", "1").release("z").
				acquire("b", 0).read("b", "1").write("b", "2").read("b", "2").write("b", "3").release("b").final("3"), Invalid,
			"lost update: a's section 1 and z's section 1 both incremented the 0 of item x", 1,
		},
		{"three from one value are two lost updates", unseen().
			acquire("a", 0).acquire("b", 0).acquire("c", 0).read("a", "0").read("b", "0").read("c", "0").
			write("a", "1").write("b", "1").write("c", "1"), Invalid, "lost update", 2},
		{"a value that came up twice may be gone on from twice", unseen().
			acquire("a", 0).read("a", "0").write("a", "1").read("a", "1").write("a", "0").release("a").
			acquire("b", 0).read("b", "0").write("b", "1").read("b", "1").write("b", "2").release("b"), Valid, "", 0},
		{"went back", unseen().
			acquire("a", 0).read("a", "0").write("a", "1").read("a", "1").write("a", "2").release("a").
			acquire("b", 0).read("b", "1").release("b"), Invalid, "went back: b's section 1 read 1 of item x after a's section 1 had written 2", 1},
		{"what is no number has not gone back", unseen().
			acquire("a", 0).read("a", "0").write("a", "1").release("a").
			acquire("b", 0).read("b", "much").release("b"), Valid, "", 0},
		{"a section that was called before reads after the write", unseen().call("b").
			acquire("a", 0).read("a", "0").write("a", "1").release("a").grant("b").enter("b", 0).read("b", "1").release("b"), Valid, "", 0},
		{"a value from nowhere is no lost update", unseen().acquire("a", 0).read("a", "7").write("a", "8").release("a"), Valid, "", 0},
		{"not if the counter also goes down", unseen().
			acquire("a", 0).read("a", "0").write("a", "1").read("a", "1").write("a", "0").release("a").
			acquire("b", 0).read("b", "0").release("b"), Valid, "", 0},
		{"not if the write was still under way", unseen().
			acquire("a", 0).read("a", "0").sendWrite("a", "1").acquire("b", 0).read("b", "0").ok("a"), Valid, "", 0},
	})
}

// Each of 13 sections has read 0, and 12 of them write over an update that they have not seen.
func TestLostUpdatesBeyondTheFindingsCount(t *testing.T) {
	s := story("counter", "off")
	for i := range 13 {
		s.acquire(fmt.Sprint("w", i), 0).read(fmt.Sprint("w", i), "0")
	}
	for i := range 13 {
		s.write(fmt.Sprint("w", i), "1").leave(fmt.Sprint("w", i))
	}
	if got := mustRun(t, s.history(), "lost-update")[0]; got.Count != 12 || len(got.Findings) != maxFindings {
		t.Errorf("%d lost updates and %d findings, want 12 and %d", got.Count, len(got.Findings), maxFindings)
	}
}

// The end counts by itself only if no lost update explains it.
func TestTheEndShowsWhatIsLost(t *testing.T) {
	texts := func(s *scriptedHistory) (list []string) {
		for _, f := range mustRun(t, s.history(), "lost-update")[0].Findings {
			kind, _, _ := strings.Cut(f.Text, ":")
			list = append(list, kind)
		}
		return list
	}
	two := func(s *scriptedHistory) *scriptedHistory {
		return s.acquire("a", 0).acquire("b", 0).read("a", "0").read("b", "0").write("a", "1").write("b", "1")
	}
	begun := func() *scriptedHistory { return story("counter", "off") }
	for _, tt := range []struct {
		name  string
		story *scriptedHistory
		want  []string
	}{
		{"one of two", two(begun()).final("1"), []string{"lost update", "final value"}},
		{"one of two, unwitnessed", two(begun().unwitnessed()).final("1"), []string{"lost update", "final value"}},
		// c has seen a 2 that was never there, so that the increments add up to the end.
		{"one lost, and one from nowhere", two(begun()).acquire("c", 0).read("c", "2").write("c", "3").final("3"), []string{"lost update", "lost update"}},
	} {
		if got := texts(tt.story); !slices.Equal(got, tt.want) {
			t.Errorf("%s: findings %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestLostUpdateAppliesToCountersOnly(t *testing.T) {
	s := story("register", "off").acquire("a", 0).read("a", "0").acquire("b", 0).write("b", "9").write("a", "1")
	if got := mustRun(t, s.history(), "lost-update")[0]; got.Applies || got.Verdict != Valid {
		t.Errorf("judged a register: %+v", got)
	}
}

// A set loses the elements that a write leaves out because its section had not seen them.
func TestASetLosesNoElement(t *testing.T) {
	set := func() *scriptedHistory {
		s := story("set-add", "off")
		s.meta.Initial = nil
		return s
	}
	apart := func(s *scriptedHistory) *scriptedHistory {
		return s.acquire("a", 0).read("a", "").write("a", "a/1").release("a").acquire("b", 0).read("b", "a/1").write("b", "b/1 a/1").release("b").final("b/1 a/1")
	}
	over := func(s *scriptedHistory) *scriptedHistory {
		return s.acquire("a", 0).read("a", "").acquire("b", 0).read("b", "").write("b", "b/1").release("b").write("a", "a/1").release("a").final("a/1")
	}
	// The sets of a and b have the same size, and c has seen the one that was overwritten.
	sameSize := over(set()).acquire("c", 0).read("c", "b/1").write("c", "c/1 b/1").release("c").final("c/1 b/1")
	judge(t, "lost-update", []verdictCase{
		{"one after the other", apart(set()), Valid, "", 0},
		{"unwitnessed, one after the other", apart(set().unwitnessed()), Valid, "", 0},
		{"at once", over(set()), Invalid, "lost update: a's section 1 saw 0 elements of item x and wrote 1 over 1, the work of b's section 1 (wrote 1)", 1},
		{"unwitnessed, at once", over(set().unwitnessed()), Invalid, "lost update: b's section 1 and a's section 1 both incremented the 0 elements of item x", 1},
		{"another set of the same size", sameSize, Invalid, "lost update", 2},
	})
}
