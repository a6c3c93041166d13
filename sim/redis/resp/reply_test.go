package resp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A reply is the same after it was encoded and parsed, and what follows it is left over.
func TestAParsedReplyIsTheEncodedOne(t *testing.T) {
	for _, want := range []Reply{
		OK(),
		Errorf("ERR %d", 1),
		{Kind: Integer, Int: -7},
		{Kind: Bulk, Text: "a\r\nb"},
		{Kind: Bulk},
		{Kind: Nil},
		{Kind: Array},
		{Kind: Array, Elems: []Reply{{Kind: Nil}, {Kind: Array, Elems: []Reply{{Kind: Status, Text: "QUEUED"}}}, {Kind: Integer}}},
	} {
		got, rest, err := ParseRESP(append(want.AppendRESP(nil), "+rest"...))
		if diff := cmp.Diff(want, got); err != nil || diff != "" || string(rest) != "+rest" {
			t.Errorf("error %v, %q left over, (-want +got):\n%s", err, rest, diff)
		}
	}
}
