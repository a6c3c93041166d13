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
