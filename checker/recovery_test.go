package checker

import (
	"slices"
	"testing"
	"time"

	"lockquake/history"
)

func TestAGrantMustNotOutliveItsOwner(t *testing.T) {
	const lease = 10 * time.Second
	// held is a section that returned without releasing its grant.
	held := func(class history.Class) *scriptedHistory {
		return story("counter", "off").call("a").leased("a", lease).enter("a", 0).leave("a").answered("a", class, "")
	}
	wanted := func(s *scriptedHistory) *scriptedHistory { return s.call("b").refusedBy("b", "a") }
	// far begins with two sections whose messages take 9 s: 3 s for the answer to the acquire, and as long for each message
	// of the next acquire.
	far := func() *scriptedHistory {
		s := story("counter", "off")
		for range 2 {
			s.call("c").grant("c").after(3*time.Second).enter("c", 0).release("c")
		}
		return s
	}
	judge(t, "recovery", []verdictCase{
		{name: "released", story: wanted(story("counter", "off").acquire("a", 0).release("a")), want: Valid},
		{name: "in the way within the margin", story: wanted(held("").after(900 * time.Millisecond)), want: Valid},
		{
			name: "in the way beyond the margin", story: wanted(held("").after(1100 * time.Millisecond)),
			want: Invalid, count: 1, text: "ghost: lock x was still refused to b",
		},
		{
			name:  "not obtained, and yet held",
			story: wanted(story("counter", "off").call("a").leased("a", lease).answered("a", "not-obtained", "").after(2 * time.Second)),
			want:  Invalid, count: 1, text: "...had ended with not-obtained",
		},
		{
			name: "given, and asked for again", story: story("counter", "off").call("a").leased("a", lease).after(2*time.Second).refusedBy("a", "a").after(time.Second).expire("a"),
			want: Invalid, count: 1, text: "ghost: lock x had been given to a's section 1, which did not know it and was refused 2.001s later",
		},
		{
			name: "given, and asked for again soon", want: Valid,
			story: story("counter", "off").call("a").leased("a", lease).after(time.Second/2).refusedBy("a", "a").enter("a", 0).release("a"),
		},
		{
			name: "in the way while messages of 3 s are under way", want: Valid,
			story: wanted(far().call("a").leased("a", lease).enter("a", 0).leave("a").answered("a", "", "").after(8 * time.Second)),
		},
		{
			name: "in the way for longer than messages of 3 s", want: Invalid, count: 1, text: "ghost: lock x was still refused to b",
			story: wanted(far().call("a").leased("a", time.Minute).enter("a", 0).leave("a").answered("a", "", "").after(15 * time.Second)),
		},
		{name: "nobody knew, within the lease", story: wanted(held("unknown").after(9 * time.Second)), want: Valid},
		{
			name: "nobody knew, beyond the lease", story: wanted(held("unknown").after(12 * time.Second)),
			want: Invalid, count: 1, text: "ghost",
		},
		{
			name: "an unknown that came from the work alone",
			story: wanted(story("counter", "off").call("a").leased("a", lease).enter("a", 0).
				failed("a", "no answer").answered("a", "unknown", "no answer").after(2 * time.Second)),
			want: Invalid, count: 1, text: "ghost",
		},
		{
			name:  "crashed, within the lease",
			story: wanted(story("counter", "off").call("a").leased("a", lease).enter("a", 0).crash("a").after(9 * time.Second)), want: Valid,
		},
		{
			name:  "crashed, beyond the lease",
			story: wanted(story("counter", "off").call("a").leased("a", lease).enter("a", 0).crash("a").after(12 * time.Second)),
			want:  Invalid, count: 1, text: "...after a's section 1 had crashed",
		},
		{name: "nobody wanted it, and its lease runs", story: held("").after(time.Second).final("0"), want: Valid},
		{
			name:  "nobody wanted it, and it has no end",
			story: story("counter", "off").acquire("a", 0).leave("a").answered("a", "", "").final("0"),
			want:  Invalid, count: 1, text: "leak",
		},
		{
			name: "given late, for a section that did not know",
			story: wanted(story("counter", "off").call("a").answered("a", "unknown", "no answer").after(time.Second).call("a").
				tell(history.Event{Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: time.Millisecond, Until: 12 * time.Second}).
				answered("a", "not-obtained", "").after(8 * time.Second)), want: Valid,
		},
		{
			name: "a renewal that was sent after the end prolongs nothing", want: Invalid, count: 1, text: "ghost",
			story: wanted(func() *scriptedHistory {
				s := held("unknown").after(5 * time.Second)
				return s.tell(history.Event{Type: history.Renewed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: s.now, Until: s.now + lease}).after(8 * time.Second)
			}()),
		},
		{
			name: "a renewal by a request prolongs nothing if it is unknown when it was sent", want: Invalid, count: 1, text: "ghost",
			story: wanted(func() *scriptedHistory {
				s := held("unknown").after(5 * time.Second)
				return s.tell(history.Event{Type: history.Renewed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Request: 7, Until: s.now + lease}).after(8 * time.Second)
			}()),
		},
		{
			name: "a renewal that was sent before the end, and came 5 s later", want: Valid,
			story: wanted(func() *scriptedHistory {
				s := held("unknown")
				sent := s.now
				return s.after(5 * time.Second).tell(history.Event{Type: history.Renewed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: sent, Until: s.now + lease}).after(8 * time.Second)
			}()),
		},
		{name: "still at work", story: wanted(story("counter", "off").acquire("a", 0).after(time.Hour)), want: Valid},
	})
}

// A grant that refuses another worker, and that is never freed, is one finding.
func TestAGhostIsOneFinding(t *testing.T) {
	s := story("counter", "off").call("a").leased("a", time.Second).enter("a", 0).leave("a").answered("a", "", "").
		after(2*time.Second).call("b").refusedBy("b", "a").answered("b", history.ClassNotObtained, "").after(time.Hour).final("0")
	if got := mustRun(t, s.history(), "recovery")[0]; got.Count != 1 || len(got.Findings) != 1 {
		t.Errorf("%d violations with the findings %+v, want one", got.Count, got.Findings)
	}
}

// Two of three servers have to grant the lock. lock-2 grants it 3 s after the section has given up, so no worker knew of a quorum that had
// to be given back within a second.
func TestAGrantThatComesLateMakesNoQuorumAtTheEnd(t *testing.T) {
	given := func(late time.Duration) *scriptedHistory {
		s := story("counter", "off")
		s.meta.Nodes, s.meta.Quorum, s.meta.TTL = 3, 2, 10*time.Second
		s.call("a")
		sent := s.now
		grant := func(node string) {
			s.tell(history.Event{Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: node, Sent: sent, Until: s.now + 10*time.Second})
		}
		grant("lock-1")
		if late == 0 {
			grant("lock-2")
		}
		s.answered("a", history.ClassNotObtained, "")
		if late > 0 {
			s.after(late)
			grant("lock-2")
		}
		s.after(3 * time.Second).call("b")
		return s.tell(history.Event{Type: history.Refused, Worker: "b", Key: "x", Owner: "a", Node: "lock-1"})
	}
	judge(t, "recovery", []verdictCase{
		{name: "before the end", story: given(0), want: Invalid, count: 1, text: "ghost"},
		{name: "before the end, and one expires later", story: given(0).after(time.Second).expireOn("a", "lock-2"), want: Invalid, count: 1, text: "ghost"},
		{name: "after the end", story: given(3 * time.Second), want: Valid},
	})
}

// Of three servers one refuses a section because of the grant of its earlier attempt.
func TestASectionKnowsTheGrantOfAnEarlierAttempt(t *testing.T) {
	s := story("counter", "off")
	s.meta.Nodes, s.meta.Quorum = 3, 2
	s.call("a").grantOn("a", "lock-1").after(2 * time.Second)
	s.tell(history.Event{Type: history.Refused, Worker: "a", Key: "x", Owner: "a", Node: "lock-1"})
	s.expireOn("a", "lock-1").answered("a", history.ClassNotObtained, "")
	for _, check := range []string{"recovery", "errors"} {
		judge(t, check, []verdictCase{{name: check, story: s, want: Valid}})
	}
}

// A section that did not know its grant has one finding, whatever becomes of the grant.
func TestAGrantThatItsSectionIgnoredIsOneFinding(t *testing.T) {
	s := story("counter", "off").call("a").leased("a", time.Minute).after(2*time.Second).refusedBy("a", "a").
		answered("a", history.ClassNotObtained, "").after(2*time.Second).call("b").refusedBy("b", "a")
	if got := mustRun(t, s.history(), "recovery")[0]; got.Count != 1 || len(got.Findings) != 1 {
		t.Errorf("%d violations with the findings %+v, want one", got.Count, got.Findings)
	}
}

// A replica that takes over may have lost the record of a release, so the lock is held again until its
// lease is over. Its owner name may have had another lock since.
func TestARestoredGrantMayLastForItsLease(t *testing.T) {
	const lease = 10 * time.Second
	section := func(n int, key string) []history.Event {
		return []history.Event{
			{Type: history.AcquireCalled, Worker: "a", Section: n, Key: key},
			{Type: history.Granted, Worker: "a", Request: int64(n), Key: key, Owner: "client", Node: "lock", Until: lease},
			{Type: history.Acquired, Worker: "a", Section: n},
			{Type: history.ReleaseCalled, Worker: "a", Section: n},
			{Type: history.Freed, Worker: "a", Key: key, Owner: "client", Node: "lock"},
			{Type: history.Released, Worker: "a", Section: n},
		}
	}
	restored := func(after time.Duration) *scriptedHistory {
		s := story("counter", "off")
		for _, e := range slices.Concat(section(1, "x"), section(2, "y")) {
			s.tell(e)
		}
		s.tell(history.Event{Type: history.Granted, Worker: "a", Key: "x", Owner: "client", Node: "lock", Until: lease})
		return s.after(after).call("b").refusedBy("b", "client")
	}
	judge(t, "recovery", []verdictCase{
		{name: "within the lease", story: restored(9 * time.Second), want: Valid},
		{name: "beyond the lease", story: restored(12 * time.Second), want: Invalid, count: 1, text: "ghost: lock x was still refused to b"},
	})
}

// One of five servers is stopped for 30 s, before a frees the lock on the others. It has the grant of a, with a lease of 10 s, until
// it goes on, and only then answers the request that b has sent meanwhile.
func TestAStoppedServerKeepsTheGrantsThatItHas(t *testing.T) {
	const lease = 10 * time.Second
	wakes := func(target string) *scriptedHistory {
		s := story("counter", "off").call("a").stop()
		s.meta.Nodes, s.meta.Quorum, s.meta.TTL = 5, 3, lease
		nodes := []string{"lock-1", "lock-2", "lock-3"}
		for _, node := range nodes {
			s.tell(history.Event{Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: node, Until: lease})
		}
		s.enter("a", 0)
		asked := 2 * time.Second
		s.begin("pause", target, func(s *scriptedHistory) *scriptedHistory {
			s.leave("a")
			for _, node := range nodes[:2] {
				s.tell(history.Event{Type: history.Freed, Worker: "a", Key: "x", Owner: "a", Node: node})
			}
			return s.answered("a", "", "").until(asked).call("b").until(30 * time.Second)
		})
		s.tell(history.Event{Type: history.Expired, Worker: "a", Key: "x", Owner: "a", Node: "lock-3"})
		return s.tell(history.Event{Type: history.Granted, Worker: "b", Key: "x", Owner: "b", Node: "lock-3", Sent: asked, Until: 40 * time.Second})
	}
	judge(t, "recovery", []verdictCase{
		{name: "the server that has the grant", story: wakes("lock-3"), want: Valid},
		{name: "another server", story: wakes("lock-4"), want: Invalid, count: 1, text: "ghost: b waited for lock x"},
	})
}

// The grant of a session whose owner is gone ends with the session. Servers that are stopped do not end
// it, and a new leader gives it its whole timeout, or prolongs the lease. A late renewal of the owner does
// the same.
func TestAGrantWithoutItsOwnerEndsWithItsSessionOrLease(t *testing.T) {
	const timeout = 10 * time.Second
	gone := func() *scriptedHistory {
		s := story("counter", "off")
		s.meta.TTL = timeout
		return s.call("a").grant("a").enter("a", 0).leave("a").answered("a", "unknown", "no answer")
	}
	wanted := func(s *scriptedHistory) *scriptedHistory { return s.call("b").refusedBy("b", "a").expire("a") }
	promoted := func(s *scriptedHistory) *scriptedHistory {
		return s.tell(history.Event{Type: history.Promoted, Node: "lock-2"})
	}
	renewed := func(at time.Duration, request int64, sent time.Duration) *scriptedHistory {
		s := story("counter", "off").call("a").leased("a", timeout).enter("a", 0).leave("a").answered("a", "unknown", "no answer").after(at)
		return s.tell(history.Event{Type: history.Renewed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Request: request, Sent: sent, Until: at + timeout})
	}
	stopped := func(members int) *scriptedHistory {
		s := gone()
		s.meta.Members = members
		return s.begin("pause", "lock-2", func(s *scriptedHistory) *scriptedHistory { return s.fault("pause", "lock-3", 12*time.Second) })
	}
	prolonged := func(request int64, sent time.Duration) *scriptedHistory {
		return renewed(12*time.Second, request, sent)
	}
	led := func(by string) *scriptedHistory {
		s := gone()
		s.meta.Leader = by
		return s
	}
	// succeeded has a new leader that is stopped for 12 s, until another member takes over.
	succeeded := func() *scriptedHistory {
		return promoted(gone()).begin("pause", "lock-2", func(s *scriptedHistory) *scriptedHistory {
			return s.after(12 * time.Second).tell(history.Event{Type: history.Promoted, Node: "lock-1"})
		})
	}
	judge(t, "recovery", []verdictCase{
		{name: "the leader was stopped for 30 s", story: wanted(led("lock-3").fault("pause", "lock-3", 30*time.Second).after(10 * time.Second)), want: Valid},
		{
			name: "the leader was stopped for 30 s, beyond the timeout", story: wanted(led("lock-3").fault("pause", "lock-3", 30*time.Second).after(12 * time.Second)),
			want: Invalid, count: 1, text: "ghost",
		},
		{
			name: "another member than the leader was stopped for 30 s", story: wanted(led("lock-1").fault("pause", "lock-3", 30*time.Second).after(5 * time.Second)),
			want: Invalid, count: 1, text: "ghost",
		},
		{name: "a new leader was stopped until another one took over", story: wanted(succeeded().after(10 * time.Second)), want: Valid},
		{
			name: "a new leader was stopped until another one took over, beyond the timeout", story: wanted(succeeded().after(12 * time.Second)),
			want: Invalid, count: 1, text: "ghost",
		},
		{name: "within the timeout", story: wanted(gone().after(10 * time.Second)), want: Valid},
		{name: "beyond the timeout", story: wanted(gone().after(12 * time.Second)), want: Invalid, count: 1, text: "ghost"},
		{name: "the servers were stopped for 5 s", story: wanted(gone().fault("pause", "lock", 5*time.Second).after(10 * time.Second)), want: Valid},
		{
			name: "the servers were stopped for 5 s, beyond the timeout", story: wanted(gone().fault("pause", "lock", 5*time.Second).after(12 * time.Second)),
			want: Invalid, count: 1, text: "ghost",
		},
		{
			name: "a worker was stopped for 5 s", story: wanted(gone().fault("pause", "b", 5*time.Second).after(7 * time.Second)),
			want: Invalid, count: 1, text: "ghost",
		},
		{name: "a new leader after 9 s", story: wanted(promoted(gone().after(9 * time.Second)).after(10 * time.Second)), want: Valid},
		{
			name: "a new leader after 9 s, beyond the timeout", story: wanted(promoted(gone().after(9 * time.Second)).after(12 * time.Second)),
			want: Invalid, count: 1, text: "ghost",
		},
		{
			name: "a new leader after the end of the session", story: wanted(promoted(gone().after(12 * time.Second)).after(5 * time.Second)),
			want: Invalid, count: 1, text: "ghost",
		},
		{
			name:  "a new leader after the servers were stopped for 12 s",
			story: wanted(promoted(gone().fault("pause", "lock", 12*time.Second)).after(10 * time.Second)), want: Valid,
		},
		{
			name: "a follower was stopped for 30 s", story: wanted(gone().fault("pause", "lock-3", 30*time.Second).after(5 * time.Second)),
			want: Invalid, count: 1, text: "ghost",
		},
		{
			name: "two new leaders, one after the end of the first timeout", story: wanted(promoted(promoted(gone().after(9 * time.Second)).after(9 * time.Second)).after(5 * time.Second)),
			want: Invalid, count: 1, text: "ghost",
		},
		{
			name: "the old leader was stopped for 30 s, and a new one took over", story: wanted(gone().begin("pause", "lock-3", func(s *scriptedHistory) *scriptedHistory {
				return promoted(s.after(2 * time.Second)).after(28 * time.Second)
			}).after(9 * time.Second)),
			want: Invalid, count: 1, text: "ghost",
		},
		{
			name: "two members were stopped for 12 s, and a new leader took over afterwards",
			story: wanted(promoted(gone().begin("pause", "lock-2", func(s *scriptedHistory) *scriptedHistory {
				return s.fault("pause", "lock-3", 12*time.Second)
			})).after(10 * time.Second)), want: Valid,
		},
		{name: "two members of three were stopped for 12 s", story: wanted(stopped(3)), want: Valid},
		{name: "two members of five were stopped for 12 s", story: wanted(stopped(5)), want: Invalid, count: 1, text: "ghost"},
		{
			name: "a new leader prolonged the lease after 12 s", story: wanted(prolonged(0, 0).after(9 * time.Second)),
			want: Invalid, count: 1, text: "ghost",
		},
		{name: "a renewal arrived after 12 s that was sent before the end", story: wanted(prolonged(7, 2*time.Millisecond).after(9 * time.Second)), want: Valid},
		{name: "a renewal was sent after 11 s", story: wanted(prolonged(7, 11*time.Second).after(9 * time.Second)), want: Invalid, count: 1, text: "ghost"},
		{
			name: "a renewal was sent after 9 s", story: wanted(renewed(9*time.Second, 7, 9*time.Second).after(9 * time.Second)),
			want: Invalid, count: 1, text: "ghost",
		},
		{name: "a renewal was sent after 9 s, and the lease is not over", story: wanted(renewed(9*time.Second, 7, 9*time.Second).after(time.Second)), want: Valid},
		{name: "a renewal arrived after 9 s that was sent before the end", story: wanted(renewed(9*time.Second, 7, 2*time.Millisecond).after(9 * time.Second)), want: Valid},
		{name: "a new leader prolonged the lease after 9 s", story: wanted(renewed(9*time.Second, 0, 0).after(9 * time.Second)), want: Valid},
	})
}

// A request that waits in the server's queue is not refused again, and gets the lock when the ghost ends.
func TestAGhostIsInTheWayOfAQueue(t *testing.T) {
	const lease = 10 * time.Second
	begun := func() *scriptedHistory {
		s := story("counter", "off")
		s.meta.TTL = lease
		return s.acquire("a", 0).call("b").refusedBy("b", "a").leave("a")
	}
	// handed ends the session of a after d, at the instant at which b is granted the lock that it has asked for
	// then.
	handed := func(s *scriptedHistory, d, asked time.Duration) *scriptedHistory {
		s.after(d).stop().tell(history.Event{Type: history.Evicted, Worker: "a", Key: "x", Owner: "a", Node: "lock", With: "session"})
		return s.tell(history.Event{Type: history.Granted, Worker: "b", Key: "x", Owner: "b", Node: "lock", Request: 9, Sent: asked}).enter("b", 0).release("b")
	}
	const early = 5 * time.Millisecond // after the call of b, and before the end of a
	ended := func(class history.Class) *scriptedHistory { return begun().answered("a", class, "") }
	judge(t, "recovery", []verdictCase{
		{
			name: "it waits for 25 s after ok", story: handed(ended(""), 25*time.Second, early), want: Invalid, count: 1,
			text: "ghost: b waited for lock x until 25s after a's section 1 had ended with ok",
		},
		{
			name: "it waits for 25 s after a crash", story: handed(begun().crash("a"), 25*time.Second, early), want: Invalid, count: 1,
			text: "ghost: b waited for lock x until 25s after a's section 1 had crashed",
		},
		{
			name: "it waits for 2 s, and was not refused because of this grant", story: handed(story("counter", "off").
				acquire("c", 0).call("b").refusedBy("b", "c").call("a").refusedBy("a", "c").release("c").
				grant("a").enter("a", 0).leave("a").answered("a", "", ""), 2*time.Second, early), want: Invalid, count: 1, text: "ghost: b waited",
		},
		{name: "it waits for 0.9 s after ok", story: handed(ended(""), 900*time.Millisecond, early), want: Valid},
		{name: "it waits for a lease after a crash", story: handed(begun().crash("a"), lease, early), want: Valid},
		{name: "it waits for a lease after an unknown outcome", story: handed(ended("unknown"), lease, early), want: Valid},
		{
			name: "it waits for 25 s after an unknown outcome", story: handed(ended("unknown"), 25*time.Second, early), want: Invalid, count: 1,
			text: "ghost",
		},
		{name: "it has asked again when the session had ended", story: handed(ended(""), 25*time.Second, 25*time.Second), want: Valid},
		{name: "a leaves after 25 s", story: handed(begun(), 25*time.Second, early).answered("a", "", ""), want: Valid},
	})
}

// A grant on one of three servers blocks no worker, so it may last for its lease.
func TestAGrantOnAMinorityMayLastForItsLease(t *testing.T) {
	s := story("counter", "off")
	s.meta.Nodes, s.meta.Quorum = 3, 2
	s.call("a").leased("a", 10*time.Second).answered("a", "not-obtained", "").after(2*time.Second).call("b").refusedBy("b", "a")
	judge(t, "recovery", []verdictCase{{name: "a minority", story: s, want: Valid}})
}

// A cancelled answer says that the caller gave up. The lock has to undo its requests unless a fault
// kept it from that.
func TestACancelledCallHasToBeUndone(t *testing.T) {
	const lease = 10 * time.Second
	begun := func() *scriptedHistory {
		s := story("counter", "off")
		s.meta.Workers, s.meta.TTL = []string{"a", "b"}, lease
		return s.call("a")
	}
	cancelled := func(s *scriptedHistory) *scriptedHistory {
		return s.fault("cancel", "a", 0).answered("a", "cancelled", "canceled")
	}
	// wanted makes b ask for the lock after a while.
	wanted := func(s *scriptedHistory, after time.Duration) *scriptedHistory {
		return s.after(after).call("b").refusedBy("b", "a")
	}
	inside := func() *scriptedHistory { return begun().leased("a", lease).enter("a", 0) }
	judge(t, "recovery", []verdictCase{
		{name: "undone", story: cancelled(begun().leased("a", lease)).freed("a", "a").after(2*time.Second).acquire("b", 0), want: Valid},
		{name: "in the way within the margin", story: wanted(cancelled(begun().leased("a", lease)), 900*time.Millisecond), want: Valid},
		{
			name: "an orphan", story: wanted(cancelled(begun().leased("a", lease)), 2*time.Second),
			want: Invalid, count: 1, text: "...after a's section 1 had ended with cancelled",
		},
		{
			name: "by a timeout of the lock itself", story: wanted(begun().leased("a", lease).answered("a", "cancelled", "deadline exceeded"), 2*time.Second),
			want: Invalid, count: 1, text: "ghost",
		},
		{
			name:  "an orphan that was given after the answer",
			story: wanted(cancelled(begun()).tell(history.Event{Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: "lock", Until: lease}), 2*time.Second),
			want:  Invalid, count: 1, text: "ghost",
		},
		{name: "nobody wanted it, and its lease ends", story: cancelled(begun().leased("a", lease)).after(lease).expire("a").final("0"), want: Valid},
		{
			name: "nobody wanted it, and it has no end", story: cancelled(begun().grant("a")).final("0"),
			want: Invalid, count: 1, text: "leak",
		},
		{
			name:  "the link was cut as well",
			story: wanted(cancelled(begun().leased("a", lease).fault("partition", "lock->a", time.Second)), 2*time.Second), want: Valid,
		},
		{
			name:  "the server went down before it was undone",
			story: wanted(cancelled(begun().leased("a", lease)).fault("crash", "lock", time.Millisecond), 2*time.Second), want: Valid,
		},
		{
			name: "another worker was cut off", story: wanted(cancelled(begun().leased("a", lease).fault("partition", "b->lock", time.Second)), 2*time.Second),
			want: Invalid, count: 1, text: "ghost",
		},
		{
			name:  "the link was cut as well, and the lease is over",
			story: wanted(cancelled(begun().leased("a", lease).fault("partition", "lock->a", time.Second)), 2*lease),
			want:  Invalid, count: 1, text: "ghost",
		},
		{
			name: "in its work, and not given back", story: wanted(inside().fault("cancel", "a", 0).failed("a", "canceled").answered("a", "cancelled", "canceled"), 2*time.Second),
			want: Invalid, count: 1, text: "ghost",
		},
		{
			name: "in its release, and not given back", story: wanted(cancelled(inside().leave("a")), 2*time.Second),
			want: Invalid, count: 1, text: "ghost",
		},
		{name: "it said that it does not know", story: wanted(begun().leased("a", lease).fault("cancel", "a", 0).answered("a", "unknown", "canceled"), 2*time.Second), want: Valid},
	})
}

// A quorum of grants that is left behind blocks all workers.
func TestAQuorumLeftBehindIsAGhost(t *testing.T) {
	begun := func(class history.Class, nodes ...string) *scriptedHistory {
		s := story("counter", "off")
		s.meta.Workers, s.meta.Nodes, s.meta.Quorum, s.meta.TTL = []string{"a", "b"}, 3, 2, 10*time.Second
		s.call("a")
		for i, node := range nodes {
			s.tell(history.Event{
				Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: node, Request: int64(i) + 1, Until: s.now + 10*time.Second,
			})
		}
		return s.answered("a", class, "")
	}
	wanted := func(s *scriptedHistory, nodes ...string) *scriptedHistory {
		s.after(2 * time.Second).call("b")
		for _, node := range nodes {
			s.tell(history.Event{Type: history.Refused, Worker: "b", Key: "x", Owner: "a", Node: node})
		}
		return s
	}
	all := []string{"lock-1", "lock-2", "lock-3"}
	judge(t, "recovery", []verdictCase{
		{name: "a minority", story: wanted(begun("cancelled", "lock-1"), "lock-1"), want: Valid},
		{name: "a quorum", story: wanted(begun("cancelled", "lock-1", "lock-2"), "lock-1"), want: Invalid, count: 1, text: "ghost"},
		{name: "all of them", story: wanted(begun("not-obtained", all...), all...), want: Invalid, count: 1, text: "ghost"},
		{name: "a quorum, undone but for one", story: wanted(begun("cancelled", "lock-1", "lock-2").expireOn("a", "lock-2"), "lock-1"), want: Valid},
		{name: "a quorum, and it said that it does not know", story: wanted(begun("unknown", all...), all...), want: Valid},
		{
			name: "a quorum, and two servers were out of reach", want: Valid,
			story: wanted(begun("cancelled", all...).fault("partition", "a->lock-1", time.Second).fault("partition", "a->lock-2", time.Second), all...),
		},
	})
}
