package evidence

import (
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
