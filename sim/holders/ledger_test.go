package holders

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/lock"
	"lockquake/sim"
)

// step is the state after a command of a worker, at a time in seconds.
type step struct {
	at     float64
	worker string
	op     string
	values []string
	now    []lock.Holder
	ends   history.Type // "" for Freed
	same   bool         // the records have not changed
}

// told runs steps and returns the events that the ledger records.
func told(t *testing.T, steps []step) []string {
	t.Helper()
	w := sim.New(sim.Config{Latency: draw.Fixed(time.Millisecond)})
	defer w.Close()
	node := w.AddNode("lock", sim.NodeConfig{})
	var got []string
	var now []lock.Holder
	var l *Ledger
	l = New(Options{
		Node: node, Now: node.Now,
		Record: func(e history.Event) {
			text := fmt.Sprintf("%gs %s %s by %s until %gs", w.Time().Seconds(), e.Type, e.Owner, e.Worker, e.Until.Seconds())
			if e.Late {
				text += ", late"
			}
			got = append(got, text)
		},
		Due:     func(key string) { l.Settle(key, now, false, &Cause{Ends: history.Expired}) },
		Doubted: func(_, why string) { got = append(got, "doubt: "+why) },
	})
	for _, s := range steps {
		w.At(time.Duration(s.at*float64(time.Second)), func() {
			c := Cause{Ends: history.Freed, Worker: s.worker, Op: s.op, Sent: w.Time(), Values: s.values, Names: true, Asks: s.op == "acquire", Own: s.values}
			if s.ends != "" {
				c = Cause{Ends: s.ends}
			}
			now = s.now
			l.Settle("x", now, !s.same, &c)
		})
	}
	w.AddNode("worker", sim.NodeConfig{}).Process("worker").Worker("worker").Go("main", func() {})
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
	return got
}

// at converts seconds to a time by the server's clock.
func at(t *testing.T, seconds float64) time.Time {
	t.Helper()
	w := sim.New(sim.Config{Latency: draw.Fixed(0)})
	defer w.Close()
	return w.AddNode("lock", sim.NodeConfig{}).Now().Add(time.Duration(seconds * float64(time.Second)))
}

// The events follow from the holders before and after a command, whatever its name is.
func TestEventsFollowFromTheHoldersBeforeAndAfter(t *testing.T) {
	until := func(owner string, seconds float64) lock.Holder { return lock.Holder{Owner: owner, End: at(t, seconds)} }
	ever := func(owners ...string) (list []lock.Holder) {
		for _, owner := range owners {
			list = append(list, lock.Holder{Owner: owner, Mode: lock.ModeShared})
		}
		return list
	}
	one := func(h lock.Holder) []lock.Holder { return []lock.Holder{h} }
	for _, tt := range []struct {
		name  string
		steps []step
		want  []string
	}{
		{"granted, refused, freed", []step{
			{1, "w1", "acquire", []string{"A"}, ever("A"), "", false},
			{2, "w2", "acquire", []string{"B"}, ever("A"), "", true},
			{3, "w1", "acquire", []string{"A"}, ever("A"), "", true},
			{4, "w1", "release", []string{"A"}, nil, "", false},
		}, []string{"1s granted A by w1 until 0s", "2s refused A by w2 until 0s", "4s freed A by w1 until 0s"}},
		{"an end in the value, which passes", []step{
			{1, "w1", "acquire", []string{"A"}, one(until("A", 3)), "", false},
			{2, "w1", "renew", []string{"A"}, one(until("A", 5)), "", false},
			{6, "w2", "acquire", []string{"B"}, one(until("B", 8)), "", false},
			{7, "w2", "release", []string{"B"}, nil, "", false},
		}, []string{
			"1s granted A by w1 until 3s", "2s renewed A by w1 until 5s", "5s expired A by w1 until 0s",
			"6s granted B by w2 until 8s", "7s freed B by w2 until 0s",
		}},
		{"a lease that is over, found again by its owner", []step{
			{1, "w1", "acquire", []string{"A"}, one(until("A", 2)), "", false},
			{3, "w1", "renew", []string{"A"}, one(until("A", 4)), "", false},
			{5, "w1", "release", []string{"A"}, nil, "", false},
		}, []string{
			"1s granted A by w1 until 2s", "2s expired A by w1 until 0s", "3s renewed A by w1 until 4s, late",
			"4s expired A by w1 until 0s", "5s freed A by w1 until 0s, late",
		}},
		{"a lease that is over, taken again by its owner", []step{
			{1, "w1", "acquire", []string{"A"}, one(until("A", 2)), "", false},
			{3, "w1", "acquire", []string{"A"}, one(until("A", 9)), "", false},
			{4, "w1", "release", []string{"A"}, nil, "", false},
		}, []string{
			"1s granted A by w1 until 2s", "2s expired A by w1 until 0s", "3s granted A by w1 until 9s", "4s freed A by w1 until 0s",
		}},
		{"a lease that is over, cleared away by another", []step{
			{1, "w1", "acquire", []string{"A"}, one(until("A", 2)), "", false},
			{3, "w2", "look", nil, nil, "", false},
		}, []string{"1s granted A by w1 until 2s", "2s expired A by w1 until 0s"}},
		{"a record that is given back by its end", []step{
			{1, "w1", "acquire", []string{"A"}, one(until("A", 9)), "", false},
			{2, "w1", "release", []string{"A"}, one(until("A", 0)), "", false},
			{3, "w2", "acquire", []string{"B"}, one(until("B", 4)), "", false},
			{3.5, "w2", "release", []string{"B"}, nil, "", false},
		}, []string{
			"1s granted A by w1 until 9s", "2s freed A by w1 until 0s", "3s granted B by w2 until 4s", "3.5s freed B by w2 until 0s",
		}},
		{"a lease that lasts from change to change", []step{
			{1, "w1", "acquire", []string{"A"}, one(lock.Holder{Owner: "A", For: 2 * time.Second}), "", false},
			{2, "w2", "acquire", nil, one(lock.Holder{Owner: "A", For: 2 * time.Second}), "", true},
			{2.5, "w1", "renew", nil, one(lock.Holder{Owner: "A", For: 2 * time.Second}), "", false},
		}, []string{
			"1s granted A by w1 until 3s", "2s refused A by w2 until 3s", "2.5s renewed A by w1 until 4.5s", "4.5s expired A by w1 until 0s",
		}},
		{"several holders", []step{
			{1, "w1", "acquire", []string{"A"}, ever("A"), "", false},
			{2, "w2", "acquire", []string{"B"}, ever("A", "B"), "", false},
			{3, "w3", "acquire", []string{"C"}, ever("A", "B"), "", true},
			{4, "w1", "release", []string{"A"}, ever("B"), "", false},
		}, []string{
			"1s granted A by w1 until 0s", "2s granted B by w2 until 0s", "3s refused A by w3 until 0s", "4s freed A by w1 until 0s",
		}},
		{"handed over to who waited", []step{
			{1, "w1", "acquire", []string{"AAAAA"}, ever("AAAAA"), "", false},
			{2, "w2", "acquire", []string{`{"id":"BBBBB"}`}, ever("AAAAA"), "", false},
			{3, "w1", "release", []string{"AAAAA"}, ever("BBBBB"), "", false},
		}, []string{
			"1s granted AAAAA by w1 until 0s", "2s refused AAAAA by w2 until 0s", "3s freed AAAAA by w1 until 0s", "3s granted BBBBB by w2 until 0s",
		}},
		{"handed over by the clock", []step{
			{1, "w1", "acquire", []string{"A"}, one(until("A", 9)), "", false},
			{2, "w2", "acquire", []string{"B"}, one(until("A", 9)), "", true},
			{3, "", "", nil, one(until("B", 5)), history.Expired, false},
		}, []string{
			"1s granted A by w1 until 9s", "2s refused A by w2 until 9s", "3s expired A by w1 until 0s", "3s granted B by w2 until 5s", "5s expired B by w2 until 0s",
		}},
		{"evicted", []step{
			{1, "w1", "acquire", []string{"A"}, ever("A"), "", false},
			{2, "", "", nil, nil, history.Evicted, false},
		}, []string{"1s granted A by w1 until 0s", "2s evicted A by w1 until 0s"}},
		{"overwritten", []step{
			{1, "w1", "acquire", []string{"A"}, ever("A"), "", false},
			{2, "w2", "acquire", []string{"B"}, ever("B"), "", false},
		}, []string{
			"1s granted A by w1 until 0s", "2s freed A by w2 until 0s", "doubt: a command put one value in the place of another", "2s granted B by w2 until 0s",
		}},
		{"a look at a lock is no request for it", []step{
			{1, "w1", "acquire", []string{"A"}, ever("A"), "", false},
			{2, "w2", "look", []string{"B"}, ever("A"), "", true},
		}, []string{"1s granted A by w1 until 0s"}},
		{"granted to a name that the server makes", []step{
			{1, "w1", "acquire", []string{"lock"}, ever("A"), "", false},
		}, []string{"1s granted A by w1 until 0s"}},
		{"asked for again by the second holder", []step{
			{1, "w1", "acquire", []string{"A"}, ever("A"), "", false},
			{2, "w2", "acquire", []string{"B"}, ever("A", "B"), "", false},
			{3, "w2", "acquire", []string{"B"}, ever("A", "B"), "", true},
		}, []string{"1s granted A by w1 until 0s", "2s granted B by w2 until 0s"}},
		{"named by another worker before, and asked for by its own", []step{
			{1, "w1", "look", []string{"AAAAA"}, nil, "", true},
			{2, "w2", "acquire", []string{"AAAAA"}, ever("AAAAA"), "", false},
		}, []string{"2s granted AAAAA by w2 until 0s"}},
		{"a short name in the value of a waiter", []step{
			{1, "w1", "acquire", []string{"A"}, ever("A"), "", false},
			{2, "w2", "acquire", []string{"CAB"}, ever("A"), "", true},
			{3, "w1", "release", []string{"A"}, ever("B"), "", false},
		}, []string{
			"1s granted A by w1 until 0s", "2s refused A by w2 until 0s", "3s freed A by w1 until 0s",
			"doubt: a command put one value in the place of another", "3s granted B by w1 until 0s",
		}},
		{"freed twice", []step{
			{1, "w1", "acquire", []string{"A"}, ever("A"), "", false},
			{2, "w1", "release", []string{"A"}, nil, "", false},
			{3, "w1", "release", []string{"A"}, nil, "", true},
		}, []string{"1s granted A by w1 until 0s", "2s freed A by w1 until 0s"}},
		{"handed over to who looked before it was taken", []step{
			{1, "w2", "look", []string{"BBBBB"}, nil, "", true},
			{2, "w1", "acquire", []string{"AAAAA"}, ever("AAAAA"), "", false},
			{3, "w1", "release", []string{"AAAAA"}, ever("BBBBB"), "", false},
		}, []string{"2s granted AAAAA by w1 until 0s", "3s freed AAAAA by w1 until 0s", "3s granted BBBBB by w2 until 0s"}},
		{"handed over to a name of two waiters", []step{
			{1, "w1", "acquire", []string{"AAAAA"}, ever("AAAAA"), "", false},
			{2, "w2", "look", []string{"BBBBB"}, ever("AAAAA"), "", true},
			{2.5, "w3", "look", []string{"BBBBB"}, ever("AAAAA"), "", true},
			{3, "w1", "release", []string{"AAAAA"}, ever("BBBBB"), "", false},
		}, []string{
			"1s granted AAAAA by w1 until 0s", "3s freed AAAAA by w1 until 0s", "doubt: a command put one value in the place of another",
			"3s granted BBBBB by w1 until 0s",
		}},
		{"another mode", []step{
			{1, "w1", "acquire", []string{"A"}, ever("A"), "", false},
			{2, "w1", "renew", []string{"A"}, held("A"), "", false},
		}, []string{"1s granted A by w1 until 0s", "2s renewed A by w1 until 0s"}},
		{"a lease that is over, and still over", []step{
			{1, "w1", "acquire", []string{"A"}, one(until("A", 2)), "", false},
			{3, "w1", "look", []string{"A"}, one(until("A", 2.5)), "", false},
		}, []string{"1s granted A by w1 until 2s", "2s expired A by w1 until 0s"}},
		{"a lease that is over, and asked for by its worker", []step{
			{1, "w1", "acquire", []string{"A"}, one(until("A", 2)), "", false},
			{3, "w1", "acquire", []string{"A"}, nil, "", false},
		}, []string{"1s granted A by w1 until 2s", "2s expired A by w1 until 0s"}},
		{"a lease that is over, removed by a command that does not name it", []step{
			{1, "w1", "acquire", []string{"A"}, one(until("A", 2)), "", false},
			{3, "w1", "release", []string{"Z"}, nil, "", false},
		}, []string{"1s granted A by w1 until 2s", "2s expired A by w1 until 0s"}},
		{"a lease that is over, freed by another", []step{
			{1, "w1", "acquire", []string{"A"}, one(until("A", 2)), "", false},
			{3, "w2", "release", []string{"A"}, nil, "", false},
		}, []string{"1s granted A by w1 until 2s", "2s expired A by w1 until 0s"}},
		{"over as it is restored", []step{
			{3, "", "", nil, one(until("A", 2)), history.Evicted, false},
		}, nil},
		{"over as it is written", []step{
			{3, "w1", "acquire", []string{"A"}, one(until("A", 2)), "", false},
		}, []string{"doubt: a lease in it is over as it is written"}},
		{"renewed after it was freed", []step{
			{1, "w1", "acquire", []string{"A"}, ever("A"), "", false},
			{2, "w1", "release", []string{"A"}, nil, "", false},
			{3, "w1", "renew", []string{"A"}, nil, "", true},
		}, []string{"1s granted A by w1 until 0s", "2s freed A by w1 until 0s", "3s not-renewed A by w1 until 0s"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, told(t, tt.steps)); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
		})
	}
}

// commands settles a lock after each command, a second after the one before, and returns the grants.
func commands(t *testing.T, config sim.NodeConfig, commands ...func(now time.Time) ([]lock.Holder, Cause)) []history.Event {
	t.Helper()
	w := sim.New(sim.Config{})
	defer w.Close()
	node := w.AddNode("lock", config)
	var got []history.Event
	var last []lock.Holder
	var l *Ledger
	l = New(Options{
		Node: node, Now: node.Now,
		Record: func(e history.Event) {
			if e.Type == history.Granted {
				got = append(got, e)
			}
		},
		Due: func(key string) { l.Settle(key, last, false, &Cause{Ends: history.Expired}) },
	})
	for i, command := range commands {
		w.At(time.Duration(i+1)*time.Second, func() {
			now, c := command(node.Now())
			last, c.Ends, c.Sent = now, history.Freed, w.Time()
			l.Settle("x", now, true, &c)
		})
	}
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
	return got
}

func held(owners ...string) (list []lock.Holder) {
	for _, owner := range owners {
		list = append(list, lock.Holder{Owner: owner})
	}
	return list
}

// A waiter asks at 2 s and at 3 s, and gets the lock from the holder at 4 s. It may be known by all its commands, or only by those
// that wait.
func TestAWaiterIsGrantedWhatItAskedForLast(t *testing.T) {
	for _, tt := range []struct {
		name         string
		names, waits bool
		want         time.Duration // when the request of the second grant was sent
		worker       string
	}{
		{"by its name", true, false, 3 * time.Second, "w2"},
		{"by its waiting command", false, true, 3 * time.Second, "w2"},
		{"unknown", false, false, 4 * time.Second, "w1"},
	} {
		command := func(worker, value string, now ...string) func(time.Time) ([]lock.Holder, Cause) {
			return func(time.Time) ([]lock.Holder, Cause) {
				return held(now...), Cause{Worker: worker, Values: []string{value}, Names: tt.names, Waits: tt.waits}
			}
		}
		got := commands(t, sim.NodeConfig{}, command("w1", "AAAAA", "AAAAA"), command("w2", "BBBBB", "AAAAA"), command("w2", "BBBBB", "AAAAA"), command("w1", "AAAAA", "BBBBB"))
		if len(got) != 2 || got[1].Worker != tt.worker || got[1].Sent != tt.want {
			t.Errorf("%s: grants %+v, want the second one for %s, sent at %v", tt.name, got, tt.worker, tt.want)
		}
	}
}

// The wall clock of the server is twice as fast. A lease of 10 s begins at 1 s and ends at 6 s.
func TestTheEndOfALeaseIsInTrueTime(t *testing.T) {
	got := commands(t, sim.NodeConfig{WallPPM: 1_000_000}, func(now time.Time) ([]lock.Holder, Cause) {
		return []lock.Holder{{Owner: "A", End: now.Add(10 * time.Second)}}, Cause{Worker: "w1", Values: []string{"A"}}
	})
	if len(got) != 1 || got[0].Until != 6*time.Second {
		t.Errorf("grants %+v, want one until 6 s", got)
	}
}
