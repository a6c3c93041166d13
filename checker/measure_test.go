package checker

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/history"
)

// measured returns the metrics of a history, which must be valid.
func measured(t *testing.T, s *scriptedHistory) Metrics {
	t.Helper()
	return measuredOf(t, s.history())
}

func measuredOf(t *testing.T, h *history.History) Metrics {
	t.Helper()
	sections, err := h.Sections()
	if err != nil {
		t.Fatal(err)
	}
	_, m, err := Judge(h, sections, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every event comes a millisecond after the one before it.
func TestMetricsCountCallsWaitsAndHolds(t *testing.T) {
	s := story("counter", "off")
	s.meta.Workers = []string{"a", "b", "c"}
	s.acquire("a", 0)               // called at 1 ms, granted at 2, inside at 3
	s.call("b").refusedBy("b", "a") // 4, 5
	s.read("a", "0").write("a", "1")
	s.release("a")             // left at 12, freed at 13, returned at 14
	s.grant("b").enter("b", 0) // inside at 16
	s.release("b")             // left at 17, freed at 18, returned at 19
	m := measured(t, s)
	if m.Calls != 2 || m.Acquisitions != 2 || m.Refusals != 1 || m.LossesNoticed+m.LossesUnnoticed != 0 {
		t.Errorf("%+v", m)
	}
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	if m.Wait.N != 2 || m.Wait.Total != SumOf(ms(2+12)) || m.Wait.Max != ms(12) {
		t.Errorf("waits: %d, %v in all, at most %v", m.Wait.N, m.Wait.Total, m.Wait.Max)
	}
	if m.Hold.Total != SumOf(ms(9+1)) {
		t.Errorf("held for %v", m.Hold.Total)
	}
	// From 1 to 3 ms a waits while the lock is free, from 14 to 16 ms b does.
	if m.Unavailable != SumOf(ms(4)) {
		t.Errorf("unavailable for %v", m.Unavailable)
	}
	// Two of three got one each: (1+1)^2 / (3 x (1+1)).
	if m.Fairness < 0.666 || m.Fairness > 0.667 {
		t.Errorf("fairness %v", m.Fairness)
	}
}

func TestALossIsNoticedWhenTheHolderIsTold(t *testing.T) {
	// a loses its lock at 4 ms, writes at 6, is told at 8, writes again at 10.
	noticed := story("counter", "off").acquire("a", 0).expire("a").write("a", "1").told("a").write("a", "2")
	noticed.release("a")
	m := measured(t, noticed)
	if m.LossesNoticed != 1 || m.LossesUnnoticed != 0 || m.ActsAfterLoss != 1 || m.Notice.Max != 4*time.Millisecond {
		t.Errorf("noticed: %+v", m)
	}
	if m.Wasted != m.Hold.Total || m.Wasted == (Sum{}) {
		t.Errorf("wasted %v, held for %v", m.Wasted, m.Hold.Total)
	}
	before := story("counter", "off").acquire("a", 0).write("a", "1").expire("a").refuse("a", "write", "2").told("a").write("a", "3").leave("a").answered("a", "lost", "lost")
	if m := measured(t, before); m.LossesNoticed != 1 || m.ActsAfterLoss != 0 {
		t.Errorf("writes before the loss, and a refused one, are no acts after it: %+v", m)
	}
	answered := story("counter", "off").acquire("a", 0).expire("a").leave("a").answered("a", "lost", "lost")
	if m := measured(t, answered); m.LossesNoticed != 1 || m.Notice.Max != 2*time.Millisecond {
		t.Errorf("noticed by the answer: %+v", m)
	}
	unnoticed := story("counter", "off").acquire("a", 0).expire("a").write("a", "1").write("a", "2").release("a")
	if m := measured(t, unnoticed); m.LossesNoticed != 0 || m.LossesUnnoticed != 1 || m.ActsAfterLoss != 2 {
		t.Errorf("unnoticed: %+v", m)
	}
	late := story("counter", "off").acquire("a", 0).release("a").expire("a")
	if m := measured(t, late); m.LossesNoticed+m.LossesUnnoticed != 0 || m.Wasted != (Sum{}) {
		t.Errorf("a lease that ends after the section is no loss: %+v", m)
	}
}

// The figures of two runs add up, and fairness is their mean.
func TestMetricsOfTwoRunsAddUp(t *testing.T) {
	one := story("counter", "off").acquire("a", 0).write("a", "1").release("a")
	one.meta.Workers = []string{"a"}
	two := story("counter", "off").acquire("a", 0).expire("a").release("a")
	two.meta.Workers = []string{"a", "b"}
	a, b := measured(t, one), measured(t, two)
	var sum Metrics
	sum.Add(&a)
	sum.Add(&b)
	if diff := cmp.Diff([]int64{2, 2, 1, 2, 1}, []int64{sum.Calls, sum.Acquisitions, sum.LossesUnnoticed, sum.Released.N, sum.MostWaiting}); diff != "" {
		t.Error(diff)
	}
	if sum.Runs != 2 || sum.Fairness != 0.75 || sum.Time.Float() != a.Time.Float()+b.Time.Float() || sum.Waiting.Float() != a.Waiting.Float()+b.Waiting.Float() || sum.Wait.N != 2 {
		t.Errorf("%+v", sum)
	}
}

// Each figure is set by name, so that a new figure of Metrics makes this test fail until Add adds it.
func TestEachFigureOfTwoRunsAddsUp(t *testing.T) {
	one := Metrics{}
	figures := reflect.ValueOf(&one).Elem()
	for i := range figures.NumField() {
		switch f := figures.Field(i).Addr().Interface().(type) {
		case *int64:
			*f = int64(i + 1)
		case *Sum:
			*f = SumOf(int64(i + 1))
		case *Spread:
			f.Add(time.Duration(i + 1))
		case *float64:
			*f = 1
		default:
			t.Fatalf("the test cannot fill %s", figures.Type().Field(i).Name)
		}
	}
	var sum Metrics
	sum.Add(&one)
	sum.Add(&one)
	added := reflect.ValueOf(sum)
	for i := range added.NumField() {
		name, n := added.Type().Field(i).Name, int64(i+1)
		want := 2 * n
		if name == "MostWaiting" {
			want = n
		}
		switch f := added.Field(i).Interface().(type) {
		case int64:
			if f != want {
				t.Errorf("%s is %d, want %d", name, f, want)
			}
		case Sum:
			if f != SumOf(want) {
				t.Errorf("%s is %v, want %d", name, f, want)
			}
		case Spread:
			if f.N != 2 || f.Total != SumOf(want) || f.Max != time.Duration(n) {
				t.Errorf("%s is %+v, want two durations of %d", name, f, n)
			}
		}
	}
	if sum.Fairness != 1 {
		t.Errorf("the mean fairness of two fair runs is %v", sum.Fairness)
	}
}

// With three servers and a quorum of two, the end of one grant is no loss, but the end of a second
// one is.
func TestALossNeedsTheEndOfAQuorum(t *testing.T) {
	three := func(ends int) Metrics {
		s := story("counter", "off").call("a").grantOn("a", "lock-1").grantOn("a", "lock-2").grantOn("a", "lock-3").enter("a", 0)
		s.meta.Nodes, s.meta.Quorum = 3, 2
		for i := range ends {
			s.expireOn("a", []string{"lock-2", "lock-3"}[i])
		}
		return measured(t, s.write("a", "1").leave("a").ofSection("a", "released"))
	}
	if m := three(1); m.LossesUnnoticed != 0 {
		t.Errorf("one of three ended: %+v", m)
	}
	if m := three(2); m.LossesUnnoticed != 1 || m.ActsAfterLoss != 1 {
		t.Errorf("two of three ended: %+v", m)
	}
}

// Each section that was answered is counted once by its way in, with the time that this took.
func TestASectionIsCountedByItsWayIn(t *testing.T) {
	const lockTimeout = "canceling statement due to lock timeout"
	type counts struct{ acquired, refused, timedOut, failed, contended int64 }
	// The holder a enters at 3 ms, and the section of b is called at 4.
	three := story("counter", "off")
	three.meta.Nodes, three.meta.Quorum = 3, 2
	refusal := func(node string) history.Event {
		return history.Event{Type: history.Refused, Worker: "b", Key: "x", Owner: "a", Node: node}
	}
	resent := refusal("lock")
	resent.Again = true
	held := func() *scriptedHistory { return story("counter", "off").acquire("a", 0).call("b") }
	for _, test := range []struct {
		name  string
		story *scriptedHistory
		want  counts
		took  time.Duration // from the call to the answer, or the longest wait if there was none
	}{
		{"let in", story("counter", "off").call("b").grant("b").enter("b", 0), counts{acquired: 1}, 2 * time.Millisecond},
		{"refused at its only attempt", held().refusedBy("b", "a").answered("b", "not-obtained", ""), counts{1, 1, 0, 0, 1}, 2 * time.Millisecond},
		{
			"refused once, and let in when the lock is free",
			held().refusedBy("b", "a").release("a").grant("b").enter("b", 0),
			counts{acquired: 2, contended: 1},
			6 * time.Millisecond,
		},
		{
			"a resent request is no second attempt",
			held().refusedBy("b", "a").tell(resent).answered("b", "not-obtained", ""),
			counts{1, 1, 0, 0, 1},
			3 * time.Millisecond,
		},
		{
			"attempts used up",
			held().refusedBy("b", "a").refusedBy("b", "a").answered("b", "not-obtained", "2 attempts"),
			counts{1, 0, 1, 0, 1},
			3 * time.Millisecond,
		},
		{
			"two of three servers refuse its only attempt",
			three.call("a").grantOn("a", "lock-1").grantOn("a", "lock-2").enter("a", 0).call("b").
				tell(refusal("lock-1")).tell(refusal("lock-2")).answered("b", "not-obtained", ""),
			counts{1, 1, 0, 0, 1},
			3 * time.Millisecond,
		},
		{
			"the server ends its wait in the queue",
			held().after(time.Second).answered("b", "not-obtained", lockTimeout),
			counts{1, 0, 1, 0, 1},
			time.Second + time.Millisecond,
		},
		{
			"a writer waits in the queue behind the first of two readers",
			story("counter", "off").call("a").share("a").enter("a", 0).call("c").share("c").enter("c", 0).release("c").call("b").answered("b", "not-obtained", lockTimeout),
			counts{2, 0, 1, 0, 1},
			time.Millisecond,
		},
		{"not obtained, and no section has the lock", story("counter", "off").call("b").answered("b", "not-obtained", "it is done"), counts{refused: 1}, time.Millisecond},
		{"its context ends while it polls", held().refusedBy("b", "a").answered("b", "cancelled", ""), counts{1, 0, 1, 0, 1}, 2 * time.Millisecond},
		{"its context ends before anything is asked", story("counter", "off").call("b").answered("b", "cancelled", ""), counts{timedOut: 1}, time.Millisecond},
		{"a lost reply", story("counter", "off").call("b").answered("b", "unknown", ""), counts{failed: 1}, time.Millisecond},
		{"an error of the server", story("counter", "off").call("b").answered("b", "other", "READONLY"), counts{failed: 1}, time.Millisecond},
		{"ok without being let in", story("counter", "off").call("b").answered("b", "", ""), counts{failed: 1}, time.Millisecond},
		{"crashed while it waited", held().refusedBy("b", "a").crash("b"), counts{acquired: 1, contended: 1}, 2 * time.Millisecond},
		{"still waiting at the end", held(), counts{acquired: 1, contended: 1}, 2 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := measured(t, test.story)
			got := counts{m.Acquisitions, m.Refused.N, m.TimedOut.N, m.Failed.N, m.Contended}
			if got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			took := m.Wait.Max
			if m.Refused.N+m.TimedOut.N+m.Failed.N > 0 {
				took = max(m.Refused.Max, m.TimedOut.Max, m.Failed.Max)
			}
			if took != test.took {
				t.Errorf("took %v, want %v", took, test.took)
			}
			if m.ContendedOf != m.Calls {
				t.Errorf("contention is judged of %d sections, want %d", m.ContendedOf, m.Calls)
			}
		})
	}
}

// A waiter in the queue of a server is granted the lock at the instant at which the holder's grant
// ends. Its own earlier grant is no contention, and a grant that was asked for at that instant is
// none either.
func TestALockThatIsHandedOverWasContended(t *testing.T) {
	for _, test := range []struct {
		name   string
		worker string
		asked  time.Duration // before the grant
		later  time.Duration // after the end of the other grant
		want   int64
	}{
		{"waited in the queue", "b", time.Millisecond, 0, 1},
		{"asked as it became free", "b", 0, 0, 0},
		{"became free before", "b", time.Millisecond, time.Microsecond, 0},
		{"takes it again", "a", time.Millisecond, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var r history.Recorder
			for _, e := range []history.Event{
				{At: 1 * time.Millisecond, Type: history.AcquireCalled, Worker: "a", Section: 1, Key: "x"},
				{At: 2 * time.Millisecond, Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: "lock"},
				{At: 3 * time.Millisecond, Type: history.Acquired, Worker: "a", Section: 1},
				{At: 4 * time.Millisecond, Type: history.AcquireCalled, Worker: test.worker, Section: 2, Key: "x"},
				{At: 9 * time.Millisecond, Type: history.Freed, Worker: "a", Key: "x", Owner: "a", Node: "lock"},
				{
					At: 9*time.Millisecond + test.later, Type: history.Granted, Worker: test.worker, Key: "x", Owner: "again", Node: "lock",
					Sent: 9*time.Millisecond + test.later - test.asked,
				},
				{At: 10 * time.Millisecond, Type: history.Acquired, Worker: test.worker, Section: 2},
			} {
				r.Record(e)
			}
			if m := measuredOf(t, &history.History{Meta: history.Meta{Workload: "counter"}, Events: r.Events()}); m.Contended != test.want || m.Acquisitions != 2 {
				t.Errorf("contended %d of %d, want %d of 2", m.Contended, m.Acquisitions, test.want)
			}
		})
	}
}

// An error of the work is not counted against the lock.
func TestAReleaseFailsOnlyByAnErrorOfTheLock(t *testing.T) {
	left := func(body string) *scriptedHistory { return story("counter", "off").acquire("a", 0).failed("a", body) }
	for _, test := range []struct {
		name             string
		story            *scriptedHistory
		released, failed int64
	}{
		{"ok", left("").answered("a", "", ""), 1, 0},
		{"the work fails", left("disk full").answered("a", "other", "disk full"), 1, 0},
		{"the resource refuses a write", left("stale token").answered("a", "refused", "stale token"), 1, 0},
		{"the grant is lost", left("").answered("a", "lost", "lock lost"), 0, 1},
		{"the reply is lost", left("").answered("a", "unknown", "outcome unknown"), 0, 1},
		{"the work and the release fail", left("disk full").answered("a", "unknown", "disk full\noutcome unknown"), 0, 1},
		{"crashed inside", story("counter", "off").acquire("a", 0).crash("a"), 0, 0},
		{"not answered", left(""), 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := measured(t, test.story)
			if m.Released.N != test.released || m.ReleaseFailed.N != test.failed || m.Acquisitions != 1 {
				t.Errorf("released %d, failed %d, want %d and %d", m.Released.N, m.ReleaseFailed.N, test.released, test.failed)
			}
			if took := m.Released.Max + m.ReleaseFailed.Max; test.released+test.failed > 0 && took != time.Millisecond {
				t.Errorf("the release took %v", took)
			}
		})
	}
}

// A server that does not tell its holders says nothing about contention.
func TestContentionIsUnknownIfTheHoldersCannotBeRead(t *testing.T) {
	s := story("counter", "off").acquire("a", 0).call("b").refusedBy("b", "a").answered("b", "not-obtained", "")
	s.meta.Unread = "no function reads them"
	if m := measured(t, s); m.Contended != 0 || m.ContendedOf != 0 || m.Calls != 2 || m.Refused.N != 1 {
		t.Errorf("%+v", m)
	}
}

// A section is wasted if it has lost the lock, or a write of it was refused.
func TestARefusedReadIsNoWaste(t *testing.T) {
	for op, want := range map[string]bool{"read": false, "write": true} {
		if m := measured(t, story("counter", "reads-writes").acquire("a", 1).refuse("a", op, "1").release("a")); (m.Wasted != Sum{}) != want {
			t.Errorf("a refused %s: wasted %v", op, m.Wasted)
		}
	}
	if m := measured(t, story("counter", "off").acquire("a", 0).write("a", "1").release("a")); m.Wasted != (Sum{}) {
		t.Errorf("an accepted write: wasted %v", m.Wasted)
	}
}

// a is let in at 3 ms and returns at 6. b waits from 7 ms to the end at 9.
func TestAWaiterThatIsNeverLetInWaitsToTheEnd(t *testing.T) {
	m := measured(t, story("counter", "off").acquire("a", 0).release("a").call("b").refusedBy("b", "z").refusedBy("b", "z"))
	if want := SumOf(4 * time.Millisecond); m.Waiting != want || m.Unavailable != want || m.MostWaiting != 1 {
		t.Errorf("waited for %v, at most %d, and for %v while nobody was inside; want %v", m.Waiting, m.MostWaiting, m.Unavailable, want)
	}
}

// A lock is hardly tested if less than 1 % of its jobs were finished.
func TestALockIsTestedByTheJobsThatItFinishes(t *testing.T) {
	for _, tt := range []struct {
		finished, jobs int64
		want           string
	}{
		{0, 10, "finished 0 of 10, so nothing was tested"},
		{1, 101, "finished 1 of 101, less than 1 %, so hardly anything was tested"},
		{1, 100, ""},
	} {
		m := Metrics{Finished: tt.finished, Jobs: tt.jobs}
		if got := m.Untested(); got != tt.want {
			t.Errorf("%d of %d: %q, want %q", tt.finished, tt.jobs, got, tt.want)
		}
	}
}

func TestARunWithoutAnAcquisitionIsFair(t *testing.T) {
	s := story("counter", "off").call("a")
	s.meta.Workers = []string{"a", "b"}
	if m := measured(t, s); m.Fairness != 1 || m.CommandsEach() != 0 {
		t.Errorf("fairness %v, and %v commands for each acquisition, want 1 and 0", m.Fairness, m.CommandsEach())
	}
}

// A section that is let in at once has not waited.
func TestTheQueueOfALockCountsItsWaiters(t *testing.T) {
	s := story("counter", "off").acquire("a", 0) // called at 1 ms, inside at 3
	s.call("b").call("c")                        // 4, 5
	s.release("a").grant("b")                    // until 9
	s.stop().call("d").enter("d", 0)             // both at 9
	s.still = false
	s.enter("b", 0).tell(history.Event{Type: history.Final, Key: "x"}) // 10, 11
	m := measured(t, s)
	// a waits for 2 ms, b for 6, c for 6.
	if m.MostWaiting != 2 || m.Waiting != SumOf(14*time.Millisecond) {
		t.Errorf("at most %d waited, for %v in all", m.MostWaiting, m.Waiting)
	}
}
