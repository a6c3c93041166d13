package sim

import (
	"context"
	"testing"
	"time"
)

// closings is a server that notes when it is told of the end of a connection, and why.
type closings struct {
	world *World
	at    []time.Duration
	why   []error
}

func (s *closings) Serve(c *Call) { c.Applied(); c.Reply(nil) }
func (s *closings) Closed(_ *Session, err error) {
	s.at, s.why = append(s.at, s.world.Time()), append(s.why, err)
}

func TestAServerWithKeepAliveIsToldOfAClientThatIsCutOffForLong(t *testing.T) {
	for name, test := range map[string]struct {
		cut  time.Duration
		want []time.Duration
	}{
		"a cut that is longer":  {cut: time.Minute, want: []time.Duration{11 * time.Second}},
		"a cut that is shorter": {cut: 9 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			w := New(Config{})
			defer w.Close()
			server := &closings{world: w}
			w.AddNode("server", NodeConfig{}).Listen(server)
			w.Node("server").SetKeepAlive(10 * time.Second)
			k := w.AddNode("client", NodeConfig{}).Process("client").Worker("client")
			k.Go("main", func() {
				if _, err := k.Process().Dial(context.Background(), "server", 0); err != nil {
					t.Error(err)
				}
			})
			w.At(time.Second, func() {
				if err := w.CutLink("client", "server", CutDrop, test.cut); err != nil {
					t.Error(err)
				}
			})
			if err := w.Run(); err != nil {
				t.Fatal(err)
			}
			if len(server.at) != len(test.want) || len(test.want) == 1 && (server.at[0] != test.want[0] || server.why[0] != ErrTimeout) { //nolint:errorlint // the error as it is
				t.Errorf("the server was told at %v because of %v, want %v", server.at, server.why, test.want)
			}
		})
	}
}
