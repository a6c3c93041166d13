package checker

import "testing"

func TestTwoSectionsMustNotBelieveToHoldOneLock(t *testing.T) {
	judge(t, "belief", []verdictCase{
		{"one after the other", story("counter", "off").acquire("a", 0).release("a").acquire("b", 0).release("b"), Valid, "", 0},
		{
			"two at once, without any work", story("counter", "off").acquire("a", 0).expire("a").acquire("b", 0).release("b").release("a"), Invalid,
			"two holders: a's section 1 and b's section 1 both believed they held lock x for 1ms", 1,
		},
		{"a section that three others came into counts once", story("counter", "off").acquire("a", 0).expire("a").
			acquire("b", 0).release("b").acquire("c", 0).release("c").acquire("b", 0).release("b").release("a"), Invalid, "two holders: a's section 1 and b's section 1", 1},
		{"the first was told before", story("counter", "off").acquire("a", 0).expire("a").told("a").acquire("b", 0).release("b").release("a"), Valid, "", 0},
		{"the first was told after", story("counter", "off").acquire("a", 0).expire("a").acquire("b", 0).told("a").release("b").release("a"), Invalid, "two holders", 1},
		{"the first had left, its release is on its way", story("counter", "off").
			acquire("a", 0).leave("a").expire("a").acquire("b", 0).release("b"), Valid, "", 0},
		{"the first had been answered before it left", story("counter", "off").acquire("a", 0).expire("a").answered("a", "lost", "lost").acquire("b", 0).release("b"), Valid, "", 0},
		{"who asked first is let in last", story("counter", "off").call("a").acquire("b", 0).release("b").grant("a").enter("a", 0).release("a"), Valid, "", 0},
		{"the first had crashed", story("counter", "off").acquire("a", 0).crash("a").expire("a").acquire("b", 0).release("b"), Valid, "", 0},
		{"the first crashed afterwards", story("counter", "off").acquire("a", 0).expire("a").acquire("b", 0).crash("a").release("b"), Invalid, "two holders", 1},
		{"neither ever ends", story("counter", "off").acquire("a", 0).acquire("b", 0), Invalid, "...at one instant", 1},
		{"at one instant", story("counter", "off").stop().acquire("a", 0).acquire("b", 0).release("a").release("b"), Invalid, "...at one instant", 1},
		{"handed over at one instant", story("counter", "off").stop().acquire("a", 0).release("a").acquire("b", 0).release("b"), Valid, "", 0},
		{"only asked for", story("counter", "off").acquire("a", 0).call("b").release("a"), Valid, "", 0},
	})
}
