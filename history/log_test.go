package history

import (
	"errors"
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
		if rapid.Bool().Draw(t, "spills") {
			log.Spill(&memory{}, rapid.Int64Range(0, 2000).Draw(t, "above"))
		}
		want := map[string][]Event{}
		var order []string
		for i := range rapid.IntRange(0, 100).Draw(t, "events") {
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
			var err error
			if events, err = log.Lock(i, events); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want[lock], events); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", lock, diff)
			}
		}
	})
}

// memory is a file in memory.
type memory struct{ bytes []byte }

func (m *memory) WriteAt(b []byte, at int64) (int, error) {
	if at != int64(len(m.bytes)) {
		return 0, fmt.Errorf("a write at %d, and the file ends at %d", at, len(m.bytes))
	}
	m.bytes = append(m.bytes, b...)
	return len(b), nil
}

func (m *memory) ReadAt(b []byte, at int64) (int, error) { return copy(b, m.bytes[at:]), nil }

// An event of 100 bytes or less, 10,000 times: of two locks, at most two blocks of 4 KB stay beyond the bound.
func TestALogThatSpillsKeepsAFixedNumberOfBytesInMemory(t *testing.T) {
	const above, events = 10_000, 10_000
	var log Log
	file := &memory{}
	log.Spill(file, above)
	for i := range events {
		log.Record([]string{"a", "b"}[i%2], &Event{Type: OK, Worker: "w", Section: i, Key: "a", Value: fmt.Sprintf("%040d", i)})
	}
	if got := log.bytes; got > above+2*mostBlock {
		t.Errorf("%d bytes in memory, want at most %d", got, above+2*mostBlock)
	}
	if log.Spilled() != int64(len(file.bytes)) || len(file.bytes) < events*40-above-2*mostBlock {
		t.Errorf("%d bytes in the file, and it says %d", len(file.bytes), log.Spilled())
	}
	got, err := log.Lock(1, nil)
	if err != nil || len(got) != events/2 {
		t.Fatalf("%d events, want %d; error %v", len(got), events/2, err)
	}
	for i := range got {
		if want := fmt.Sprintf("%040d", 2*i+1); got[i].Value != want {
			t.Fatalf("event %d has value %s, want %s", i, got[i].Value, want)
		}
	}
}

// Of 20,000 locks the first blocks, of 256 bytes each, are more than the bound, and nothing is added to them: with blocks
// of up to 4 KB they would take 80 MB.
func TestALogOfManyLocksThatSpillsKeepsOneSmallBlockOfEach(t *testing.T) {
	const above, locks, each = 1 << 20, 20_000, 50
	var log Log
	file := &memory{}
	log.Spill(file, above)
	for i := range each * locks {
		log.Record(fmt.Sprint("lock-", i%locks), &Event{Type: OK, Worker: "w", Section: i, Key: "a", Value: "0123456789abcdef"})
	}
	if got, most := log.bytes, int64(locks*leastBlock); got > most {
		t.Errorf("%d bytes in memory, want at most %d", got, most)
	}
	for _, i := range []int{0, locks - 1} {
		got, err := log.Lock(i, nil)
		if err != nil || len(got) != each || got[each-1].Section != (each-1)*locks+i {
			t.Errorf("lock %d: %d events, want %d; error %v", i, len(got), each, err)
		}
	}
}

// full is a file on a disk that is full after one block.
type full struct{ memory }

var errFull = errors.New("no space left on device")

func (f *full) WriteAt(b []byte, at int64) (int, error) {
	if at > 0 {
		return 0, errFull
	}
	return f.memory.WriteAt(b, at)
}

func TestALogWhoseFileIsFullSaysSo(t *testing.T) {
	var log Log
	log.Spill(&full{}, 0)
	for i := range 1000 {
		log.Record("a", &Event{Type: OK, Worker: "w", Section: i, Key: "a", Value: fmt.Sprintf("%040d", i)})
	}
	if _, err := log.Lock(0, nil); !errors.Is(err, errFull) {
		t.Errorf("the error is %v, want %v", err, errFull)
	}
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
