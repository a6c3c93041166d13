package keyspace

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Direct gives the same answers and has the same effects as the slower path, and handles only the
// simple forms.
func TestDirectAnswersTheSameAsIndirect(t *testing.T) {
	tests := []struct {
		name, before, command string
		after                 time.Duration // from before to command
		want                  bool          // direct handles it
	}{
		{"get of nothing", "", "get k", 0, true},
		{"get of a string", "set k v", "get k", 0, true},
		{"get of a list", "rpush k v", "get k", 0, false},
		{"get of too much", "", "get k l", 0, false},
		{"del of nothing", "", "del k", 0, true},
		{"del of a string", "set k v px 9", "del k", 0, true},
		{"del of a list", "rpush k v", "del k", 0, true},
		{"del of two", "set k v", "del k l", 0, false},
		{"set of a new key", "", "set k w px 1500 nx", 0, true},
		{"set of a key that is there", "set k v px 9", "set k w px 1500 nx", 0, true},
		{"set of a list that is there", "rpush k v", "set k w px 1500 nx", 0, true},
		{"set with nx in front", "", "set k w NX PX 1500", 0, true},
		{"set in seconds", "", "set k w ex 15 nx", 0, true},
		{"set with xx", "set k v", "set k w px 1500 xx", 0, false},
		{"set with get", "set k v", "set k w nx get keepttl", 0, false},
		{"set with no time", "", "set k w px 0 nx", 0, false},
		{"set with less than none", "", "set k w px -5 nx", 0, false},
		{"set with no number", "", "set k w px x nx", 0, false},
		{"set with a number too large", "", "set k w ex 9223372036854775807 nx", 0, false},
		{"set at a time", "", "set k w pxat 1500 nx", 0, false},
		{"set without expiry", "", "set k w nx", 0, false},
		{"get at the last millisecond", "set k v px 9", "get k", 9 * time.Millisecond, true},
		{"get of a key that has expired", "set k v px 9", "get k", 10 * time.Millisecond, true},
		{"del of a key that has expired", "set k v px 9", "del k", 10 * time.Millisecond, true},
		{"set of a key that has expired", "set k v px 9", "set k w px 1500 nx", 10 * time.Millisecond, true},
		{"incr of nothing", "", "incr k", 0, true},
		{"incr of a number", "set k -1", "incr k", 0, true},
		{"incr of a number that expires", "set k 7 px 9", "incr k", 9 * time.Millisecond, true},
		{"incr of a number that has expired", "set k 7 px 9", "incr k", 10 * time.Millisecond, true},
		{"incr of a word", "set k v", "incr k", 0, true},
		{"incr of the largest number", "set k 9223372036854775807", "incr k", 0, true},
		{"incr of a list", "rpush k v", "incr k", 0, false},
		{"another command", "set k 1", "decr k", 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stores [2]*store
			var touched [2]map[string]bool
			var expired [2][]string
			for i := range stores {
				s, err := newStore(Hooks{}.complete())
				if err != nil {
					t.Fatal(err)
				}
				s.setTime(time.Unix(1000, 0))
				s.touched = func(key string) { touched[i][key] = true }
				s.expired = func(key string) { expired[i] = append(expired[i], key) }
				touched[i] = map[string]bool{}
				if tt.before != "" {
					s.indirect(strings.Fields(tt.before))
				}
				s.setTime(time.Unix(1000, int64(tt.after)))
				stores[i] = s
			}
			reply, ok := stores[0].direct(strings.Fields(tt.command))
			if ok != tt.want {
				t.Fatalf("direct takes %q: %v, want %v", tt.command, ok, tt.want)
			}
			if !ok {
				reply = stores[0].indirect(strings.Fields(tt.command))
			}
			if diff := cmp.Diff(stores[1].indirect(strings.Fields(tt.command)), reply); diff != "" {
				t.Errorf("reply (-indirect +direct):\n%s", diff)
			}
			if diff := cmp.Diff(stores[1].redis.Dump(), stores[0].redis.Dump()); diff != "" {
				t.Errorf("keyspace (-indirect +direct):\n%s", diff)
			}
			if diff := cmp.Diff(stores[1].deadlines, stores[0].deadlines); diff != "" {
				t.Errorf("deadlines (-indirect +direct):\n%s", diff)
			}
			if diff := cmp.Diff(touched[1], touched[0]); diff != "" {
				t.Errorf("keys named (-indirect +direct):\n%s", diff)
			}
			if diff := cmp.Diff(expired[1], expired[0]); diff != "" {
				t.Errorf("keys expired (-indirect +direct):\n%s", diff)
			}
			const later = "pttl k"
			if want, got := stores[1].run(strings.Fields(later)), stores[0].run(strings.Fields(later)); !cmp.Equal(want, got) {
				t.Errorf("%s answers %v, want %v", later, got, want)
			}
		})
	}
}
