package evidence

import (
	"slices"
	"testing"
	"time"

	"lockquake/history"
)

// server is an event of a lock server about the lock x.
func server(what history.Type, worker, owner string) history.Event {
	return history.Event{Type: what, Worker: worker, Key: "x", Owner: owner, Node: "lock"}
}

// called and entered are events of the first section of a worker.
func called(worker string) history.Event {
	return history.Event{Type: history.AcquireCalled, Worker: worker, Section: 1, Key: "x"}
}

func entered(worker string) history.Event {
	return history.Event{Type: history.Acquired, Worker: worker, Section: 1}
}

// of returns the evidence of events that are a second apart, the first one at 1 s.
func of(t *testing.T, meta history.Meta, events ...history.Event) *Evidence {
	t.Helper()
	h := &history.History{Meta: meta, Events: events}
	for i := range events {
		events[i].Seq, events[i].At = int64(i)+1, time.Duration(i+1)*time.Second
	}
	sections, err := h.Sections()
	if err != nil {
		t.Fatal(err)
	}
	return New(h, sections)
}

// unjudged returns the evidence of events as of does, without their sections.
func unjudged(meta history.Meta, events ...history.Event) *Evidence {
	for i := range events {
		events[i].Seq, events[i].At = int64(i)+1, time.Duration(i+1)*time.Second
	}
	return New(&history.History{Meta: meta, Events: events}, nil)
}

func late(e history.Event) history.Event { e.Late = true; return e }

func TestAGrantEndsWithTheEventThatEndedIt(t *testing.T) {
	sharing := func(worker, owner string) history.Event {
		e := server(history.Granted, worker, owner)
		e.Mode = shared
		return e
	}
	granted := server(history.Granted, "a", "a")
	elsewhere := server(history.Freed, "a", "a")
	elsewhere.Node = "lock-2"
	for _, tt := range []struct {
		name   string
		events []history.Event
		want   []int64 // the event that ended each grant; 0: none
	}{
		{"freed", []history.Event{granted, server(history.Freed, "a", "a")}, []int64{2}},
		{"freed on another server", []history.Event{granted, elsewhere}, []int64{0}},
		{"expired", []history.Event{granted, server(history.Expired, "a", "a")}, []int64{2}},
		{"evicted", []history.Event{granted, server(history.Evicted, "a", "a")}, []int64{2}},
		{"expired, and renewed late", []history.Event{granted, server(history.Expired, "a", "a"), late(server(history.Renewed, "a", "a"))}, []int64{0}},
		{"expired, and freed late", []history.Event{granted, server(history.Expired, "a", "a"), late(server(history.Freed, "a", "a"))}, []int64{3}},
		{"evicted, and renewed late", []history.Event{granted, server(history.Evicted, "a", "a"), late(server(history.Renewed, "a", "a"))}, []int64{2}},
		{"expired, replaced, and renewed late", []history.Event{
			granted, server(history.Expired, "a", "a"), server(history.Granted, "b", "b"), late(server(history.Renewed, "a", "a")),
		}, []int64{2, 0}},
		{"replaced by another grant", []history.Event{granted, server(history.Granted, "b", "b")}, []int64{2, 0}},
		{"exclusive, and beside a shared one", []history.Event{granted, sharing("b", "b"), server(history.Freed, "a", "a")}, []int64{3, 0}},
		{"exclusive, and replaced by a shared one of the same owner", []history.Event{granted, sharing("a", "a")}, []int64{2, 0}},
		{"exclusive, and replaced by a shared one whose owner has no name", []history.Event{granted, sharing("b", "")}, []int64{2, 0}},
		{"shared, and beside another shared one", []history.Event{sharing("a", "a"), sharing("b", "b"), server(history.Freed, "b", "b")}, []int64{0, 3}},
		{"shared, and beside an exclusive one", []history.Event{sharing("a", "a"), server(history.Granted, "b", "b")}, []int64{0, 0}},
		{"shared, and beside an exclusive one that another replaces", []history.Event{sharing("a", "a"), server(history.Granted, "b", "b"), server(history.Granted, "c", "c")}, []int64{0, 3, 0}},
		{"shared, and given to an owner without a name again", []history.Event{sharing("a", ""), sharing("b", "")}, []int64{2, 0}},
		{"expired, renewed late, and replaced", []history.Event{
			granted, server(history.Expired, "a", "a"), late(server(history.Renewed, "a", "a")), server(history.Granted, "b", "b"),
		}, []int64{4, 0}},
		{"shared, expired, and renewed late beside another shared one", []history.Event{
			sharing("a", "a"), server(history.Expired, "a", "a"), sharing("b", "b"), late(server(history.Renewed, "a", "a")),
		}, []int64{0, 0}},
		{"shared, expired, and freed late beside another shared one", []history.Event{
			sharing("a", "a"), server(history.Expired, "a", "a"), sharing("b", "b"), late(server(history.Freed, "a", "a")),
		}, []int64{4, 0}},
		{"shared, expired, taken over by an exclusive one, and renewed late", []history.Event{
			sharing("a", "a"), server(history.Expired, "a", "a"), server(history.Granted, "b", "b"), late(server(history.Renewed, "a", "a")),
		}, []int64{2, 0}},
		{"shared, expired, given again, and freed late", []history.Event{
			sharing("a", "a"), server(history.Expired, "a", "a"), sharing("a", "a"), server(history.Expired, "a", "a"), late(server(history.Freed, "a", "a")),
		}, []int64{2, 5}},
		{"exclusive, expired, beside a shared one, and renewed late", []history.Event{
			granted, server(history.Expired, "a", "a"), sharing("b", "b"), late(server(history.Renewed, "a", "a")),
		}, []int64{2, 0}},
		{"shared, renewed as exclusive, beside a shared one, and replaced", []history.Event{sharing("a", "a"), server(history.Renewed, "a", "a"), sharing("b", "b"), server(history.Granted, "c", "c")}, []int64{4, 0, 0}},
		{"an end without an owner ends all", []history.Event{sharing("a", "a"), sharing("b", "b"), server(history.Evicted, "", "")}, []int64{3, 3}},
		{"an end without an owner ends all, also one without an owner", []history.Event{sharing("a", "a"), sharing("b", ""), server(history.Evicted, "", "")}, []int64{3, 3}},
		{"an end of an owner that the grant does not name", []history.Event{server(history.Granted, "a", ""), server(history.Freed, "a", "a")}, []int64{2}},
	} {
		var got []int64
		for _, g := range unjudged(history.Meta{}, tt.events...).Ledger().Grants {
			seq := int64(0)
			if g.Ended != nil {
				seq = g.Ended.Seq
			}
			got = append(got, seq)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: ended by the events %v, want %v", tt.name, got, tt.want)
		}
	}
}

// A renewal that comes after another worker has freed the grant is not the fault of the owner.
func TestOnlyTheRenewalOfAGrantThatItsWorkerFreedIsDeclined(t *testing.T) {
	for _, tt := range []struct {
		name  string
		freer string
		want  int
	}{
		{"freed by its worker", "a", 1},
		{"freed by another worker", "b", 0},
	} {
		in := unjudged(history.Meta{}, server(history.Granted, "a", "a"), server(history.Freed, tt.freer, "a"), server(history.NotRenewed, "a", "a"))
		if got := len(in.Ledger().Declined); got != tt.want {
			t.Errorf("%s: %d declined renewals, want %d", tt.name, got, tt.want)
		}
	}
}

// b asks at 1 s. The grant of a ends at 3 s, and b gets the lock at the same instant.
func TestTheNextGrantIsOneThatWaitedInTheQueueOfTheServer(t *testing.T) {
	for _, tt := range []struct {
		name string
		sent time.Duration // of b's request
		at   time.Duration // of b's grant
		node string
		want bool
	}{
		{"it waited", time.Second, 3 * time.Second, "lock", true},
		{"it is later", time.Second, 3*time.Second + 1, "lock", false},
		{"on another server", time.Second, 3 * time.Second, "lock-2", false},
		{"sent at the same instant", 3 * time.Second, 3 * time.Second, "lock", false},
		{"it is unknown when it was sent", 0, 3 * time.Second, "lock", false},
	} {
		granted := server(history.Granted, "b", "b")
		granted.Sent, granted.Node = tt.sent, tt.node
		in := unjudged(history.Meta{}, server(history.Granted, "a", "a"), server(history.Refused, "b", "a"), server(history.Freed, "a", "a"), granted)
		in.Events[3].At = tt.at
		if next := in.Ledger().Next(in.Ledger().Grants[0]); (next != nil) != tt.want {
			t.Errorf("%s: next is %v, want %v", tt.name, next != nil, tt.want)
		}
	}
}

func TestASectionFoundItsLockTaken(t *testing.T) {
	ended := history.Event{Type: history.Released, Worker: "b", Section: 1, Class: history.ClassNotObtained}
	reader := server(history.Granted, "a", "a")
	reader.Mode = shared
	other := server(history.Granted, "c", "c")
	other.Mode = shared
	late := server(history.Renewed, "a", "a")
	late.Mode, late.Late = shared, true
	// took is a grant to b at 3 s, the instant at which that of a ends, which b asked for at 2 s or at an unknown time.
	took := func(sent time.Duration) []history.Event {
		granted := server(history.Granted, "b", "b")
		granted.Sent = sent
		return []history.Event{server(history.Granted, "a", "a"), called("b"), server(history.Freed, "a", "a"), granted, entered("b")}
	}
	for sent, want := range map[time.Duration]bool{2 * time.Second: true, 0: false} {
		in := of(t, history.Meta{}, took(sent)...)
		in.Events[3].At = in.Events[2].At
		if got := in.FoundTaken(in.Sections[0]); got != want {
			t.Errorf("let in as the other grant ended, asked for at %v: %v, want %v", sent, got, want)
		}
	}
	for _, tt := range []struct {
		name   string
		events []history.Event
		want   bool
	}{
		{"let in without a grant", []history.Event{called("b"), entered("b")}, false},
		{"refused because of another's grant", []history.Event{server(history.Granted, "a", "a"), called("b"), server(history.Refused, "b", "a"), ended}, true},
		{"refused, though the server has recorded no grant", []history.Event{called("b"), server(history.Refused, "b", "a"), ended}, true},
		{"refused because of its own grant", []history.Event{called("b"), server(history.Granted, "b", "b"), server(history.Refused, "b", "b"), ended}, false},
		{"never answered, and another held it", []history.Event{server(history.Granted, "a", "a"), called("b"), ended}, true},
		{"never answered, and no other held it any more", []history.Event{server(history.Granted, "a", "a"), called("b"), server(history.Freed, "a", "a"), ended}, false},
		{"never answered, and a reader held it, beside which a writer was let in and has left", []history.Event{
			reader, server(history.Granted, "c", "c"), called("b"), server(history.Freed, "c", "c"), ended,
		}, true},
		{"never answered, and a reader held it, whose lease was over when another one was let in, and was renewed then", []history.Event{
			reader, server(history.Expired, "a", "a"), other, late, called("b"), server(history.Freed, "c", "c"), ended,
		}, true},
		{"never answered, and its own grant held it", []history.Event{called("b"), server(history.Granted, "b", "b"), ended}, false},
		{"never answered, and another has got it since", []history.Event{called("b"), ended, server(history.Granted, "a", "a")}, false},
		{"let in at once", []history.Event{called("b"), server(history.Granted, "b", "b"), entered("b")}, false},
	} {
		in := of(t, history.Meta{}, tt.events...)
		if got := in.FoundTaken(in.Sections[0]); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
