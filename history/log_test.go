package history

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// ofFaults are the fields of an event that only events of faults have, which belong to no lock.
var ofFaults = map[string]bool{"Fault": true, "Kind": true, "Effect": true, "Target": true, "Point": true, "Hit": true}

// fill gives a value to a field of an event, a small one or the zero value.
func fill(t *rapid.T, field reflect.Value, name string) {
	switch field.Kind() {
	case reflect.String:
		field.SetString(rapid.SampledFrom([]string{"", "a", "bc", "0123456789abcdef0123456789abcdef"}).Draw(t, name))
	case reflect.Int, reflect.Int64:
		field.SetInt(rapid.OneOf(rapid.Just(int64(0)), rapid.Int64()).Draw(t, name))
	case reflect.Bool:
		field.SetBool(rapid.Bool().Draw(t, name))
	case reflect.Pointer:
		if rapid.Bool().Draw(t, name) {
			c := &Condition{By: rapid.SampledFrom([]string{"version", "value"}).Draw(t, "by")}
			c.Version, c.Value = rapid.Int64().Draw(t, "version"), rapid.StringN(0, 3, 9).Draw(t, "value")
			field.Set(reflect.ValueOf(c))
		}
	default:
		t.Fatalf("the field %s has a kind that the test cannot fill: %s", name, field.Kind())
	}
}

// Each field is set by name, so that a new field of Event makes this test fail until the log stores it.
func TestALogReturnsTheEventsOfEachLockAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var log Log
		want := map[string][]Event{}
		var order []string
		for i := range rapid.IntRange(0, 60).Draw(t, "events") {
			var e Event
			v := reflect.ValueOf(&e).Elem()
			for f := range v.NumField() {
				if name := v.Type().Field(f).Name; !ofFaults[name] && name != "Seq" {
					fill(t, v.Field(f), name)
				}
			}
			lock := fmt.Sprint("lock-", rapid.IntRange(0, 2).Draw(t, "lock"))
			log.Record(lock, &e)
			if e.Seq != int64(i)+1 {
				t.Fatalf("event %d has number %d", i+1, e.Seq)
			}
			if want[lock] == nil {
				order = append(order, lock)
			}
			want[lock] = append(want[lock], e)
		}
		if log.Locks() != len(order) {
			t.Fatalf("%d locks, want %d", log.Locks(), len(order))
		}
		var events []Event
		for i, lock := range order {
			events = log.Lock(i, events)
			if diff := cmp.Diff(want[lock], events); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", lock, diff)
			}
		}
	})
}

func TestALogKeepsTheEventsOfNoLockApart(t *testing.T) {
	var log Log
	log.Record("a", &Event{Type: AcquireCalled, Worker: "w", Section: 1, Key: "a"})
	log.Record("", &Event{Type: FaultBegin, Fault: 1, Kind: "pause", Target: "w"})
	log.Record("a", &Event{Type: Released, Worker: "w", Section: 1, Key: "a"})
	if log.Len() != 3 || log.Locks() != 1 {
		t.Fatalf("%d events of %d locks, want 3 of 1", log.Len(), log.Locks())
	}
	want := []Event{{Seq: 2, Type: FaultBegin, Fault: 1, Kind: "pause", Target: "w"}}
	if diff := cmp.Diff(want, log.Other()); diff != "" {
		t.Errorf("events of no lock (-want +got):\n%s", diff)
	}
}
