package checker

import "testing"

func TestAnExpiryCostsOneComputation(t *testing.T) {
	cache := func() *scriptedHistory { return story("cache-fill", "off") }
	judge(t, "stampede", []verdictCase{
		{name: "no section", story: cache(), want: Valid},
		{name: "each once", story: cache().does("a", "fill-1").does("b", "fill-2"), want: Valid},
		{name: "work that computes no entry", story: cache().acquire("a", 0).write("a", "1").release("a").acquire("b", 0).write("b", "1").release("b"), want: Valid},
		{name: "nobody computes it", story: cache().callFor("a", "fill-1").answered("a", "not-obtained", "not obtained"), want: Valid},
		{
			name: "one after the other", story: cache().does("a", "fill-1").does("b", "fill-1"), want: Invalid, count: 1,
			text: "stampede: fill-1 was computed 2 times within 9ms, by a's section 1, b's section 1",
		},
	})
}
