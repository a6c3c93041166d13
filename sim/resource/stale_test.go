package resource

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/lock"
	"lockquake/sim"
)

// shop is a resource with its server, and a worker.
type shop struct {
	*sim.World
	server *Server
	worker *sim.Worker
	client *Client
	told   []string
	id     int64
}

func newShop(t *testing.T, policy Policy) *shop {
	t.Helper()
	s := &shop{World: sim.New(sim.Config{Latency: draw.Fixed(time.Millisecond)})}
	t.Cleanup(s.Close)
	s.server = NewServer(s.AddNode("resource", sim.NodeConfig{}), policy, map[string]string{"x": "0"}, func(e history.Event) {
		s.told = append(s.told, fmt.Sprintf("%v %s %q over %q #%d mark %d %v", e.At, e.Op, e.Value, e.Prior, e.Token, e.Mark, e.Accepted))
	})
	s.worker = s.AddNode("worker-1", sim.NodeConfig{}).Process("worker-1").Worker("worker-1")
	s.client = NewClient(s.worker.Process(), "resource")
	return s
}

func (s *shop) ask(r Request) (string, error) {
	s.id++
	r.ID, r.Item = s.id, "x"
	return s.client.Do(context.Background(), &r)
}

func (s *shop) run(t *testing.T, body func()) {
	t.Helper()
	s.worker.Go("main", body)
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
}

func (s *shop) sleepTo(when time.Duration) {
	_ = s.worker.Sleep(context.Background(), when-s.Time())
}

// Stale reads stop when they begin to lag, then lag by a second. They ignore tokens and raise no
// mark. Writes are not affected.
func TestStaleReadsLagAndIgnoreTokens(t *testing.T) {
	s := newShop(t, ReadsWrites)
	s.At(10*time.Second, func() { s.server.SetStale(time.Second) })
	s.At(14*time.Second, func() { s.server.SetStale(0) })
	write := func(when time.Duration, value string, token int64) {
		s.sleepTo(when)
		if _, err := s.ask(Request{Write: true, Value: value, Token: token}); err != nil {
			t.Errorf("writing %s: %v", value, err)
		}
	}
	read := func(when time.Duration, token int64, want string) {
		s.sleepTo(when)
		if got, err := s.ask(Request{Token: token}); got != want || err != nil {
			t.Errorf("at %v the read gave %q, %v, want %q", when, got, err, want)
		}
	}
	s.run(t, func() {
		write(9999*time.Millisecond, "a", 1) // the connection is there from 10.001s on: at the server at 10.002s
		read(10500*time.Millisecond, 1, "0")
		read(11*time.Second, 1, "0") // at the server at 11.001s, a millisecond too early
		read(11002*time.Millisecond, 1, "a")
		write(12*time.Second, "b", 3)                   // at the server at 12.001s
		read(13*time.Second-1, 2, "a")                  // a token below the mark, and 1 ns too early
		read(13*time.Second+2*time.Millisecond, 9, "b") // does not raise the mark
		write(13500*time.Millisecond, "c", 3)
		read(14*time.Second, 3, "c")
	})
	want := []string{
		`10.002s write "a" over "0" #1 mark 1 true`,
		`10.501s read "0" over "a" #1 mark 1 true`,
		`11.001s read "0" over "a" #1 mark 1 true`,
		`11.003s read "a" over "a" #1 mark 1 true`,
		`12.001s write "b" over "a" #3 mark 3 true`,
		`13.000999999s read "a" over "b" #2 mark 3 true`,
		`13.003s read "b" over "b" #9 mark 3 true`,
		`13.501s write "c" over "b" #3 mark 3 true`,
		`14.001s read "c" over "c" #3 mark 3 true`,
	}
	if diff := cmp.Diff(want, s.told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A crash keeps the values, and the marks too unless the policy is volatile. Only then a stale
// write is accepted after it.
func TestACrashLosesOnlyVolatileMarks(t *testing.T) {
	for _, test := range []struct {
		policy  Policy
		refused bool
	}{{Writes, true}, {Volatile, false}} {
		t.Run(string(test.policy), func(t *testing.T) {
			s := newShop(t, test.policy)
			s.At(time.Second, s.server.Crash)
			s.At(2*time.Second, s.server.Restart)
			s.run(t, func() {
				if _, err := s.ask(Request{Write: true, Value: "new", Token: 34}); err != nil {
					t.Error(err)
				}
				s.sleepTo(1500 * time.Millisecond)
				if _, err := s.ask(Request{Token: 34}); !errors.Is(err, sim.ErrRefused) {
					t.Errorf("a server that is down gave %v", err)
				}
				s.sleepTo(2 * time.Second)
				if got, err := s.ask(Request{Token: 34}); got != "new" || err != nil {
					t.Errorf("after the restart the read gave %q, %v", got, err)
				}
				_, err := s.ask(Request{Write: true, Value: "old", Token: 33})
				if errors.Is(err, lock.ErrRefused) != test.refused || (err != nil) != test.refused {
					t.Errorf("the stale write gave %v", err)
				}
			})
		})
	}
}

// A crash between the check and the write of a check-then-write resource loses the write.
func TestACrashBetweenCheckAndWriteLosesTheWrite(t *testing.T) {
	s := newShop(t, CheckThenWrite)
	s.worker.OnPoint("write.sent", 1, func() {
		// It arrives 1 ms later, and takes a drawn time of up to 2 ms then.
		s.At(s.Time()+time.Millisecond+1, s.server.Crash)
	})
	s.run(t, func() {
		if _, err := s.ask(Request{Write: true, Value: "1", Token: 1}); !errors.Is(err, lock.ErrUnknown) || !errors.Is(err, sim.ErrReset) {
			t.Errorf("the write gave %v", err)
		}
	})
	if len(s.told) != 0 || s.server.Value("x") != "0" {
		t.Errorf("the write was made: %v", s.told)
	}
}

func TestAFailureIsAnUnknownOutcomeWithoutEffect(t *testing.T) {
	s := newShop(t, Off)
	s.worker.OnPoint("write.sent", 1, func() {
		if err := s.FailMessage("disk full"); err != nil {
			t.Error(err)
		}
	})
	s.run(t, func() {
		_, err := s.ask(Request{Write: true, Value: "1"})
		if !errors.Is(err, lock.ErrUnknown) || errors.Is(err, lock.ErrRefused) {
			t.Errorf("the write gave %v", err)
		}
		if got, err := s.ask(Request{}); got != "0" || err != nil {
			t.Errorf("the read gave %q, %v", got, err)
		}
	})
}

// A peek needs no token, and sees the replica's data if that answers reads. It raises no mark and
// is not recorded.
func TestAPeekIsNotRecordedAndRaisesNoMark(t *testing.T) {
	s := newShop(t, ReadsWrites)
	s.run(t, func() {
		for i, want := range []string{"0", "a", "a"} {
			switch i {
			case 1:
				if _, err := s.ask(Request{Write: true, Value: "a", Token: 5}); err != nil {
					t.Error(err)
				}
			case 2:
				s.server.SetStale(time.Hour)
				if _, err := s.ask(Request{Write: true, Value: "b", Token: 5}); err != nil {
					t.Error(err)
				}
			}
			if got, err := s.ask(Request{Peek: true}); got != want || err != nil {
				t.Errorf("peek %d shows %q, %v, want %q", i+1, got, err, want)
			}
		}
	})
	if len(s.told) != 2 {
		t.Errorf("told of %q, want the two writes only", s.told)
	}
}
