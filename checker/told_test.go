package checker

import (
	"testing"
	"time"

	"lockquake/history"
)

func TestALossMustBeToldInTime(t *testing.T) {
	// telling is a section of a strategy that promises to tell. Its lease of a second ended while
	// it was at work.
	telling := func() *scriptedHistory {
		s := story("counter", "off")
		s.meta.Tells = true
		return s.call("a").leased("a", time.Second).enter("a", 0).after(time.Second).expire("a")
	}
	// session is such a section whose lock lasted as long as its session.
	session := func() *scriptedHistory {
		s := story("counter", "off")
		s.meta.Tells = true
		return s.acquire("a", 0).after(time.Second).expire("a")
	}
	silent := func() *scriptedHistory {
		return story("counter", "off").call("a").leased("a", time.Second).enter("a", 0).after(time.Second).expire("a")
	}
	// cancelled returns a section of a that nobody tells of its loss. Some time after its grant, whose lease takes 1 s, the context
	// of a section of w ends.
	cancelled := func(w string, after time.Duration) *scriptedHistory {
		s := story("counter", "off").stop()
		s.meta.Tells = true
		s.call("a").leased("a", time.Second).enter("a", 0)
		if after < time.Second {
			s.until(after).fault("cancel", w, 0).until(time.Second).expire("a")
		} else {
			s.until(time.Second).expire("a").until(after).fault("cancel", w, 0)
		}
		return s.after(time.Minute).leave("a").answered("a", "unknown", "no answer")
	}
	judge(t, "told", []verdictCase{
		{name: "nothing lost", story: story("counter", "off").acquire("a", 0).release("a"), want: Valid},
		{name: "no server speaks", story: story("counter", "off").call("a").enter("a", 0).leave("a"), want: Valid},
		{
			name: "its session ended, and it is told 2 s later", want: Invalid, count: 1, text: "not told: a's section 1 had lost lock x (expired)",
			story: func() *scriptedHistory {
				s := story("counter", "off").acquire("a", 0).expire("a")
				s.meta.Tells = true
				return s.after(2*time.Second).told("a").leave("a").answered("a", "lost", "lost")
			}(),
		},
		{
			name: "the server ended its lease 5 s before its end, which it is told in time", want: Valid,
			story: func() *scriptedHistory {
				s := story("counter", "off").call("a").leased("a", 10*time.Second).enter("a", 0).after(5 * time.Second).expire("a")
				s.meta.Tells = true
				return s.after(5*time.Second).told("a").leave("a").answered("a", "lost", "lost")
			}(),
		},
		{name: "told after its work", story: telling().after(time.Second/2).leave("a").after(2*time.Second).told("a").answered("a", "lost", "lost"), want: Valid},
		{name: "told at once", story: telling().told("a").after(time.Minute).leave("a").answered("a", "lost", "lost"), want: Valid},
		{name: "told within the bound", story: telling().after(900*time.Millisecond).told("a").leave("a").answered("a", "lost", "lost"), want: Valid},
		{
			name: "told too late", story: telling().after(1100*time.Millisecond).told("a").leave("a").answered("a", "lost", "lost"),
			want: Invalid, count: 1, text: "not told: a's section 1 had lost lock x (expired)",
		},
		{
			name: "not told at all", story: telling().after(time.Minute).leave("a").answered("a", "", ""),
			want: Invalid, count: 1, text: "not told",
		},
		{
			name:  "told late because it was paused",
			story: telling().fault("pause", "a", time.Minute).told("a").leave("a").answered("a", "lost", "lost"), want: Valid,
		},
		{
			name:  "told late because another one was paused",
			story: telling().fault("pause", "b", time.Minute).told("a").leave("a").answered("a", "lost", "lost"), want: Invalid, count: 1,
		},
		// A session ends for its holder 1 s and two messages of 2 s after the server has ended it.
		{name: "told of the end of its session within the bound", story: session().slowest(2*time.Second).after(4900*time.Millisecond).told("a").leave("a").answered("a", "lost", "lost"), want: Valid},
		{name: "told of the end of its session too late", story: session().slowest(2*time.Second).after(5100*time.Millisecond).told("a").leave("a").answered("a", "lost", "lost"), want: Invalid, count: 1, text: "not told"},
		{name: "told of the end of its lease too late, which it knows without a message", story: telling().slowest(2*time.Second).after(1100*time.Millisecond).told("a").leave("a").answered("a", "lost", "lost"), want: Invalid, count: 1, text: "not told"},
		{name: "its context had ended before", story: cancelled("a", 0), want: Valid},
		{name: "its context ended within the bound", story: cancelled("a", 1900*time.Millisecond), want: Valid},
		{name: "its context ended too late", story: cancelled("a", 2100*time.Millisecond), want: Invalid, count: 1, text: "not told"},
		{name: "another's context had ended before", story: cancelled("b", 0), want: Invalid, count: 1, text: "not told"},
		{name: "left before the bound", story: telling().after(500*time.Millisecond).leave("a").answered("a", "lost", "lost"), want: Valid},
		{name: "crashed before the bound", story: telling().after(500 * time.Millisecond).crash("a"), want: Valid},
		{
			name:  "no promise, and the answer says lost",
			story: silent().after(time.Minute).leave("a").answered("a", "lost", "lost"), want: Valid,
		},
		{
			name: "no promise, and the answer says unknown", story: silent().after(time.Minute).leave("a").answered("a", "unknown", "no answer"),
			want: Valid,
		},
		{
			name: "no promise, and the answer says ok", story: silent().leave("a").answered("a", "", ""),
			want: Invalid, count: 1, text: "never told: a's section 1 had lost lock x (expired), and its strategy answered ok",
		},
		{
			name: "no promise, and the answer is the error of the work alone", story: silent().failed("a", "no stock").answered("a", "other", "no stock"),
			want: Invalid, count: 1, text: "...its strategy answered another error",
		},
		{
			name: "no promise, and the answer is that the work was cancelled", story: silent().failed("a", "canceled").answered("a", "cancelled", "canceled"),
			want: Invalid, count: 1, text: "...its strategy answered cancelled",
		},
		{
			name: "no promise, and the answer is that the work does not know", story: silent().failed("a", "no answer").answered("a", "unknown", "no answer"),
			want: Invalid, count: 1, text: "...its strategy answered unknown",
		},
		{
			name:  "no promise, and the release was cancelled too",
			story: silent().failed("a", "canceled").answered("a", "cancelled", "canceled\nrelease: canceled"), want: Valid,
		},
		{
			name: "no promise, and told when the call had ended", story: silent().leave("a").answered("a", "", "").told("a"),
			want: Invalid, count: 1, text: "never told",
		},
		{
			name: "no promise, cancelled and told", story: silent().told("a").failed("a", "canceled").answered("a", "cancelled", "canceled"), want: Valid,
		},
		{
			name:  "lost after the work was left",
			story: story("counter", "off").call("a").leased("a", time.Second).enter("a", 0).leave("a").after(time.Second).expire("a").answered("a", "", ""), want: Valid,
		},
	})
}

// With a quorum of two of three, the end of one grant is no loss.
func TestALossOfAMinorityNeedNotBeTold(t *testing.T) {
	three := func(ends ...string) *scriptedHistory {
		s := story("counter", "off")
		s.meta.Nodes, s.meta.Quorum = 3, 2
		s.call("a").grantOn("a", "lock-1").grantOn("a", "lock-2").grantOn("a", "lock-3").enter("a", 0)
		for _, node := range ends {
			s.expireOn("a", node)
		}
		return s.leave("a").answered("a", "", "")
	}
	sharded := func() *scriptedHistory {
		s := story("counter", "off")
		s.meta.Nodes, s.meta.Quorum = 3, 2
		s.tell(history.Event{Type: history.Granted, Worker: "b", Key: "y", Owner: "b", Node: "lock-1"})
		return s.call("a").grantOn("a", "lock-2").enter("a", 0)
	}
	judge(t, "told", []verdictCase{
		{name: "one of three", story: three("lock-1"), want: Valid},
		{name: "two of three", story: three("lock-1", "lock-3"), want: Invalid, count: 1, text: "never told"},
		{name: "each lock has one of the servers", story: sharded().leave("a").answered("a", "", ""), want: Valid},
		{
			name: "each lock has one of the servers, and it lost it", story: sharded().expireOn("a", "lock-2").leave("a").answered("a", "", ""),
			want: Invalid, count: 1, text: "never told",
		},
	})
}
