package checker

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lockquake/checker/internal/linear"
	"lockquake/history"
)

// kleppmann returns the failure of his article: worker a pauses before its write, b takes over and
// writes, and a's write arrives afterwards.
func kleppmann(fence string, a, b int64) *scriptedHistory {
	return story("counter", fence).
		acquire("a", a).read("a", "0").sendWrite("a", "1").
		expire("a").acquire("b", b).read("b", "0").write("b", "1").release("b")
}

func TestSectionsMustBeAtomic(t *testing.T) {
	judge(t, "linearizable", []verdictCase{
		{"nothing", story("counter", "off"), Valid, "", 0},
		{"one after the other", story("counter", "off").
			acquire("a", 0).read("a", "0").write("a", "1").release("a").
			acquire("b", 0).read("b", "1").write("b", "2").release("b"), Valid, "", 0},
		{"one after the other, unwitnessed", story("counter", "off").unwitnessed().
			acquire("a", 0).read("a", "0").write("a", "1").release("a").
			acquire("b", 0).read("b", "1").write("b", "2").release("b"), Valid, "", 0},
		{
			"Kleppmann's failure", kleppmann("off", 0, 0).applied("a").ok("a").release("a"), Invalid,
			`item x is not linearizable: no order of its sections explains the values: b's section 1 (read "0", wrote "1") and a's section 1 (read "0", wrote "1") each replaced "0", which was the value only once`, 1,
		},
		{
			"a stale read", story("register", "off").
				acquire("a", 0).write("a", "1").release("a").acquire("b", 0).read("b", "0").release("b"), Invalid,
			`item x is not linearizable: no order of its sections explains the values: b's section 1 (read "0") read "0" although the value was "1", written by a's section 1`, 2,
		},
		{
			"a stale read that a later write explains to nobody", story("register", "off").
				acquire("c", 0).acquire("a", 0).write("a", "1").release("a").acquire("b", 0).read("b", "0").release("b").write("c", "0").release("c"), Invalid,
			`...operations explains the values: b's section 1 (read "0") read "0" although the value was "1"`, 1,
		},
		{
			"Kleppmann's failure, with a write of another item before", story("counter", "off").
				acquire("a", 0).read("a", "0").on("a", "y").write("a", "1").acquire("b", 0).read("b", "0").write("b", "1").release("b").on("a", "x").write("a", "1").release("a"), Invalid,
			`item x is not linearizable: no order of its sections explains the values: b's section 1 (read "0", wrote "1") and a's section 1 (read "0", wrote "1") each replaced "0"`, 1,
		},
		{"values come up again", story("register", "off").
			acquire("a", 0).read("a", "0").write("a", "1").release("a").
			acquire("a", 0).read("a", "1").write("a", "0").release("a").
			acquire("b", 0).read("b", "0").write("b", "1").release("b"), Valid, "", 0},
		{"Kleppmann's failure, unwitnessed", func() *scriptedHistory {
			s := story("counter", "off").unwitnessed()
			return s.acquire("a", 0).read("a", "0").sendWrite("a", "1").acquire("b", 0).read("b", "0").write("b", "1").
				release("b").ok("a").release("a")
		}(), Invalid, "item x is not linearizable: no order of its sections", 1},
		{
			"an operation that was not executed, of a resource that refuses none",
			story("counter", "off").unwitnessed().acquire("a", 0).read("a", "0").sendWrite("a", "1").fail("a").release("a"), Valid, "", 0,
		},
		{
			"an operation that was refused, with the highest token",
			story("counter", "reads-writes").unwitnessed().acquire("a", 33).read("a", "0").sendWrite("a", "1").fail("a").release("a"), Invalid,
			`...operations explains the values: a's section 1 (token 33, wrote "1" (refused)) was refused, though the highest token so far was 33`, 1,
		},
		{
			"a counter goes on from a value that it never had", story("counter", "off").unwitnessed().acquire("a", 0).read("a", "7").write("a", "8").release("a"), Invalid,
			`item x is not linearizable: no order of its sections explains the values: a's section 1 (read "7", wrote "8") replaced "7", which was never the value: the item began with "0"`, 2,
		},
		{
			"a counter goes on from the middle of another section",
			story("counter", "off").unwitnessed().acquire("a", 0).acquire("b", 0).read("a", "0").write("a", "1").read("b", "1").write("b", "2").
				write("a", "2").release("a").release("b"), Invalid,
			`item x is not linearizable: no order of its sections explains the values: b's section 1 (read "1", wrote "2") replaced "1", which was the value only in the middle of a's section 1`, 1,
		},
		{
			"an acknowledged write is not there at the end, unwitnessed",
			story("register", "off").unwitnessed().acquire("a", 0).write("a", "1").release("a").final("0"), Invalid,
			`item x is not linearizable: no order of its sections explains the values: the end of the run (read "0") read "0" although the value was "1", written by a's section 1`, 1,
		},
		{
			"a recorded write is not there at the end, since the server of the data lost it", story("register", "off").acquire("a", 0).write("a", "1").release("a").final("0"), Invalid,
			`item x is not linearizable: no order of its sections explains the values: the end of the run (read "0") read "0" although the value was "1", written by a's section 1`, 1,
		},
		{"a recorded write is there at the end", story("register", "off").acquire("a", 0).write("a", "1").release("a").final("1"), Valid, "", 0},
		{
			"a write with an unknown outcome is not there at the end, unwitnessed",
			story("register", "off").unwitnessed().acquire("a", 0).sendWrite("a", "1").info("a").release("a").final("0"), Valid, "", 0,
		},
		{
			"a write with an unknown outcome is there at the end, unwitnessed",
			story("register", "off").unwitnessed().acquire("a", 0).sendWrite("a", "1").info("a").release("a").final("1"), Valid, "", 0,
		},
		{"Kleppmann's failure, fenced", kleppmann("reads-writes", 33, 34).refused("a").fail("a").release("a"), Valid, "", 0},
		{"late packet: the section has long been left", story("counter", "off").
			acquire("a", 0).read("a", "0").sendWrite("a", "1").info("a").release("a").
			acquire("b", 0).read("b", "0").write("b", "1").release("b").applied("a"), Invalid, "item x is not linearizable: no order of its sections", 1},
		{"late packet that does no harm", story("counter", "off").
			acquire("a", 0).read("a", "0").sendWrite("a", "1").info("a").release("a").
			acquire("b", 0).read("b", "0").release("b").applied("a").
			acquire("b", 0).read("b", "1").release("b"), Valid, "", 0},
		{"a fence on writes only loses an update", story("counter", "writes").
			acquire("a", 33).read("a", "0").sendWrite("a", "1").expire("a").
			acquire("b", 34).read("b", "0").applied("a").ok("a").release("a").
			write("b", "1").release("b"), Invalid, "...b's section 1", 1},
		{"overlap that is still serialisable", story("register", "off").
			acquire("a", 0).acquire("b", 0).read("a", "0").read("b", "0").write("b", "5").release("a").release("b"), Valid, "", 0},
		{"two reads of one section differ", story("register", "off").
			acquire("a", 0).acquire("b", 0).read("a", "0").write("b", "5").read("a", "5").release("a").release("b"), Invalid, "item x is not linearizable: no order of its sections", 1},
		{"a section reads its own write", story("register", "off").
			acquire("a", 0).write("a", "1").read("a", "1").write("a", "2").release("a").acquire("b", 0).read("b", "2").release("b"), Valid, "", 0},
		{"crashed holder whose write landed", story("counter", "off").
			acquire("a", 0).read("a", "0").sendWrite("a", "1").crash("a").applied("a").
			acquire("b", 0).read("b", "1").write("b", "2").release("b"), Valid, "", 0},
		{"crashed holder whose write landed late", story("counter", "off").
			acquire("a", 0).read("a", "0").sendWrite("a", "1").crash("a").
			acquire("b", 0).read("b", "0").write("b", "1").release("b").applied("a"), Invalid, "item x is not linearizable: no order of its sections", 1},
		{"crashed holder whose write was lost", story("counter", "off").
			acquire("a", 0).read("a", "0").sendWrite("a", "1").crash("a").
			acquire("b", 0).read("b", "0").write("b", "1").release("b"), Valid, "", 0},
		{"refused write counts with its reads only", story("counter", "writes").
			acquire("a", 1).read("a", "0").expire("a").acquire("b", 2).read("b", "0").write("b", "1").release("b").
			refuse("a", "write", "1").release("a"), Valid, "", 0},
		{"its reads still count", story("counter", "writes").
			acquire("a", 1).read("a", "7").expire("a").acquire("b", 2).read("b", "0").write("b", "1").release("b").
			refuse("a", "write", "8").release("a"), Invalid, "", 2},
		{"a waiter is not in yet", story("register", "off").
			acquire("a", 0).call("b").write("a", "1").release("a").enter("b", 0).read("b", "0").release("b"), Invalid, "", 2},
		{"a section that returns before its body has left", story("register", "off").
			acquire("a", 0).write("a", "1").answered("a", history.ClassLost, "lost").acquire("b", 0).read("b", "0").release("b"), Invalid, "", 2},
		// By its reports it may have worked until the end, so the sections fit, and the operations do not.
		{"a section that never ends", story("register", "off").unwitnessed().
			acquire("a", 0).write("a", "1").acquire("b", 0).read("b", "0").release("b"), Invalid, "item x is not linearizable: no order of its operations", 1},
		{"stale read at one instant", story("register", "off").stop().
			acquire("a", 0).write("a", "1").release("a").acquire("b", 0).read("b", "0").release("b"), Invalid, "", 2},
		{"fresh read at one instant", story("register", "off").stop().
			acquire("a", 0).write("a", "1").release("a").acquire("b", 0).read("b", "1").release("b"), Valid, "", 0},
	})
}

// outOfOrder begins a history whose recorded order does not fit. The workers' reports are the only record, and b's report that it
// has read 1 comes before a's report that it has written 1.
func outOfOrder() *scriptedHistory {
	return story("register", "off").unwitnessed().
		acquire("a", 0).sendWrite("a", "1").acquire("b", 0).read("b", "1").leave("b").ok("a").leave("a")
}

// The successors of a value are counted, since the recorded order does not fit. Each history has a fitting order.
func TestCountingSuccessorsAccusesNoHistoryWithAnOrder(t *testing.T) {
	judge(t, "linearizable", []verdictCase{
		{"nothing else", outOfOrder(), Valid, "", 0},
		{"two sections write 2 without a read, and then 3", outOfOrder().
			acquire("c", 0).write("c", "2").write("c", "3").leave("c").
			acquire("d", 0).write("d", "2").write("d", "3").leave("d"), Valid, "", 0},
		{"two sections leave the value as it is", outOfOrder().
			acquire("c", 0).read("c", "1").write("c", "1").leave("c").
			acquire("d", 0).read("d", "1").write("d", "1").leave("d"), Valid, "", 0},
		{"a section writes the empty value without a read, and the next one replaces it", outOfOrder().
			acquire("c", 0).write("c", "").leave("c").
			acquire("d", 0).read("d", "").write("d", "2").leave("d"), Valid, "", 0},
	})
}

func TestAContradictionIsNamed(t *testing.T) {
	both := func(s *scriptedHistory, workers ...string) *scriptedHistory {
		for _, w := range workers {
			s.acquire(w, 0).read(w, "0")
		}
		for _, w := range workers {
			s.write(w, "1").leave(w)
		}
		return s
	}
	judge(t, "linearizable", []verdictCase{
		{
			"a value that nothing wrote", story("register", "off").acquire("a", 0).read("a", "7").leave("a"), Invalid,
			`item x is not linearizable: no order of its sections explains the values: a's section 1 (read "7") read "7" although the value was "0"`, 2,
		},
		{
			"a read after a write of its section", story("register", "off").acquire("a", 0).write("a", "1").read("a", "7").leave("a"), Invalid,
			`item x is not linearizable: no order of its sections explains the values: a's section 1 (wrote "1", read "7") read "7" although the value was "1"`, 2,
		},
		{
			"of two sections that never end", story("register", "off").acquire("a", 0).read("a", "0").acquire("c", 0).read("c", "7"), Invalid,
			`item x is not linearizable: no order of its sections explains the values: c's section 1 (read "7") read "7" although the value was "0"`, 2,
		},
		{
			"the second read of a section", story("register", "off").acquire("a", 0).read("a", "0").read("a", "7").leave("a"), Invalid,
			`item x is not linearizable: no order of its sections explains the values: a's section 1 (read "0", read "7") read "7" although the value was "0"`, 2,
		},
		// 0 comes back once, and is replaced by a, b, c and d.
		{
			"a value that three sections replaced", both(both(story("counter", "off"), "a").acquire("z", 0).read("z", "1").write("z", "0").release("z"), "b", "c"), Invalid,
			`item x is not linearizable: no order of its sections explains the values: a's section 1 (read "0", wrote "1") and b's section 1 (read "0", wrote "1") and ` +
				`c's section 1 (read "0", wrote "1") each replaced "0", which was the value only 2 times`, 1,
		},
		{
			"a value that four sections replaced", both(both(both(story("counter", "off"), "a").acquire("z", 0).read("z", "1").write("z", "0").release("z"), "b").
				acquire("z", 0).read("z", "1").write("z", "0").release("z"), "c", "d"), Invalid,
			`item x is not linearizable: no order of its sections explains the values: b's section 1 (read "0", wrote "1") and c's section 1 (read "0", wrote "1") and ` +
				`d's section 1 (read "0", wrote "1") and 1 before them each replaced "0", which was the value only 3 times`, 1,
		},
		{
			"six operations are named", story("register", "off").acquire("a", 0).read("a", "0").read("a", "0").read("a", "0").read("a", "0").read("a", "0").read("a", "7").leave("a"), Invalid,
			`...a's section 1 (read "0", read "0", read "0", read "0", read "0", read "7") read "7"`, 2,
		},
		{
			"the seventh is not", story("register", "off").acquire("a", 0).read("a", "0").read("a", "0").read("a", "0").read("a", "0").read("a", "0").read("a", "0").read("a", "7").leave("a"), Invalid,
			`...a's section 1 (read "0", read "0", read "0", read "0", read "0", read "0", ...) read "7"`, 2,
		},
		{
			"a write whose outcome is unknown", story("register", "off").unwitnessed().acquire("a", 0).read("a", "7").sendWrite("a", "1").info("a").leave("a"), Invalid,
			`item x is not linearizable: no order of its sections explains the values: a's section 1 (read "7", wrote "1" (perhaps)) read "7" although the value was "0"`, 2,
		},
		// c's read ends before a's write does. The history up to its end has no order already.
		{
			"the first section that fits nowhere", story("register", "off").unwitnessed().acquire("a", 0).sendWrite("a", "1").acquire("b", 0).read("b", "1").leave("b").
				acquire("c", 0).read("c", "7").leave("c").ok("a").leave("a").acquire("d", 0).read("d", "1").leave("d"), Invalid,
			`item x is not linearizable: no order of its sections explains the values: c's section 1 (read "7") fits nowhere; by the record b's section 1 (read "1") ` +
				`read "1" although the value was "0"`, 2,
		},
	})
}

// The events of a contradiction are those of the section that does not fit, of the section that wrote the value, and of up to six
// sections that were under way at the same time.
func TestTheEvidenceOfAContradictionHasTheStepsAroundIt(t *testing.T) {
	// c reads a stale value after d's write, while a and e are under way.
	few := story("register", "off").acquire("a", 0).read("a", "0").
		call("d").enter("d", 0).write("d", "1").leave("d").call("e").enter("e", 0).read("e", "1").
		acquire("c", 0).read("c", "0").leave("c").leave("a").leave("e")
	// Of seven sections that are under way the first one, w1, is too far.
	many := story("register", "off")
	workers := []string{"w1", "w2", "w3", "w4", "w5", "w6", "w7"}
	for _, w := range workers {
		many.acquire(w, 0).read(w, "0")
	}
	many.call("d").enter("d", 0).write("d", "1").leave("d").acquire("c", 0).read("c", "0").leave("c")
	for _, w := range workers {
		many.leave(w)
	}
	// a has the events 1 to 6 and 25, d those to 12, e those to 17 and 26, and c those to 24. Calls and grants show nothing.
	exact := []int64{3, 4, 5, 6, 8, 9, 10, 11, 12, 14, 15, 16, 17, 20, 21, 22, 23, 24, 25, 26}
	if got := mustRun(t, few.history(), "linearizable")[0].Findings[0].Events; !slices.Equal(got, exact) {
		t.Errorf("the events %v, want %v", got, exact)
	}
	for _, tt := range []struct {
		name  string
		story *scriptedHistory
		want  []string // the workers of the events
	}{
		{"few", few, []string{"a", "c", "d", "e"}},
		{"many", many, []string{"c", "d", "w2", "w3", "w4", "w5", "w6", "w7"}},
		{"by counting", kleppmann("off", 0, 0).applied("a").ok("a").leave("a"), []string{"a", "b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := tt.story.history()
			var got []string
			for _, seq := range mustRun(t, h, "linearizable")[0].Findings[0].Events {
				got = append(got, h.Events[seq-1].Worker)
			}
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, tt.want) {
				t.Errorf("events of %v, want events of %v", got, tt.want)
			}
		})
	}
}

func TestAnUnknownWriteMayTakeEffectLater(t *testing.T) {
	// A write of unknown outcome, followed by reads that see it, do not see it, or see it first and
	// then do not.
	unknown := func() *scriptedHistory {
		return story("counter", "off").unwitnessed().acquire("a", 0).read("a", "0").sendWrite("a", "1").info("a").release("a")
	}
	judge(t, "linearizable", []verdictCase{
		{"seen", unknown().acquire("b", 0).read("b", "1").release("b"), Valid, "", 0},
		{"not seen", unknown().acquire("b", 0).read("b", "0").write("b", "1").release("b"), Valid, "", 0},
		{"seen late", unknown().acquire("b", 0).read("b", "0").release("b").acquire("b", 0).read("b", "1").release("b"), Valid, "", 0},
		{"seen, then not", unknown().acquire("b", 0).read("b", "1").release("b").acquire("b", 0).read("b", "0").release("b"), Invalid, "item x is not linearizable: no order of its sections", 2},
		{"never answered", story("counter", "off").unwitnessed().acquire("a", 0).sendWrite("a", "5").
			acquire("b", 0).read("b", "5").release("b"), Valid, "", 0},
		{"the record says it took effect", story("counter", "off").
			acquire("a", 0).read("a", "0").sendWrite("a", "1").applied("a").info("a").release("a").
			acquire("b", 0).read("b", "0").release("b"), Invalid, "", 2},
		{"the record says it did not", story("counter", "off").
			acquire("a", 0).read("a", "0").sendWrite("a", "1").info("a").release("a").
			acquire("b", 0).read("b", "1").release("b"), Invalid, "", 2},
		{"a read that was never heard of", story("register", "off").
			acquire("a", 0).sendRead("a", "9").applied("a").info("a").release("a"), Valid, "", 0},
	})
}

func TestTheResourceMustFollowItsTokenPolicy(t *testing.T) {
	one := func(fence string, token int64, op string, accept bool) *scriptedHistory {
		s := story("register", fence).acquire("a", 5).write("a", "1").release("a").acquire("b", token)
		if op == "read" {
			s.sendRead("b", "1")
		} else {
			s.sendWrite("b", "2")
		}
		if accept {
			return s.applied("b").ok("b").release("b")
		}
		return s.refused("b").fail("b").release("b")
	}
	// After a write with token 5, which tokens may write and read?
	tests := []struct {
		fence               string
		writeNone, readNone bool
		write4, read4       bool
		write5, write6      bool
	}{
		{"off", true, true, true, true, true, true},
		{"writes", false, false, false, true, true, true},
		{"strict", false, false, false, true, false, true},
		{"reads-writes", false, false, false, false, true, true},
		{"equal", false, false, false, true, true, true},
		{"check-then-write", false, false, false, true, true, true},
		{"volatile", false, false, false, true, true, true},
	}
	for _, tt := range tests {
		for _, c := range []struct {
			token int64
			op    string
			right bool
		}{
			{0, "write", tt.writeNone},
			{0, "read", tt.readNone},
			{4, "write", tt.write4},
			{4, "read", tt.read4},
			{5, "write", tt.write5},
			{6, "write", tt.write6},
		} {
			for _, accept := range []bool{true, false} {
				want := Valid
				if accept != c.right {
					want = Invalid
				}
				t.Run(fmt.Sprintf("%s %s %d accepted %v", tt.fence, c.op, c.token, accept), func(t *testing.T) {
					got := mustRun(t, one(tt.fence, c.token, c.op, accept).history(), "linearizable")[0]
					if got.Verdict != want {
						t.Errorf("%s, want %s: %+v", got.Verdict, want, got.Findings)
					}
				})
			}
		}
	}
	judge(t, "linearizable", []verdictCase{
		{
			"under reads-writes a read raises the mark", story("register", "reads-writes").
				acquire("a", 1).acquire("b", 2).read("b", "0").write("a", "1").release("a").release("b"), Invalid,
			`item x is not linearizable: no order of its operations explains the values: a's section 1 (token 1, wrote "1") was accepted, though the highest token so far was 2`, 1,
		},
		{"under writes it does not", story("register", "writes").
			acquire("a", 1).acquire("b", 2).read("b", "0").write("a", "1").release("a").release("b"), Valid, "", 0},
		{"a refusal without a reason", story("register", "writes").
			acquire("a", 1).refuse("a", "write", "1").release("a"), Invalid, "...(token 1, wrote \"1\" (refused)) was refused, though the highest token so far was 0", 1},
		{"accepted without a token", story("register", "writes").acquire("a", 0).write("a", "1").release("a"), Invalid, "...(wrote \"1\") was accepted without a token", 1},
		{"policy without a model", story("register", "magic").acquire("a", 1), Unknown, "unknown policy", 0},
		{"policy without a model, and a contradiction", story("register", "magic").acquire("a", 1).read("a", "7").release("a"), Unknown, "unknown policy", 0},
	})
}

func TestASearchBeyondItsBudgetIsUnknown(t *testing.T) {
	// The writes all overlap, and there is no record of their order.
	crowd := func() *scriptedHistory {
		s := story("register", "off").unwitnessed()
		names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
		for _, w := range names {
			s.call(w).enter(w, 0).sendWrite(w, w)
		}
		for _, w := range names {
			s.ok(w).leave(w)
		}
		return s.acquire("z", 0).read("z", "nobody wrote this").release("z")
	}
	fits := story("register", "off").acquire("a", 0).write("a", "1").write("a", "2").release("a")
	exceeded := func(f func(*linear.Limits)) linear.Limits {
		l := linear.DefaultLimits()
		f(&l)
		return l
	}
	if got := mustRunWithin(t, exceeded(func(l *linear.Limits) { l.Accesses = 0 }), fits.history(), "linearizable")[0]; got.Verdict != Valid {
		t.Errorf("the recorded order fits, and is always tried: %+v", got)
	}
	tests := []struct {
		name   string
		limits linear.Limits
		want   Verdict
	}{
		{"enough", linear.DefaultLimits(), Invalid},
		{"few accesses", exceeded(func(l *linear.Limits) { l.Accesses = 50 }), Unknown},
		{"little memory", exceeded(func(l *linear.Limits) { l.Memory = 1000 }), Unknown},
		{"few steps", exceeded(func(l *linear.Limits) { l.Steps = 4 }), Unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := mustRunWithin(t, tt.limits, crowd().history(), "linearizable")[0]
			if got.Verdict != tt.want {
				t.Fatalf("%s, want %s: %+v", got.Verdict, tt.want, got.Findings)
			}
			if tt.want == Unknown && len(got.Findings) != 2 {
				t.Errorf("findings %+v, want one for the sections and one for the operations", got.Findings)
			}
		})
	}
}

// One section with many writes of unknown outcome: 2^200 courses of events, but few states.
func TestManyUnknownWritesOfOneSectionAreDecided(t *testing.T) {
	s := story("register", "off").unwitnessed().acquire("a", 0)
	for i := range 200 {
		s.sendWrite("a", fmt.Sprint(i)).info("a")
	}
	s.release("a").acquire("b", 0).read("b", "17").release("b")
	judge(t, "linearizable", []verdictCase{{"one of them was seen", s, Valid, "", 0}})
}

// Evidence stays small however long the history is, and names the sections that caused the
// violation.
func TestLinearizableEvidenceStaysSmall(t *testing.T) {
	n := 0
	increments := func(s *scriptedHistory, times int) *scriptedHistory {
		for range times {
			s.acquire("a", 0).read("a", fmt.Sprint(n)).write("a", fmt.Sprint(n+1)).release("a")
			n++
		}
		return s
	}
	late := increments(story("counter", "off"), 300)
	late.acquire("b", 0).read("b", fmt.Sprint(n))
	increments(late, 1).write("b", fmt.Sprint(n)).release("b")
	increments(late, 300)

	n = 0
	stale := increments(story("counter", "off"), 300).acquire("b", 0).read("b", "299").release("b")
	increments(stale, 300)

	for _, tt := range []struct {
		name  string
		story *scriptedHistory
		want  string
	}{
		{"by counting", late, `item x is not linearizable: no order of its sections explains the values: a's section 301 (read "300", wrote "301") and ` +
			`b's section 1 (read "300", wrote "301") each replaced "300", which was the value only once`},
		{"by searching", stale, `item x is not linearizable: no order of its sections explains the values: b's section 1 (read "299") ` +
			`read "299" although the value was "300", written by a's section 300`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := mustRun(t, tt.story.history(), "linearizable")[0]
			if got.Verdict != Invalid || len(got.Findings[0].Events) > 30 {
				t.Fatalf("%s: %+v", got.Verdict, got.Findings)
			}
			if got.Findings[0].Text != tt.want {
				t.Errorf("got  %s\nwant %s", got.Findings[0].Text, tt.want)
			}
		})
	}
}

// Fifty workers without a lock are too concurrent to try orders, but counting finds the lost
// increments.
func TestCountingFindsTheLostIncrementsOfACrowd(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s := story("counter", "off")
	value, phase, saw := 0, map[string]int{}, map[string]int{}
	for range 4000 {
		w := fmt.Sprintf("w%d", random.IntN(50))
		switch phase[w] % 4 {
		case 0:
			s.acquire(w, 0)
		case 1:
			s.read(w, fmt.Sprint(value))
			saw[w] = value
		case 2:
			value = saw[w] + 1
			s.write(w, fmt.Sprint(value))
		case 3:
			s.release(w)
		}
		phase[w]++
	}
	for _, h := range []*history.History{s.history(), unwitnessed(s.history())} {
		for _, r := range mustRun(t, h, "linearizable", "lost-update", "exclusion") {
			if r.Verdict != Invalid {
				t.Errorf("witnessed %v: %s is %s", h.Witnessed(), r.Check, r.Verdict)
			}
		}
	}
}
