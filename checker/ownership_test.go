package checker

import (
	"testing"
	"time"

	"lockquake/history"
)

func TestARequestMustNotChangeAnothersGrant(t *testing.T) {
	// declined adds a renewal by w that was sent some time ago and that the server declined.
	declined := func(s *scriptedHistory, w string, ago time.Duration) *scriptedHistory {
		return s.tell(history.Event{Type: history.NotRenewed, Worker: w, Key: "x", Owner: w, Node: "lock", Sent: s.now - ago})
	}
	renewing := func() *scriptedHistory { return story("counter", "off").acquire("a", 0).renewed("a", "a") }
	// renewedLate has a renewal, sent at some time, that arrives a minute after its section was told of a loss.
	renewedLate := func(sent func(*scriptedHistory) time.Duration) *scriptedHistory {
		s := story("counter", "off").acquire("a", 0).told("a").leave("a").answered("a", history.ClassLost, "").after(time.Minute)
		return s.tell(history.Event{Type: history.Renewed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: sent(s), Until: s.now + time.Second})
	}
	judge(t, "ownership", []verdictCase{
		{name: "its own", story: renewing().release("a"), want: Valid},
		{name: "renewed by a server", story: story("counter", "off").acquire("a", 0).renewed("", "a").release("a"), want: Valid},
		{
			name: "renewed by another", story: story("counter", "off").acquire("a", 0).call("b").renewed("b", "a").release("a"),
			want: Invalid, count: 1, text: "renewed another's: b renewed the grant of lock x that a had",
		},
		{
			name: "freed by another", story: story("counter", "off").acquire("a", 0).call("b").freed("b", "a").release("a"),
			want: Invalid, count: 1, text: "freed another's: b freed the grant of lock x that a had",
		},
		{
			name:  "renewed after the release, which did nothing",
			story: story("counter", "off").acquire("a", 0).leave("a").answered("a", "", "").renewed("a", "a"),
			want:  Invalid, count: 1, text: "renewed after release",
		},
		{
			name:  "renewed late by one who did not know",
			story: story("counter", "off").acquire("a", 0).leave("a").answered("a", "unknown", "no answer").renewed("a", "a"), want: Valid,
		},
		{
			name:  "renewed late by one who was told of a loss",
			story: renewedLate(func(s *scriptedHistory) time.Duration { return s.now - time.Minute }), want: Valid,
		},
		{
			name:  "renewed again by one who was told of a loss",
			story: renewedLate(func(s *scriptedHistory) time.Duration { return s.now }), want: Invalid, count: 1, text: "renewed after release",
		},
		{
			name:  "freed by its own earlier release",
			story: story("counter", "off").acquire("a", 0).write("a", "1").freed("a", "a").leave("a").answered("a", "lost", ""),
			want:  Invalid, count: 1, text: "freed too early",
		},
		{
			name:  "freed by its own earlier release, and at work to the end",
			story: story("counter", "off").acquire("a", 0).write("a", "1").freed("a", "a"), want: Invalid, count: 1, text: "freed too early",
		},
		{
			name: "freed by a release that was sent before it was asked for",
			story: story("counter", "off").after(time.Second).call("a").leased("a", time.Minute).
				tell(history.Event{Type: history.Freed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: time.Millisecond}).enter("a", 0).leave("a").answered("a", "lost", ""),
			want: Invalid, count: 1, text: "freed too early",
		},
		{
			name:  "freed, and told of the loss afterwards",
			story: story("counter", "off").acquire("a", 0).freed("a", "a").told("a").leave("a").answered("a", "lost", ""), want: Invalid, count: 1, text: "freed too early",
		},
		{
			name:  "told of a loss, and then freed",
			story: story("counter", "off").acquire("a", 0).told("a").freed("a", "a").leave("a").answered("a", "lost", ""), want: Valid,
		},
		{name: "a renewal that came to nothing while it worked", story: declined(story("counter", "off").acquire("a", 0).expire("a"), "a", 0).leave("a"), want: Valid},
		{
			name: "a renewal that the network sent a second time", want: Valid,
			story: func() *scriptedHistory {
				s := renewing().release("a").after(time.Second)
				return s.tell(history.Event{Type: history.NotRenewed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Sent: s.now, Again: true})
			}(),
		},
		{
			name: "a renewal sent after the release", story: declined(renewing().release("a").after(time.Second), "a", 0),
			want: Invalid, count: 1, text: "renewed after release: a's section 1 asked for a renewal of lock x",
		},
		{
			name: "a renewal of a process that has crashed after its release", want: Valid,
			story: declined(renewing().leave("a").freed("a", "a").crash("a").after(time.Second), "a", 0),
		},
		{
			name: "a renewal that the release did not wait for", story: declined(renewing().after(time.Second).release("a"), "a", 100*time.Millisecond),
			want: Invalid, count: 1, text: "renewed after release",
		},
		{
			name:  "a renewal that had been given up on",
			story: declined(renewing().after(time.Minute).release("a"), "a", 10*time.Second), want: Valid,
		},
	})
}

// Two of three servers may be slow, and the client gives up on them when it releases the lock. An
// earlier renewal that reaches one of them late does no harm; on two of them it would keep the
// lock.
func TestALateRenewalOnAMinorityIsHarmless(t *testing.T) {
	told := func(nodes ...string) *scriptedHistory {
		s := story("counter", "off")
		s.meta.Nodes, s.meta.Quorum = 3, 2
		s.call("a").grantOn("a", "lock-1").grantOn("a", "lock-2").grantOn("a", "lock-3").enter("a", 0).leave("a")
		s.tell(history.Event{Type: history.Freed, Worker: "a", Key: "x", Owner: "a", Node: "lock-1", Sent: s.now})
		s.answered("a", history.ClassOK, "")
		for _, node := range nodes {
			s.tell(history.Event{Type: history.Renewed, Worker: "a", Key: "x", Owner: "a", Node: node, Until: s.now + time.Second})
		}
		return s
	}
	judge(t, "ownership", []verdictCase{
		{name: "none", story: told(), want: Valid},
		{name: "on one", story: told("lock-3"), want: Valid},
		{name: "twice on one", story: told("lock-3", "lock-3"), want: Valid},
		{name: "on two, of one section", story: told("lock-2", "lock-3"), want: Invalid, count: 1, text: "renewed after release: lock x was renewed"},
	})
}

// The client gave up on one of three servers when it asked for the lock. That server grants the
// lock after the section has left. The section's own release was sent before the late request
// arrived and ends that grant, so no other grant is touched.
func TestASectionsOwnReleaseMayEndItsLateGrant(t *testing.T) {
	s := story("counter", "off")
	s.meta.Nodes, s.meta.Quorum = 3, 2
	s.call("a").grantOn("a", "lock-1").grantOn("a", "lock-2").enter("a", 0).leave("a")
	sent := s.now
	for _, node := range []string{"lock-1", "lock-2"} {
		s.tell(history.Event{Type: history.Freed, Worker: "a", Key: "x", Owner: "a", Node: node, Sent: sent})
	}
	s.answered("a", history.ClassOK, "")
	s.tell(history.Event{Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: "lock-3", Sent: s.now})
	s.tell(history.Event{Type: history.Freed, Worker: "a", Key: "x", Owner: "a", Node: "lock-3", Sent: sent})
	judge(t, "ownership", []verdictCase{{name: "a late grant", story: s, want: Valid}})
}

// A task that nothing stops renews a lease for hours. The check counts its section once, and its work grows with the renewals, not
// with their square: that would take minutes here.
func TestManyRenewalsAfterTheReleaseAreOneViolation(t *testing.T) {
	s := story("counter", "off").acquire("a", 0).leave("a").answered("a", "", "")
	for range 100_000 {
		s.renewed("a", "a")
	}
	judge(t, "ownership", []verdictCase{{name: "100,000 renewals", story: s, want: Invalid, count: 1, text: "renewed after release"}})
}
