package checker

import (
	"testing"
	"time"

	"lockquake/history"
)

// doubting makes the strategy one that counts its lock as lost when it cannot reach the servers.
func doubting(s *scriptedHistory) *scriptedHistory {
	s.meta.Doubts = true
	return s
}

func TestAnAnswerMustFitWhatHappened(t *testing.T) {
	const lease = 10 * time.Second
	entered := func() *scriptedHistory {
		return story("counter", "off").call("a").leased("a", lease).enter("a", 0)
	}
	// queued is a section that is refused halfway through its lease, and then granted the lock by a request.
	queued := func(request int64) *scriptedHistory {
		s := story("counter", "off").call("a").after(lease / 2)
		s.meta.TTL = lease
		return s.tell(history.Event{Type: history.Refused, Worker: "a", Key: "x", Owner: "b", Node: "lock", Request: 1}).
			tell(history.Event{Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: "lock", Request: request, Until: 2 * lease}).
			enter("a", 0).after(lease/2).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost")
	}
	// repeated is a section whose request is refused halfway through its lease. Then a link loses messages, and a copy
	// of the request is granted.
	repeated := func(link string) *scriptedHistory {
		s := story("counter", "off").call("a").after(lease / 2)
		s.meta.TTL = lease
		return s.tell(history.Event{Type: history.Refused, Worker: "a", Key: "x", Owner: "b", Node: "lock", Request: 1}).
			fault("partition", link, time.Second).leased("a", lease).
			enter("a", 0).after(lease/2).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost")
	}
	judge(t, "errors", []verdictCase{
		{name: "lost by its own clock, and the answer to the first copy of its request was lost", story: repeated("lock->a"), want: Valid},
		{
			name: "lost by its own clock, and it heard that its first request was refused", story: repeated("lock->b"),
			want: Invalid, count: 1, text: "lost though held",
		},
		{name: "lost by its own clock, after a wait in the server's queue", story: queued(1), want: Valid},
		{
			name: "lost by its own clock, and the request after a refusal was not that old", story: queued(2),
			want: Invalid, count: 1, text: "lost though held",
		},
		{name: "ok", story: entered().release("a"), want: Valid},
		{name: "ok before the work was left, which says nothing of the release", story: entered().answered("a", "", ""), want: Valid},
		{name: "ok, after a read that the resource refused", story: story("counter", "reads-writes").acquire("a", 1).refuse("a", "read", "0").release("a"), want: Valid},
		{
			name: "lost when its session may have ended", want: Valid,
			story: func() *scriptedHistory {
				s := story("counter", "off").acquire("a", 0)
				s.meta.TTL = lease
				return s.after(lease).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost")
			}(),
		},
		{
			name:  "lost at the end of its lease, of which the header says nothing",
			story: entered().after(lease).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost"), want: Valid,
		},
		{
			name:  "refused and not obtained",
			story: story("counter", "off").acquire("a", 0).call("b").refusedBy("b", "a").answered("b", "not-obtained", "").release("a"), want: Valid,
		},
		{
			name: "not obtained, and granted", story: story("counter", "off").call("a").leased("a", lease).answered("a", "not-obtained", ""),
			want: Invalid, count: 1, text: "not obtained: a's section 1 was told so, but the server had given it lock x",
		},
		{
			name: "not obtained, and granted too late to be of use", want: Valid,
			story: story("counter", "off").call("a").leased("a", lease).after(lease).expire("a").answered("a", "not-obtained", ""),
		},
		{
			name: "not obtained, and given back since it came too late", want: Valid,
			story: story("counter", "off").call("a").leased("a", lease).after(lease/2).freed("a", "a").answered("a", "not-obtained", ""),
		},
		{
			name:  "not obtained, as its own grant refused it",
			story: story("counter", "off").call("a").leased("a", lease).refusedBy("a", "a").after(lease).expire("a").answered("a", "not-obtained", ""),
			want:  Invalid, count: 1, text: "not obtained: a's section 1 was told so, but the server had given it lock x",
		},
		{
			name: "not obtained, as first its own grant refused it, and then that of another", want: Valid,
			story: story("counter", "off").call("a").leased("a", lease).refusedBy("a", "a").after(lease).expire("a").acquire("b", 0).refusedBy("a", "b").answered("a", "not-obtained", "").release("b"),
		},
		{
			name: "told of a loss, and it was not, with the answer ok", story: entered().after(time.Second).told("a").release("a"),
			want: Invalid, count: 1, text: "lost though held",
		},
		{
			name: "not obtained, since an earlier section's request came late",
			story: story("counter", "off").call("a").answered("a", "unknown", "no answer").after(time.Second).call("a").
				tell(history.Event{Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: time.Millisecond}).
				refusedBy("a", "a").answered("a", "not-obtained", ""), want: Valid,
		},
		{name: "not obtained, and no request came through", story: story("counter", "off").call("a").answered("a", "not-obtained", ""), want: Valid},
		{name: "unknown", story: story("counter", "off").call("a").leased("a", lease).answered("a", "unknown", "no answer"), want: Valid},
		{
			name: "ok, and still held", story: entered().leave("a").answered("a", "", ""),
			want: Invalid, count: 1, text: "not released: a's section 1 ended with ok",
		},
		{
			name: "ok, though it was lost", story: entered().after(lease).expire("a").leave("a").answered("a", "", ""),
			want: Invalid, count: 1, text: "ok though lost: a's section 1 ended with ok, but its grant of lock x had expired before",
		},
		{
			name: "ok, and a write was refused, of another item than the next one", want: Invalid, count: 1, text: `masked: a's section 1 ended with ok, and its write of "1" to item x had no effect`,
			story: story("counter", "writes").acquire("a", 1).refuse("a", "write", "1").on("a", "y").write("a", "1").release("a"),
		},
		{
			name: "ok, and it expired during the release", story: entered().leave("a").after(lease).expire("a").answered("a", "", ""),
			want: Invalid, count: 1, text: "ok though lost",
		},
		{
			name: "ok, and an earlier request of its own had freed it", story: entered().freed("a", "a").leave("a").answered("a", "", ""),
			want: Invalid, count: 1, text: "ok though lost",
		},
		{name: "lost, and it was", story: entered().after(lease).expire("a").leave("a").answered("a", "lost", "lost"), want: Valid},
		{
			name: "lost, and it was not", story: entered().after(time.Second).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost"),
			want: Invalid, count: 1, text: "lost though held: a's section 1 was told that it had lost lock x",
		},
		{
			name:  "lost at its renew deadline",
			story: entered().margin(lease/2).after(lease/2).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost"), want: Valid,
		},
		{
			name:  "lost by its own clock, and a new leader had prolonged the lease",
			story: entered().counted(lease/2).after(lease/2).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost"), want: Valid,
		},
		{
			name:  "lost before its own clock said so, and a new leader had prolonged the lease",
			story: entered().counted(lease/2).after(lease/2-time.Second).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost"),
			want:  Invalid, count: 1, text: "lost though held",
		},
		{
			name: "lost before its renew deadline", story: entered().margin(lease/2).after(lease/2-time.Second).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost"),
			want: Invalid, count: 1, text: "lost though held: a's section 1 was told that it had lost lock x",
		},
		// The client pings after a third of its session of 10 s. A ping and its answer of 1.7 s each take longer than another third.
		{
			name:  "it doubts the servers, whose answers may be too late for its session",
			story: doubting(entered()).slowest(1700*time.Millisecond).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost"), want: Valid,
		},
		{
			name:  "it doubts the servers, whose answers are in time",
			story: doubting(entered()).slowest(1600*time.Millisecond).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost"),
			want:  Invalid, count: 1, text: "lost though held",
		},
		{
			name:  "it does not doubt the servers, whose answers may be late",
			story: entered().slowest(1700*time.Millisecond).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost"),
			want:  Invalid, count: 1, text: "lost though held",
		},
		{
			name:  "lost, and it was not, but its strategy could not reach the servers",
			story: doubting(entered()).fault("partition", "a->lock", time.Second).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost"),
			want:  Valid,
		},
		{
			name:  "lost, and it was not, and its strategy could reach the servers",
			story: doubting(entered()).fault("partition", "b->lock", time.Second).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost"),
			want:  Invalid, count: 1, text: "lost though held",
		},
		{
			name: "lost, and it was not, and its strategy could not reach the servers while it was in the queue",
			story: doubting(story("counter", "off")).call("a").fault("partition", "a->lock", time.Second).after(lease/2).
				leased("a", lease).enter("a", 0).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost"),
			want: Invalid, count: 1, text: "lost though held",
		},
		{
			name: "lost, and it was not, and only the answer says so",
			story: doubting(entered()).fault("partition", "a->lock", time.Second).leave("a").freed("a", "a").
				answered("a", "lost", "lost"),
			want: Invalid, count: 1, text: "lost though held",
		},
		{
			name:  "lost by its own clock, which is earlier than the server's",
			story: entered().after(lease-5*time.Millisecond).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost"), want: Valid,
		},
		{
			name:  "the work failed, and its error is in the answer",
			story: entered().failed("a", "no stock").ended("a", "freed").answered("a", "other", "no stock"), want: Valid,
		},
		{
			name: "the work failed, and the answer hides it", story: entered().failed("a", "no stock").ended("a", "freed").answered("a", "other", "release failed"),
			want: Invalid, count: 1, text: "masked: the work of a's section 1 failed (no stock)",
		},
		{
			name: "the work was done, and an error replaces it", story: entered().leave("a").ended("a", "freed").answered("a", "other", "release failed"),
			want: Invalid, count: 1, text: "masked: the work of a's section 1 was done",
		},
		{
			name: "ok, and the work was never begun", story: story("counter", "off").call("a").answered("a", "", ""),
			want: Invalid, count: 1, text: "skipped: a's section 1 ended with ok",
		},
		{
			name: "ok, and its write was refused", story: entered().refuse("a", "write", "1").release("a"),
			want: Invalid, count: 1, text: "masked: a's section 1 ended with ok, and its write of \"1\" to item x had no effect",
		},
		{
			name: "ok, and its write never came to the resource", story: entered().read("a", "0").sendWrite("a", "1").info("a").release("a"),
			want: Invalid, count: 1, text: "masked: a's section 1 ended with ok, and its write",
		},
		{name: "ok, and its write was done when it was sent again", story: entered().refuse("a", "write", "1").write("a", "1").release("a"), want: Valid},
		{name: "ok, and its write arrives later", story: entered().read("a", "0").sendWrite("a", "1").release("a").applied("a"), want: Valid},
		{name: "ok, and nobody knows of its write", story: entered().unwitnessed().sendWrite("a", "1").info("a").release("a"), want: Valid},
		{name: "crashed", story: entered().crash("a"), want: Valid},
		{
			name:  "ended by its own lock",
			story: entered().tell(history.Event{Type: history.Crashed, Worker: "a", Err: "renew x: i/o timeout"}),
			want:  Invalid, count: 1, text: "exited: the strategy of a's section 1 ended its process (renew x: i/o timeout)",
		},
		{name: "the work was done, and nobody knows of the release", story: entered().leave("a").answered("a", "unknown", "no answer"), want: Valid},
	})
}

// "Not obtained" is wrong if nobody had the lock or asked for it.
func TestNotObtainedFromAFreeLockIsWrong(t *testing.T) {
	const lease = 10 * time.Second
	// free is a lock that was held and released a minute ago.
	free := func() *scriptedHistory {
		s := story("counter", "off")
		s.meta.Workers, s.meta.TTL = []string{"a", "b", "c"}, lease
		return s.acquire("a", 0).release("a").after(time.Minute)
	}
	turned := func(s *scriptedHistory) *scriptedHistory { return s.call("b").answered("b", "not-obtained", "") }
	split := func() *scriptedHistory {
		s := story("counter", "off")
		s.meta.Workers, s.meta.TTL, s.meta.Nodes, s.meta.Quorum = []string{"a", "b", "c"}, lease, 3, 2
		s.call("a").grantOn("a", "lock-1").grantOn("a", "lock-2").enter("a", 0).leave("a")
		for _, node := range []string{"lock-1", "lock-2"} {
			s.tell(history.Event{Type: history.Freed, Worker: "a", Key: "x", Owner: "a", Node: node, Sent: s.now})
		}
		s.answered("a", "", "").after(time.Minute)
		return s.grantOn("c", "lock-1").expireOn("c", "lock-1").grantOn("c", "lock-2").expireOn("c", "lock-2").after(time.Minute)
	}
	// expired is a lock whose last owner crashed, and whose lease expired a minute ago.
	expired := func() *scriptedHistory {
		s := free().call("a").leased("a", lease)
		return s.enter("a", 0).crash("a").after(lease).expire("a").after(time.Minute)
	}
	const named = "not obtained from a free lock: b's section 1 was told so, but no other section had lock x or asked for it"
	judge(t, "errors", []verdictCase{
		{name: "nobody there", story: turned(free()), want: Invalid, count: 1, text: named},
		{name: "and retried for a while", story: free().call("b").after(time.Minute).answered("b", "not-obtained", ""), want: Invalid, count: 1, text: named},
		{name: "in the middle of others' work", story: turned(free()).acquire("a", 0).release("a"), want: Invalid, count: 1, text: named},
		{
			name: "its own earlier section had ended well", story: turned(free().acquire("b", 0).release("b")),
			want: Invalid, count: 1, text: "not obtained from a free lock: b's section 2",
		},
		{
			name: "the server answered an error, which is no refusal", story: free().call("b").fault("error", "b", 0).answered("b", "not-obtained", ""),
			want: Invalid, count: 1, text: named,
		},
		{
			name: "another worker was cut off", story: turned(free().fault("partition", "a->lock", time.Second)),
			want: Invalid, count: 1, text: named,
		},
		{name: "a quorum was free on every server", story: turned(split()), want: Invalid, count: 1, text: named},

		{name: "unknown", story: free().call("b").answered("b", "unknown", "no answer"), want: Valid},
		{name: "cancelled", story: free().call("b").answered("b", "cancelled", "canceled"), want: Valid},
		{name: "some other error", story: free().call("b").answered("b", "other", "pool exhausted"), want: Valid},
		{name: "held for the whole time", story: turned(free().acquire("a", 0)).release("a"), want: Valid},
		{name: "held for the beginning of it", story: free().acquire("a", 0).call("b").release("a").answered("b", "not-obtained", ""), want: Valid},
		{name: "held for the end of it", story: free().call("b").after(time.Minute).acquire("a", 0).answered("b", "not-obtained", "").release("a"), want: Valid},
		{
			name: "held for a moment in between", story: free().call("b").after(time.Minute).acquire("a", 0).release("a").
				after(time.Minute).answered("b", "not-obtained", ""), want: Valid,
		},
		{name: "held for a request that nobody knows", story: turned(free().grant("ghost")), want: Valid},
		{
			name:  "at the handing over, the next in turn had not asked again yet",
			story: free().call("a").call("b").answered("b", "not-obtained", "").grant("a").enter("a", 0).release("a"), want: Valid,
		},
		{
			name:  "two that kept each other out",
			story: free().call("a").call("b").answered("b", "not-obtained", "").answered("a", "not-obtained", ""), want: Valid,
		},
		{
			name: "the votes of three servers were split",
			story: split().call("a").call("b").call("c").grantOn("a", "lock-1").grantOn("b", "lock-2").grantOn("c", "lock-3").
				expireOn("a", "lock-1").expireOn("b", "lock-2").expireOn("c", "lock-3").
				answered("a", "not-obtained", "").answered("b", "not-obtained", "").answered("c", "not-obtained", ""), want: Valid,
		},
		{
			name:  "one of three servers was held for another one",
			story: turned(split().grantOn("c", "lock-3")).expireOn("c", "lock-3"), want: Valid,
		},
		{
			name:  "a quorum came too late to be worth anything",
			story: split().call("b").grantOn("b", "lock-1").grantOn("b", "lock-2").expireOn("b", "lock-1").expireOn("b", "lock-2").answered("b", "not-obtained", ""), want: Valid,
		},
		{name: "the server gave it later", story: turned(free()).grant("b").ended("b", history.Freed), want: Valid},
		{name: "a server refused it, nobody knows why", story: free().call("b").refusedBy("b", "?").answered("b", "not-obtained", ""), want: Valid},
		{name: "its request was lost", story: free().call("b").fault("drop", "b", time.Second).answered("b", "not-obtained", ""), want: Valid},
		{name: "its link is cut", story: free().call("b").fault("partition", "b->lock", time.Second).answered("b", "not-obtained", ""), want: Valid},
		{name: "answers come late", story: turned(free().fault("latency", "lock->b", time.Second)), want: Valid},
		{name: "the server was down", story: turned(free().fault("crash", "lock", time.Second)), want: Valid},
		{name: "two of three servers were down", story: turned(split().fault("crash", "lock-1", 0).fault("crash", "lock-2", 0)), want: Valid},
		{name: "the server answers from the past", story: turned(free().fault("stale", "lock", time.Second)), want: Valid},
		{name: "it was paused", story: free().call("b").fault("pause", "b", time.Second).answered("b", "not-obtained", ""), want: Valid},
		{name: "its caller gave up", story: free().call("b").fault("cancel", "b", 0).answered("b", "not-obtained", ""), want: Valid},
		{name: "another one had crashed within a lease", story: turned(free().call("a").crash("a").after(9 * time.Second)), want: Valid},
		{
			name: "another one had crashed long ago", story: turned(free().call("a").crash("a").after(time.Minute)),
			want: Invalid, count: 1, text: named,
		},
		{
			name:  "the last lease expired, and it may have seen no change for less than a lease",
			story: expired().call("b").after(10*time.Second).answered("b", "not-obtained", ""), want: Valid,
		},
		{
			name:  "the last lease expired, and it has seen no change for longer than a lease",
			story: expired().call("b").after(12*time.Second).answered("b", "not-obtained", ""), want: Invalid, count: 1, text: named,
		},
		{
			name:  "a lease expired, and another worker has held the lock since",
			story: expired().acquire("c", 0).release("c").call("b").after(10*time.Second).answered("b", "not-obtained", ""),
			want:  Invalid, count: 1, text: named,
		},
		{name: "another one did not know", story: turned(free().call("a").answered("a", "unknown", "no answer")), want: Valid},
		{name: "it did not know itself, before", story: turned(free().call("b").answered("b", "unknown", "no answer")), want: Valid},
		{
			name: "no server recorded this lock", story: turned(story("counter", "off").
				tell(history.Event{Type: history.Granted, Worker: "a", Key: "y", Owner: "a", Node: "lock"})), want: Valid,
		},
	})
}

// A section that was never let in cannot have lost the lock, and the resource cannot have refused
// its token.
func TestASectionThatWasNotLetInHasNothingToLose(t *testing.T) {
	free := func() *scriptedHistory {
		return story("counter", "off").acquire("a", 0).release("a").after(time.Minute)
	}
	judge(t, "errors", []verdictCase{
		{
			name: "lost, and no server had given it", story: free().call("b").answered("b", "lost", "lost"),
			want: Invalid, count: 1, text: "lost though never held: b's section 1",
		},
		{name: "lost, after its session may have ended", story: free().ttl(time.Second).call("b").after(time.Second).answered("b", "lost", "lost"), want: Valid},
		{
			name: "lost, before its session can have ended", story: free().ttl(time.Second).call("b").after(900*time.Millisecond).answered("b", "lost", "lost"),
			want: Invalid, count: 1, text: "lost though never held",
		},
		{
			name: "lost, after its session with a service of several members may have ended", want: Valid,
			story: story("counter", "off").ttl(time.Second).members(3).call("a").leased("a", time.Second).enter("a", 0).release("a").after(time.Minute).
				call("b").after(time.Second).answered("b", "lost", "lost"),
		},
		{
			name: "lost, and others have leases instead of sessions", want: Invalid, count: 1, text: "lost though never held",
			story: story("counter", "off").ttl(time.Second).call("a").leased("a", time.Second).enter("a", 0).release("a").after(time.Minute).
				call("b").after(time.Second).answered("b", "lost", "lost"),
		},
		{name: "lost, as it was given", story: free().call("b").grant("b").expire("b").answered("b", "lost", "lost"), want: Valid},
		{name: "lost, and its request was", story: free().call("b").fault("drop", "b", time.Second).answered("b", "lost", "lost"), want: Valid},
		{
			name: "refused, and it had asked for nothing", story: free().call("b").answered("b", "refused", "stale token"),
			want: Invalid, count: 1, text: "refused though never asked: b's section 1",
		},
		{name: "refused, without the error of the work", story: free().acquire("b", 1).sendWrite("b", "1").refused("b").fail("b").leave("b").ended("b", history.Freed).answered("b", "refused", ""), want: Valid},
		{name: "refused", story: free().acquire("b", 1).sendWrite("b", "1").refused("b").fail("b").failed("b", "stale token").ended("b", history.Freed).answered("b", "refused", "stale token"), want: Valid},
	})
}

// A holder counts its lease from the sending of its last request that was granted and whose answer it had.
func TestAHolderCountsItsLeaseFromItsLastRenewal(t *testing.T) {
	const s = time.Second
	lost := func(t *scriptedHistory, at time.Duration) *scriptedHistory {
		return t.until(at).told("a").leave("a").freed("a", "a").answered("a", "lost", "lost")
	}
	// kept is renewed at 5 s and 9 s, by requests that were sent a millisecond before. So its lease of 10 s is
	// over at 18.999 s by its own clock.
	kept := func() *scriptedHistory { return keeper(5*s, 9*s) }
	holding := func(d time.Duration) *scriptedHistory {
		t := kept()
		t.meta.MaxHold = d
		return t
	}
	prolonged := func(sent time.Duration) *scriptedHistory {
		return keeper(5 * s).until(9 * s).tell(history.Event{Type: history.Renewed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: sent, Until: 19 * s})
	}
	// slow is renewed at 5 s, by a request that was under way for 3 s, and at 9 s. A client waits for an answer for the
	// given time; 0 if that is unknown.
	slow := func(answer time.Duration) *scriptedHistory {
		t := keeper().until(5 * s).tell(history.Event{Type: history.Renewed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: 2 * s, Until: 15 * s})
		t.meta.Answer = answer
		return t.until(9 * s).tell(history.Event{Type: history.Renewed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: 9*s - time.Millisecond, Until: 19 * s})
	}
	// within is a history in which the strategy waits for one of several servers for the given time.
	within := func(t *scriptedHistory, timeout time.Duration) *scriptedHistory {
		t.meta.NodeTimeout = timeout
		return t
	}
	// far is a section whose messages take 100 ms each. It is renewed at 5 s.
	far := func() *scriptedHistory {
		return story("counter", "off").call("a").leased("a", 10*s).stop().after(100*time.Millisecond).enter("a", 0).until(5 * s).
			tell(history.Event{Type: history.Renewed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: 4900 * time.Millisecond, Until: 15 * s})
	}
	// repeated is renewed at 5 s and 12 s. In between a link loses messages.
	repeated := func(link string) *scriptedHistory {
		return keeper(5*s).broken("partition", link, 8*s, 10*s).until(12 * s).
			tell(history.Event{Type: history.Renewed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: 12*s - time.Millisecond, Until: 22 * s})
	}
	judge(t, "errors", []verdictCase{
		{
			name: "after the first lease, and the second renewal is 3 s old", story: lost(kept(), 12*s), want: Invalid, count: 1,
			text: "lost though held: a's section 1 was told that it had lost lock x, which it had renewed 3.001s before",
		},
		{name: "20 ms before the end", story: lost(kept(), 18979*time.Millisecond), want: Invalid, count: 1, text: "lost though held"},
		{name: "5 ms before the end", story: lost(kept(), 18994*time.Millisecond), want: Valid},
		{
			name:  "no answer to the second renewal, and the lease since the first is over",
			story: lost(keeper(5*s).unanswered("partition", "lock->a", 9*s, 11*s), 15*s), want: Valid,
		},
		{
			name:  "no answer to the second renewal, and the lease since the first is not over",
			story: lost(keeper(5*s).unanswered("partition", "lock->a", 9*s, 11*s), 14*s), want: Invalid, count: 1, text: "...which it had renewed 9.001s before",
		},
		{name: "a new leader has prolonged the lease, which the holder does not know", story: lost(prolonged(0), 15*s), want: Valid},
		{name: "a renewal of its own has prolonged the lease", story: lost(prolonged(9*s-time.Millisecond), 15*s), want: Invalid, count: 1, text: "lost though held"},
		{name: "at its renew deadline", story: lost(kept().margin(2*s), 17*s), want: Valid},
		{name: "before its renew deadline", story: lost(kept().margin(2*s), 16*s), want: Invalid, count: 1, text: "lost though held"},
		{name: "the servers keep the lease longer than the holder counts", story: lost(kept().counted(4*s), 13*s), want: Valid},
		// Its lease is over at 19 s, or up to two messages of 500 ms earlier.
		{name: "its client may have opened a connection before it sent the renewal, with slow messages", story: lost(kept().slowest(s/2), 18100*time.Millisecond), want: Valid},
		{name: "opening a connection does not take that long, with slow messages", story: lost(kept().slowest(s/2), 17900*time.Millisecond), want: Invalid, count: 1, text: "lost though held"},
		{
			name:  "the servers keep the lease longer than the holder counts, and it has not counted that long",
			story: lost(kept().counted(4*s), 12*s), want: Invalid, count: 1, text: "lost though held",
		},
		{name: "its clock ran at a wrong rate", story: lost(kept().broken("clock-rate", "a", 10*s, 11*s), 12*s), want: Valid},
		{name: "another's clock ran at a wrong rate", story: lost(kept().broken("clock-rate", "b", 10*s, 11*s), 12*s), want: Invalid, count: 1},
		// An answer takes as long as the slowest request, 3 s: that to the second renewal comes at 12 s.
		{name: "the answer to the second renewal may be under way, and the lease since the first is over", story: lost(slow(0), 12*s), want: Valid},
		{
			name:  "the answer to the second renewal may be under way, and the lease since the first is not over",
			story: lost(slow(0), 11500*time.Millisecond), want: Invalid, count: 1, text: "...which it had renewed 9.5s before",
		},
		{
			name:  "the answer to the second renewal has come",
			story: lost(slow(0), 12500*time.Millisecond), want: Invalid, count: 1, text: "...which it had renewed 3.501s before",
		},
		{name: "the client may have given up before the answers came", story: lost(slow(6*s), 10100*time.Millisecond), want: Valid},
		{name: "the client waits for longer than the answers take", story: lost(slow(7*s), 10100*time.Millisecond), want: Invalid, count: 1, text: "lost though held"},
		{name: "the strategy may have given the server up before the answers came", story: lost(within(slow(7*s), 6*s), 10100*time.Millisecond), want: Valid},
		{name: "the strategy waits for longer than the answers take", story: lost(within(slow(0), 7*s), 10100*time.Millisecond), want: Invalid, count: 1, text: "lost though held"},
		// Its lease is over at 14.9 s, or up to 300 ms earlier if its client opened a connection first.
		{name: "its client may have opened a connection before it sent the renewal", story: lost(far(), 14700*time.Millisecond), want: Valid},
		{name: "opening a connection does not take that long", story: lost(far(), 14500*time.Millisecond), want: Invalid, count: 1, text: "...which it had renewed 9.6s before"},
		// The first copy of the second renewal was sent after the answer to the first, which is of 5 s.
		{name: "the second renewal may be a copy of a request that failed", story: lost(repeated("lock->a"), 15*s), want: Valid},
		{
			name:  "before the lease since the first copy can be over",
			story: lost(repeated("lock->a"), 14900*time.Millisecond), want: Invalid, count: 1, text: "...which it had renewed 9.9s before",
		},
		{name: "the request of another failed", story: lost(repeated("lock->b"), 15*s), want: Invalid, count: 1, text: "...which it had renewed 3.001s before"},
		{name: "held for the maximum time of 12 s", story: lost(holding(12*s), 12500*time.Millisecond), want: Valid},
		{name: "held for less than the maximum time of an hour", story: lost(holding(time.Hour), 12*s), want: Invalid, count: 1, text: "lost though held"},
	})
}

// Several servers are asked one after another, and the holder counts from before the first request.
func TestAHolderOfAQuorumCountsFromItsOldestRenewal(t *testing.T) {
	const s, lease = time.Second, 10 * time.Second
	// kept is granted by three servers at 0 s, and renewed by the first of them 60 ms apart from 5 s on. If all
	// three did, its lease is over at 15 s by its own clock, of which it may subtract 2 %.
	kept := func(renewals int) *scriptedHistory {
		t := story("counter", "off").stop()
		t.meta.Nodes, t.meta.Quorum, t.meta.TTL = 3, 2, lease
		t.call("a")
		nodes := []string{"lock-1", "lock-2", "lock-3"}
		for _, node := range nodes {
			t.tell(history.Event{Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: node, Until: lease})
		}
		t.enter("a", 0)
		for i, node := range nodes[:renewals] {
			sent := 5*s + time.Duration(i)*60*time.Millisecond
			t.until(sent + time.Millisecond).tell(history.Event{Type: history.Renewed, Worker: "a", Key: "x", Owner: "a", Node: node, Sent: sent, Until: t.now + lease})
		}
		return t
	}
	lost := func(t *scriptedHistory, at time.Duration) *scriptedHistory {
		return t.until(at).told("a").leave("a").answered("a", "lost", "lost")
	}
	judge(t, "errors", []verdictCase{
		{name: "2 % before the end", story: lost(kept(3), 14800*time.Millisecond), want: Valid},
		{name: "3 % before the end", story: lost(kept(3), 14700*time.Millisecond), want: Invalid, count: 1, text: "lost though held"},
		{name: "one server was not renewed, and its lease is over", story: lost(kept(2), 11*s), want: Valid},
	})
}

// Two of three servers lose the key after they have granted the lock, and before the worker enters.
func TestALockThatWasLostBeforeTheEntryIsNotHeld(t *testing.T) {
	const lease = 10 * time.Second
	entered := func(lost ...string) *scriptedHistory {
		s := story("counter", "off")
		s.meta.Nodes, s.meta.Quorum, s.meta.TTL = 3, 2, lease
		s.call("a").grantOn("a", "lock-1").grantOn("a", "lock-2").grantOn("a", "lock-3")
		for _, node := range lost {
			s.tell(history.Event{Type: history.Evicted, Worker: "a", Key: "x", Owner: "a", Node: node})
		}
		return s.enter("a", 0).after(time.Second).leave("a")
	}
	freed := func(s *scriptedHistory, nodes ...string) *scriptedHistory {
		for _, node := range nodes {
			s.tell(history.Event{Type: history.Freed, Worker: "a", Key: "x", Owner: "a", Node: node, Sent: s.now})
		}
		return s
	}
	judge(t, "errors", []verdictCase{
		{name: "lost", story: freed(entered("lock-1", "lock-3"), "lock-2").answered("a", "lost", "lost"), want: Valid},
		{name: "lost, and only one key was", story: freed(entered("lock-1"), "lock-2", "lock-3").answered("a", "lost", "lost"), want: Invalid, count: 1, text: "lost though held"},
		{
			name: "ok", story: freed(entered("lock-1", "lock-3"), "lock-2").answered("a", "", ""), want: Invalid, count: 1,
			text: "ok though lost: a's section 1 ended with ok, but its grant of lock x had been lost on too many servers before",
		},
		{name: "ok, and only one key was lost", story: freed(entered("lock-1"), "lock-2", "lock-3").answered("a", "", ""), want: Valid},
	})
}

// No server has let a section in that ended with ok, although the servers record who has the lock.
func TestASectionIsLetInByAGrant(t *testing.T) {
	used := func() *scriptedHistory { return story("counter", "off").acquire("a", 0).release("a") }
	inside := func(s *scriptedHistory, w string) *scriptedHistory { return s.call(w).enter(w, 0).leave(w) }
	let := func(s *scriptedHistory, w string) *scriptedHistory { return inside(s, w).answered(w, "", "") }
	// given is a grant that an earlier section of a had asked for, and that came when it had given up.
	given := func() *scriptedHistory {
		return used().call("a").answered("a", "unknown", "no answer").grant("a")
	}
	with := func(set func(*history.Meta)) *scriptedHistory {
		s := let(used(), "b")
		set(&s.meta)
		return s
	}
	judge(t, "errors", []verdictCase{
		{name: "granted", story: used().acquire("b", 0).release("b"), want: Valid},
		{
			name: "another had the lock before", story: let(used(), "b"), want: Invalid, count: 1,
			text: "ok though never granted: b's section 1 was let in and ended with ok, and no server had given it lock x",
		},
		{name: "it had the lock before", story: let(used(), "a"), want: Invalid, count: 1, text: "ok though never granted: a's section 2"},
		{name: "another has the lock", story: let(used().acquire("a", 0), "b").release("a"), want: Invalid, count: 1, text: "ok though never granted: b's section 1"},
		{name: "it has the lock twice", story: let(used().acquire("a", 0), "a").freed("a", "a"), want: Valid},
		{name: "it has the grant of an earlier request", story: let(given(), "a").freed("a", "a"), want: Valid},
		{name: "it had the grant of an earlier request, which has ended", story: given().call("a").expire("a").enter("a", 0).leave("a").answered("a", "", ""), want: Valid},
		{
			name: "it had the grant of an earlier request, which ended before the call", story: let(given().expire("a"), "a"), want: Invalid, count: 1,
			text: "ok though never granted: a's section 3",
		},
		{name: "it does not know", story: inside(used(), "b").answered("b", "unknown", "no answer"), want: Valid},
		{name: "it has lost it", story: inside(used(), "b").answered("b", "lost", "lost"), want: Valid},
		{name: "no server records grants", story: let(story("counter", "off"), "b"), want: Valid},
		{name: "an owner keeps its grant", story: with(func(m *history.Meta) { m.Keeps = true }), want: Valid},
		{name: "no lock is taken", story: with(func(m *history.Meta) { m.LockFree = true }), want: Valid},
		{name: "the grants cannot be read", story: with(func(m *history.Meta) { m.Unread = "lock x: its record is a list" }), want: Valid},
	})
}
