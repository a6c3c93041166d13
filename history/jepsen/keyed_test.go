package jepsen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/history/jepsen"
)

// pairs parses operations of two lines each: function, value of the invocation, and value of the
// :ok, which is the same if it is left out. Each has its own process.
func pairs(t *testing.T, operations ...string) []jepsen.Operation {
	t.Helper()
	var b strings.Builder
	for i, o := range operations {
		function, values, _ := strings.Cut(o, " ")
		in, out, ok := strings.Cut(values, " -> ")
		if !ok {
			out = in
		}
		fmt.Fprintf(&b, "{:process %d :type :invoke :f :%s :value %s}\n{:process %d :type :ok :f :%s :value %s}\n", i, function, in, i, function, out)
	}
	list, _, err := jepsen.Parse([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestKeyedNeedsAnOperationThatIsOnlyReadableWithAKey(t *testing.T) {
	tests := []struct {
		name       string
		operations []string
		want       string // keyed, plain, or the error
	}{
		{"a register", []string{"write 1", "read nil -> 1", "cas [1 2]"}, "plain"},
		{"a register that only has cas", []string{"cas [1 2]", "cas [nil 2]"}, "plain"},
		{"a register of several keys", []string{"write [0 1]", "read [0 nil] -> [0 1]", "cas [0 [1 2]]"}, "keyed"},
		{"only cas, of several keys", []string{"cas [:a [1 2]]", "cas [:b [1 2]]"}, "keyed"},
		{"a key that is a vector", []string{"read [[0 1] nil] -> [[0 1] 2]"}, "keyed"},
		{"a mutex", []string{"acquire nil", "release nil"}, "plain"},
		{"a mutex of several keys", []string{"acquire [0 nil]", "release [0 nil]"}, "keyed"},
		{"fences of several keys", []string{"acquire [0 nil] -> [0 5]", "release [0 5]"}, "keyed"},
		{"a mutex of maps", []string{"acquire {:client 1}", "release {:client 1}"}, "plain"},
		{"a counter of several keys", []string{"add [0 5]", "read [0 nil] -> [0 5]"}, "keyed"},
		{"a set", []string{"add 1", "read nil -> #{1}"}, "plain"},
		{"a set of pairs", []string{"add [1 2]", "read nil -> #{[1 2]}"}, "plain"},
		{"a set that reads two elements", []string{"add 1", "add 2", "read nil -> [1 2]"}, "plain"},
		{"sets of several keys", []string{"add [0 1]", "read [0 nil] -> [0 #{1}]"}, "keyed"},
		{"triples", []string{"add [0 1 2]", "read nil -> #{[0 1 2]}"}, "plain"},

		{"a key is missing", []string{"read [0 nil] -> [0 1]", "cas [0 [1 2]]", "write 1"}, "5:1: the :read of line 1 has [key value], and the :write of line 5 has no key"},
		{"a key is there once", []string{"write 1", "read [0 nil] -> [0 1]"}, "3:1: the :read of line 3 has [key value], and the :write of line 1 has no key"},
		{"only writes of pairs", []string{"write [0 1]", "write [0 2]"}, "1:1: [0 1] may be a key with its value or a value by itself; --keyed or --keyed=false says which"},
		{"only adds of pairs", []string{"add [0 1]"}, "1:1: [0 1] may be a key"},
		{"owners or keys", []string{`acquire ["a" "b"]`}, `1:1: ["a" "b"] may be a key`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			keyed, err := jepsen.Keyed(pairs(t, tt.operations...))
			got := map[bool]string{true: "keyed", false: "plain"}[keyed]
			if err != nil {
				got = err.Error()
			}
			if got != tt.want && (err == nil || !strings.HasPrefix(got, tt.want)) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestByKeySplitsAHistoryByItsKeys(t *testing.T) {
	keys, err := jepsen.ByKey(pairs(t, "write [1.0 1]", "read [:b nil] -> [:b nil]", "cas [1.00 [1 2]]", "read [1.0 nil] -> [1.0 2]"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, key := range keys {
		for _, o := range key.Operations {
			got = append(got, fmt.Sprintf("%s: %s %s -> %s, %d to %d", key, o.Function, o.Input, o.Output, o.Call, o.Return))
		}
	}
	want := []string{
		"1.0: write 1 -> 1, 1 to 2", "1.0: cas [1 2] -> [1 2], 5 to 6", "1.0: read nil -> 2, 7 to 8",
		":b: read nil -> nil, 3 to 4",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestByKeyRefusesOperationsWithoutTheirKey(t *testing.T) {
	for name, tt := range map[string]struct{ operation, want string }{
		"no key":            {"read nil", "1:1: the :read has nil where a key and its value should be"},
		"an end without it": {"read [0 nil] -> 5", "2:1: the :read of line 1 is of key 0, and ends with 5"},
		"another one's end": {"read [0 nil] -> [1 5]", "2:1: the :read of line 1 is of key 0, and ends with [1 5]"},
		"nothing at all":    {"write [0 1] -> nil", "2:1: the :write of line 1 is of key 0, and ends with nil"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := jepsen.ByKey(pairs(t, tt.operation)); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
