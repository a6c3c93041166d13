package wire

import (
	"bytes"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"lockquake/sim/resource"
)

// message is a message of either end.
type message interface {
	Encode(b []byte) ([]byte, error)
}

func encoded(t *testing.T, list ...message) []byte {
	t.Helper()
	var b []byte
	for _, m := range list {
		var err error
		if b, err = m.Encode(b); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// A trace has a line for each packet, so no message may add another one.
func TestTheTraceOfAPacketIsOneReadableLine(t *testing.T) {
	for _, test := range []struct {
		name   string
		packet Packet
		want   string
	}{
		{"a query", Packet{Bytes: encoded(t, &pgproto3.Query{String: "SELECT 1\nFROM t"})}, "Q(SELECT 1 FROM t)"},
		{"an extended query", Packet{Bytes: encoded(t,
			&pgproto3.Parse{Name: "s1", Query: "SELECT $1"}, &pgproto3.Bind{PreparedStatement: "s1"}, &pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}, &pgproto3.Sync{},
		)}, "P(SELECT $1)B(s1)DES"},
		{"a result", Packet{Bytes: encoded(t,
			&pgproto3.DataRow{Values: [][]byte{[]byte("a"), nil, {0, 0, 0, 0, 0, 0, 0, 7}, {1, 2}, {}}},
			&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")}, &pgproto3.ReadyForQuery{TxStatus: 'I'},
		)}, "D(a null 7 0102  )C(SELECT 1)Z"},
		{"an error", Packet{Bytes: encoded(t, &pgproto3.ErrorResponse{Severity: "ERROR", Code: "40P01", Message: "deadlock detected"})}, "E(40P01)"},
		{"a request to the resource", Packet{Bytes: encoded(t, &pgproto3.Sync{}), Data: &resource.Request{ID: 4, Item: "a"}}, "read a S"},
		{"a packet without types", Packet{Bytes: []byte{0, 0, 0, 4}, Label: "startup"}, "startup"},
		{"a type that does not exist", Packet{Bytes: []byte("\n\x00\x00\x00\x04")}, "0a"},
		{"nothing", Packet{}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := string(test.packet.AppendTrace(nil)); got != test.want {
				t.Errorf("the trace is %q, want %q", got, test.want)
			}
		})
	}
}

func TestAMessageThatIsNotCompleteIsLeft(t *testing.T) {
	whole := encoded(t, &pgproto3.Query{String: "SELECT 1"})
	two := append(bytes.Clone(whole), whole...)
	for n := range len(whole) {
		kind, body, rest := Next(two[:len(whole)+n])
		if kind != 'Q' || string(body) != "SELECT 1\x00" || len(rest) != n {
			t.Fatalf("with %d more bytes the first message is %q %q, and %d bytes are left", n, kind, body, len(rest))
		}
		if kind, _, left := Next(rest); kind != 0 || len(left) != n {
			t.Errorf("%d bytes of the second message count as one of type %q", n, kind)
		}
	}
}

// No bytes make the trace panic or break its line.
func FuzzTrace(f *testing.F) {
	f.Add([]byte("Q\x00\x00\x00\x0dSELECT 1\x00"))
	f.Add([]byte("D\x00\x00\x00\x0a\x00\x01\xff\xff\xff\xff"))
	f.Add([]byte("E\x00\x00\x00\x05CX"))
	f.Add([]byte("P\x00\x00\x00\x04"))
	f.Fuzz(func(t *testing.T, b []byte) {
		line := (&Packet{Bytes: b}).AppendTrace(nil)
		if bytes.ContainsAny(line, "\n\r") {
			t.Errorf("%q becomes %q", b, line)
		}
	})
}
