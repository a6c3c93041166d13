package conditional

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/lock"
	"lockquake/lock/env"
)

// table is a Conditional resource in memory, and an Env that does not wait. It notes what
// happens to it.
type table struct {
	env.Env
	values   map[string]string
	versions map[string]int64
	notes    []string
	pauses   []time.Duration
	// before is called before the write of a number, from 1, which fails with its error. The
	// write takes effect if lost is set.
	before func(n int) (err error)
	lost   bool
	writes int
}

func newTable() *table {
	return &table{values: map[string]string{"x": "0"}, versions: map[string]int64{"x": 1}}
}

func (t *table) Rand(string) *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
func (t *table) Sleep(_ context.Context, d time.Duration) error {
	t.pauses = append(t.pauses, d)
	return nil
}
func (t *table) Again(err error) { t.notes = append(t.notes, "again: "+err.Error()) }

func (t *table) Read(_ context.Context, item string, _ int64) (string, error) {
	return t.values[item], nil
}

func (t *table) ReadVersion(_ context.Context, item string) (string, int64, error) {
	return t.values[item], t.versions[item], nil
}

func (t *table) Write(ctx context.Context, item, value string, _ int64) error {
	_, err := t.WriteIf(ctx, item, value, lock.IfVersion(t.versions[item]))
	return err
}

func (t *table) WriteIf(_ context.Context, item, value string, c lock.Condition) (int64, error) {
	t.writes++
	var err error
	if t.before != nil {
		err = t.before(t.writes)
	}
	switch {
	case err != nil && !t.lost:
		return 0, err
	case !c.Holds(t.values[item], t.versions[item]):
		return 0, lock.ErrConflict
	}
	t.set(item, value)
	return t.versions[item], err
}

func (t *table) set(item, value string) {
	t.values[item] = value
	t.versions[item]++
	t.notes = append(t.notes, item+"="+value)
}

// strategy returns a strategy of the catalogue.
func (t *table) strategy(name string) lock.Strategy {
	for _, e := range Strategies() {
		if e.Name == name {
			return e.New(lock.Deps{Env: t, Params: e.Defaults, Instance: "me"})
		}
	}
	panic("no strategy " + name)
}

// increment adds a letter to x.
func increment(ctx context.Context, s lock.Section) error {
	value, err := s.Read(ctx, "x")
	if err != nil {
		return err
	}
	return s.Write(ctx, "x", value+"a")
}

func TestOptimisticRepeatsOnlyAfterAConflict(t *testing.T) {
	unknown := fmt.Errorf("%w: reset", lock.ErrUnknown)
	for _, test := range []struct {
		name, strategy string
		others         int   // the first writes that find that another one came before
		err            error // of the first write
		lost           bool  // it took effect anyway
		notes          string
		want           error
	}{
		{"no conflict", "optimistic", 0, nil, false, "x=0a", nil},
		{"two conflicts", "optimistic", 2, nil, false, "x=1, again, x=2, again, x=2a", nil},
		{"conflicts without end", "optimistic", 99, nil, false, "x=1, again, x=2, again, x=3, again, x=4, again, x=5", lock.ErrConflict},
		{"a lost request", "optimistic", 0, unknown, false, "", lock.ErrUnknown},
		{"a lost reply", "optimistic", 0, unknown, true, "x=0a", lock.ErrUnknown},
		{"a lost reply that counts as a conflict", "optimistic-reply-lost", 0, unknown, true, "x=0a, again, x=0aa", nil},
		{"a cancelled write", "optimistic", 0, context.Canceled, false, "", context.Canceled},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := newTable()
			x.lost = test.lost
			x.before = func(n int) error {
				if n <= test.others {
					x.set("x", fmt.Sprint(n))
				}
				if n == 1 {
					return test.err
				}
				return nil
			}
			err := x.strategy(test.strategy).Do(t.Context(), "x", x, increment)
			for i, note := range x.notes {
				if strings.HasPrefix(note, "again") {
					x.notes[i] = "again"
				}
			}
			if got := strings.Join(x.notes, ", "); got != test.notes || !errors.Is(err, test.want) {
				t.Errorf("it ends with %v after %q, want %v after %q", err, got, test.want, test.notes)
			}
		})
	}
}

// The pauses double from 20 ms, each with up to 10 ms more, and none follows the last try.
func TestOptimisticPausesBetweenTries(t *testing.T) {
	x := newTable()
	x.before = func(n int) error { x.set("x", fmt.Sprint(n)); return nil }
	_ = x.strategy("optimistic").Do(t.Context(), "x", x, increment) // it gives up
	var rounded []time.Duration
	for _, d := range x.pauses {
		rounded = append(rounded, d-d%(10*time.Millisecond))
	}
	want := []time.Duration{20 * time.Millisecond, 40 * time.Millisecond, 80 * time.Millisecond, 160 * time.Millisecond}
	if diff := cmp.Diff(want, rounded); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
}

// A section that has written something cannot be repeated: half of its work would be done
// twice.
func TestOptimisticDoesNotRepeatHalfOfTheWork(t *testing.T) {
	x := newTable()
	x.before = func(n int) error {
		if n == 2 {
			x.set("x", "other")
		}
		return nil
	}
	err := x.strategy("optimistic").Do(t.Context(), "x", x, func(ctx context.Context, s lock.Section) error {
		return errors.Join(increment(ctx, s), s.Write(ctx, "x", "second"))
	})
	if err == nil || errors.Is(err, lock.ErrConflict) || !strings.Contains(err.Error(), "half of the work is done") {
		t.Errorf("it ends with %v", err)
	}
	if diff := cmp.Diff([]string{"x=0a", "x=other"}, x.notes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Between the read and the write of a section the value changes and comes back.
func TestOnlyAVersionNoticesThatAValueHasComeBack(t *testing.T) {
	for _, test := range []struct {
		strategy string
		repeated bool
	}{{"optimistic", true}, {"optimistic-state", false}} {
		x := newTable()
		x.before = func(n int) error {
			if n == 1 {
				x.set("x", "acquired")
				x.set("x", "0")
			}
			return nil
		}
		if err := x.strategy(test.strategy).Do(t.Context(), "x", x, increment); err != nil {
			t.Error(err)
		}
		if x.writes > 1 != test.repeated {
			t.Errorf("%s: the work wrote %d times", test.strategy, x.writes)
		}
	}
}

func TestAUnitBelongsToWhoInsertsItsKeyFirst(t *testing.T) {
	unknown := fmt.Errorf("%w: reset", lock.ErrUnknown)
	for _, test := range []struct {
		name  string
		there string // value of the key before; "": none
		fails int    // the first writes whose outcome is unknown
		lost  bool   // and which take effect
		want  error
		runs  int
	}{
		{"the first", "", 0, false, nil, 1},
		{"the second", "another", 0, false, lock.ErrNotObtained, 0},
		{"a lost request", "", 1, false, nil, 1},
		{"a lost reply: the key has its own value", "", 1, true, nil, 1},
		{"a lost request of the second", "another", 1, false, lock.ErrNotObtained, 0},
		{"no answer at all", "", 99, false, lock.ErrUnknown, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := newTable()
			if test.there != "" {
				x.set("job/key", test.there)
			}
			x.lost = test.lost
			x.before = func(n int) error {
				if n <= test.fails {
					return unknown
				}
				return nil
			}
			runs := 0
			err := x.strategy("unique-key").Do(lock.WithUnit(t.Context(), "job"), "x", x, func(context.Context, lock.Section) error {
				runs++
				return nil
			})
			if !errors.Is(err, test.want) || runs != test.runs {
				t.Errorf("it ends with %v after %d runs, want %v after %d", err, runs, test.want, test.runs)
			}
		})
	}
}

// A key that another worker has, as far as the resource says, but which no replica has yet,
// may be its own.
func TestAKeyThatCannotBeReadYetIsUnknown(t *testing.T) {
	x := newTable()
	if err := whose(t.Context(), x, "job/key", "mine"); !errors.Is(err, lock.ErrUnknown) {
		t.Errorf("it ends with %v", err)
	}
}

// plain is a resource without conditional writes.
type plain struct{ lock.Resource }

func TestAResourceWithoutConditionalWritesIsAnError(t *testing.T) {
	for _, e := range Strategies() {
		err := newTable().strategy(e.Name).Do(lock.WithUnit(t.Context(), "job"), "x", plain{}, increment)
		if err == nil || !strings.Contains(err.Error(), "has no conditional writes") {
			t.Errorf("%s ends with %v", e.Name, err)
		}
	}
}
