package checker

import (
	"fmt"
	"testing"

	"lockquake/history"
)

// on makes an item the one that the worker reads and writes from now on.
func (t *scriptedHistory) on(w, item string) *scriptedHistory {
	t.units[w] = item
	return t
}

// bank returns a history of transfers between the accounts x and y, of 100 each.
func bank(fence string) *scriptedHistory {
	s := story("transfer", fence)
	s.meta.Initial = map[string]string{"x": "100", "y": "100"}
	return s
}

// debit reads and writes the account x of a worker, and credit the account y.
func (t *scriptedHistory) debit(w, from, to string) *scriptedHistory {
	return t.on(w, "x").read(w, from).write(w, to)
}

func (t *scriptedHistory) credit(w, from, to string) *scriptedHistory {
	return t.on(w, "y").read(w, from).write(w, to)
}

func (t *scriptedHistory) ends(item, value string) *scriptedHistory {
	return t.tell(history.Event{Type: history.Final, Key: item, Value: value})
}

func TestATransferKeepsTheTotal(t *testing.T) {
	two := func(s *scriptedHistory) *scriptedHistory {
		return s.acquire("a", 0).debit("a", "100", "90").credit("a", "100", "110").release("a").
			acquire("b", 0).debit("b", "90", "85").credit("b", "110", "115").release("b")
	}
	lost := func(s *scriptedHistory) *scriptedHistory {
		return s.acquire("a", 0).on("a", "x").read("a", "100").
			acquire("b", 0).debit("b", "100", "95").credit("b", "100", "105").release("b").
			write("a", "90").credit("a", "105", "115").release("a")
	}
	// The locks of a transfer are sections of one unit.
	nested := func(s *scriptedHistory) *scriptedHistory {
		return s.callFor("a", "t1").enter("a", 0).debit("a", "100", "90").callFor("a", "t1").enter("a", 0)
	}
	judge(t, "conserved", []verdictCase{
		{name: "nothing moved", story: bank("off").acquire("a", 0).release("a"), want: Valid},
		{name: "one after the other", story: two(bank("off")), want: Valid},
		{
			name: "a debit of an old balance", story: lost(bank("off")), want: Invalid, count: 1,
			text: "overwritten: a's section 1 saw 100 of item x and wrote 90 over 95, the work of b's section 1: the total changes by +5",
		},
		{
			name: "the credit is refused", want: Invalid, count: 1,
			story: bank("writes").acquire("a", 1).debit("a", "100", "90").on("a", "y").read("a", "100").refuse("a", "write", "110").release("a"),
			text:  "torn: a's section 1 changed item x by -10, and the write of 110 to item y by a's section 1 took no effect: the total changes by -10",
		},
		{
			name: "a debit of a balance that never was", want: Invalid, count: 1,
			story: bank("off").acquire("a", 0).debit("a", "200", "190").credit("a", "100", "110").release("a"),
			text:  "torn: a's section 1 changed item x by +90, a's section 1 changed item y by +10, and wrote nothing more: the total changes by +100",
		},
		{
			name: "the credit is lost on its way", want: Invalid, count: 1,
			story: bank("off").acquire("a", 0).debit("a", "100", "90").on("a", "y").read("a", "100").sendWrite("a", "110").info("a").release("a"),
			text:  "torn: a's section 1 changed item x by -10, and the write of 110 to item y by a's section 1 took no effect: the total changes by -10",
		},
		{
			name: "a crash between the two writes", story: bank("off").acquire("a", 0).debit("a", "100", "90").crash("a"), want: Invalid, count: 1,
			text: "torn: a's section 1 changed item x by -10, and wrote nothing more",
		},
		{name: "two sections of one unit", story: nested(bank("off")).credit("a", "100", "110").release("a"), want: Valid},
		{name: "two sections of one unit, torn", story: nested(bank("off")).crash("a"), want: Invalid, count: 1, text: "torn: a's section 1"},
		{
			name: "a credit to a ledger outside, which begins empty", want: Valid,
			story: bank("off").acquire("a", 0).debit("a", "100", "90").on("a", history.Outside("y", false)).read("a", "").write("a", "10").release("a"),
		},
		{
			name: "accepted, though the worker did not hear of it", want: Valid,
			story: bank("off").acquire("a", 0).debit("a", "100", "90").on("a", "y").read("a", "100").sendWrite("a", "110").applied("a").info("a").release("a"),
		},
		{name: "not a number", story: bank("off").acquire("a", 0).debit("a", "100", "much").release("a"), want: Unknown, text: `cannot tell: "much"`},
		{
			name: "unwitnessed, and another account does not begin with a number", want: Unknown, text: `cannot tell: "much"`,
			story: func() *scriptedHistory {
				s := two(bank("off").unwitnessed()).ends("x", "85").ends("y", "115")
				s.meta.Initial["z"] = "much"
				return s
			}(),
		},
		{name: "unwitnessed, and another account does not end with one", story: two(bank("off").unwitnessed()).ends("x", "85").ends("y", "115").ends("z", "much"), want: Unknown, text: `cannot tell: "much"`},
		{
			name: "an account that does not begin with a number", want: Unknown, text: `cannot tell: "much"`,
			story: func() *scriptedHistory {
				s := bank("off").acquire("a", 0).debit("a", "much", "90").release("a")
				s.meta.Initial["x"] = "much"
				return s
			}(),
		},
		{name: "unwitnessed, and not a number", story: bank("off").unwitnessed().acquire("a", 0).debit("a", "100", "much").release("a"), want: Unknown, text: `cannot tell: "much"`},
		{name: "unwitnessed, as it was", story: two(bank("off").unwitnessed()).ends("x", "85").ends("y", "115"), want: Valid},
		{
			name: "unwitnessed, and more", story: lost(bank("off").unwitnessed()).ends("x", "90").ends("y", "115"), want: Invalid, count: 1,
			text: "total: all items held 200 at the start and 205 at the end",
		},
		{
			name: "unwitnessed, without an end", story: two(bank("off").unwitnessed()).ends("x", "85"), want: Unknown,
			text: "cannot tell: the history does not say what item y held at the end",
		},
		{
			name: "unwitnessed, and unsure of two writes", want: Unknown, text: "cannot tell: nobody knows whether the write of 90 to item x took effect",
			story: bank("off").unwitnessed().acquire("a", 0).on("a", "x").sendWrite("a", "90").info("a").on("a", "y").sendWrite("a", "110").info("a").release("a").ends("x", "90").ends("y", "100"),
		},
		{
			name: "unwitnessed, and unsure", want: Unknown, text: "cannot tell: nobody knows whether the write of 110 to item y took effect",
			story: bank("off").unwitnessed().acquire("a", 0).debit("a", "100", "90").on("a", "y").sendWrite("a", "110").info("a").release("a").ends("x", "90").ends("y", "100"),
		},
	})
}

// An overwritten transfer is not torn, too.
func TestATransferThatOverwritesAnotherIsOneFinding(t *testing.T) {
	s := bank("off").acquire("a", 0).on("a", "x").read("a", "100").
		acquire("b", 0).debit("b", "100", "95").credit("b", "100", "105").release("b").
		write("a", "90").credit("a", "105", "115").release("a")
	if got := mustRun(t, s.history(), "conserved")[0]; got.Count != 1 || len(got.Findings) != 1 {
		t.Errorf("%d violations with the findings %+v, want one", got.Count, got.Findings)
	}
}

// Many transfers of two workers that see nothing of each other are judged in one pass, and each
// counts.
func TestEachTransferThatChangesTheTotalCounts(t *testing.T) {
	s := bank("off")
	const pairs = 2000
	for i := range pairs {
		at := fmt.Sprint(100 - i)
		s.acquire("a", 0).on("a", "x").read("a", at).acquire("b", 0).on("b", "x").read("b", at).
			write("a", fmt.Sprint(99-i)).release("a").write("b", fmt.Sprint(99-i)).release("b")
	}
	got := mustRun(t, s.history(), "conserved")[0]
	if got.Verdict != Invalid || got.Count != pairs || len(got.Findings) != maxFindings {
		t.Errorf("%s with %d violations and %d findings, want %d", got.Verdict, got.Count, len(got.Findings), pairs)
	}
}
