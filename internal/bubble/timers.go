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
// runtime/synctest.go). A bubble has one heap of timers. Each entry repeats the time of its timer, and the runtime fires the timer when
// the clock reaches the time of the entry. So delay changes the entries, and leaves the timers as they are. Then the runtime does
// with a late timer what it does in a process that has been stopped: a ticker sends one tick and keeps its phase, and the
// value that a channel gets is the time at which the timer was due.

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

// delay lets every timer that is due at a time fire at the time that at returns for it, which must not be in the past. Both are in ns since
// 1970. It calls at once for each time at which timers are due, the earliest first. All other goroutines of the bubble must be
// durably blocked. It reports whether the timers were found; if not, it has changed nothing.
func delay(at func(due int64) int64) bool {
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
	slices.SortFunc(ts.heap, byTime)
	var due, to int64
	for i := range ts.heap {
		switch e := &ts.heap[i]; {
		case e.timer == own:
		case e.when == due:
			e.when = to
		default:
			due, to = e.when, at(e.when)
			e.when = to
		}
	}
	slices.SortFunc(ts.heap, byTime) // a sorted slice is a heap
	ts.minWhenHeap.Store(ts.heap[0].when)
	return true
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
		add := func(what string, at time.Time) { events <- what + at.Format(" 05.000") }
		for i, name := range []string{"a", "b", "c"} {
			time.AfterFunc(time.Duration(i+1)*time.Second, func() { add(name, time.Now()) }) //nolint:forbidigo // in the bubble
		}
		time.AfterFunc(time.Millisecond, func() { add("stopped", time.Now()) }).Stop() //nolint:forbidigo // in the bubble
		first := time.Now().Add(time.Second).UnixNano()                                //nolint:forbidigo // in the bubble
		found := delay(func(due int64) int64 {
			add("due", time.Unix(0, due))
			if due == first {
				due += 2500 * int64(time.Millisecond) // a fires last
			}
			return due
		})
		time.Sleep(time.Minute) //nolint:forbidigo // in the bubble
		var all []string
		for len(events) > 0 {
			all = append(all, <-events)
		}
		const want = "due 01.000, due 02.000, due 03.000, b 02.000, c 03.000, a 03.500"
		if got := strings.Join(all, ", "); !found || got != want {
			err = fmt.Errorf("the timers of %s are not as expected (%s)", version, got)
		}
	})
	return err
}
