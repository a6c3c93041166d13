package checker

import (
	"fmt"
	"testing"
	"time"

	"lockquake/history"
)

// keeper returns a history with a section of a whose lease of 10 s was asked for at 1 ms and
// renewed at the given times.
func keeper(renewed ...time.Duration) *scriptedHistory {
	t := story("counter", "off").call("a").leased("a", 10*time.Second).enter("a", 0).stop()
	for _, at := range renewed {
		t.now = at
		t.tell(history.Event{Type: history.Renewed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: at - time.Millisecond, Until: at + 10*time.Second})
	}
	return t
}

// until advances the time.
func (t *scriptedHistory) until(at time.Duration) *scriptedHistory { t.now = at; return t }

// margin sets how long before the end of its lease a holder may give it up.
func (t *scriptedHistory) margin(d time.Duration) *scriptedHistory { t.meta.Margin = d; return t }

// slowest sets how long the slowest message of the run took.
func (t *scriptedHistory) slowest(d time.Duration) *scriptedHistory { t.meta.Slowest = d; return t }

func (t *scriptedHistory) counted(d time.Duration) *scriptedHistory {
	t.meta.TTL, t.meta.Counted = 2*d, d
	return t
}

// broken records a fault from one time to another.
func (t *scriptedHistory) broken(kind, target string, from, to time.Duration) *scriptedHistory {
	return t.until(from).fault(kind, target, to-from)
}

// unanswered records a fault from one time to another, and a renewal of a's lease by the server at
// its beginning.
func (t *scriptedHistory) unanswered(kind, target string, from, to time.Duration) *scriptedHistory {
	e := history.Event{Type: history.FaultBegin, Fault: 1, Kind: kind, Target: target}
	t.until(from).tell(e)
	t.tell(history.Event{Type: history.Renewed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: from - time.Millisecond, Until: from + 10*time.Second})
	e.Type = history.FaultEnd
	return t.until(min(to, 12*time.Second)).tell(e)
}

// givesUp records that a is told of a loss, and that the lease ends by itself.
func (t *scriptedHistory) givesUp(at time.Duration) *scriptedHistory {
	return t.until(at).told("a").leave("a").after(time.Minute).expire("a").answered("a", "lost", "lost")
}

func TestGivingUpAGoodLeaseIsNeedless(t *testing.T) {
	const s = time.Second
	// doubtful is renewed at 12 s by a request that took 0.6 s. The strategy waits for an answer for 1 s only, so it is certain
	// of no renewal.
	doubtful := func() *scriptedHistory {
		t := keeper(3*s, 6*s, 9*s).until(12 * s).
			tell(history.Event{Type: history.Renewed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: 11400 * time.Millisecond, Until: 22 * s})
		t.meta.NodeTimeout = s
		return t
	}
	// late asks for the lock at once, and is cut off for 2 s.
	late := func() *scriptedHistory {
		return story("counter", "off").call("a").broken("partition", "a->lock", 0, 2*s).until(2002*time.Millisecond).
			tell(history.Event{Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: 2001 * time.Millisecond, Until: 12002 * time.Millisecond}).
			enter("a", 0)
	}
	judge(t, "needless-loss", []verdictCase{
		{name: "nothing given up", story: keeper(3*s, 6*s).release("a"), want: Valid},
		{name: "lost before it was told", story: keeper(3*s).until(13*s).expire("a").told("a").leave("a").answered("a", "lost", "lost"), want: Valid},
		{
			name: "given up after one renewal that failed", story: keeper(3 * s).givesUp(7 * s), want: Invalid, count: 1,
			text: "given up: a's section 1 was told that it had lost lock x, which the server held for it, 5.999s before its lease was over by its own clock",
		},
		{
			name: "said only in the answer", story: keeper(3*s).until(7*s).leave("a").answered("a", "lost", "lost").after(time.Minute).expire("a"), want: Invalid, count: 1,
			text: "given up",
		},
		{
			name: "one renewal that hung used up the lease", story: keeper(3*s).broken("hold", "a", 6*s, 12*s).givesUp(13*s - 2*time.Millisecond), want: Invalid, count: 1,
			text: "...after 9.999s in which it could have renewed its lease",
		},
		{name: "cut off, until the lease was over", story: keeper(3*s).broken("partition", "a->lock", 6*s, 20*s).givesUp(20 * s), want: Valid},
		{name: "cut off for most of the lease", story: keeper(3*s).broken("partition", "a->lock", 5*s, 11*s).givesUp(13*s - 2*time.Millisecond), want: Valid},
		{
			name: "cut off for a little of it", story: keeper(3*s).broken("partition", "a->lock", 4*s, 5*s).givesUp(13*s - 2*time.Millisecond), want: Invalid, count: 1,
			text: "...after 6.998s in which",
		},
		{
			name: "another one was cut off", story: keeper(3*s).broken("partition", "b->lock", 5*s, 11*s).givesUp(13*s - 2*time.Millisecond), want: Invalid, count: 1,
		},
		{name: "it stood still", story: keeper(3*s).broken("pause", "a", 4*s, 12*s).givesUp(13*s - 2*time.Millisecond), want: Valid},
		{
			name: "the answer of one renewal was lost", story: keeper(3*s).unanswered("drop", "a", 6*s, 7*s).givesUp(13*s - 2*time.Millisecond), want: Invalid, count: 1,
			text: "...after 9.999s in which it could have renewed its lease",
		},
		{
			name: "the answer of a renewal was lost with all that followed", story: keeper(3*s).unanswered("partition", "lock->a", 6*s, 13*s).givesUp(13*s - 2*time.Millisecond), want: Valid,
		},
		{name: "cut off soon after a renewal of which it cannot be certain", story: doubtful().broken("partition", "a->lock", 13*s, 22*s).givesUp(22 * s), want: Valid},
		{
			name: "cut off long after such a renewal", story: doubtful().broken("partition", "a->lock", 18*s, 22*s).givesUp(22 * s), want: Invalid, count: 1,
			text: "...after 6.6s in which it could have renewed its lease",
		},
		// Its lease is over at 16 s, or up to two slow messages earlier if its client opened a connection before the renewal.
		{name: "its client may have opened a connection first, for 4 s", story: keeper(3*s, 6*s).slowest(2 * s).givesUp(12100 * time.Millisecond), want: Valid},
		{
			name: "opening a connection does not take 5 s", story: keeper(3*s, 6*s).slowest(2 * s).givesUp(11 * s), want: Invalid, count: 1,
			text: "...4.999s before its lease was over by its own clock",
		},
		{name: "its client may have opened a connection before the grant, for 1 s", story: keeper().slowest(s / 2).givesUp(9100 * time.Millisecond), want: Valid},
		{name: "opening a connection before the grant does not take 1 s", story: keeper().slowest(s / 3).givesUp(9100 * time.Millisecond), want: Invalid, count: 1},
		{name: "a fault held up its first request for 2 s", story: late().givesUp(10100 * time.Millisecond), want: Valid},
		{
			name: "a fault held up its first request for 2 s, and it does not wait so long", story: late().givesUp(9 * s), want: Invalid, count: 1,
			text: "...999ms before its lease was over by its own clock",
		},
		{name: "too little time is left to open a connection and renew", story: keeper(3 * s).slowest(2600 * time.Millisecond).givesUp(13*s - 2*time.Millisecond), want: Valid},
		{
			name: "enough time is left to open a connection and renew", story: keeper(3 * s).slowest(2400 * time.Millisecond).givesUp(13*s - 2*time.Millisecond), want: Invalid, count: 1,
			text: "...after 9.999s in which it could have renewed its lease",
		},
		{name: "its clock was set", story: keeper(3*s).broken("clock-step", "a", 4*s, 5*s).givesUp(7 * s), want: Valid},
		{
			name: "its clock was set later", want: Invalid, count: 1, text: "given up",
			story: keeper(3*s).until(7*s).told("a").broken("clock-step", "a", 8*s, 9*s).leave("a").after(time.Minute).expire("a").answered("a", "lost", "lost"),
		},
		{
			name: "its clock was set before", want: Invalid, count: 1, text: "given up",
			story: func() *scriptedHistory {
				t := story("counter", "off").fault("clock-step", "a", 0).after(time.Minute).call("a").leased("a", 10*s).enter("a", 0)
				return t.givesUp(t.now + 5*s)
			}(),
		},
		{name: "a lock that is never renewed ends with its lease", story: keeper().givesUp(10 * s), want: Valid},
		{name: "it had held for as long as it may", story: func() *scriptedHistory {
			t := keeper(3*s, 6*s)
			t.meta.MaxHold = 12 * s
			return t.givesUp(12 * s)
		}(), want: Valid},
		{name: "it steps down at its renew deadline", story: keeper(3*s).margin(5*s).broken("partition", "a->lock", 4*s, 7*s).givesUp(8 * s), want: Valid},
		{
			name: "it steps down before", story: keeper(3*s).margin(5*s).broken("partition", "a->lock", 4*s, 6*s).givesUp(7 * s), want: Invalid, count: 1,
			text: "...5.999s before its lease was over by its own clock",
		},
		{name: "no end", story: story("counter", "off").acquire("a", 0).after(s).told("a").leave("a").answered("a", "lost", "lost"), want: Valid},
	})
}

// With three servers, the holder counts its lease from the request, and may subtract clock drift.
func TestAQuorumMaySubtractClockDriftFromItsLease(t *testing.T) {
	const lease = 10 * time.Second
	told := func(at time.Duration) *scriptedHistory {
		s := story("counter", "off")
		s.meta.Nodes, s.meta.Quorum = 3, 2
		s.call("a")
		for _, node := range []string{"lock-1", "lock-2", "lock-3"} {
			s.tell(history.Event{Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: node, Sent: time.Millisecond, Until: lease + s.now})
		}
		return s.enter("a", 0).until(at).told("a").leave("a").answered("a", "lost", "lost")
	}
	judge(t, "needless-loss", []verdictCase{
		{name: "within the drift", story: told(lease - lease/50), want: Valid},
		{name: "long before", story: told(lease - lease/20), want: Invalid, count: 1, text: "...499ms before its lease was over"},
	})
}

// Leases of three servers end at 20, 10 and 15 s, so a quorum of two holds the lock until 15 s. Clock drift takes 0.3 s of that.
func TestALockOfAQuorumEndsWithTheSecondLease(t *testing.T) {
	told := func(at time.Duration) *scriptedHistory {
		s := story("counter", "off").stop()
		s.meta.Nodes, s.meta.Quorum = 3, 2
		s.call("a")
		for i, until := range []time.Duration{20 * time.Second, 10 * time.Second, 15 * time.Second} {
			s.tell(history.Event{Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: fmt.Sprint("lock-", i+1), Until: until})
		}
		s.enter("a", 0)
		if at > 10*time.Second {
			s.until(10*time.Second).expireOn("a", "lock-2")
		}
		return s.until(at).told("a").leave("a").answered("a", "lost", "lost")
	}
	judge(t, "needless-loss", []verdictCase{
		{name: "before the first lease ends", story: told(9 * time.Second), want: Invalid, count: 1, text: "...6s before its lease was over"},
		{name: "before the second lease ends", story: told(12 * time.Second), want: Invalid, count: 1, text: "...3s before its lease was over"},
		{name: "as the second lease ends", story: told(14700 * time.Millisecond), want: Valid},
	})
}

func TestMetricsCountLeasesThatWereGivenUp(t *testing.T) {
	for _, test := range []struct {
		name              string
		story             *scriptedHistory
		given, needlessly int64
	}{
		{"needlessly", keeper(3 * time.Second).givesUp(7 * time.Second), 1, 1},
		{"at the end of the lease", keeper().givesUp(10 * time.Second), 1, 0},
		{"no server has recorded its grant", story("counter", "off").call("a").enter("a", 0).told("a").leave("a").answered("a", "lost", "lost"), 0, 0},
		{"not at all", keeper(3 * time.Second).release("a"), 0, 0},
		{"it does not know whether it has freed its lease", keeper(3*time.Second).leave("a").answered("a", "unknown", "no answer"), 0, 0},
		{"lost before", keeper().until(11*time.Second).expire("a").told("a").leave("a").answered("a", "lost", "lost"), 0, 0},
	} {
		if m := measured(t, test.story); m.GivenUp != test.given || m.GivenUpNeedlessly != test.needlessly {
			t.Errorf("%s: given up %d, %d of them needlessly", test.name, m.GivenUp, m.GivenUpNeedlessly)
		}
	}
}
