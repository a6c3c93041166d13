package postgres

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgproto3"

	"lockquake/internal/draw"
	"lockquake/sim"
	"lockquake/sim/postgres/wire"
)

// messages encodes messages of a client, one after another.
func messages(t *testing.T, list ...pgproto3.FrontendMessage) []byte {
	var b []byte
	for _, m := range list {
		var err error
		if b, err = m.Encode(b); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// A client that breaks the protocol, or uses a part of it that is not simulated, gets the error of
// PostgreSQL, and the session goes on after the next Sync.
func TestTheServerAnswersWrongMessagesWithErrors(t *testing.T) {
	sync := &pgproto3.Sync{}
	for _, test := range []struct {
		name string
		send []byte
		want string
	}{
		{"a simple query of several statements", messages(t, &pgproto3.Query{String: "SELECT 1; SELECT 'a'"}), "TD(1 )C(SELECT 1)TD(a )C(SELECT 1)Z"},
		{"an empty query", messages(t, &pgproto3.Query{String: " "}), "IZ"},
		{"an error ends a simple query", messages(t, &pgproto3.Query{String: "SELECT 1; SELECT 1/0; SELECT 2"}), "TD(1 )C(SELECT 1)E(22012)Z"},
		{"a statement that does not exist", messages(t, &pgproto3.Bind{PreparedStatement: "s"}, sync), "E(26000)Z"},
		{"a portal that does not exist", messages(t, &pgproto3.Execute{Portal: "p"}, sync), "E(34000)Z"},
		{"messages after an error are skipped until Sync", messages(t,
			&pgproto3.Parse{Query: "SELEC"}, &pgproto3.Bind{}, &pgproto3.Execute{}, sync, &pgproto3.Query{String: "SELECT 1"}), "E(42601)ZTD(1 )C(SELECT 1)Z"},
		{"too few parameters", messages(t, &pgproto3.Parse{Query: "SELECT $1::bigint"}, &pgproto3.Bind{}, sync), "1E(08P01)Z"},
		{"a parameter that is no number", messages(t,
			&pgproto3.Parse{Query: "SELECT $1::bigint"}, &pgproto3.Bind{Parameters: [][]byte{[]byte("x")}}, sync), "1E(22P02)Z"},
		{"an extended query", messages(t,
			&pgproto3.Parse{Query: "SELECT $1::bigint"}, &pgproto3.Bind{Parameters: [][]byte{[]byte("7")}}, &pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}, sync), "12TD(7 )C(SELECT 1)Z"},
		{"COPY is not simulated", messages(t, &pgproto3.CopyDone{}, sync), "E(0A000)Z"},
		{"a function call is not simulated", messages(t, &pgproto3.FunctionCall{}, sync), "E(0A000)Z"},
	} {
		t.Run(test.name, func(t *testing.T) {
			world := sim.New(sim.Config{Latency: draw.Fixed(time.Millisecond)})
			defer world.Close()
			server, err := New(world.AddNode("db", sim.NodeConfig{}), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			worker := world.AddNode("worker-1", sim.NodeConfig{}).Process("worker-1").Worker("worker-1")
			worker.Go("main", func() {
				ctx := context.Background()
				conn, err := worker.Process().Dial(ctx, "db", 0)
				if err != nil {
					t.Error(err)
					return
				}
				start := messages(t, &pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "a"}})
				for _, b := range [][]byte{start, test.send, messages(t, &pgproto3.Query{String: "SELECT 1"})} {
					answer, err := conn.Call(ctx, "query", &wire.Packet{Bytes: b}, 0)
					if err != nil {
						t.Error(err)
						return
					}
					got, want := string(answer.(*wire.Packet).AppendTrace(nil)), test.want
					switch &b[0] {
					case &start[0]:
						want = "RSSSSSKZ"
					case &test.send[0]:
					default:
						want = "TD(1 )C(SELECT 1)Z"
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("the answer (-want +got):\n%s", diff)
					}
				}
			})
			if err := world.Run(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestAnInvalidStartUpEndsTheConnection(t *testing.T) {
	world := sim.New(sim.Config{Latency: draw.Fixed(time.Millisecond)})
	defer world.Close()
	server, err := New(world.AddNode("db", sim.NodeConfig{}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	worker := world.AddNode("worker-1", sim.NodeConfig{}).Process("worker-1").Worker("worker-1")
	worker.Go("main", func() {
		ctx := context.Background()
		for _, b := range [][]byte{{}, {0, 0, 0, 4}, []byte("GET / HTTP/1.1")} {
			conn, err := worker.Process().Dial(ctx, "db", 0)
			if err != nil {
				t.Error(err)
				return
			}
			answer, err := conn.Call(ctx, "query", &wire.Packet{Bytes: b}, 0)
			if err != nil {
				t.Error(err)
				return
			}
			if got := string(answer.(*wire.Packet).AppendTrace(nil)); got != "E(08P01)" {
				t.Errorf("%q is answered by %s", b, got)
			}
		}
	})
	if err := world.Run(); err != nil {
		t.Fatal(err)
	}
}
