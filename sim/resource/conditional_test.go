package resource

import (
	"context"
	"errors"
	"testing"
	"time"

	"lockquake/lock"
)

// write sends a conditional write, and returns the new version and whether there was a conflict.
func (s *shop) write(t *testing.T, value string, c lock.Condition) (version int64, conflict bool) {
	t.Helper()
	s.id++
	reply, err := s.client.Ask(context.Background(), &Request{ID: s.id, Write: true, Item: "x", Value: value, If: &c})
	if conflict = errors.Is(err, lock.ErrConflict); err != nil && !conflict {
		t.Errorf("writing %s: %v", value, err)
	}
	return reply.Version, conflict
}

// The item begins with version 1. Each write raises the version, with or without a condition, and a
// conflict changes nothing.
func TestAConditionalWriteNeedsItsVersionOrValue(t *testing.T) {
	for _, test := range []struct {
		name      string
		condition lock.Condition
		before    []string // values that are written first
		version   int64    // 0: conflict
	}{
		{"the first version", lock.IfVersion(1), nil, 2},
		{"an older version", lock.IfVersion(1), []string{"a"}, 0},
		{"a newer version", lock.IfVersion(2), nil, 0},
		{"the version of an item that does not exist", lock.IfVersion(0), nil, 0},
		{"the value", lock.IfValue("0"), nil, 2},
		{"another value", lock.IfValue("0"), []string{"a"}, 0},
		{"a value that has come back", lock.IfValue("0"), []string{"a", "0"}, 4},
		{"a version whose value has come back", lock.IfVersion(1), []string{"a", "0"}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShop(t, Off)
			s.run(t, func() {
				last := "0"
				for _, last = range test.before {
					if _, err := s.ask(Request{Write: true, Value: last}); err != nil {
						t.Error(err)
					}
				}
				version, conflict := s.write(t, "new", test.condition)
				if version != test.version || conflict != (test.version == 0) {
					t.Errorf("version %d, conflict %v, want version %d", version, conflict, test.version)
				}
				if !conflict {
					last = "new"
				}
				if got, err := s.ask(Request{}); got != last || err != nil {
					t.Errorf("the item holds %q, %v, want %q", got, err, last)
				}
			})
		})
	}
}

// An item that does not exist has version 0 and no value, not even the empty one.
func TestOnlyVersion0InsertsAnItem(t *testing.T) {
	s := newShop(t, Off)
	s.run(t, func() {
		for i, test := range []struct {
			condition lock.Condition
			conflict  bool
		}{{lock.IfVersion(1), true}, {lock.IfValue(""), true}, {lock.IfVersion(0), false}, {lock.IfVersion(0), true}, {lock.IfValue(""), false}} {
			_, err := s.client.Ask(context.Background(), &Request{ID: int64(i + 1), Write: true, Item: "new", If: &test.condition})
			if errors.Is(err, lock.ErrConflict) != test.conflict || (err != nil) != test.conflict {
				t.Errorf("write %d under %+v gave %v", i+1, test.condition, err)
			}
		}
	})
}

// A replica that lags returns the value and the version of one write, so a conditional write that
// builds on them meets a conflict.
func TestAStaleReadHasAStaleVersion(t *testing.T) {
	s := newShop(t, Off)
	s.run(t, func() {
		s.server.SetStale(time.Hour)
		if version, _ := s.write(t, "a", lock.IfVersion(1)); version != 2 {
			t.Errorf("the write left version %d", version)
		}
		s.id++
		reply, err := s.client.Ask(context.Background(), &Request{ID: s.id, Item: "x"})
		if err != nil || reply.Value != "0" || reply.Version != 1 {
			t.Errorf("the replica answers %+v, %v", reply, err)
		}
		if _, conflict := s.write(t, "b", lock.IfVersion(reply.Version)); !conflict {
			t.Error("a write that builds on a stale read took effect")
		}
	})
}
