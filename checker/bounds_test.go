package checker

import (
	"testing"
	"time"

	"lockquake/history"
)

// sale returns a history of sales of x, of which there are two pieces.
func sale() *scriptedHistory {
	s := story("flash-sale", "off")
	s.meta.Initial = map[string]string{"x": "2"}
	return s
}

// sells records a section that saw a stock, wrote it with one less, and created its order.
func (t *scriptedHistory) sells(w, saw, left string) *scriptedHistory {
	return t.acquire(w, 0).on(w, "x").read(w, saw).write(w, left).on(w, "x/order-"+w).write(w, "1").release(w)
}

func TestNoProductIsSoldMoreOftenThanThereWas(t *testing.T) {
	soldOut := sale().sells("a", "2", "1").sells("b", "1", "0").acquire("c", 0).on("c", "x").read("c", "0").release("c")
	judge(t, "bounds", []verdictCase{
		{name: "nothing sold", story: sale(), want: Valid},
		{name: "sold out", story: soldOut, want: Valid},
		{name: "one sold", story: sale().sells("a", "2", "1"), want: Valid},
		{
			name: "a stock that is no number", want: Unknown, text: `cannot tell: the stock of x: "many" is not a whole number`,
			story: func() *scriptedHistory {
				s := sale().acquire("a", 0).on("a", "x/order-a").write("a", "1").release("a")
				s.meta.Initial["x"] = "many"
				return s
			}(),
		},
		{
			name: "one too many", story: sale().sells("a", "2", "1").sells("b", "2", "1").sells("c", "1", "0"), want: Invalid, count: 1,
			text: "oversold: c's section 1 created order 3 of x, after b's section 1, and there were 2 pieces",
		},
		{name: "an order is read", story: sale().sells("a", "2", "1").sells("b", "1", "0").acquire("c", 0).on("c", "x/order-a").read("c", "1").release("c"), want: Valid},
		{
			name: "one too many, and who was called first orders last", want: Invalid, count: 1,
			text:  "oversold: c's section 1 created order 3 of x, after b's section 1, and there were 2 pieces",
			story: sale().call("c").enter("c", 0).sells("a", "2", "1").sells("b", "1", "0").on("c", "x/order-c").write("c", "1").leave("c"),
		},
		{
			name: "the third order was refused", want: Valid,
			story: sale().sells("a", "2", "1").sells("b", "1", "0").acquire("c", 0).on("c", "x/order-c").refuse("c", "write", "1").release("c"),
		},
	})
	over := sale().sells("a", "2", "1").sells("b", "2", "1").sells("c", "1", "0").history()
	for _, seq := range mustRun(t, over, "bounds")[0].Findings[0].Events {
		if e := over.Events[seq-1]; e.Worker == "a" {
			t.Errorf("event %d of the first order shows that the third one was too many", seq)
		}
	}
	judge(t, "conserved", []verdictCase{
		{name: "sold out", story: soldOut, want: Valid},
		{
			name: "one piece twice", want: Invalid, count: 1, text: "overwritten: b's section 1 saw 2 of item x and wrote 1 over 1, the work of a's section 1",
			story: sale().acquire("b", 0).on("b", "x").read("b", "2").sells("a", "2", "1").write("b", "1").on("b", "x/order-b").write("b", "1").release("b"),
		},
		{name: "a piece without an order", want: Invalid, count: 1, text: "torn", story: sale().acquire("a", 0).on("a", "x").read("a", "2").write("a", "1").crash("a")},
	})
}

// limited returns a history of a limit of two requests in 10 s.
func limited() *scriptedHistory {
	s := story("rate-limit", "off")
	s.meta.Limit, s.meta.Window, s.meta.Initial = 2, 10*time.Second, nil
	return s
}

func (t *scriptedHistory) admits(w string) *scriptedHistory {
	return t.acquire(w, 0).read(w, "?").write(w, "?").release(w)
}

func (t *scriptedHistory) turnsAway(w string) *scriptedHistory {
	return t.acquire(w, 0).read(w, "?").release(w)
}

func TestAWindowAdmitsAsManyAsItsLimit(t *testing.T) {
	judge(t, "bounds", []verdictCase{
		{name: "at the limit", story: limited().admits("a").admits("b").turnsAway("c"), want: Valid},
		{name: "again a window later", story: limited().admits("a").admits("b").after(10 * time.Second).admits("a").admits("b"), want: Valid},
		// The first write of c is sent 24 ms after that of a, and by the given time later.
		{name: "a third after one window", story: limited().admits("a").admits("b").after(9976 * time.Millisecond).admits("c"), want: Valid},
		{name: "a third 6 ms too early, as clocks differ", story: limited().admits("a").admits("b").after(9970 * time.Millisecond).admits("c"), want: Valid},
		{name: "a third 16 ms too early", story: limited().admits("a").admits("b").after(9960 * time.Millisecond).admits("c"), want: Invalid, count: 1, text: "over the limit"},
		{
			name: "a third in one window", story: limited().admits("a").admits("b").after(5 * time.Second).admits("c"), want: Invalid, count: 1,
			text: "over the limit: c's section 1 was admitted by x as request 3 within 5.024s, the first of which is that of a's section 1",
		},
		{
			name: "twice the limit around the end of a fixed window", want: Invalid, count: 1,
			story: limited().admits("a").after(9 * time.Second).admits("b").after(2 * time.Second).admits("a").admits("b"),
			text:  "over the limit: b's section 2 was admitted by x as request 3 within 2.024s, the first of which is that of b's section 1",
		},
		{name: "the third was refused by the resource", story: limited().admits("a").admits("b").acquire("c", 0).refuse("c", "write", "?").release("c"), want: Valid},
		{name: "the first was refused by the resource", story: limited().acquire("c", 0).refuse("c", "write", "?").release("c"), want: Valid},
		{
			name: "nothing for three windows, and turned away", story: limited().admits("a").admits("b").after(30 * time.Second).turnsAway("c"), want: Invalid, count: 1,
			text: "turned away: c's section 1 was not admitted by x, and only 0 of 2 were within the last two windows",
		},
		{name: "not let in", story: limited().call("c").answered("c", history.ClassNotObtained, ""), want: Valid},
		{
			name: "its work failed", want: Valid,
			story: limited().acquire("c", 0).read("c", "?").failed("c", "broken").answered("c", history.ClassOther, "broken"),
		},
		{
			name: "two writes are one request", want: Valid,
			story: limited().acquire("a", 0).write("a", "1").write("a", "1 until 10s").release("a").admits("b"),
		},
	})
}

// tries returns a history in which a and b begin a job in turns, and of which two tries are allowed.
func tries(begun int) *scriptedHistory {
	s := story("jobs", "off")
	s.meta.Tries = 2
	for i := range begun {
		w := []string{"a", "b"}[i%2]
		s.callFor(w, "job-1").grant(w).enter(w, 0).release(w)
	}
	return s
}

func TestAJobIsNotTriedMoreOftenThanItsLimit(t *testing.T) {
	judge(t, "bounds", []verdictCase{
		{name: "as often as allowed", story: tries(2), want: Valid},
		{name: "sections without a job have no limit", story: tries(2).acquire("a", 0).release("a").acquire("a", 0).release("a").acquire("a", 0).release("a"), want: Valid},
		{name: "a try that is not let in is none", story: tries(2).callFor("a", "job-1").answered("a", history.ClassNotObtained, ""), want: Valid},
		{
			name: "without a limit", want: Valid,
			story: func() *scriptedHistory {
				s := tries(3)
				s.meta.Tries = 0
				return s
			}(),
		},
		{name: "once more", story: tries(3), want: Invalid, count: 1, text: "tried too often: a's section 2 was try 3 of job-1, after b's section 1, and 2 are allowed"},
	})
}
