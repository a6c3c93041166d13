package checker

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// polled returns a history of waiters that are refused again and again: each of them first at its
// own start time, and then after every pause.
func polled(waiters, rounds int, start func(waiter int) time.Duration, pause func() time.Duration) *scriptedHistory {
	t := story("counter", "off").acquire("holder", 0)
	type ask struct {
		at     time.Duration
		waiter string
	}
	var asks []ask
	for w := range waiters {
		name := fmt.Sprintf("w%d", w)
		t.call(name)
		at := time.Second + start(w)
		for range rounds {
			asks = append(asks, ask{at, name})
			at += pause()
		}
	}
	slices.SortStableFunc(asks, func(a, b ask) int { return int(a.at - b.at) })
	t.stop()
	for _, a := range asks {
		t.now = a.at
		t.refusedBy(a.waiter, "holder")
	}
	return t.release("holder")
}

// spinning returns a history of one waiter that asks that many times, and of the grants in its way,
// each of which refuses the given number of requests.
func spinning(asks, each int, pause time.Duration) *scriptedHistory {
	t := story("counter", "off").acquire("holder0", 0).call("w").stop()
	for i := range asks {
		t.after(pause)
		if n := i / each; i%each == 0 && i > 0 {
			t.release(fmt.Sprintf("holder%d", n-1)).acquire(fmt.Sprintf("holder%d", n), 0)
		}
		t.refusedBy("w", fmt.Sprintf("holder%d", i/each))
	}
	return t
}

func TestAskingWithoutAPauseIsAViolation(t *testing.T) {
	const all = 10_000 // requests that one grant refuses
	judge(t, "load", []verdictCase{
		{
			name: "a busy loop over a round trip of 1 ms", story: spinning(1000, all, time.Millisecond), want: Invalid, count: 1,
			text: "without a pause: section 1 of w asked lock for lock x 100 times within 99ms, and one grant was in the way all the time",
		},
		{name: "a busy loop over a round trip of 20 ms", story: spinning(200, all, 20*time.Millisecond), want: Invalid, count: 1, text: "without a pause"},
		{name: "every 25 ms", story: spinning(1000, all, 25*time.Millisecond), want: Valid},
		{name: "every 100 ms, for a minute", story: spinning(600, all, 100*time.Millisecond), want: Valid},
		{name: "a busy loop that is soon over", story: spinning(100, all, time.Millisecond), want: Valid},
		{name: "a busy loop that takes a little longer", story: spinning(101, all, time.Millisecond), want: Invalid, count: 1, text: "without a pause"},
		{name: "told of every release, of grants that are short", story: spinning(1000, 2, time.Millisecond), want: Valid},
		{
			name: "two sections that spin are two", story: spinning(200, all, time.Millisecond).answered("w", "not-obtained", "").
				call("w").spin("w", 200), want: Invalid, count: 2, text: "without a pause",
		},
		{name: "two sections that share the requests", story: spinning(90, all, time.Millisecond).answered("w", "not-obtained", "").
			call("w").spin("w", 90), want: Valid},
	})
}

func TestASectionThatSpinsIsOneFinding(t *testing.T) {
	if got := mustRun(t, spinning(1000, 10_000, time.Millisecond).history(), "load")[0]; got.Count != 1 || len(got.Findings) != 1 {
		t.Errorf("%d violations with %d findings, want one", got.Count, len(got.Findings))
	}
}

// spin makes a waiter ask every millisecond while holder0 has the lock.
func (t *scriptedHistory) spin(w string, asks int) *scriptedHistory {
	for range asks {
		t.after(time.Millisecond).refusedBy(w, "holder0")
	}
	return t
}

func TestPollingInStepIsAViolation(t *testing.T) {
	const every = 100 * time.Millisecond
	always := func() time.Duration { return every }
	random := rand.New(rand.NewPCG(1, 1))
	jittered := func() time.Duration { return every + time.Duration(random.Int64N(int64(every/2))) }
	together := func(int) time.Duration { return 0 }
	spread := func(w int) time.Duration { return time.Duration(w) * every / 50 }
	judge(t, "load", []verdictCase{
		{name: "nobody waits", story: story("counter", "off").acquire("a", 0).release("a"), want: Valid},
		{
			name: "a herd", story: polled(50, 11, together, always),
			want: Invalid, count: 10, text: "in step: 50 requests of waiting workers came to lock within 0s from 1.1s on, where 5.0 are the mean",
		},
		{
			name: "a herd that is a little apart", story: polled(50, 11, func(w int) time.Duration { return time.Duration(w) * 150 * time.Microsecond }, always),
			want: Invalid, count: 10, text: "in step: 50 requests of waiting workers came to lock within 7.35ms from 1.1s on",
		},
		{name: "spread evenly", story: polled(50, 11, spread, always), want: Valid},
		{name: "all at once, with jitter", story: polled(50, 100, together, jittered), want: Valid},
		{name: "few are no herd", story: polled(9, 11, together, always), want: Valid},
		{name: "twice is chance", story: polled(50, 3, together, always), want: Valid},
		{name: "the first requests are the workload's", story: polled(50, 1, together, always), want: Valid},
		{
			name: "three peaks among many requests",
			story: func() *scriptedHistory {
				s := polled(50, 100, spread, always)
				for range 3 {
					s.after(time.Second)
					for w := range 50 {
						s.refusedBy(fmt.Sprintf("w%d", w), "holder")
					}
				}
				return s
			}(),
			want: Valid,
		},
		{
			name: "each section of a herd asks once",
			story: func() *scriptedHistory {
				s := story("counter", "off").acquire("holder", 0).stop()
				for range 11 {
					s.after(every)
					for w := range 50 {
						name := fmt.Sprintf("w%d", w)
						s.call(name).refusedBy(name, "holder").answered(name, "not-obtained", "")
					}
				}
				return s
			}(),
			want: Valid,
		},
		{
			name: "piled up behind a suspended server",
			story: func() *scriptedHistory {
				s := polled(50, 11, spread, always)
				for range 5 {
					s.fault("suspend", "lock", time.Second)
					for w := range 50 {
						s.refusedBy(fmt.Sprintf("w%d", w), "holder")
					}
				}
				return s
			}(),
			want: Valid,
		},
	})
}
