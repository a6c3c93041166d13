package workload

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/draw"
	"lockquake/lock"
	"lockquake/lock/env"
)

// desk is a Recorder, an Env and a Section that records the operations of a workload,
// without a lock or a run.
type desk struct {
	env.Env
	now   time.Duration
	fails map[string]error // of a lock, or of a write
	items map[string]string
	notes []string

	several bool // the lock can lock several keys in one call
}

func (d *desk) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

func (d *desk) Locked(ctx context.Context, key, unit string, body lock.Body) error {
	d.note("lock %s %s", key, unit)
	if err := d.fails[key]; err != nil {
		return err
	}
	err := body(ctx, d)
	d.note("unlock %s", key)
	return err
}

func (d *desk) LockedShared(ctx context.Context, key string, body lock.Body) error {
	d.note("share %s", key)
	err := body(ctx, d)
	d.note("unlock %s", key)
	return err
}

func (d *desk) LockedPermit(ctx context.Context, key string, permits int, body lock.Body) error {
	d.note("permit of %d %s", permits, key)
	err := body(ctx, d)
	d.note("unlock %s", key)
	return err
}

func (d *desk) Nested(ctx context.Context, key string, _ lock.Section, body lock.Body) error {
	return d.Locked(ctx, key, "again", body)
}

func (d *desk) LockedAll(ctx context.Context, keys []string, unit string, body func(context.Context, []lock.Section) error) (bool, error) {
	if !d.several {
		return false, nil
	}
	d.note("lock %s %s", strings.Join(keys, "+"), unit)
	sections := make([]lock.Section, len(keys))
	for i := range keys {
		sections[i] = d
	}
	err := body(ctx, sections)
	d.note("unlock %s", strings.Join(keys, "+"))
	return true, err
}

func (d *desk) Spend(_ context.Context, t time.Duration) error {
	d.note("hold %v", t)
	d.now += t
	return nil
}

func (d *desk) Peek(_ context.Context, item string) (string, error) { return d.items[item], nil }
func (d *desk) Proceed()                                            {}
func (d *desk) Wall() time.Duration                                 { return d.now }
func (d *desk) Mono() time.Duration                                 { return d.now }
func (d *desk) Over() bool                                          { return false }
func (d *desk) Token() int64                                        { return 0 }
func (d *desk) Check() error                                        { return nil }

func (d *desk) Sleep(_ context.Context, t time.Duration) error {
	d.now += max(0, t)
	return nil
}

func (d *desk) Read(_ context.Context, item string) (string, error) {
	d.note("read %s", item)
	return d.items[item], nil
}

func (d *desk) Write(_ context.Context, item, value string) error {
	d.note("write %s=%s", item, value)
	if err := d.fails[item]; err != nil {
		return err
	}
	d.items[item] = value
	return nil
}

func TestEachWorkloadDoesItsWorkUnderTheLock(t *testing.T) {
	settings := Defaults()
	settings.Period, settings.HoldAtLeast = 10*time.Second, 2*time.Second
	for _, tt := range []struct {
		name  string
		extra func(*Settings)
		want  string
	}{
		{"counter", nil, "lock a , read a, hold 30ms, write a=1, unlock a"},
		{"counter", func(s *Settings) { s.Writes = 2 }, "lock a , read a, hold 15ms, write a=1, hold 15ms, write a=2, unlock a"},
		{"counter", func(s *Settings) { s.Fails = 100 }, "lock a , read a, hold 30ms, unlock a"},
		{"cron", nil, "lock b b/tick-1, hold 30ms, write b/tick-1=worker-1, unlock b"},
		{"cron", func(s *Settings) { s.Key = KeyTick }, "lock b/tick-1 b/tick-1, hold 30ms, write b/tick-1=worker-1, unlock b/tick-1"},
		{
			"reminders", nil, "lock a a/reminder-1, read a, write a/reminder-1=worker-1, hold 30ms, write a=1, unlock a, " +
				"lock b b/reminder-1, read b, write b/reminder-1=worker-1, hold 30ms, write b=1, unlock b",
		},
		{
			"reminders", func(s *Settings) { s.Recheck = false }, "lock a a/reminder-1, write a/reminder-1=worker-1, hold 30ms, write a=1, unlock a, " +
				"lock b b/reminder-1, write b/reminder-1=worker-1, hold 30ms, write b=1, unlock b",
		},
		{"set-add", nil, "lock a , read a, hold 30ms, write a=worker-1/1, unlock a"},
		{
			"transfer", nil, "lock a worker-1/transfer-1, lock b worker-1/transfer-1, read a, hold 30ms, write a=993, read b, write b=1007, unlock b, unlock a",
		},
		{"transfer", func(s *Settings) { s.Locking = LockSource }, "lock a worker-1/transfer-1, read a, hold 30ms, write a=993, read b, write b=1007, unlock a"},
		{
			"transfer", func(s *Settings) { s.Locking = LockNames },
			"lock a/debit worker-1/transfer-1, lock b/credit worker-1/transfer-1, read a, hold 30ms, write a=993, read b, write b=1007, unlock b/credit, unlock a/debit",
		},
		{"transfer", func(s *Settings) { s.Locking = LockAll }, "lock a/all worker-1/transfer-1, read a, hold 30ms, write a=993, read b, write b=1007, unlock a/all"},
		{
			"transfer", func(s *Settings) { s.Fenced = FencedFirst },
			"lock a worker-1/transfer-1, lock b worker-1/transfer-1, read a, hold 30ms, write a=993, read outside/b, write outside/b=7, unlock b, unlock a",
		},
		{"discount", nil, "lock b/customer-1 b/customer-1, read b/customer-1, hold 30ms, write b/customer-1=worker-1, unlock b/customer-1"},
		{"discount", func(s *Settings) { s.Recheck = false }, "lock b/customer-1 b/customer-1, hold 30ms, write b/customer-1=worker-1, unlock b/customer-1"},
		{
			"charge", nil, "lock b b/order-1, read b/order-1/complete, hold 30ms, write outside/b/order-1=worker-1, read b, write b=999, " +
				"write b/order-1/complete=worker-1, unlock b",
		},
		{
			"charge", func(s *Settings) { s.Idempotency, s.Recheck = true, false }, "lock b b/order-1, hold 30ms, write outside/keyed/b/order-1=worker-1, " +
				"read b, write b=999, write b/order-1/complete=worker-1, unlock b",
		},
		{"flash-sale", nil, "lock a , read a, hold 30ms, write a=19, write a/order-worker-1-1=1, unlock a"},
		{"flash-sale", func(s *Settings) { s.Scope = ScopeGlobal }, "lock a/all , read a, hold 30ms, write a=19, write a/order-worker-1-1=1, unlock a/all"},
		{"jobs", nil, "lock a worker-1/job-1, read worker-1/job-1, hold 30ms, write worker-1/job-1=worker-1, unlock a"},
		{"jobs", func(s *Settings) { s.Recheck, s.Fails = false, 100 }, "lock a worker-1/job-1, hold 30ms, unlock a"},
		{"rate-limit", nil, "lock a , read a, hold 30ms, write a=1 until 1m0.03s, unlock a"},
		{"rate-limit", func(s *Settings) { s.Expiry = ExpiryAfterCount }, "lock a , read a, hold 30ms, write a=1, write a=1 until 1m0.03s, unlock a"},
		{"migration", nil, "lock b b/step-1, read b, write b/step-1=worker-1, hold 30ms, write b=1, unlock b"},
		{"migration", func(s *Settings) { s.Recheck = false }, "lock b b/step-1, write b/step-1=worker-1, hold 30ms, write b=1, unlock b"},
		{"cache-fill", nil, "lock a a/fill-1, read a, write a/fill-1=worker-1, hold 30ms, write a=1, unlock a"},
		{
			"leader", func(s *Settings) { s.Term = 2 * time.Minute },
			"lock a , read a, hold 30ms, write a=1, read a, hold 30ms, write a=2, unlock a",
		},
		{"limited", func(s *Settings) { s.Permits = 3 }, "permit of 3 a, write a/worker-1/call-1=begun, hold 30ms, write a/worker-1/call-1=ended, unlock a"},
		{"steal", nil, ""}, // no job is due
		{"nested", nil, "lock a , read a, lock a again, hold 15ms, write a=1, unlock a, hold 15ms, write a=2, unlock a"},
		{"read-write", nil, "lock a , write a=worker-1/1, hold 30ms, write b=worker-1/1, unlock a"},
		{"leader", func(s *Settings) { s.Term = 0 }, "lock a , read a, hold 30ms, write a=1, unlock a"},
		{"multi-lock", func(s *Settings) { s.Locks = 20 }, "lock a , lock b , read a, read b, hold 30ms, write a=1, write b=1, unlock b, unlock a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			of := settings
			if tt.extra != nil {
				tt.extra(&of)
			}
			d := &desk{items: map[string]string{}}
			w := &Work{
				Recorder: d, Env: d, Settings: &of, Worker: "worker-1", Number: 1, Section: 1, Attempt: 1,
				Items: []string{"a", "b"}, Item: "a", Hold: 30 * time.Millisecond, Draw: draw.New(1).Stream("choice", "worker-1").At(1), Memory: map[string]int64{},
			}
			for _, info := range Catalogue() {
				if info.Name == tt.name {
					d.items["a"], d.items["b"] = info.Initial, info.Initial
					_ = info.Do(t.Context(), w) // the work of one case fails
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(d.notes, ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What a workload finds decides what it does. The clock shows 61 s.
func TestAWorkloadActsOnWhatItFinds(t *testing.T) {
	lost := map[string]error{"a": lock.ErrLost}
	for _, tt := range []struct {
		name  string
		found string // items with their values
		fails map[string]error
		extra func(*Settings)
		want  string
		err   error
	}{
		{"steal", "a/job-1=worker-2", nil, func(s *Settings) { s.Period = 20 * time.Second }, "lock a/job-2 a/job-2, read a/job-2, hold 30ms, write a/job-2=worker-1, unlock a/job-2", nil},
		{"steal", "a/job-1=worker-2", nil, func(s *Settings) { s.Period, s.Claim, s.Recheck = 20*time.Second, ClaimPartition, false }, "lock a a/job-2, hold 30ms, write a/job-2=worker-1, unlock a", nil},
		{"steal", "a/job-1=x, a/job-2=x, a/job-3=x", nil, func(s *Settings) { s.Period = 20 * time.Second }, "lock b/job-1 b/job-1, read b/job-1, hold 30ms, write b/job-1=worker-1, unlock b/job-1", nil},
		{"steal", "a/job-1=x, a/job-2=x, a/job-3=x, b/job-1=x", nil, func(s *Settings) { s.Period = 20 * time.Second }, "", nil},
		{
			"steal", "",
			map[string]error{"a/job-1": lock.ErrNotObtained},
			func(s *Settings) { s.Period = 20 * time.Second },
			"lock a/job-1 a/job-1, lock a/job-2 a/job-2, read a/job-2, hold 30ms, write a/job-2=worker-1, unlock a/job-2", nil,
		},
		{"steal", "", map[string]error{"a/job-1": lock.ErrLost}, func(s *Settings) { s.Period = 20 * time.Second }, "lock a/job-1 a/job-1", lock.ErrLost},
		{"set-add", "a=worker-2/7 worker-1/4", nil, nil, "lock a , read a, hold 30ms, write a=worker-1/1 worker-2/7 worker-1/4, unlock a", nil},
		{"transfer", "a=6", nil, nil, "lock a worker-1/transfer-1, lock b worker-1/transfer-1, read a, unlock b, unlock a", nil},
		{"flash-sale", "a=0", nil, nil, "lock a , read a, unlock a", nil},
		{"discount", "a/customer-7=worker-2", nil, nil, "lock a/customer-7 a/customer-7, read a/customer-7, unlock a/customer-7", nil},
		{"discount", "a/customer-7=worker-2", nil, func(s *Settings) { s.Recheck = false }, "", nil},
		{"migration", "a=7", nil, nil, "lock a a/step-7, read a, unlock a", nil},
		{"migration", "a=7", nil, func(s *Settings) { s.Recheck = false }, "", nil},
		{"cache-fill", "a=7", nil, nil, "", nil},
		{"charge", "a/order-7/complete=worker-2", nil, nil, "lock a a/order-7, read a/order-7/complete, unlock a", nil},
		{
			"charge", "a=990",
			map[string]error{"outside/keyed/a/order-7": lock.ErrRefused},
			func(s *Settings) { s.Idempotency = true },
			"lock a a/order-7, read a/order-7/complete, hold 30ms, write outside/keyed/a/order-7=worker-1, read a, write a=989, write a/order-7/complete=worker-1, unlock a", nil,
		},
		{
			"charge", "",
			map[string]error{"outside/a/order-7": lock.ErrUnknown},
			nil,
			"lock a a/order-7, read a/order-7/complete, hold 30ms, write outside/a/order-7=worker-1, unlock a", lock.ErrUnknown,
		},
		{"jobs", "worker-1/job-1=worker-1", nil, nil, "lock a worker-1/job-1, read worker-1/job-1, unlock a", nil},
		{"jobs", "", map[string]error{"a": lock.ErrNotObtained}, nil, "lock a worker-1/job-1", lock.ErrNotObtained},
		{"jobs", "", map[string]error{"a": lock.ErrNotObtained}, func(s *Settings) { s.Refused = RefusedDrop }, "lock a worker-1/job-1", nil},
		{"jobs", "", lost, func(s *Settings) { s.Refused = RefusedDrop }, "lock a worker-1/job-1", lock.ErrLost},
		{"leader", "", map[string]error{"a": lock.ErrNotObtained}, nil, "lock a ", lock.ErrNotObtained},
		{"rate-limit", "a=9 until 2m0s", nil, nil, "lock a , read a, hold 30ms, write a=10 until 2m0s, unlock a", nil},
		{"rate-limit", "a=10 until 2m0s", nil, nil, "lock a , read a, hold 30ms, unlock a", nil},
		{"rate-limit", "a=10 until 1m0s", nil, nil, "lock a , read a, hold 30ms, write a=1 until 2m1.03s, unlock a", nil},
		{"rate-limit", "a=9", nil, nil, "lock a , read a, hold 30ms, write a=10, unlock a", nil},
		{"rate-limit", "a=10", nil, nil, "lock a , read a, hold 30ms, unlock a", nil},
		{"rate-limit", "a=1s 2s", nil, func(s *Settings) { s.Sliding, s.Limit = true, 2 }, "lock a , read a, hold 30ms, write a=2s 1m1.03s, unlock a", nil},
		{"rate-limit", "a=2s 3s", nil, func(s *Settings) { s.Sliding, s.Limit = true, 2 }, "lock a , read a, hold 30ms, unlock a", nil},
	} {
		t.Run(tt.name+" "+tt.found, func(t *testing.T) {
			settings := Defaults()
			settings.Period = 10 * time.Second
			if tt.extra != nil {
				tt.extra(&settings)
			}
			d := &desk{now: 61 * time.Second, fails: tt.fails, items: map[string]string{"a": "", "b": ""}}
			for pair := range strings.SplitSeq(tt.found, ", ") {
				item, value, _ := strings.Cut(pair, "=")
				d.items[item] = value
			}
			w := &Work{
				Recorder: d, Env: d, Settings: &settings, Worker: "worker-1", Number: 2, Section: 1, Attempt: 1,
				Items: []string{"b", "a"}, Item: "a", Hold: 30 * time.Millisecond, Draw: draw.New(1).Stream("choice", "worker-1").At(1), Memory: map[string]int64{},
			}
			if tt.name == "transfer" {
				w.Items = []string{"a", "b"}
			}
			for _, info := range Catalogue() {
				if info.Name == tt.name {
					if err := info.Do(t.Context(), w); !errors.Is(err, tt.err) {
						t.Errorf("error %v, want %v", err, tt.err)
					}
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(d.notes, ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Whichever account has the debit, the locks are taken by name, and the total stays.
func TestATransferTakesItsLocksInOneOrder(t *testing.T) {
	settings := Defaults()
	sources := map[string]bool{}
	for section := range 20 {
		d := &desk{items: map[string]string{"a": "1000", "b": "1000"}}
		w := &Work{
			Recorder: d, Env: d, Settings: &settings, Worker: "worker-1", Items: []string{"a", "b"},
			Draw: draw.New(1).Stream("choice", "worker-1").At(uint64(section)),
		}
		if err := transfer(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		sources[strings.TrimPrefix(d.notes[2], "read ")] = true
		var a, b int
		if _, err := fmt.Sscan(d.items["a"]+" "+d.items["b"], &a, &b); err != nil || a+b != 2000 || a == 1000 {
			t.Errorf("the accounts hold %d and %d", a, b)
		}
		if !strings.HasPrefix(strings.Join(d.notes, ", "), "lock a worker-1/transfer-0, lock b ") {
			t.Errorf("%v", d.notes)
		}
	}
	if diff := cmp.Diff(map[string]bool{"a": true, "b": true}, sources); diff != "" {
		t.Errorf("debits (-want +got):\n%s", diff)
	}
}

// All workers but the first are readers.
func TestAReaderReadsAllItemsTwiceUnderASharedLock(t *testing.T) {
	settings := Defaults()
	d := &desk{items: map[string]string{}}
	w := &Work{Recorder: d, Env: d, Settings: &settings, Worker: "worker-2", Number: 2, Items: []string{"a", "b"}, Hold: 30 * time.Millisecond}
	if err := readWrite(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	const want = "share a, read a, read b, hold 30ms, read a, read b, unlock a"
	if diff := cmp.Diff(want, strings.Join(d.notes, ", ")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A lock that can lock several keys gets them in one call.
func TestWorkOnSeveralItemsLocksInOneCallIfTheLockCan(t *testing.T) {
	settings := Defaults()
	settings.Locks = 20
	d := &desk{items: map[string]string{"a": "1", "b": "2"}, several: true}
	w := &Work{
		Recorder: d, Env: d, Settings: &settings, Worker: "worker-1", Items: []string{"a", "b"}, Hold: 30 * time.Millisecond,
		Draw: draw.New(1).Stream("choice", "worker-1").At(1), Memory: map[string]int64{},
	}
	if err := multiLock(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	const want = "lock a+b , read a, read b, hold 30ms, write a=2, write b=3, unlock a+b"
	if diff := cmp.Diff(want, strings.Join(d.notes, ", ")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRegisterWritesItsOwnValueOrReadsTwice(t *testing.T) {
	settings := Defaults()
	seen := map[string]bool{}
	for section := range 20 {
		d := &desk{items: map[string]string{}}
		w := &Work{
			Recorder: d, Env: d, Settings: &settings, Worker: "worker-1", Section: section, Item: "a",
			Draw: draw.New(1).Stream("choice", "worker-1").At(uint64(section)),
		}
		if err := oneLock(register)(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		seen[strings.ReplaceAll(strings.Join(d.notes, ", "), fmt.Sprintf("worker-1/%d", section), "own")] = true
	}
	want := map[string]bool{"lock a , hold 0s, write a=own, unlock a": true, "lock a , read a, hold 0s, read a, unlock a": true}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A unit of work that finds the mark of a later one says so: it may not have been done. For an entry of a cache, a newer one is as
// good.
func TestAUnitThatALaterOneHasOvertakenSaysSo(t *testing.T) {
	settings := Defaults()
	settings.Period = 10 * time.Second
	for _, tt := range []struct {
		name, state string
		want        error
		does        bool
	}{
		{"the unit before is done", "2", nil, true},
		{"the unit itself is done", "3", nil, false},
		{"a later unit is done", "4", errOvertaken, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &desk{items: map[string]string{"a": tt.state, "b": "waiting", "b/fired": tt.state}}
			w := &Work{Recorder: d, Env: d, Settings: &settings, Worker: "worker-1"}
			if err := w.doAndMark("a", "a/step-3", 3)(t.Context(), d); !errors.Is(err, tt.want) || (d.items["a"] == "3") != (tt.state != "4") {
				t.Errorf("a step returns %v, want %v; %v", err, tt.want, d.items)
			}
			if ours, err := w.acquire(t.Context(), d, "b", "b/tick-3", 3); !errors.Is(err, tt.want) || ours != tt.does {
				t.Errorf("a trigger returns %v and %v, want %v and %v", ours, err, tt.does, tt.want)
			}
		})
	}
	d := &desk{now: 25 * time.Second, items: map[string]string{"a": "2"}}
	w := &Work{Recorder: overtaken{d}, Env: d, Settings: &settings, Worker: "worker-1", Item: "a"}
	if err := cacheFill(t.Context(), w); err != nil || d.items["a"] != "4" {
		t.Errorf("cache-fill returns %v; the entry is %q", err, d.items["a"])
	}
}

// overtaken is a desk at which another worker does unit 4 before any lock is obtained.
type overtaken struct{ *desk }

func (o overtaken) Locked(ctx context.Context, key, unit string, body lock.Body) error {
	o.items[key] = "4"
	return o.desk.Locked(ctx, key, unit, body)
}

// A trigger is fired between two sections, if it is waiting and has not been fired at this tick.
func TestATriggerIsFiredByTheWorkerThatAcquiresIt(t *testing.T) {
	settings := Defaults()
	settings.Period = 10 * time.Second
	for _, tt := range []struct{ name, state, fired, want string }{
		{
			"waiting", "waiting", "", "lock a a/tick-1, read a, read a/fired, write a=acquired, write a/tick-1=worker-1, unlock a, hold 30ms, " +
				"lock a a/tick-1, write a/fired=1, write a=waiting, unlock a",
		},
		{
			"fired before", "waiting", "0", "lock a a/tick-1, read a, read a/fired, write a=acquired, write a/tick-1=worker-1, unlock a, hold 30ms, " +
				"lock a a/tick-1, write a/fired=1, write a=waiting, unlock a",
		},
		{"fired already", "waiting", "1", "lock a a/tick-1, read a, read a/fired, unlock a"},
		{"another worker has it", "acquired", "0", "lock a a/tick-1, read a, unlock a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &desk{items: map[string]string{"a": tt.state, "a/fired": tt.fired}}
			w := &Work{Recorder: d, Env: d, Settings: &settings, Worker: "worker-1", Items: []string{"a"}, Hold: 30 * time.Millisecond}
			if err := triggers(t.Context(), w); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(tt.want, strings.Join(d.notes, ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A slow clock has no tick before the first one of a right clock. There would be no work for it.
func TestTheFirstTickOfASlowClockIsThatOfARightOne(t *testing.T) {
	for _, slow := range []time.Duration{0, 3 * time.Second, 25 * time.Second} {
		d := &desk{now: -slow}
		w := &Work{Recorder: d, Env: d, Settings: &Settings{Period: 10 * time.Second}}
		if tick, err := w.nextTick(t.Context()); tick != 1 || d.now != 10*time.Second || err != nil {
			t.Errorf("%v slow: tick %d at %v, error %v; want tick 1 at 10s", slow, tick, d.now, err)
		}
	}
}
