package checker

import (
	"fmt"
	"testing"
	"time"
)

// The read of a is sent first and takes effect last, after its write and after the work of b.
func TestWorkLastsFromTheFirstToTheLastEffect(t *testing.T) {
	s := story("register", "off").acquire("a", 0).sendRead("a", "1")
	read := s.pending["a"]
	s.write("a", "1").acquire("b", 0).read("b", "1").release("b")
	s.pending["a"] = read
	judge(t, "exclusion", []verdictCase{{"an operation that overtakes another", s.applied("a").ok("a").release("a"), Invalid, "overlap: a's section 1 and b's section 1", 1}})
}

func TestTwoSectionsMustNotWorkAtOnce(t *testing.T) {
	judge(t, "exclusion", []verdictCase{
		{"one after the other", story("counter", "off").
			acquire("a", 0).read("a", "0").write("a", "1").release("a").
			acquire("b", 0).read("b", "1").write("b", "2").release("b"), Valid, "", 0},
		{
			"Kleppmann's failure", kleppmann("off", 0, 0).after(time.Second).applied("a").ok("a").release("a"), Invalid,
			"overlap: a's section 1 and b's section 1 were both at work under lock x for 3ms", 1,
		},
		{"a refused write is no work", kleppmann("reads-writes", 33, 34).refused("a").fail("a").release("a"), Valid, "", 0},
		{"sections overlap, work does not", story("counter", "off").
			acquire("a", 0).read("a", "0").write("a", "1").expire("a").
			acquire("b", 0).read("b", "1").write("b", "2").release("b").release("a"), Valid, "", 0},
		{"an overlap that is still serialisable", story("register", "off").
			acquire("a", 0).acquire("b", 0).read("a", "0").read("b", "0").write("b", "5").read("a", "5").release("a").release("b"), Invalid, "overlap", 1},
		{"one operation within another section", story("register", "off").
			acquire("a", 0).read("a", "0").acquire("b", 0).read("b", "0").release("b").read("a", "0").release("a"), Invalid, "...at one instant", 1},
		{"two sections of one operation each", story("register", "off").
			acquire("a", 0).acquire("b", 0).read("a", "0").read("b", "0").release("b").release("a"), Valid, "", 0},
		{"at one instant", story("counter", "off").stop().
			acquire("a", 0).acquire("b", 0).read("a", "0").read("b", "0").write("a", "1").write("b", "1"), Invalid, "...at one instant", 1},
		{"one after the other at one instant", story("counter", "off").stop().
			acquire("a", 0).read("a", "0").write("a", "1").acquire("b", 0).read("b", "1").write("b", "2"), Valid, "", 0},
		{"three at once, of which the last lost nothing to another", story("register", "off").
			acquire("a", 0).acquire("b", 0).acquire("c", 0).read("a", "0").read("b", "0").read("c", "0").
			read("a", "0").read("b", "0").read("c", "0"), Invalid, "overlap", 2},
		{"a section that three others came into counts once", story("register", "off").
			acquire("a", 0).read("a", "0").
			acquire("b", 0).read("b", "0").release("b").acquire("c", 0).read("c", "0").release("c").acquire("b", 0).read("b", "0").release("b").
			read("a", "0"), Invalid, "overlap: a's section 1 and b's section 1", 1},
		{"late packet of a section that was left", story("counter", "off").
			acquire("a", 0).read("a", "0").sendWrite("a", "1").info("a").release("a").
			acquire("b", 0).read("b", "0").write("b", "1").release("b").applied("a"), Invalid, "overlap", 1},
		{"a write that never arrived", story("counter", "off").
			acquire("a", 0).read("a", "0").sendWrite("a", "1").info("a").release("a").
			acquire("b", 0).read("b", "0").write("b", "1").release("b"), Valid, "", 0},
		{"unwitnessed", story("counter", "off").unwitnessed().
			acquire("a", 0).read("a", "0").sendWrite("a", "1").acquire("b", 0).read("b", "0").write("b", "1").ok("a"), Invalid, "overlap", 1},
		{"unwitnessed, nobody knows", story("counter", "off").unwitnessed().
			acquire("a", 0).read("a", "0").sendWrite("a", "1").acquire("b", 0).read("b", "0").write("b", "1").info("a"), Valid, "", 0},
	})
}

// All violations are counted, and only the first few are shown.
func TestExclusionBoundsItsFindings(t *testing.T) {
	s := story("register", "off")
	const n = 30
	for i := range n {
		s.acquire(fmt.Sprint("w", i), 0).read(fmt.Sprint("w", i), "0")
	}
	for i := range n {
		s.read(fmt.Sprint("w", i), "0")
	}
	got := mustRun(t, s.history(), "exclusion")[0]
	if got.Count != n-1 || len(got.Findings) != maxFindings {
		t.Errorf("%d violations and %d findings, want %d and %d", got.Count, len(got.Findings), n-1, maxFindings)
	}
}
