package checker

import "testing"

// torn returns a history in which a section of a writes three times, and after the first write a
// section of b writes twice. Fence is the resource's policy.
func torn(fence string) *scriptedHistory {
	return story("counter", fence).fenced().
		acquire("a", 33).read("a", "0").write("a", "1").expire("a").
		acquire("b", 34).read("b", "1").write("b", "2").write("b", "3").release("b")
}

// A section that writes several times is one step. A write of another section in between is a
// violation, and each of its stale writes is a lost update.
func TestWorkOfSeveralWritesIsOneStep(t *testing.T) {
	stale := func() *scriptedHistory { return torn("off").write("a", "2").write("a", "3").release("a").final("3") }
	refused := func() *scriptedHistory {
		return torn("reads-writes").refuse("a", "write", "2").release("a").final("3")
	}
	alone := func() *scriptedHistory {
		return story("counter", "off").acquire("a", 0).read("a", "0").write("a", "1").write("a", "2").write("a", "3").release("a").
			acquire("b", 0).read("b", "3").write("b", "4").write("b", "5").release("b").final("5")
	}
	twice := func() *scriptedHistory {
		return torn("off").write("a", "2").acquire("c", 35).read("c", "2").write("c", "3").release("c").write("a", "3").release("a").final("3")
	}
	judge(t, "lost-update", []verdictCase{
		{"one after the other", alone(), Valid, "", 0},
		{"unwitnessed, one after the other", alone().unwitnessed(), Valid, "", 0},
		{"torn", stale(), Invalid, "lost update: a's section 1 saw 1 of item x and wrote 2 over 3, the work of b's section 1 (wrote 2), b's section 1 (wrote 3)", 1},
		{"torn, unwitnessed", stale().unwitnessed(), Invalid, "lost update", 1},
		{"torn twice", twice(), Invalid, "lost update: a's section 1", 2},
		{"the rest is refused", refused(), Valid, "", 0},
	})
	judge(t, "linearizable", []verdictCase{
		{"one after the other", alone(), Valid, "", 0},
		{"torn", stale(), Invalid, "item x is not linearizable: no order of its sections", 1},
		{"torn by a read", story("register", "off").
			acquire("a", 0).write("a", "1").acquire("b", 0).read("b", "1").release("b").write("a", "2").release("a"), Invalid, "item x is not linearizable: no order of its sections", 1},
		{"interrupted by nothing else", story("register", "off").
			acquire("a", 0).write("a", "1").acquire("b", 0).release("b").write("a", "2").release("a"), Valid, "", 0},
		{"the rest is refused", refused(), Valid, "", 0},
	})
	judge(t, "exclusion", []verdictCase{
		{"one after the other", alone(), Valid, "", 0},
		{"torn", stale(), Invalid, "overlap: a's section 1 and b's section 1", 1},
		{"the rest is refused", refused(), Valid, "", 0},
	})
}

// A write after the release belongs to its section, which is at work until then. It is not the
// lock's fault, since the lock answered before it.
func TestACommitAfterTheReleaseBelongsToItsSection(t *testing.T) {
	read := func(fence string) *scriptedHistory {
		return story("counter", fence).fenced().commitsLate().acquire("a", 33).read("a", "0").release("a")
	}
	inTime := func() *scriptedHistory {
		return read("off").write("a", "1").acquire("b", 34).read("b", "1").release("b").write("b", "2").final("2")
	}
	late := func(fence string) *scriptedHistory { return read(fence).acquire("b", 34).read("b", "0").release("b") }
	lost := func() *scriptedHistory { return late("off").write("a", "1").write("b", "1").final("1") }
	refused := func() *scriptedHistory {
		return late("reads-writes").refuse("a", "write", "1").write("b", "1").final("1")
	}
	judge(t, "lost-update", []verdictCase{
		{"in time", inTime(), Valid, "", 0},
		{"too late", lost(), Invalid, "lost update: b's section 1 saw 0 of item x and wrote 1 over 1, the work of a's section 1 (wrote 1)", 1},
		{"refused", refused(), Valid, "", 0},
	})
	judge(t, "exclusion", []verdictCase{
		{"in time", inTime(), Valid, "", 0},
		{"too late", lost(), Invalid, "overlap: a's section 1 and b's section 1", 1},
		{"refused", refused(), Valid, "", 0},
	})
	judge(t, "linearizable", []verdictCase{
		{"in time", inTime(), Valid, "", 0},
		{"too late", lost(), Invalid, "item x is not linearizable: no order of its sections", 1},
		{"refused", refused(), Valid, "", 0},
	})
	for _, check := range []string{"errors", "told", "belief", "recovery", "ownership", "fencing"} {
		judge(t, check, []verdictCase{
			{"in time", inTime(), Valid, "", 0},
			{"too late", lost(), Valid, "", 0},
			{"refused", refused(), Valid, "", 0},
		})
	}
	judge(t, "errors", []verdictCase{
		{
			"a write of before the release that is refused", story("counter", "writes").fenced().
				acquire("a", 33).read("a", "0").refuse("a", "write", "1").release("a"), Invalid, "masked: a's section 1 ended with ok", 1,
		},
	})
}
