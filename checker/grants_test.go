package checker

import (
	"testing"
	"time"

	"lockquake/history"
)

// share grants a worker one of several permits.
func (t *scriptedHistory) share(w string) *scriptedHistory {
	return t.tell(history.Event{Type: history.Granted, Worker: w, Key: "x", Owner: w, Node: "lock", Mode: "shared"})
}

// late records an event of a lease that had expired and that nobody had taken since.
func (t *scriptedHistory) late(what history.Type, w string) *scriptedHistory {
	return t.tell(history.Event{Type: what, Worker: w, Key: "x", Owner: w, Node: "lock", Until: t.now + time.Second, Late: true})
}

// Shared holders do not exclude each other, and an exclusive holder excludes all others.
func TestSharedHoldersExcludeOnlyExclusiveOnes(t *testing.T) {
	reading := func(s *scriptedHistory, w string) *scriptedHistory { return s.read(w, "0") }
	two := func(second func(*scriptedHistory) *scriptedHistory) *scriptedHistory {
		s := second(story("register", "off").call("a").share("a").enter("a", 0).call("b")).enter("b", 0)
		return reading(reading(reading(reading(s, "a"), "b"), "a"), "b")
	}
	judge(t, "exclusion", []verdictCase{
		{name: "two readers", story: two(func(s *scriptedHistory) *scriptedHistory { return s.share("b") }), want: Valid},
		{
			name: "a writer among readers", story: two(func(s *scriptedHistory) *scriptedHistory { return s.grant("b") }), want: Invalid, count: 1,
			text: "overlap: a's section 1 and b's section 1 were both at work under lock x",
		},
	})
	besideWriter := func() *scriptedHistory {
		s := story("register", "off").acquire("a", 0).call("b").share("b").enter("b", 0)
		return reading(reading(reading(s, "a"), "b"), "a")
	}
	for _, check := range []string{"exclusion", "belief"} {
		judge(t, check, []verdictCase{{name: check + " of a reader beside a writer", story: besideWriter(), want: Invalid, count: 1}})
	}
	judge(t, "belief", []verdictCase{
		{name: "two readers", story: two(func(s *scriptedHistory) *scriptedHistory { return s.share("b") }), want: Valid},
		{name: "a writer among readers", story: two(func(s *scriptedHistory) *scriptedHistory { return s.grant("b") }), want: Invalid, count: 1},
	})
}

// A lock that lets in a writer beside a reader is wrong. It has taken nothing from the reader, who answers ok.
func TestAWriterBesideAReaderTakesNothingFromIt(t *testing.T) {
	beside := func(first, second func(s *scriptedHistory, w string) *scriptedHistory) *scriptedHistory {
		s := first(story("register", "off").call("a"), "a").enter("a", 0)
		s = second(s.call("b"), "b").enter("b", 0)
		return s.read("a", "0").read("b", "0").read("a", "0").release("b").release("a")
	}
	for _, h := range []struct {
		name          string
		first, second func(s *scriptedHistory, w string) *scriptedHistory
	}{
		{"a writer beside a reader", (*scriptedHistory).share, (*scriptedHistory).grant},
		{"a reader beside a writer", (*scriptedHistory).grant, (*scriptedHistory).share},
	} {
		for check, want := range map[string]Verdict{"exclusion": Invalid, "told": Valid, "errors": Valid, "ownership": Valid} {
			count := 0
			if want == Invalid {
				count = 1
			}
			judge(t, check, []verdictCase{{name: h.name + ", " + check, story: beside(h.first, h.second), want: want, count: count}})
		}
	}
}

// Each of several holders has its own grant, which ends by itself.
func TestEachSharedHolderHasAGrantOfItsOwn(t *testing.T) {
	two := func() *scriptedHistory {
		return story("register", "off").call("a").share("a").enter("a", 0).call("b").share("b").enter("b", 0)
	}
	judge(t, "errors", []verdictCase{
		{name: "each gives back its own", story: two().release("a").release("b"), want: Valid},
		{
			name: "one ends with ok, and holds its permit", story: two().leave("a").answered("a", "", "").release("b"), want: Invalid, count: 1,
			text: "not released: a's section 1 ended with ok",
		},
	})
	judge(t, "ownership", []verdictCase{
		{name: "each gives back its own", story: two().release("a").release("b"), want: Valid},
		{
			name: "one gives back the other's", story: two().leave("a").freed("a", "b").answered("a", "", ""), want: Invalid, count: 1,
			text: "freed another's: a freed the grant of lock x that b had",
		},
	})
	judge(t, "recovery", []verdictCase{
		{name: "one waits for a permit that is in use", story: two().call("c").after(time.Minute).refusedBy("c", "a").release("a").release("b"), want: Valid},
		{
			name: "one waits for a permit that nobody has", story: two().leave("a").answered("a", "", "").call("c").after(time.Minute).refusedBy("c", "b").release("b"),
			want: Invalid, count: 1, text: "ghost: lock x was still refused to c",
		},
	})
}

// The record of an expired lease may stay on the server. An owner that finds it before anybody else
// has taken the lock has lost nothing.
func TestAnOwnerThatFindsItsExpiredRecordHasLostNothing(t *testing.T) {
	over := func() *scriptedHistory {
		return story("counter", "off").call("a").leased("a", time.Second).enter("a", 0).expire("a")
	}
	tests := []verdictCase{
		{name: "renewed late", story: over().late(history.Renewed, "a").release("a"), want: Valid},
		{name: "freed late", story: over().leave("a").late(history.Freed, "a").answered("a", "", ""), want: Valid},
		{name: "freed, as it seems", story: over().release("a"), want: Invalid, count: 1},
		{
			name: "taken over before", story: over().call("b").grant("b").enter("b", 0).release("b").leave("a").late(history.Freed, "a").answered("a", "", ""),
			want: Invalid, count: 1,
		},
	}
	for _, check := range []string{"told", "errors"} {
		t.Run(check, func(t *testing.T) { judge(t, check, tests) })
	}
}

// A quorum counts the servers that hold the lock for its owner at a time, including those that
// granted it again.
func TestAQuorumIsCountedAtEachTime(t *testing.T) {
	begun := func() *scriptedHistory {
		s := story("counter", "off")
		s.meta.Nodes, s.meta.Quorum = 3, 2
		return s.call("a").grantOn("a", "lock-1").grantOn("a", "lock-2").enter("a", 0)
	}
	refill := func(s *scriptedHistory, node string) *scriptedHistory {
		return s.tell(history.Event{Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: node, Sent: s.now, Request: 9})
	}
	ended := func(s *scriptedHistory, nodes ...string) *scriptedHistory {
		s.leave("a")
		for _, node := range nodes {
			s.tell(history.Event{Type: history.Freed, Worker: "a", Key: "x", Owner: "a", Node: node, Sent: s.now})
		}
		return s.answered("a", "", "")
	}
	third := func() *scriptedHistory { return refill(begun(), "lock-3") }
	tests := []verdictCase{
		{name: "a third server before the loss of one", story: ended(third().expireOn("a", "lock-1"), "lock-2", "lock-3"), want: Valid},
		{
			name:  "the lost server is refilled, and another one lost",
			story: ended(refill(third().expireOn("a", "lock-1"), "lock-1").expireOn("a", "lock-2"), "lock-1", "lock-3"), want: Valid,
		},
		{
			name:  "a loss before the refill",
			story: ended(refill(begun().expireOn("a", "lock-1"), "lock-1").expireOn("a", "lock-1").expireOn("a", "lock-2")), want: Invalid, count: 1,
		},
		{name: "two are lost", story: ended(third().expireOn("a", "lock-1").expireOn("a", "lock-2"), "lock-3"), want: Invalid, count: 1},
	}
	for _, check := range []string{"told", "errors"} {
		t.Run(check, func(t *testing.T) { judge(t, check, tests) })
	}
}

// Grants whose records cannot be read are not judged.
func TestUnreadGrantsAreNotJudged(t *testing.T) {
	s := story("counter", "off").call("a").leased("a", time.Second).enter("a", 0).call("b").freed("b", "a").grant("b").enter("b", 0).
		leave("a").answered("a", "", "").after(time.Hour).refusedBy("b", "b").leave("b").answered("b", history.ClassLost, "")
	s.meta.Unread = "lock x: its record is a list"
	for _, check := range []string{"told", "recovery", "ownership", "load"} {
		if got := mustRun(t, s.history(), check)[0]; got.Applies || got.Verdict != Valid {
			t.Errorf("%s: %+v", check, got)
		}
	}
	if got := mustRun(t, s.history(), "errors")[0]; got.Verdict != Valid {
		t.Errorf("errors: %+v", got)
	}
	s.meta.Unread = ""
	for _, check := range []string{"told", "recovery", "ownership", "errors"} {
		if got := mustRun(t, s.history(), check)[0]; got.Verdict != Invalid {
			t.Errorf("%s, if they can be read: %+v", check, got)
		}
	}
}

// A release that arrives a second time belongs to the section that sent it, even if its worker has
// a new grant.
func TestAReleaseThatArrivesTwiceBelongsToItsFirstSection(t *testing.T) {
	again := func(sent func(first, second time.Duration) time.Duration) *scriptedHistory {
		s := story("counter", "off").call("a").leased("a", time.Minute).enter("a", 0)
		first := s.now
		s.release("a").after(time.Second).call("a").leased("a", time.Minute)
		return s.tell(history.Event{Type: history.Freed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: sent(first, s.now), Again: true}).
			enter("a", 0).leave("a").answered("a", "lost", "")
	}
	judge(t, "ownership", []verdictCase{
		{
			name: "the first one's", story: again(func(first, _ time.Duration) time.Duration { return first }), want: Invalid, count: 1,
			text: "freed too early: an earlier release of a freed lock x, which the server had given to a's section 2 since; it arrived a second time, 1.00",
		},
		{name: "its own", story: again(func(_, second time.Duration) time.Duration { return second }), want: Valid},
	})
}
