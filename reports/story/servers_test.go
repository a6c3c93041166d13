package story

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"lockquake/history"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// The holder is the worker with a majority of the servers. The story names the server
// that ends the majority.
func TestALockOnSeveralServersIsToldAsOneLock(t *testing.T) {
	s, err := scenarios.Load("redlock-clock-step")
	if err != nil {
		t.Fatal(err)
	}
	trial, err := run.Once(s, run.Request{Label: "redlock", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Tell(trial).Write(&out, InFile()); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"worker-1 gets the lock worker-1 worker-1 10.007s",
		"lock-3 has its wall clock set forward by 20s",
		"lock-3 loses worker-1's key, and with it the majority,",
		"worker-2 gets the lock worker-1 worker-2 worker-2 12.037s",
		"worker-2 writes 1 over worker-1's 1: update lost",
		"worker-2 releases the lock nobody free",
	} {
		at := strings.Index(text, want)
		if at < 0 {
			t.Fatalf("the story does not say %q from here on:\n%s", want, out.String())
		}
		text = text[at:]
	}
	if strings.Contains(out.String(), "frees the lease") {
		t.Errorf("nobody freed another one's lease:\n%s", out.String())
	}
}

// The record of a lease may stay after its end. If a renewal of its holder arrives late, the lease is that holder's again.
func TestALateRenewalIsToldAsOne(t *testing.T) {
	events := []history.Event{
		{Type: history.AcquireCalled, Worker: "a", Section: 1, Key: "x"},
		{Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: "lock", Until: 2 * time.Second},
		{Type: history.Acquired, Worker: "a", Section: 1},
		{At: time.Second, Type: history.Released, Worker: "a", Section: 1, Class: history.ClassUnknown, Err: "no answer"},
		{At: 2 * time.Second, Type: history.Expired, Worker: "a", Key: "x", Owner: "a", Node: "lock"},
		{At: 3 * time.Second, Type: history.Renewed, Worker: "a", Key: "x", Owner: "a", Node: "lock", Until: 5 * time.Second, Late: true},
	}
	for i := range events {
		events[i].Seq = int64(i + 1)
	}
	trial := &results.Trial{History: &history.History{Meta: history.Meta{Workers: []string{"a"}}, Events: events}}
	for _, l := range Tell(trial).Lines {
		if l.Text == "renews its lease, which was over" && l.Actor == "a" && l.Lease == "a 5.000s" {
			return
		}
	}
	t.Errorf("no line tells the renewal: %+v", Tell(trial).Lines)
}

// A lease of a holder that shares the lock may be over, and its record still be there. A late release or renewal of it changes no
// lease of another holder.
func TestALateRequestTouchesNoLeaseBeside(t *testing.T) {
	late := func(what history.Type, until time.Duration) history.Event {
		return history.Event{At: 3 * time.Second, Type: what, Worker: "a", Key: "x", Owner: "of-a", Node: "lock", Mode: shared, Until: until, Late: true}
	}
	for _, tt := range []struct {
		late       history.Event
		want, cell string
	}{
		{late(history.Freed, 0), "releases the lock", "b 9.000s"},
		{late(history.Renewed, 8*time.Second), "renews its lease, which was over", "a and 1 more"},
	} {
		granted := func(worker string, until time.Duration) history.Event {
			return history.Event{Type: history.Granted, Worker: worker, Key: "x", Owner: "of-" + worker, Node: "lock", Mode: shared, Until: until}
		}
		events := []history.Event{
			{Type: history.AcquireCalled, Worker: "a", Section: 1, Key: "x"},
			{Type: history.AcquireCalled, Worker: "b", Section: 1, Key: "x"},
			granted("a", 2*time.Second),
			granted("b", 9*time.Second),
			{Type: history.Acquired, Worker: "a", Section: 1},
			{Type: history.Acquired, Worker: "b", Section: 1},
			{At: 2 * time.Second, Type: history.Expired, Worker: "a", Key: "x", Owner: "of-a", Node: "lock"},
			tt.late,
		}
		for i := range events {
			events[i].Seq = int64(i + 1)
		}
		trial := &results.Trial{History: &history.History{Meta: history.Meta{Workers: []string{"a", "b"}}, Events: events}}
		lines := Tell(trial).Lines
		if l := lines[len(lines)-1]; l.Actor != "a" || l.Text != tt.want || l.Lease != tt.cell {
			t.Errorf("%s: %q of %s, lease %q, want %q, lease %q", tt.late.Type, l.Text, l.Actor, l.Lease, tt.want, tt.cell)
		}
	}
}

// A session of a database can take the lock that it shares for itself, and share it again.
func TestAStorySaysThatAHolderSharesItsLock(t *testing.T) {
	renewed := func(at time.Duration, mode string) history.Event {
		return history.Event{At: at, Type: history.Renewed, Worker: "a", Key: "x", Owner: "session-1", Node: "lock", Mode: mode}
	}
	events := []history.Event{
		{Type: history.AcquireCalled, Worker: "a", Section: 1, Key: "x"},
		{Type: history.Granted, Worker: "a", Key: "x", Owner: "session-1", Node: "lock", Mode: shared},
		{Type: history.Acquired, Worker: "a", Section: 1},
		renewed(time.Second, "exclusive"),
		renewed(2*time.Second, shared),
	}
	for i := range events {
		events[i].Seq = int64(i + 1)
	}
	trial := &results.Trial{History: &history.History{Meta: history.Meta{Workers: []string{"a"}}, Events: events}}
	var got []string
	for _, l := range Tell(trial).Lines {
		got = append(got, l.Text)
	}
	if want := []string{"gets the lock", "no longer shares the lock", "shares the lock from now on"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A request that is sent after its worker has got the lock, and that does not get it, is a renewal. One that was sent before
// asks for the lock, also if it arrives later. In the workload nested it asks for the inner section.
func TestARequestThatIsRefusedInsideASectionIsToldAsOne(t *testing.T) {
	tests := []struct {
		workload, want string
	}{
		{"counter", "a its renewal is refused 2 times, 6.000s to 8.000s"},
		{"nested", "a its inner section is refused 2 times, 6.000s to 8.000s"},
	}
	for i, tt := range slices.Concat(tests, tests) {
		quorum := 2 * (i / len(tests))
		refused := func(at, sent time.Duration) history.Event {
			return history.Event{At: at, Type: history.Refused, Worker: "a", Key: "x", Owner: "b", Node: "lock", Sent: sent, Until: 9 * time.Second}
		}
		events := []history.Event{
			{Type: history.AcquireCalled, Worker: "a", Section: 1, Key: "x"},
			refused(time.Second, time.Second/2),
			{At: 2 * time.Second, Type: history.Acquired, Worker: "a", Section: 1},
			refused(3*time.Second, time.Second),
			refused(6*time.Second, 5*time.Second),
			refused(8*time.Second, 7*time.Second),
			{At: 9 * time.Second, Type: history.Released, Worker: "a", Section: 1, Class: history.ClassOK},
		}
		for i := range events {
			events[i].Seq = int64(i + 1)
		}
		trial := &results.Trial{History: &history.History{Meta: history.Meta{Workload: tt.workload, Workers: []string{"a"}, Quorum: quorum}, Events: events}}
		var got []string
		for _, l := range Tell(trial).Lines {
			if strings.Contains(l.Text, "refused") {
				got = append(got, l.Actor+" "+l.Text)
			}
		}
		want := []string{"a refused 2 times, 1.000s to 3.000s", tt.want}
		if !slices.Equal(got, want) {
			t.Errorf("%s, quorum %d: %q, want %q", tt.workload, quorum, got, want)
		}
	}
}

// Several holders share a lock. A wrong lock gives an exclusive grant beside them, which ends none of theirs. An end is that of one owner.
func TestALockCanHaveSeveralLeases(t *testing.T) {
	grant := func(worker, mode string) *history.Event {
		return &history.Event{Type: history.Granted, Worker: worker, Owner: "of-" + worker, Mode: mode}
	}
	l := &lockState{}
	for _, worker := range []string{"a", "b", "c"} {
		l.grant(grant(worker, shared))
	}
	check := func(cell string, workers ...string) {
		t.Helper()
		if got := l.cell(); got != cell {
			t.Errorf("the lock is %q, want %q", got, cell)
		}
		for _, worker := range []string{"a", "b", "c", "d"} {
			if got, want := l.has(worker), slices.Contains(workers, worker); got != want {
				t.Errorf("%s has it: %v, want %v", worker, got, want)
			}
		}
	}
	check("c and 2 more", "a", "b", "c")
	l.end("of-c")
	check("b and 1 more", "a", "b")
	l.end("of-a")
	check("b", "b")
	l.end("of-b")
	check("free")
	l.grant(grant("a", shared))
	l.grant(grant("b", shared))
	l.grant(grant("c", ""))
	check("c and 2 more", "a", "b", "c")
	l.grant(grant("d", ""))
	check("d and 2 more", "a", "b", "d")
	l.end("of-c") // once more
	check("d and 2 more", "a", "b", "d")
	l.end("of-a")
	l.end("of-d")
	check("b", "b")
}
