package workload

import (
	"context"
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
	items map[string]string
	notes []string
}

func (d *desk) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

func (d *desk) Locked(ctx context.Context, key, unit string, body lock.Body) error {
	d.note("lock %s %s", key, unit)
	err := body(ctx, d)
	d.note("unlock %s", key)
	return err
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
		{"multi-lock", func(s *Settings) { s.Locks = 20 }, "lock a , lock b , read a, read b, hold 30ms, write a=1, write b=1, unlock b, unlock a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			of := settings
			if tt.extra != nil {
				tt.extra(&of)
			}
			d := &desk{items: map[string]string{"a": "0", "b": "0"}}
			w := &Work{
				Recorder: d, Env: d, Settings: &of, Worker: "worker-1", Section: 1, Attempt: 1,
				Items: []string{"a", "b"}, Item: "a", Hold: 30 * time.Millisecond, Draw: draw.New(1).Stream("choice", "worker-1").At(1),
			}
			for _, info := range Catalogue() {
				if info.Name == tt.name {
					_ = info.Do(t.Context(), w) // the work of one case fails
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(d.notes, ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
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
