package checker

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/checker/internal/linear"
	"lockquake/history"
)

func TestAWaiterIsServedWithinItsPatience(t *testing.T) {
	// Two workers whose longest work takes a second: a call may take 30 s plus 5 x 1 s plus 20 x 2
	// x 1 s.
	const bound = 75 * time.Second
	begun := func() *scriptedHistory {
		return story("counter", "off").acquire("a", 0).after(time.Second).release("a")
	}
	// wait lets a take the lock again and again while b waits for d.
	wait := func(s *scriptedHistory, d time.Duration) *scriptedHistory {
		s.call("b")
		for end := s.now + d; s.now < end; {
			s.acquire("a", 0).after(time.Second).release("a")
		}
		return s
	}
	judge(t, "progress", []verdictCase{
		{name: "in turn", story: begun().acquire("b", 0).release("b"), want: Valid},
		{name: "a long wait", story: wait(begun(), bound-5*time.Second).grant("b").enter("b", 0).release("b"), want: Valid},
		{
			name: "starved", story: wait(begun(), bound+5*time.Second).grant("b").enter("b", 0).release("b"),
			want: Invalid, count: 1, text: "starved: b's section 1 waited for lock x",
		},
		{
			name: "starved and gave up", story: wait(begun(), bound+5*time.Second).answered("b", "not-obtained", ""),
			want: Invalid, count: 1, text: "starved",
		},
		{
			name:  "paused while it waited",
			story: begun().call("b").fault("pause", "b", 10*time.Minute).grant("b").enter("b", 0).release("b"), want: Valid,
		},
		{
			name: "cut off while it waited",
			story: wait(begun().call("b").fault("partition", "b->lock", 10*time.Minute).answered("b", "unknown", "no answer"), time.Second).
				grant("b").enter("b", 0).release("b"),
			want: Valid,
		},
		{
			name: "its message was delayed beyond the end of a fault",
			story: func() *scriptedHistory {
				s := begun().fault("latency", "b->lock", time.Second)
				events := s.recorder.Events()
				events[len(events)-1].Until = s.now + 10*time.Minute
				return wait(s, 10*time.Minute).grant("b").enter("b", 0).release("b")
			}(),
			want: Valid,
		},
		{
			name:  "a fault was over long before",
			story: wait(begun().fault("latency", "b->lock", time.Second), 10*time.Minute).grant("b").enter("b", 0).release("b"),
			want:  Invalid, count: 1, text: "starved: b's section 1 waited for lock x",
		},
		{
			name: "another one was cut off while it waited",
			story: func() *scriptedHistory {
				s := begun()
				s.meta.Workers = []string{"a", "b"}
				return s.acquire("a", 0).sendRead("a", "0").call("b").fault("partition", "a->resource", 10*time.Minute).
					applied("a").ok("a").release("a").grant("b").enter("b", 0).release("b")
			}(),
			want: Invalid, count: 1, text: "starved: b's section 1 waited for lock x",
		},
		{
			name: "the holder was paused",
			story: begun().acquire("a", 0).call("b").fault("pause", "a", 10*time.Minute).release("a").
				grant("b").enter("b", 0).release("b"),
			want: Valid,
		},
		{
			name: "the work takes long", story: story("counter", "off").acquire("a", 0).after(time.Hour).release("a").acquire("b", 0).release("b"),
			want: Valid,
		},
		{
			name: "slept beside a free lock", story: begun().call("b").after(40*time.Second).grant("b").enter("b", 0).release("b"),
			want: Invalid, count: 1, text: "overslept: lock x was free for 40",
		},
		// It may sleep for 30 s and two messages.
		{name: "slept beside a free lock, and messages take 6 s", story: begun().slowest(6*time.Second).call("b").after(40*time.Second).grant("b").enter("b", 0).release("b"), want: Valid},
		{
			name: "slept beside a free lock, and messages take 4 s", story: begun().slowest(4*time.Second).call("b").after(40*time.Second).grant("b").enter("b", 0).release("b"),
			want: Invalid, count: 1, text: "overslept: lock x was free for 40",
		},
		{
			name:  "cut off from a free lock",
			story: begun().call("b").fault("partition", "b->lock", 40*time.Second).grant("b").enter("b", 0).release("b"), want: Valid,
		},
		{
			name: "a release that hangs", story: story("counter", "off").acquire("a", 0).leave("a").after(bound).ended("a", "freed").answered("a", "", ""),
			want: Invalid, count: 1, text: "hung: the release of a's section 1",
		},
		{
			name: "never ended", story: story("counter", "off").acquire("a", 0).final("0"),
			want: Invalid, count: 1, text: "never ended: a's section 1",
		},
		{name: "crashed", story: story("counter", "off").acquire("a", 0).crash("a").final("0"), want: Valid},
		{
			name: "never ended, and the history stops half a second after its call", story: story("counter", "off").call("a").after(time.Second / 2).crash("b"),
			want: Invalid, count: 1, text: "never ended: a's section 1",
		},
		{
			name: "never ended, though a fault was over shortly before the end of the run", story: story("counter", "off").acquire("a", 0).leave("a").
				fault("partition", "a->lock", time.Second).after(100 * time.Millisecond).final("0"),
			want: Invalid, count: 1, text: "never ended: a's section 1",
		},
		{
			name:  "never ended, though a fault was over at the end of the run",
			story: story("counter", "off").acquire("a", 0).leave("a").fault("partition", "a->lock", time.Second).stop().final("0"),
			want:  Invalid, count: 1, text: "never ended: a's section 1",
		},
		{
			name:  "a fault is in force at the end of the run",
			story: story("counter", "off").acquire("a", 0).leave("a").tell(history.Event{Type: history.FaultBegin, Fault: 1, Kind: "partition", Target: "a->lock"}).final("0"), want: Valid,
		},
		{
			name: "never ended, though a fault of another worker is in force at the end of the run", story: func() *scriptedHistory {
				s := story("counter", "off")
				s.meta.Workers = []string{"a", "b"}
				return s.acquire("a", 0).leave("a").tell(history.Event{Type: history.FaultBegin, Fault: 1, Kind: "partition", Target: "b->lock"}).final("0")
			}(),
			want: Invalid, count: 1, text: "never ended",
		},
		{
			name: "the history breaks off while a client may still wait", story: story("counter", "off").acquire("a", 0).leave("a").
				fault("partition", "a->lock", time.Second).after(100 * time.Millisecond).tell(history.Event{Type: history.Expired, Key: "x", Owner: "a", Node: "lock"}),
			want: Valid,
		},
		{
			name: "the history breaks off shortly after a fault that came much too late to explain it",
			story: story("counter", "off").acquire("a", 0).leave("a").after(20*time.Second).
				fault("partition", "a->lock", time.Second).after(100 * time.Millisecond).tell(history.Event{Type: history.Expired, Key: "x", Owner: "a", Node: "lock"}),
			want: Invalid, count: 1, text: "never ended",
		},
	})
}

// Four workers take turns on a network that is so slow that the messages of a turn take 12 s. A waiter that others overtake
// many times is starved only after 20 turns of every worker.
func TestTheMessagesOfATurnExtendThePatience(t *testing.T) {
	const leg = 1500 * time.Millisecond
	// turn is one of w: the answer to its acquire, a read, a write, a release, and the request of the next acquire.
	turn := func(s *scriptedHistory, w string) *scriptedHistory {
		s.call(w).grant(w).after(leg).enter(w, 0)
		s.sendRead(w, "0").after(2*leg).applied(w).ok(w).sendWrite(w, "1").after(2 * leg).applied(w).ok(w)
		return s.leave(w).after(2*leg).ended(w, history.Freed).ofSection(w, history.Released).after(leg)
	}
	turns := func(n int) *scriptedHistory {
		s := story("counter", "off").call("d")
		for i := range n {
			turn(s, []string{"a", "b", "c"}[i%3])
		}
		return s.grant("d").enter("d", 0).release("d").final("1")
	}
	// By the history the messages of a turn take 3 x 1.5 s and 3 x 3 s. That is 13.5 s, and 1177.5 s in 85 turns, with 30 s.
	// The real turns take 12 s.
	judge(t, "progress", []verdictCase{
		{name: "twelve turns of the others", story: turns(12), want: Valid},
		{name: "97 turns", story: turns(97), want: Valid},
		{name: "99 turns", story: turns(99), want: Invalid, count: 1, text: "starved: d's section 1"},
	})
}

// A write in a transaction is answered by the commit, so the body is at work until then. If it waits for the answer, it is not.
func TestTheWorkInATransactionExtendsThePatience(t *testing.T) {
	turns := func(end func(s *scriptedHistory) *scriptedHistory) *scriptedHistory {
		s := story("counter", "off")
		for range 9 { // most messages take no time
			s.acquire("a", 0).release("a")
		}
		s.call("d")
		for range 2 {
			end(s.call("a").grant("a").enter("a", 0).sendWrite("a", "1").after(40*time.Second)).ended("a", history.Freed).ofSection("a", history.Released)
		}
		return s.grant("d").enter("d", 0).release("d").final("1")
	}
	judge(t, "progress", []verdictCase{
		{name: "in a transaction", story: turns(func(s *scriptedHistory) *scriptedHistory { return s.leave("a").applied("a").ok("a") }), want: Valid},
		{
			name:  "after each answer of the resource",
			story: turns(func(s *scriptedHistory) *scriptedHistory { return s.applied("a").ok("a").leave("a") }), want: Invalid, count: 1, text: "starved: d's section 1",
		},
	})
}

// A release that hangs again and again is no turn that a worker has to wait for.
func TestReleasesThatHangDoNotExcuseEachOther(t *testing.T) {
	hangs := func(d time.Duration) *scriptedHistory {
		s := story("counter", "off")
		for range 3 {
			s.acquire("a", 0).leave("a").after(d).ended("a", history.Freed).answered("a", "", "")
		}
		return s.final("0")
	}
	judge(t, "progress", []verdictCase{
		{name: "for less than 30 s", story: hangs(29 * time.Second), want: Valid},
		{name: "for more than 30 s", story: hangs(31 * time.Second), want: Invalid, count: 3, text: "hung: the release of a's section 1"},
	})
}

// A section that is open at the end never ends if nothing can happen any more. If the run was
// stopped early, the verdict is unknown.
func TestAnOpenSectionOfAStoppedRunIsUnknown(t *testing.T) {
	open := func(why history.Stop, wait time.Duration) *scriptedHistory {
		s := story("counter", "off").acquire("a", 0).call("b").after(wait).final("0")
		s.meta.Stopped = why
		return s
	}
	calm := func(s *scriptedHistory) *scriptedHistory {
		s.meta.Stopped = history.StopCalm
		return s
	}
	delayed := func(arrives time.Duration) *scriptedHistory {
		return calm(story("counter", "off").acquire("a", 0).delays("a->lock", arrives).after(40 * time.Second).final("0"))
	}
	// A waiter of a holder whose message is delayed.
	behind := func(arrives time.Duration) *scriptedHistory {
		return calm(story("counter", "off").acquire("a", 0).call("b").refusedBy("b", "a").delays("a->lock", arrives).after(4 * time.Minute).final("0"))
	}
	judge(t, "progress", []verdictCase{
		{name: "idle", story: open(history.StopIdle, time.Second), want: Invalid, count: 2, text: "never ended: a's section 1"},
		{name: "calm", story: open(history.StopCalm, time.Second), want: Unknown, text: "not ended: a's section 1"},
		{name: "calm, and a delayed message has not arrived", story: delayed(time.Minute), want: Valid},
		{
			name: "calm, and a fault began long after the last step", want: Unknown, text: "not ended: a's section 1",
			story: calm(story("counter", "off").acquire("a", 0).after(time.Minute).fault("pause", "a", time.Second).final("0")),
		},
		{name: "calm, and a delayed message of the holder has not arrived", story: behind(5 * time.Minute), want: Valid},
		{name: "calm, and the delayed message of the holder arrived long ago", story: behind(time.Second), want: Unknown, text: "not ended: a's section 1"},
		{name: "calm, and the delayed message arrived long ago", story: delayed(time.Second), want: Unknown, text: "not ended: a's section 1"},
		{
			name: "calm, after a wait that is too long", want: Invalid, count: 1, text: "starved: b's section 1",
			story: calm(story("counter", "off").acquire("a", 0).crash("a").call("b").after(2 * time.Hour).final("0")),
		},
	})
}

// A waiter has to wait for a holder whose commit or release is delayed, and is not starved.
func TestAWaiterIsNotStarvedByADelayedMessageOfTheHolder(t *testing.T) {
	waits := func(arrives time.Duration) *scriptedHistory {
		s := story("counter", "off").acquire("a", 0).call("b").refusedBy("b", "a").leave("a").delays("a->lock", arrives).after(2 * time.Hour)
		return s.freed("a", "a").answered("a", "", "").grant("b").enter("b", 0).release("b").final("0")
	}
	// tail is a history in which the last message that a fault of 10 min delays arrives late after its end.
	tail := func(target string, late time.Duration, working bool) *scriptedHistory {
		s := story("counter", "off")
		s.meta.Workers = []string{"a", "b", "c"}
		if s.acquire("a", 0); working {
			s.sendRead("a", "0")
		} else {
			s.leave("a")
		}
		s.call("b").fault("latency", target, 10*time.Minute)
		events := s.recorder.Events()
		events[len(events)-1].Until = s.now + late
		if s.after(late); working {
			s.applied("a").ok("a").leave("a")
		}
		return s.ended("a", history.Freed).ofSection("a", history.Released).grant("b").enter("b", 0).release("b").final("0")
	}
	const whole, ended = "...b's section 1 waited for lock x for 1h10m0.0", "...b's section 1 waited for lock x for 10m0.0"
	judge(t, "progress", []verdictCase{
		{name: "it arrives when the wait ends", story: waits(2 * time.Hour), want: Valid},
		{name: "it arrived at once: a hung, and b was starved", story: waits(time.Second), want: Invalid, count: 2, text: "hung: the release of a's section 1"},

		{name: "it arrives with the end of the fault", story: tail("a->lock", 0, false), want: Invalid, count: 1, text: ended},
		{name: "it arrives 1 ms after the fault", story: tail("a->lock", time.Millisecond, false), want: Invalid, count: 1, text: ended},
		{name: "only the time after the fault is excused", story: tail("a->lock", time.Hour, false), want: Invalid, count: 1, text: ended},
		{name: "from the lock to the holder", story: tail("lock->a", time.Hour, false), want: Invalid, count: 1, text: ended},
		{name: "to the resource, and no operation waits for it", story: tail("a->resource", time.Hour, false), want: Invalid, count: 1, text: whole},
		{name: "to the resource, and an operation waits for it", story: tail("a->resource", time.Hour, true), want: Invalid, count: 1, text: ended},
		{name: "of another worker", story: tail("c->lock", time.Hour, true), want: Invalid, count: 1, text: whole},
	})
}

// during is a history in which a asks for the lock while faults are in force, gets no answer for d, and gives up.
func during(s *scriptedHistory, d time.Duration, kind string, targets ...string) *scriptedHistory {
	if len(targets) == 0 {
		return s.call("a").after(d).answered("a", "not-obtained", "")
	}
	return s.begin(kind, targets[0], func(s *scriptedHistory) *scriptedHistory { return during(s, d, kind, targets[1:]...) })
}

// A quorum goes on without one of three servers, but not without two of them.
func TestAFaultOfOneServerOfSeveralIsNoExcuse(t *testing.T) {
	begun := func() *scriptedHistory {
		s := story("counter", "off")
		s.meta.Workers, s.meta.Nodes, s.meta.Quorum = []string{"a"}, 3, 2
		return s
	}
	sharded := func() *scriptedHistory {
		s := begun()
		return s.grantOn("b", "lock-1").expireOn("b", "lock-1").
			tell(history.Event{Type: history.Granted, Worker: "b", Key: "y", Owner: "b", Node: "lock-2"})
	}
	const long = 10 * time.Minute
	judge(t, "progress", []verdictCase{
		{name: "one server", story: during(begun(), long, "pause", "lock-2"), want: Invalid, count: 1, text: "starved"},
		{name: "the link to one server", story: during(begun(), long, "partition", "a->lock-2"), want: Invalid, count: 1, text: "starved"},
		{name: "one server after another", story: during(during(begun(), long, "pause", "lock-1"), long, "pause", "lock-2"), want: Invalid, count: 3, text: "turned away"},
		{name: "two servers", story: during(begun(), long, "pause", "lock-2", "lock-1"), want: Valid},
		{name: "one server, and the link to another", story: during(begun(), long, "partition", "lock-2->a", "a->lock-3"), want: Valid},
		{name: "all servers", story: during(begun(), long, "pause", "lock"), want: Valid},
		{name: "one server, and each lock is on one of them", story: during(sharded(), long, "pause", "lock-1"), want: Valid},
	})
}

// A service goes on without a minority of its members. Its clients need 10 s for an election, an answer timeout of 1 s
// and the timeout of their session to notice that.
func TestAFaultOfAMinorityOfTheMembersIsNoExcuse(t *testing.T) {
	begun := func(members int) *scriptedHistory {
		s := story("counter", "off")
		s.meta.Workers, s.meta.Members = []string{"a"}, members
		return s
	}
	session := func() *scriptedHistory { // a call may take 30 s and 5 x 4 s
		s := begun(3)
		s.meta.TTL = 4 * time.Second
		return s
	}
	const long = 10 * time.Minute
	judge(t, "progress", []verdictCase{
		{name: "one of three is stopped", story: during(begun(3), long, "pause", "lock-3"), want: Invalid, count: 1, text: "starved: a's section 1 waited for lock x for 9m49.00"},
		{name: "one of three has crashed", story: during(begun(3), long, "crash", "lock-3"), want: Invalid, count: 1, text: "starved"},
		{name: "one of three cannot be reached", story: during(begun(3), long, "partition", "a->lock-3"), want: Invalid, count: 1, text: "starved"},
		{name: "one of three is cut off from the others", story: during(begun(3), long, "partition", "lock-3->lock", "lock->lock-3"), want: Invalid, count: 1, text: "starved"},
		{name: "one of three answers with old data, and no client notices", story: during(begun(3), long, "stale", "lock-3"), want: Valid},
		{name: "two of three", story: during(begun(3), long, "pause", "lock-3", "lock-1"), want: Valid},
		{name: "all of three", story: during(begun(3), long, "pause", "lock"), want: Valid},
		{name: "two of five", story: during(begun(5), long, "pause", "lock-3", "lock-1"), want: Invalid, count: 1, text: "starved"},
		{name: "three of five", story: during(begun(5), long, "pause", "lock-3", "lock-1", "lock-2"), want: Valid},
		{name: "one of two", story: during(begun(2), long, "pause", "lock-2"), want: Valid},
		{name: "one, and the history does not say of how many", story: during(begun(0), long, "pause", "lock-3"), want: Invalid, count: 1, text: "starved"},
		{name: "two, and the history does not say of how many", story: during(begun(0), long, "pause", "lock-3", "lock-1"), want: Valid},

		{name: "a client needs 11 s to change", story: during(begun(3), 40*time.Second, "pause", "lock-3"), want: Valid},
		{name: "it has changed", story: during(begun(3), 42*time.Second, "pause", "lock-3"), want: Invalid, count: 1, text: "starved"},
		{name: "a client with a session needs 15 s", story: during(session(), 64*time.Second, "pause", "lock-3"), want: Valid},
		{name: "it has changed, with its session", story: during(session(), 66*time.Second, "pause", "lock-3"), want: Invalid, count: 1, text: "starved"},
		{
			name: "a waiter sleeps beside a free lock", want: Invalid, count: 1, text: "overslept: lock x was free for 34.00",
			story: story("counter", "off").acquire("a", 0).after(time.Second).release("a").call("b").fault("pause", "lock-3", 45*time.Second).grant("b").enter("b", 0).release("b"),
		},
		{
			name: "one of three is stopped for good, and a section never ends", want: Invalid, count: 1, text: "never ended: a's section 1",
			story: begun(3).acquire("a", 0).leave("a").tell(history.Event{Type: history.FaultBegin, Fault: 1, Kind: "pause", Target: "lock-3"}).after(20 * time.Second).final("0"),
		},
		{
			name: "two of three are stopped for good, and a section never ends", want: Valid,
			story: begun(3).acquire("a", 0).leave("a").tell(history.Event{Type: history.FaultBegin, Fault: 1, Kind: "pause", Target: "lock-3"}).
				tell(history.Event{Type: history.FaultBegin, Fault: 2, Kind: "pause", Target: "lock-2"}).after(20 * time.Second).final("0"),
		},
	})
}

// No client needs a replica, unless the strategy waits for it, the work reads from it, or it has become the primary.
func TestAFaultOfAReplicaThatNoClientNeedsIsNoExcuse(t *testing.T) {
	begun := func(needed bool) *scriptedHistory {
		s := story("counter", "off")
		s.meta.Workers, s.meta.Replica = []string{"a"}, needed
		return s
	}
	promoted := history.Event{Type: history.Promoted, Node: "lock-replica"}
	const long = 10 * time.Minute
	judge(t, "progress", []verdictCase{
		{name: "stopped", story: during(begun(false), long, "pause", "lock-replica"), want: Invalid, count: 1, text: "starved: a's section 1 waited for lock x for 10m"},
		{name: "its link to the primary", story: during(begun(false), long, "partition", "lock-replica->lock"), want: Invalid, count: 1, text: "starved"},
		{name: "its link from the primary", story: during(begun(false), long, "latency", "lock->lock-replica"), want: Invalid, count: 1, text: "starved"},
		{name: "the primary", story: during(begun(false), long, "pause", "lock"), want: Valid},
		{name: "stopped, and a client needs it", story: during(begun(true), long, "pause", "lock-replica"), want: Valid},
		{name: "its link to the primary, and a client needs it", story: during(begun(true), long, "partition", "lock-replica->lock"), want: Valid},
		{name: "stopped, and it had taken over", story: during(begun(false).tell(promoted), long, "pause", "lock-replica"), want: Valid},
		{name: "stopped, and it took over later", story: during(begun(false), long, "pause", "lock-replica").tell(promoted), want: Invalid, count: 1, text: "starved"},
	})
}

// A holder that has crashed or returned waits for nothing. A worker that waits for its lock
// starves, but is not in a deadlock.
func TestADeadlockNeedsLivingHolders(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  history.Event
	}{
		{"crashed", history.Event{Type: history.Crashed, Worker: "b"}},
		{"returned", history.Event{Type: history.Released, Worker: "b", Section: 1, Class: history.ClassUnknown}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := story("multi-lock", "off")
			s.sections["b"] = 1
			for _, w := range []struct{ worker, has string }{{"a", "x"}, {"b", "y"}} {
				s.sections[w.worker] = 1
				s.tell(history.Event{Type: history.AcquireCalled, Worker: w.worker, Section: 1, Key: w.has})
				s.tell(history.Event{Type: history.Granted, Worker: w.worker, Key: w.has, Owner: w.worker, Node: "lock"})
				s.tell(history.Event{Type: history.Acquired, Worker: w.worker, Section: 1, Key: w.has})
			}
			s.tell(history.Event{Type: history.AcquireCalled, Worker: "a", Section: 2, Key: "y"})
			s.tell(tt.end)
			s.tell(history.Event{Type: history.AcquireCalled, Worker: "b", Section: 2, Key: "x"})
			results, err := Run(s.after(10*time.Minute).final("0").history(), []string{"progress"})
			if err != nil {
				t.Fatal(err)
			}
			if len(results[0].Findings) == 0 {
				t.Fatal("nobody starved")
			}
			for _, f := range results[0].Findings {
				if strings.Contains(f.Text, "deadlock") {
					t.Error(f.Text)
				}
			}
		})
	}
}

// A section that the server has given the lock waits for the answer only. It is in no deadlock, and no section that waits
// for it is.
func TestAHolderWhoseAnswerIsUnderWayIsInNoDeadlock(t *testing.T) {
	texts := func(s *scriptedHistory) (list []string) {
		for _, f := range mustRun(t, s.history(), "progress")[0].Findings {
			list = append(list, f.Text)
		}
		return list
	}
	s := story("counter", "off").call("a").call("b").grant("b").after(2*time.Minute).enter("b", 0).release("b").grant("a").enter("a", 0).release("a")
	got := texts(s.final("0"))
	if len(got) != 2 {
		t.Fatalf("findings %q, want that a and b starved", got)
	}
	for _, text := range got {
		if strings.Contains(text, "deadlock") {
			t.Error(text)
		}
	}
	// One worker whose second section waits for the lock of its first one is in a deadlock.
	s = story("counter", "off").acquire("a", 0).call("a").after(2 * time.Minute).final("0")
	if got := texts(s); !slices.ContainsFunc(got, func(text string) bool { return strings.HasPrefix(text, "deadlock: a's section 2 waited for lock x") }) {
		t.Errorf("findings %q, want a deadlock", got)
	}
}

// A holder may keep a lock for the maximum hold time, and others wait for it as long. In a deadlock nobody works, so it does
// not get this time. A deadlock that the lock ends soon is none of a worker that has waited for longer.
func TestADeadlockDoesNotGetTheMaximumHoldTime(t *testing.T) {
	tests := []struct {
		name  string
		turns int // of another worker before
		lasts time.Duration
		want  []string
	}{
		{"it lasts", 0, 5 * time.Minute, []string{
			"c's section 1 waited for lock x for 5m0.019s, more than 31.04s; a has it and waits for y, which b has and waits for x, which a has",
			"a's section 2 waited for lock y for 5m0.002s, more than 31.04s; b has it and waits for x, which a has",
			"b's section 2 waited for lock x for 5m0.006s, more than 31.04s; a has it and waits for y, which b has",
		}},
		{"it is short, and another worker has waited before", 270, 15 * time.Second, nil},
		{"it lasts, and another worker has waited before", 400, 11 * time.Minute, []string{
			"c's section 1 waited for lock x for 11m42.419s, more than 10m39.01s; a has it and waits for y, which b has and waits for x, which a has",
			"a's section 2 waited for lock y for 11m0.002s, more than 39.01s; b has it and waits for x, which a has",
			"b's section 2 waited for lock x for 11m0.006s, more than 39.01s; a has it and waits for y, which b has",
		}},
		{"one holder works", 0, 0, nil},
	}
	for _, tt := range tests {
		s := story("multi-lock", "off")
		s.meta.MaxHold = 10 * time.Minute
		of := func(w string, section int, key string, kinds ...history.Type) {
			for _, kind := range kinds {
				e := history.Event{Type: kind, Worker: w, Key: key, Owner: w, Node: "lock"}
				if kind != history.Granted && kind != history.Freed {
					e = history.Event{Type: kind, Worker: w, Key: key, Section: section}
				}
				s.tell(e)
			}
		}
		takes := []history.Type{history.AcquireCalled, history.Granted, history.Acquired}
		ends := []history.Type{history.ReleaseCalled, history.Freed, history.Released}
		of("c", 1, "x", history.AcquireCalled)
		for i := range tt.turns {
			of("d", i+1, "x", takes...)
			s.after(100 * time.Millisecond)
			of("d", i+1, "x", ends...)
		}
		of("a", 1, "x", takes...)
		of("b", 1, "y", takes...)
		if tt.lasts > 0 {
			of("a", 2, "y", history.AcquireCalled)
			of("b", 2, "x", history.AcquireCalled)
			s.after(tt.lasts)
			s.tell(history.Event{Type: history.Released, Worker: "a", Section: 2, Class: history.ClassNotObtained, Err: "gave up"})
		} else {
			s.after(5 * time.Minute)
		}
		of("a", 1, "x", ends...)
		if tt.lasts > 0 {
			of("b", 2, "x", history.Granted, history.Acquired)
			of("b", 2, "x", ends...)
		}
		of("c", 1, "x", history.Granted, history.Acquired)
		of("c", 1, "x", ends...)
		of("b", 1, "y", ends...)
		var got []string
		for _, f := range mustRun(t, s.final("0").history(), "progress")[0].Findings {
			got = append(got, strings.TrimPrefix(f.Text, "deadlock: "))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// In a deadlock every worker waits for a lock whose holder waits for another one. The finding of a
// worker that only waits for one of these locks names the deadlock too, and so does that of a section
// whose worker waits inside it. If no worker is left that does anything, the run ends before a wait is too long.
func TestADeadlockIsNamed(t *testing.T) {
	const (
		byA   = "; a has it and waits for y, which b has"
		byB   = "; b has it and waits for x, which a has"
		third = " and waits for x, which a has"
	)
	tests := []struct {
		wait time.Duration
		want []string
	}{
		{10 * time.Minute, []string{
			"a's section 1 never ended, and its worker waits for lock y" + byB,
			"b's section 1 never ended, and its worker waits for lock x" + byA,
			"a's section 2 waited for lock y for 10m0.003s, more than 30.585s" + byB,
			"b's section 2 waited for lock x for 10m0.002s, more than 30.585s" + byA,
			"c's section 3 waited for lock x for 10m0.001s, more than 30.585s" + byA + third,
		}},
		{time.Second, []string{
			"a's section 1 never ended, and its worker waits for lock y" + byB,
			"b's section 1 never ended, and its worker waits for lock x" + byA,
			"a's section 2 never ended, and its worker waits for lock y" + byB,
			"b's section 2 never ended, and its worker waits for lock x" + byA,
			"c's section 3 never ended, and its worker waits for lock x" + byA + third,
		}},
	}
	for _, tt := range tests {
		s := story("multi-lock", "off")
		asks := func(w, key string) {
			s.sections[w]++
			s.tell(history.Event{Type: history.AcquireCalled, Worker: w, Section: s.sections[w], Key: key})
		}
		takes := func(w, key string) {
			asks(w, key)
			s.tell(history.Event{Type: history.Granted, Worker: w, Key: key, Owner: w, Node: "lock"})
			s.tell(history.Event{Type: history.Acquired, Worker: w, Section: s.sections[w], Key: key})
		}
		for _, key := range []string{"x", "y"} { // grants that have ended
			takes("c", key)
			s.leave("c").tell(history.Event{Type: history.Freed, Worker: "c", Key: key, Owner: "c", Node: "lock"}).answered("c", "", "")
		}
		takes("a", "x")
		takes("b", "y")
		asks("a", "y")
		asks("b", "x")
		asks("c", "x")
		var got []string
		for _, f := range mustRun(t, s.after(tt.wait).final("0").history(), "progress")[0].Findings {
			got = append(got, strings.TrimPrefix(f.Text, "deadlock: "))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("after %v (-want +got):\n%s", tt.wait, diff)
		}
	}
}

// A lock that refuses everybody while it is free is useless, however fast it answers.
func TestAFreeLockMustNotRefuseEverybody(t *testing.T) {
	// One section has worked for a second, so two workers may wait for 30 s plus 5 x 1 s plus 20 x
	// 2 x 1 s.
	const bound = 75 * time.Second
	begun := func() *scriptedHistory {
		s := story("counter", "off")
		s.meta.Workers = []string{"a", "b"}
		return s.acquire("a", 0).after(time.Second).release("a").after(time.Minute)
	}
	// turned makes a and b ask in turn, every 5 s for d, and answers after 1 s.
	turned := func(s *scriptedHistory, d time.Duration, class history.Class) *scriptedHistory {
		for i, end := 0, s.now+d; s.now < end; i++ {
			w := []string{"a", "b"}[i%2]
			s.call(w).after(time.Second).answered(w, class, "").after(4 * time.Second)
		}
		return s
	}
	every := func(s *scriptedHistory, n int, d time.Duration) *scriptedHistory {
		for range n {
			s.call("a").answered("a", "not-obtained", "").after(d)
		}
		return s
	}
	free := func(d time.Duration) *scriptedHistory { return begun().after(d) }
	// kept makes something happen to b, which waits all the time while a is refused.
	kept := func(what func(s *scriptedHistory) *scriptedHistory) *scriptedHistory {
		s := what(begun().call("b"))
		return every(s, 40, 5*time.Second)
	}
	begins := func(kind, target string) func(s *scriptedHistory) *scriptedHistory {
		return func(s *scriptedHistory) *scriptedHistory {
			return s.tell(history.Event{Type: history.FaultBegin, Fault: 1, Kind: kind, Target: target})
		}
	}
	const named = "turned away: lock x was free for "
	judge(t, "progress", []verdictCase{
		{name: "not obtained", story: turned(begun(), bound+20*time.Second, "not-obtained"), want: Invalid, count: 1, text: named},
		{name: "unknown each time", story: turned(begun(), bound+20*time.Second, "unknown"), want: Invalid, count: 1, text: named},
		{name: "an error each time", story: turned(begun(), bound+20*time.Second, "other"), want: Invalid, count: 1, text: named},
		{
			name: "now this, now that", story: turned(turned(begun(), bound/2+10*time.Second, "unknown"), bound/2+10*time.Second, "not-obtained"),
			want: Invalid, count: 1, text: named,
		},
		{
			name:  "twice, with somebody let in between",
			story: turned(turned(begun(), bound+20*time.Second, "other").acquire("a", 0).release("a"), bound+20*time.Second, "other"),
			want:  Invalid, count: 2, text: named,
		},
		{name: "from the first call on", story: turned(story("counter", "off"), 2*time.Minute, "other"), want: Invalid, count: 1, text: named},
		{
			name: "while another worker is cut off", story: every(begins("partition", "b->lock")(begun()), 40, 5*time.Second),
			want: Invalid, count: 1, text: named,
		},
		{name: "a schedule whose every job is turned away", story: every(free(0), 12, time.Hour), want: Invalid, count: 1, text: named},
		{
			name: "after a crash, longer than the lease", story: every(begun().call("b").crash("b"), 40, 5*time.Second),
			want: Invalid, count: 1, text: named,
		},

		{name: "within the bound", story: turned(begun(), bound-10*time.Second, "not-obtained"), want: Valid},
		{name: "nobody asks for hours", story: every(free(time.Hour), 1, time.Hour), want: Valid},
		{name: "two sections of a schedule", story: every(free(0), 2, time.Hour), want: Valid},
		{name: "ten sections of a schedule, hours apart", story: every(free(0), 10, time.Hour), want: Valid},
		{
			name:  "somebody is let in now and then",
			story: turned(turned(begun(), bound-10*time.Second, "other").acquire("a", 0).release("a"), bound-10*time.Second, "other"), want: Valid,
		},
		{
			name: "who waited long is turned away soon after somebody was let in",
			story: func() *scriptedHistory {
				s := begun().call("a").call("b")
				return s.after(bound-10*time.Second).grant("a").enter("a", 0).release("a").call("a").after(20*time.Second).
					answered("a", "not-obtained", "").answered("b", "not-obtained", "")
			}(),
			want: Invalid, count: 2, text: "overslept",
		},
		{name: "each was cancelled", story: turned(begun(), 10*time.Minute, "cancelled"), want: Valid},
		{name: "held by nobody of this history", story: turned(begun().grant("ghost"), 10*time.Minute, "not-obtained"), want: Valid},
		{name: "held by b all the time", story: every(begun().acquire("b", 0).sendWrite("b", "1"), 40, 5*time.Second).release("b"), want: Valid},
		{
			name:  "b is in it, and no server says so",
			story: every(story("counter", "off").unwitnessed().call("b").enter("b", 0).sendWrite("b", "1"), 40, 5*time.Second).leave("b").answered("b", "", ""), want: Valid,
		},
		{name: "the server is down", story: turned(begins("crash", "lock")(begun()), 10*time.Minute, "unknown"), want: Valid},
		{
			name:  "both are cut off",
			story: turned(begins("partition", "b->lock")(begins("partition", "a->lock")(begun())), 10*time.Minute, "unknown"), want: Valid,
		},
		{name: "it is slow itself", story: every(begins("pause", "a")(begun()), 40, 5*time.Second), want: Valid},
		{name: "who is next in turn is stopped", story: kept(begins("pause", "b")).answered("b", "unknown", ""), want: Valid},
	})

	// 24 sections with two events each.
	got := mustRun(t, turned(story("counter", "off"), 2*time.Minute, "other").history(), "progress")[0]
	if len(got.Findings) != 1 || !slices.Equal(got.Findings[0].Events, []int64{1, 2, 47, 48}) {
		t.Errorf("%+v, want a finding with the first and the last section", got.Findings)
	}

	s := begun()
	s.meta.TTL = time.Hour
	judge(t, "progress", []verdictCase{
		{name: "after a crash, within the lease", story: every(s.call("b").crash("b"), 40, 5*time.Second), want: Valid},
	})
}

// A faulty minority of the servers is no excuse for refusing everybody.
func TestAFaultyMinorityIsNoExcuseForRefusingEverybody(t *testing.T) {
	turned := func(target string) *scriptedHistory {
		s := story("counter", "off")
		s.meta.Workers, s.meta.Nodes, s.meta.Quorum = []string{"a"}, 3, 2
		s.tell(history.Event{Type: history.FaultBegin, Fault: 1, Kind: "crash", Target: target})
		for range 40 {
			s.call("a").after(time.Second).answered("a", "unknown", "").after(4 * time.Second)
		}
		return s
	}
	judge(t, "progress", []verdictCase{
		{name: "one server", story: turned("lock-2"), want: Invalid, count: 1, text: "turned away"},
		{name: "all servers", story: turned("lock"), want: Valid},
	})
}

// A lock that serves the others must serve each worker.
func TestAFreeLockMustAnswerEachWorker(t *testing.T) {
	const rounds = 20
	begun := func() *scriptedHistory {
		s := story("counter", "off")
		s.meta.Workers, s.meta.TTL = []string{"a", "b"}, 10*time.Second
		return s
	}
	// served lets a in n times, and after each time b asks and gets the answer.
	served := func(s *scriptedHistory, n int, class history.Class) *scriptedHistory {
		for range n {
			s.acquire("a", 0).release("a").call("b").after(10*time.Millisecond).answered("b", class, "no answer")
		}
		return s
	}
	beside := func(n int) *scriptedHistory {
		s := begun().acquire("a", 0)
		for range n {
			s.call("b").after(10*time.Millisecond).answered("b", "unknown", "no answer")
		}
		return s.release("a")
	}
	during := func(kind, target string) *scriptedHistory {
		return begun().begin(kind, target, func(s *scriptedHistory) *scriptedHistory { return served(s, rounds, "unknown") })
	}
	waits := begun()
	for range rounds {
		waits.call("a").call("b").after(10*time.Millisecond).answered("b", "unknown", "no answer").grant("a").enter("a", 0).release("a")
	}
	refused := begun()
	for range rounds {
		refused.acquire("a", 0).release("a").call("b").refusedBy("b", "a").answered("b", "unknown", "no answer")
	}
	judge(t, "progress", []verdictCase{
		{
			name: "b gets unknown 20 times", story: served(begun(), rounds, "unknown"), want: Invalid, count: 1,
			text: "never served: b asked for lock x 20 times from 7ms on and was never let in",
		},
		{
			name: "while another worker is cut off", story: during("partition", "a->lock"), want: Invalid, count: 1,
			text: "never served",
		},
		{name: "b gets unknown 19 times", story: served(begun(), rounds-1, "unknown"), want: Valid},
		{name: "b is let in between", story: served(served(begun(), rounds-1, "unknown").acquire("b", 0).release("b"), rounds-1, "unknown"), want: Valid},
		{name: "a has the lock each time", story: beside(rounds), want: Valid},
		{name: "a waits for the lock each time", story: waits, want: Valid},
		{name: "a server refuses it each time", story: refused, want: Valid},
		{name: "b cancels each time", story: served(begun(), rounds, "cancelled"), want: Valid},
		{name: "b is cut off", story: during("partition", "b->lock"), want: Valid},
		{name: "b is paused", story: during("pause", "b"), want: Valid},
		{name: "the server answers errors", story: during("answer-errors", "lock"), want: Valid},
		{name: "the server is down", story: during("crash", "lock"), want: Valid},
	})
}

// The body of a section is not at work while it waits for the resource or for another lock. It is at work while a write is under way
// that it does not wait for.
func TestABodyIsAtWorkUnlessItWaits(t *testing.T) {
	const ms = time.Millisecond
	// Each section is entered at 3 ms, and its operations begin 10 ms later.
	entered := func() *scriptedHistory {
		s := story("nested", "off").unwitnessed().acquire("a", 0)
		return s.after(9 * ms)
	}
	second := func(s *scriptedHistory) *scriptedHistory { // the first write is answered after the second one
		s.sendWrite("a", "1").after(19 * ms)
		first := s.pending["a"]
		s.sendWrite("a", "2").after(29 * ms).ok("a").after(39 * ms)
		s.pending["a"] = first
		return s.ok("a")
	}
	inner := entered().call("a").after(19*ms).enter("a", 0).leave("a").answered("a", "", "")
	inner.sections["a"] = 1
	for _, tt := range []struct {
		name  string
		story *scriptedHistory
		want  time.Duration
	}{
		{"all the time", entered().leave("a"), 10 * ms},
		{"for 20 ms it waits for an answer", entered().sendWrite("a", "1").after(19 * ms).ok("a").leave("a"), (10 + 1) * ms},
		{"of two writes at once, it waits 30 ms for the second one", second(entered()).leave("a"), (10 + 20 + 40 + 1) * ms},
		{"a write is never answered", entered().sendWrite("a", "1").after(19 * ms).leave("a"), 10 * ms},
		{"for 20 ms it waits for another lock", inner.after(8 * ms).leave("a"), (10 + 2 + 9) * ms},
	} {
		h := tt.story.history()
		sections, err := h.Sections()
		if err != nil {
			t.Fatal(err)
		}
		in := newInput(h, sections, linear.DefaultLimits())
		if got := in.worked(sections[0], sections[0].LeaveAt); got != tt.want {
			t.Errorf("%s: at work for %v, want %v", tt.name, got, tt.want)
		}
	}
}

// The answer to the acquire takes 2 ms, and counts for the request and the answer of the next acquire, too. The release takes 5 ms.
func TestTheMessagesOfASectionAreThoseThatItWaitsFor(t *testing.T) {
	const ms = time.Millisecond
	entered := func() *scriptedHistory {
		return story("counter", "off").unwitnessed().call("a").grant("a").after(ms).enter("a", 0)
	}
	ended := func(s *scriptedHistory) *scriptedHistory { return s.leave("a").after(4*ms).answered("a", "", "") }
	late := entered().sendWrite("a", "1").leave("a").ok("a").after(3*ms).answered("a", "", "")
	for _, tt := range []struct {
		name  string
		story *scriptedHistory
		want  time.Duration
		ok    bool
	}{
		{"no operation", ended(entered()), (6 + 5) * ms, true},
		{"an operation", ended(entered().sendWrite("a", "1").after(2 * ms).ok("a")), (6 + 3 + 5) * ms, true},
		{"an operation without an answer", ended(entered().sendWrite("a", "1").after(2 * ms)), (6 + 5) * ms, true},
		{"an operation that is answered during the release", late, (6 + 5) * ms, true},
		{"not ended", entered().leave("a"), 0, false},
		{"its worker was paused", ended(entered().fault("pause", "a", ms)), 0, false},
	} {
		h := tt.story.history()
		sections, err := h.Sections()
		if err != nil {
			t.Fatal(err)
		}
		got, ok := newInput(h, sections, linear.DefaultLimits()).messages(sections[0])
		if got != tt.want || ok != tt.ok {
			t.Errorf("%s: %v and %v, want %v and %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}
