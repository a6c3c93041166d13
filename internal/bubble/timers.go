package bubble

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
)

// The runtime of Go fires no timer late in a bubble: it sets the clock to the time of the earliest timer (synctestRun in
// runtime/synctest.go). A bubble has one heap of timers, and each entry repeats the time of its timer. delay changes both: the
// runtime removes the timer of a channel from the heap while no goroutine waits for it, adds it again with the time of the timer, and stops
// the program if this is in the past. 1 ns before a late timer fires, before gives the timer, and not its entry, the
// time at which it was due. Then the runtime does with a late timer what it does in a process that has been stopped: a ticker sends
// one tick and keeps its phase, and the value that a channel gets is the time at which the timer was due.

// knownGo is the prefix of the versions of Go whose layouts are those below.
const knownGo = "go1.26"

// These are the first fields of types of the same names in runtime/time.go.
type (
	timeTimer struct {
		c    unsafe.Pointer // of a time.Timer
		init bool
		timer
	}
	timer struct {
		mu             uintptr
		astate, state  uint8
		isChan, isFake bool
		blocked, rand  uint32
		when, period   int64
		f              func(any, uintptr, int64)
		arg            any
		seq            uintptr
		ts             *timers
	}
	timers struct {
		_               uintptr // mu
		heap            []timerWhen
		len             atomic.Uint32
		_               atomic.Int32 // zombies
		_               uintptr      // raceCtx
		minWhenHeap     atomic.Int64
		minWhenModified atomic.Int64
	}
	timerWhen struct {
		timer *timer
		when  int64
	}
)

// never is the time at which a timer of the longest duration is due.
const never = math.MaxInt64

// timersOf returns the timers of the bubble to which a timer of time.AfterFunc belongs that is due never, or nil if the memory is
// not as expected.
func timersOf(t *timer) *timers {
	if t.when != never || t.period != 0 || t.isChan || !t.isFake || t.ts == nil {
		return nil
	}
	heap := t.ts.heap
	if len(heap) == 0 || len(heap) > cap(heap) || len(heap) != int(t.ts.len.Load()) || t.ts.minWhenHeap.Load() != heap[0].when ||
		!slices.Contains(heap, timerWhen{t, never}) {
		return nil
	}
	return t.ts
}

// lateTimers are the timers of a bubble that have been delayed and have not fired, the earliest first. All other goroutines of the bubble
// must be durably blocked when a method is called.
type lateTimers []lateTimer

// lateTimer is a timer that was due at one time and fires at another. Both are in ns since 1970.
type lateTimer struct {
	timer   *timer
	seq     uintptr // of the timer; it changes if a timer of a channel is reset
	due, at int64
}

// delay lets every timer that is due at a time fire at the time that at returns for it, which must be in the future if it is
// another one. Both are in ns since 1970. It calls at once for each time at which timers are due, the earliest first; a timer
// that is late already is due at its first time. It reports whether the timers were found; if not, it has changed nothing.
func (l *lateTimers) delay(at func(due int64) int64) bool {
	last := time.AfterFunc(never, func() {}) //nolint:forbidigo // in the bubble
	defer last.Stop()
	own := &(*timeTimer)(unsafe.Pointer(last)).timer
	ts := timersOf(own)
	if ts == nil {
		return false
	}
	// A timer that was stopped or reset keeps its old entry until the clock reaches it. The runtime brings all of them up to date
	// when it believes that one is due.
	ts.minWhenModified.Store(time.Now().UnixNano()) //nolint:forbidigo // in the bubble
	synctest.Wait()
	byTime := func(a, b timerWhen) int { return cmp.Compare(a.when, b.when) }
	for _, t := range *l {
		t.putBack() // of an earlier pause
	}
	*l = nil
	for i := range ts.heap {
		ts.heap[i].when = ts.heap[i].timer.when
	}
	slices.SortFunc(ts.heap, byTime)
	var due, to int64
	for i := range ts.heap {
		e := &ts.heap[i]
		if e.timer == own {
			continue
		}
		if e.when != due {
			due, to = e.when, at(e.when)
		}
		if to != due {
			*l = append(*l, lateTimer{e.timer, e.timer.seq, due, to})
			e.when, e.timer.when = to, to
		}
	}
	slices.SortFunc(ts.heap, byTime) // a sorted slice is a heap
	ts.minWhenHeap.Store(ts.heap[0].when)
	slices.SortStableFunc(*l, func(a, b lateTimer) int { return cmp.Compare(a.at, b.at) })
	return true
}

// before prepares the late timers that fire 1 ns after now. It returns the time at which it must be called again, 1 ns before the
// next one fires, or never. Both are in ns since 1970.
func (l *lateTimers) before(now int64) int64 {
	for len(*l) > 0 && (*l)[0].at <= now+1 {
		(*l)[0].putBack()
		*l = (*l)[1:]
	}
	if len(*l) == 0 {
		return never
	}
	return (*l)[0].at - 1
}

// putBack gives a timer the time at which it was due, unless it was stopped or reset.
func (t *lateTimer) putBack() {
	if t.timer.when == t.at && t.timer.seq == t.seq {
		t.timer.when = t.due
	}
}

// checked is the result of LateTimers.
var checked struct { //nolint:gochecknoglobals // the runtime is the same for the whole process
	once sync.Once
	err  error
}

// LateTimers returns nil if the timers of a process that wakes from a pause fire late, and otherwise an error that says why they cannot.
// It checks that once. Then the clock of a bubble catches up timer by timer.
func LateTimers(t *testing.T) error {
	checked.once.Do(func() { checked.err = checkDelay(t, runtime.Version()) })
	return checked.err
}

// checkDelay returns an error for a version of Go with other layouts, and if timers of a bubble are not found at their times, or do
// not fire at those to which delay moves them.
func checkDelay(t *testing.T, version string) (err error) {
	if !strings.HasPrefix(version, knownGo) {
		return fmt.Errorf("the timers of %s are not known, only those of %s", version, knownGo)
	}
	synctest.Test(t, func(*testing.T) {
		events := make(chan string, 100)
		now := func() time.Time { return time.Now() } //nolint:forbidigo // in the bubble
		add := func(what string, at time.Time) { events <- what + at.Format(" 05.000") }
		go func() {
			add("a of", <-time.After(time.Second)) //nolint:forbidigo // in the bubble
			add("a", now())
		}()
		for i, name := range []string{"b", "c"} {
			time.AfterFunc(time.Duration(i+2)*time.Second, func() { add(name, now()) }) //nolint:forbidigo // in the bubble
		}
		time.AfterFunc(time.Millisecond, func() { add("stopped", now()) }).Stop() //nolint:forbidigo // in the bubble
		synctest.Wait()
		first, end := now().Add(time.Second).UnixNano(), now().Add(time.Minute).UnixNano()
		var late lateTimers
		found := late.delay(func(due int64) int64 {
			add("due", time.Unix(0, due))
			if due == first {
				due += 2500 * int64(time.Millisecond) // a fires last
			}
			return due
		})
		for now().UnixNano() < end {
			time.Sleep(time.Duration(min(late.before(now().UnixNano()), end) - now().UnixNano())) //nolint:forbidigo // in the bubble
			synctest.Wait()
		}
		var all []string
		for len(events) > 0 {
			all = append(all, <-events)
		}
		const want = "due 01.000, due 02.000, due 03.000, b 02.000, c 03.000, a of 01.000, a 03.500"
		if got := strings.Join(all, ", "); !found || got != want {
			err = fmt.Errorf("the timers of %s are not as expected (%s)", version, got)
		}
	})
	return err
}
