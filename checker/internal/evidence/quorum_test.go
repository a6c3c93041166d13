package evidence

import (
	"slices"
	"testing"
	"time"

	"lockquake/history"
)

// on is a grant or an end of a's grant on a server, whose lease lasts until the given time.
func on(what history.Type, node string, until time.Duration) history.Event {
	e := server(what, "a", "a")
	e.Node, e.Until = node, until
	return e
}

func quorum() history.Meta { return history.Meta{Nodes: 3, Quorum: 2} }

func TestTheLeaseOfAHoldingIsTheShortest(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []history.Event
		want   time.Duration
	}{
		// The grants are given at 2, 3 and 4 s.
		{"the second", []history.Event{called("a"), on(history.Granted, "lock-1", 12*time.Second), on(history.Granted, "lock-2", 8*time.Second), on(history.Granted, "lock-3", 0)}, 5 * time.Second},
		{"the first", []history.Event{called("a"), on(history.Granted, "lock-1", 6*time.Second), on(history.Granted, "lock-2", 0), on(history.Granted, "lock-3", 15*time.Second)}, 4 * time.Second},
		{"none expires", []history.Event{called("a"), on(history.Granted, "lock-1", 0), on(history.Granted, "lock-2", 0)}, 0},
		{"that of a renewal", []history.Event{called("a"), on(history.Granted, "lock-1", 12*time.Second), on(history.Granted, "lock-2", 13*time.Second), on(history.Renewed, "lock-2", 7*time.Second)}, 3 * time.Second},
	} {
		in := of(t, quorum(), append(tt.events, entered("a"))...)
		if got := in.Holding(in.Sections[0]).Lease(); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// lock-1 and lock-2 grant the lock before a enters, and lock-3 does afterwards.
func TestAHoldingIncludesTheGrantsThatItsOwnerGotLater(t *testing.T) {
	other := on(history.Granted, "lock-4", 0)
	other.Owner = "another"
	refill := on(history.Granted, "lock-3", 0)
	refill.Request = 9
	other.Request = 10
	in := of(t, quorum(), called("a"), on(history.Granted, "lock-1", 0), on(history.Granted, "lock-2", 0), entered("a"), refill, other)
	h, grants := in.Holding(in.Sections[0]), in.Ledger().Grants
	for i, want := range []bool{true, true, true, false} {
		if got := h.Includes(grants[i]); got != want {
			t.Errorf("grant on %s: %v, want %v", grants[i].Given.Node, got, want)
		}
	}
	if (*Holding)(nil).Includes(grants[0]) {
		t.Error("a section without a known grant includes one")
	}
}

// asked is a grant that a request asked for, and no copy of one that the server had before.
func asked(node string, until time.Duration) history.Event {
	e := on(history.Granted, node, until)
	e.Request = 9
	return e
}

func left() history.Event {
	return history.Event{Type: history.ReleaseCalled, Worker: "a", Section: 1}
}

// Events 2 and 3 are the first two grants, and a enters with event 4.
func begun(more ...history.Event) []history.Event {
	return append([]history.Event{called("a"), on(history.Granted, "lock-1", 12*time.Second), on(history.Granted, "lock-2", 8*time.Second), entered("a")}, more...)
}

func TestALockIsHeldAsLongAsAQuorumHoldsIt(t *testing.T) {
	expired := func(node string) history.Event { return on(history.Expired, node, 0) }
	for _, tt := range []struct {
		name   string
		events []history.Event
		held   []int64 // the events after which it was held, of 5 and more
		loss   int64
	}{
		{"one of two ends", begun(expired("lock-1"), expired("lock-2")), nil, 5},
		{"a third server before that", begun(asked("lock-3", 0), expired("lock-1"), expired("lock-2")), []int64{5, 6}, 7},
		{"a third server after that", begun(expired("lock-1"), asked("lock-3", 0)), []int64{6}, 5},
		{"the last of three ends first", begun(asked("lock-3", 0), expired("lock-3"), expired("lock-1")), []int64{5, 6}, 7},
		{"a restored grant is no new one", begun(on(history.Granted, "lock-3", 0), expired("lock-1")), []int64{5}, 6},
		{"nothing ends", begun(asked("lock-3", 0)), []int64{5}, 0},
	} {
		in := of(t, quorum(), tt.events...)
		in.Holding(in.Sections[0])
		h := in.Holding(in.Sections[0])
		var held []int64
		for seq := int64(5); seq <= int64(len(tt.events)); seq++ {
			if h.Held(seq) {
				held = append(held, seq)
			}
		}
		loss := int64(0)
		if e := h.Loss(); e != nil {
			loss = e.Seq
		}
		if !slices.Equal(held, tt.held) || loss != tt.loss {
			t.Errorf("%s: held after the events %v and lost with event %d, want %v and %d", tt.name, held, loss, tt.held, tt.loss)
		}
	}
}

func TestALockIsFreeIfTooFewServersHoldIt(t *testing.T) {
	freed := func(node string) history.Event { return on(history.Freed, node, 0) }
	freedBy := func(worker, node string) history.Event {
		e := freed(node)
		e.Worker = worker
		return e
	}
	expired := on(history.Expired, "lock-1", 0)
	expired.Worker = ""
	for _, tt := range []struct {
		name   string
		events []history.Event
		back   int64         // the event after which it has been given back; 0: none
		until  time.Duration // when it expires on enough servers
	}{
		{"one of two is freed", begun(left(), freed("lock-1")), 6, 8 * time.Second},
		{"one of three is freed", begun(asked("lock-3", 20*time.Second), left(), freed("lock-1")), 0, 12 * time.Second},
		{"two of three are freed", begun(asked("lock-3", 20*time.Second), left(), freed("lock-1"), freed("lock-3")), 8, 12 * time.Second},
		{"one of two is freed by another worker", begun(left(), freedBy("b", "lock-1")), 0, 8 * time.Second},
		{"freed before it left", begun(freed("lock-1"), left()), 0, 8 * time.Second},
		{"one of two expires", begun(left(), expired), 0, 8 * time.Second},
		{"granted again by the same server", begun(on(history.Expired, "lock-2", 0), asked("lock-2", 30*time.Second)), 0, 12 * time.Second},
		{"renewed", begun(on(history.Renewed, "lock-2", 15*time.Second)), 0, 12 * time.Second},
	} {
		in := of(t, quorum(), tt.events...)
		h, back := in.Holding(in.Sections[0]), int64(0)
		for seq := range int64(len(tt.events)) + 1 {
			if h.GivenBack(seq + 1) {
				back = seq
				break
			}
		}
		if until := h.Until(); back != tt.back || until != tt.until {
			t.Errorf("%s: given back after event %d, until %v, want %d and %v", tt.name, back, until, tt.back, tt.until)
		}
	}
}

// Several servers are a quorum of one if each lock is asked of one of them only.
func TestServersWithLocksOfTheirOwnNeedNoQuorum(t *testing.T) {
	about := func(what history.Type, key, node string) history.Event {
		return history.Event{Type: what, Worker: "a", Key: key, Owner: "a", Node: node}
	}
	for _, tt := range []struct {
		name   string
		events []history.Event
		want   int
	}{
		{"each lock on one server, twice", []history.Event{about(history.Granted, "x", "lock-1"), about(history.Freed, "x", "lock-1"), about(history.Granted, "x", "lock-1"), about(history.Granted, "y", "lock-2")}, 1},
		{"a lock on two servers", []history.Event{about(history.Granted, "x", "lock-1"), about(history.Granted, "y", "lock-2"), about(history.Granted, "x", "lock-3")}, 2},
		{"a lock that a second server refuses", []history.Event{about(history.Granted, "x", "lock-1"), about(history.Granted, "y", "lock-2"), about(history.Refused, "x", "lock-3")}, 2},
		{"one server only", []history.Event{about(history.Granted, "x", "lock-1")}, 2},
	} {
		if got := unjudged(quorum(), tt.events...).Quorum(); got != tt.want {
			t.Errorf("%s: %d servers have to grant a lock, want %d", tt.name, got, tt.want)
		}
	}
}

// The grants of an owner that keeps them, and those that cannot be read, belong to no section.
func TestSomeSectionsHaveNoHolding(t *testing.T) {
	granted := []history.Event{called("a"), server(history.Granted, "a", "a"), entered("a")}
	for name, tt := range map[string]struct {
		meta   history.Meta
		events []history.Event
		want   bool
	}{
		"a grant":            {history.Meta{}, granted, true},
		"no grant":           {history.Meta{}, []history.Event{called("a"), entered("a")}, false},
		"a grant that stays": {history.Meta{Keeps: true}, granted, false},
		"a grant as a guess": {history.Meta{Unread: "it is a list"}, granted, false},
	} {
		in := of(t, tt.meta, slices.Clone(tt.events)...)
		if got := in.Holding(in.Sections[0]) != nil; got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// The workers' reports are the only record.
func TestAFailureIsARefusalIfTheResourceMayRefuse(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fence string
		op    history.Op
		want  Effect
	}{
		{"no policy", "", history.Op{Outcome: history.OutcomeFail}, Dropped},
		{"no tokens", "off", history.Op{Outcome: history.OutcomeFail}, Dropped},
		{"tokens", "writes", history.Op{Outcome: history.OutcomeFail}, Refused},
		{"a condition", "off", history.Op{Outcome: history.OutcomeFail, If: &history.Condition{By: "version"}}, Refused},
		{"an idempotency key", "off", history.Op{Outcome: history.OutcomeFail, Item: history.Outside("order-1", true)}, Refused},
		{"outside, without a key", "off", history.Op{Outcome: history.OutcomeFail, Item: history.Outside("order-1", false)}, Dropped},
		{"ok", "writes", history.Op{Outcome: history.OutcomeOK}, Accepted},
		{"unknown", "writes", history.Op{Outcome: history.OutcomeInfo}, Maybe},
	} {
		if got := unjudged(history.Meta{Fence: tt.fence}).Effect(&tt.op); got != tt.want {
			t.Errorf("%s: effect %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestAnEffectHasTheBestRecordOfItsTime(t *testing.T) {
	for _, tt := range []struct {
		name            string
		op              history.Op
		effect, settled int64
	}{
		{"the resource's", history.Op{Invoke: 3, Applied: 5, Return: 7, Outcome: history.OutcomeOK}, 5, 7},
		{"the resource's, and the outcome is unknown", history.Op{Invoke: 3, Applied: 5, Return: 4, Outcome: history.OutcomeInfo}, 5, 5},
		{"the worker's", history.Op{Invoke: 3, Return: 7, Outcome: history.OutcomeOK}, 7, 7},
		{"the call, as the outcome is unknown", history.Op{Invoke: 3, Return: 7, Outcome: history.OutcomeInfo}, 3, Forever},
		{"the call, as there was no answer", history.Op{Invoke: 3, Outcome: history.OutcomeInfo}, 3, Forever},
	} {
		if effect, settled := EffectSeq(&tt.op), SettledBy(&tt.op); effect != tt.effect || settled != tt.settled {
			t.Errorf("%s: effect at event %d, settled by %d, want %d and %d", tt.name, effect, settled, tt.effect, tt.settled)
		}
	}
}
