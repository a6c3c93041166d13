package sim

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"lockquake/internal/draw"
)

// impair calls Impair for the link from the worker to the server.
func impair(t *testing.T, w *World, i Impairment, d time.Duration) {
	t.Helper()
	if err := w.Impair("worker-1", "server", i, d); err != nil {
		t.Error(err)
	}
}

// Latency is added in one direction, as long as the impairment lasts. Impairments that overlap add
// up.
func TestImpairmentsAddLatencyWhileTheyLast(t *testing.T) {
	for _, test := range []struct {
		name string
		last time.Duration // of one of 4 ms that begins at 0
		more time.Duration // added by another
		want []string
	}{
		{"one", time.Hour, 0, []string{"11.01ms server has 7", "12.02ms <nil>"}},
		{"two", time.Hour, 4 * time.Millisecond, []string{"19.01ms server has 7", "20.02ms <nil>"}},
		{"over before the call", 5 * time.Millisecond, 0, []string{"7.01ms server has 7", "8.02ms <nil>"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, k, log := small(t, nil)
			impair(t, w, Impairment{Extra: draw.Fixed(4 * time.Millisecond)}, test.last)
			if test.more > 0 {
				impair(t, w, Impairment{Extra: draw.Fixed(test.more)}, time.Hour)
			}
			k.Go("main", func() {
				ctx := context.Background()
				c, _ := k.process.Dial(ctx, "server", 0)
				_, err := c.Call(ctx, "read", 7, 0)
				log.add("%v", err)
			})
			run(t, w)
			log.want(t, test.want...)
		})
	}
}

// The arrivals of the messages that an impairment delays are reported, and no others.
func TestAnImpairmentReportsArrivals(t *testing.T) {
	w, k, _ := small(t, nil)
	var told []time.Duration
	w.At(2005*time.Microsecond, func() {
		arrives := func(at time.Duration) { told = append(told, at) }
		impair(t, w, Impairment{Extra: draw.Fixed(4 * time.Millisecond), Arrives: arrives}, 3*time.Millisecond)
	})
	k.Go("main", func() {
		ctx := context.Background()
		c, _ := k.process.Dial(ctx, "server", 0) // until 2.01 ms
		_, _ = c.Call(ctx, "read", 7, 0)         // leaves at 2.01 ms, takes 1 ms and 4 ms
		_, _ = c.Call(ctx, "read", 7, 0)         // leaves at 8.02 ms
	})
	run(t, w)
	if want := []time.Duration{7010 * time.Microsecond}; !slices.Equal(told, want) {
		t.Errorf("arrivals %v, want %v", told, want)
	}
}

// A lost message is sent again after 200 ms and 400 ms more, until the impairment is over. A
// message that is sent later, without a loss, waits behind it.
func TestLossShowsAsDelayAndKeepsOrder(t *testing.T) {
	w, k, log := small(t, nil)
	w.At(2005*time.Microsecond, func() { impair(t, w, Impairment{LossPPM: million}, 300*time.Millisecond) })
	k.Go("main", func() {
		ctx := context.Background()
		c, _ := k.process.Dial(ctx, "server", 0)
		k.Go("second", func() {
			_ = k.Sleep(ctx, 507990*time.Microsecond)
			log.add("second leaves")
			_, _ = c.Call(ctx, "read", "second", 0)
		})
		_, err := c.Call(ctx, "read", "first", 0)
		log.add("%v", err)
	})
	run(t, w)
	log.want(t,
		"510ms second leaves",
		"603.01ms server has first", // lost at 2.01 ms and 202.01 ms
		"603.01ms server has second",
		"604.02ms <nil>",
	)
}

// A lost dial is repeated only after a second.
func TestLostDialIsRepeatedAfterASecond(t *testing.T) {
	w, k, log := small(t, nil)
	impair(t, w, Impairment{LossPPM: million}, 500*time.Millisecond)
	k.Go("main", func() {
		_, err := k.process.Dial(context.Background(), "server", 0)
		log.add("%v", err)
	})
	run(t, w)
	log.want(t, "1.00201s <nil>")
}

// Of 2,000 messages with one chance in four, 667 copies are lost on average,
// with a standard deviation of 30.
func TestLossHasItsChance(t *testing.T) {
	var trace bytes.Buffer
	w, k, _ := small(t, func(c *Config) { c.Trace = &trace })
	impair(t, w, Impairment{LossPPM: million / 4}, 24*time.Hour)
	k.Go("main", func() {
		ctx := context.Background()
		c, _ := k.process.Dial(ctx, "server", 0)
		for range 2000 {
			if _, err := c.Call(ctx, "read", 7, 0); err != nil {
				t.Error(err)
			}
		}
	})
	run(t, w)
	if lost := strings.Count(trace.String(), " resent "); lost < 547 || lost > 787 {
		t.Errorf("%d copies were lost", lost)
	}
}

func TestImpairRefusesImpossibleImpairments(t *testing.T) {
	w, _, _ := small(t, nil)
	for _, test := range []struct {
		from       string
		impairment Impairment
		want       string
	}{
		{"nobody", Impairment{}, `no link from "nobody" to "server"`},
		{"worker-1", Impairment{LossPPM: -1}, "a loss of -1 parts per million"},
		{"worker-1", Impairment{LossPPM: million + 1}, "a loss of 1000001 parts per million"},
		{"worker-1", Impairment{Extra: draw.Dist{Kind: "odd"}}, "unknown distribution"},
	} {
		err := w.Impair(test.from, "server", test.impairment, time.Second)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v from %s gave %v, want %q", test.impairment, test.from, err, test.want)
		}
	}
}
