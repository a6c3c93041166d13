package checker

import "testing"

func TestTokensMustRiseWithTheGrants(t *testing.T) {
	judge(t, "fencing", []verdictCase{
		{"rising", story("counter", "writes").acquire("a", 1).release("a").acquire("b", 3).release("b"), Valid, "", 0},
		{
			"drawn before the grant", story("counter", "off").
				call("a").call("b").grant("b").enter("b", 2).release("b").grant("a").enter("a", 1).release("a"), Invalid,
			"not ordered by grant: lock x was granted to b's section 1 with token 2, and after that to a's section 1 with token 1", 1,
		},
		{"the count fell", story("counter", "off").acquire("a", 5).release("a").acquire("b", 2).release("b"), Invalid, "went back: lock x", 1},
		{
			"the count started again", story("counter", "off").
				acquire("a", 1).release("a").acquire("a", 2).release("a").acquire("b", 1).release("b"), Invalid,
			"went back: a's section 1 and b's section 1 both got token 1", 1,
		},
		{"who asked first is granted it last", story("counter", "off").
			call("a").call("b").grant("b").enter("b", 1).release("b").acquire("c", 2).release("c").grant("a").enter("a", 3).release("a"), Valid, "", 0},
		{"the later reply came first", story("counter", "off").
			call("a").call("b").grant("a").ended("a", "expired").grant("b").enter("b", 2).enter("a", 1), Valid, "", 0},
		{"no word of the server, and the calls overlap", story("counter", "off").
			call("a").call("b").enter("b", 2).leave("b").enter("a", 1).leave("a"), Valid, "", 0},
		{"no word of the server, and the later call got the lower one", story("counter", "off").
			call("b").call("a").enter("b", 2).leave("b").enter("a", 1).leave("a"), Valid, "", 0},
		{"no word of the server, one after the other", story("counter", "off").
			call("b").enter("b", 2).leave("b").call("a").enter("a", 1).leave("a"), Invalid, "went back", 1},
		{"a fenced strategy without a token", story("counter", "off").fenced().acquire("a", 0).release("a"), Invalid, "no token: a's section 1", 1},
		{"two at once with rising tokens", story("counter", "writes").acquire("a", 1).expire("a").acquire("b", 2).release("a").release("b"), Valid, "", 0},
	})
}

func TestTheResourceMustRefuseStaleTokens(t *testing.T) {
	judge(t, "fencing", []verdictCase{
		{"Kleppmann's failure, refused", kleppmann("writes", 33, 34).refused("a").fail("a").release("a"), Valid, "", 0},
		{
			"Kleppmann's failure, accepted", kleppmann("check-then-write", 33, 34).applied("a").ok("a").release("a"), Invalid,
			"stale write accepted: item x took a write of b's section 1 with token 34, and after that a write of a's section 1 with token 33", 1,
		},
		{"the resource does not look", kleppmann("off", 33, 34).applied("a").ok("a").release("a"), Invalid, "stale write accepted", 1},
		{"a late write before anybody else's", story("counter", "writes").
			acquire("a", 33).read("a", "0").sendWrite("a", "1").expire("a").
			acquire("b", 34).read("b", "0").applied("a").ok("a").release("a").write("b", "1").release("b"), Valid, "", 0},
		{"the same under reads-writes", story("counter", "reads-writes").
			acquire("a", 33).read("a", "0").sendWrite("a", "1").expire("a").
			acquire("b", 34).read("b", "0").applied("a").ok("a").release("a").write("b", "1").release("b"), Invalid, "stale write accepted", 1},
		{"a stale read under writes", kleppmann("writes", 33, 34).refused("a").fail("a").read("a", "1").release("a"), Valid, "", 0},
		{"a stale read under reads-writes", kleppmann("reads-writes", 33, 34).refused("a").fail("a").read("a", "1").release("a"), Invalid, "stale read accepted", 1},
		{"a writer without a token", story("counter", "writes").
			acquire("a", 7).write("a", "1").release("a").acquire("b", 0).write("b", "2").release("b"), Invalid, "unfenced write accepted", 1},
		{"unwitnessed, certainly later", kleppmannUnwitnessed().ok("a"), Valid, "", 0},
		{"unwitnessed, invoked later and at the same time", story("counter", "off").unwitnessed().acquire("a", 33).expire("a").
			acquire("b", 34).sendWrite("b", "1").write("a", "1").ok("b"), Valid, "", 0},
		{"unwitnessed, invoked later", story("counter", "off").unwitnessed().acquire("a", 33).expire("a").
			acquire("b", 34).write("b", "1").release("b").write("a", "1"), Invalid, "stale write accepted", 1},
		{"unwitnessed, invoked later, while a third write is under way", story("counter", "off").unwitnessed().acquire("a", 33).sendWrite("a", "1").expire("a").
			acquire("c", 34).expire("c").acquire("b", 35).write("b", "1").release("b").write("c", "1").ok("a"), Invalid, "stale write accepted: item x took a write of b's section 1 with token 35", 1},
		{"no tokens at all", story("counter", "off").acquire("a", 0).write("a", "1").release("a"), Valid, "", 0},
	})
	s := story("counter", "off").acquire("a", 0).write("a", "1").release("a")
	if got := mustRun(t, s.history(), "fencing")[0]; got.Applies {
		t.Error("applies to a history without tokens")
	}
}

// kleppmannUnwitnessed leaves a's write under way over the whole of b's
// section, so that it may have come first.
func kleppmannUnwitnessed() *scriptedHistory {
	return story("counter", "off").unwitnessed().acquire("a", 33).sendWrite("a", "1").
		expire("a").acquire("b", 34).write("b", "1").release("b")
}

func TestTheResourceMustAcceptTheRightfulHolder(t *testing.T) {
	judge(t, "fencing", []verdictCase{
		{
			"refused without a reason", story("counter", "writes").acquire("a", 1).refuse("a", "write", "1").release("a"), Invalid,
			"rightful holder refused: the write of a's section 1 with token 1", 1,
		},
		{"only the first token is taken", story("counter", "equal").
			acquire("a", 1).write("a", "1").release("a").acquire("b", 2).refuse("b", "write", "2").release("b"), Invalid, "rightful holder refused", 1},
		{"its read, too", story("counter", "reads-writes").acquire("a", 1).refuse("a", "read", "0").release("a"), Invalid, "rightful holder refused: the read", 1},
		{"its grant had expired", story("counter", "writes").acquire("a", 1).expire("a").refuse("a", "write", "1").release("a"), Valid, "", 0},
		{"its grant had been evicted", story("counter", "writes").acquire("a", 1).ended("a", "evicted").refuse("a", "write", "1").release("a"), Valid, "", 0},
		{"its grant was lost and given again", story("counter", "writes").acquire("a", 1).expire("a").grant("a").refuse("a", "write", "1").release("a"), Valid, "", 0},
		{"somebody else has it", story("counter", "writes").acquire("a", 1).acquire("b", 2).refuse("a", "write", "1").release("a"), Valid, "", 0},
		{"a higher token is out", story("counter", "writes").
			call("a").call("b").grant("b").enter("b", 2).write("b", "1").release("b").
			grant("a").enter("a", 1).refuse("a", "write", "1").release("a"), Invalid, "not ordered by grant", 1},
		{"somebody else's grant ended, not its own", story("counter", "writes").
			acquire("b", 1).expire("b").acquire("a", 2).ended("b", "freed").refuse("a", "write", "1").release("a"), Invalid, "rightful holder refused", 1},
		{
			"a later refusal of an earlier section is another matter", story("counter", "writes").
				acquire("a", 1).expire("a").acquire("b", 2).refuse("b", "write", "1").release("b").acquire("c", 3).refuse("a", "write", "1").release("c"),
			Invalid, "rightful holder refused: the write of b's section 1", 1,
		},
		{"strict takes one write", story("counter", "strict").acquire("a", 1).write("a", "1").refuse("a", "write", "2").release("a"), Valid, "", 0},
		{"strict has to take that one", story("counter", "strict").acquire("a", 1).refuse("a", "write", "2").release("a"), Invalid, "rightful holder refused", 1},
		{"strict has to take it after a read", story("counter", "strict").acquire("a", 1).read("a", "0").refuse("a", "write", "2").release("a"), Invalid, "rightful holder refused", 1},
		{"unwitnessed", story("counter", "writes").unwitnessed().acquire("a", 1).sendWrite("a", "1").fail("a").release("a"), Invalid, "rightful holder refused", 1},
		{"it sends no token", story("counter", "writes").acquire("a", 0).refuse("a", "write", "1").release("a").acquire("b", 1).release("b"), Valid, "", 0},
		{"unwitnessed, the grant ended under way", story("counter", "writes").unwitnessed().acquire("a", 1).sendWrite("a", "1").expire("a").fail("a").release("a"), Valid, "", 0},
		{"no word of the server", story("counter", "writes").call("a").enter("a", 1).refuse("a", "write", "1").leave("a"), Valid, "", 0},
	})
}
