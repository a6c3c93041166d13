package evidence

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"lockquake/history"
)

// Of 100 workers each has one pause and one cut link, and the server has one fault. However many
// workers there are, a worker is compared with three faults only.
func TestOnlyItsOwnFaultsAndThoseOfServersConcernAWorker(t *testing.T) {
	h := &history.History{}
	var at time.Duration
	add := func(target string) {
		for _, kind := range []history.Type{history.FaultBegin, history.FaultEnd} {
			at += time.Millisecond
			h.Events = append(h.Events, history.Event{Seq: int64(len(h.Events)) + 1, At: at, Type: kind, Fault: len(h.Events)/2*2 + 1, Target: target})
		}
	}
	for i := range 100 {
		name := fmt.Sprint("worker-", i+1)
		h.Meta.Workers = append(h.Meta.Workers, name)
		add(name)
		add(name + "->lock")
	}
	add("lock")
	in := New(h, nil)
	for worker, want := range map[string][]string{
		"worker-7": {"lock", "worker-7", "worker-7->lock"},
		"":         {"lock"},
	} {
		var got []string
		for f := range in.FaultsOf(worker) {
			got = append(got, f.Target)
		}
		if !slices.Equal(got, want) {
			t.Errorf("faults that concern %q: %v, want %v", worker, got, want)
		}
	}
}

func TestNearReturnsTheStretchesThatOverlapOrTouch(t *testing.T) {
	s := Stretches{{1, 2}, {4, 4}, {6, 9}, {12, 13}}
	for _, tt := range []struct {
		from, to time.Duration
		want     Stretches
	}{
		{0, 20, s},
		{2, 4, s[:2]},
		{3, 3, nil},
		{5, 12, s[2:]},
		{7, 8, s[2:3]},
		{14, 15, nil},
	} {
		if got := s.Near(tt.from, tt.to); !slices.Equal(got, tt.want) {
			t.Errorf("near %d to %d: %v, want %v", tt.from, tt.to, got, tt.want)
		}
		if got := s.Touches(tt.from, tt.to); got != (len(tt.want) > 0) {
			t.Errorf("%d to %d touches: %v", tt.from, tt.to, got)
		}
	}
}
