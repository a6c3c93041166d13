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

// Workers 1 and 3 share a process, and so do 2 and 4. What stops a process or cuts it off concerns all its workers. A stall
// stops one task, and a cancellation ends one section.
func TestTheFaultsOfAProcessConcernAllItsWorkers(t *testing.T) {
	for _, tt := range []struct {
		kind   string
		effect history.Effect
		target string
		want   string // the targets of the faults that concern worker-3
	}{
		{"pause", history.EffectStops, "worker-1", "[worker-3]"},
		{"pause", history.EffectStops, "worker-2", "[]"},
		{"pause", history.EffectStops, "lock", "[lock]"},
		{"clock-step", history.EffectSteps, "worker-1", "[worker-3]"},
		{"partition", "", "worker-1->lock", "[worker-3->lock]"},
		{"partition", "", "lock->worker-1", "[lock->worker-3]"},
		{"partition", "", "lock->worker-4", "[]"},
		{"stall", history.EffectStops, "worker-1", "[]"},
		{"cancel", history.EffectCancels, "worker-1", "[]"},
	} {
		h := &history.History{Meta: history.Meta{Workers: []string{"worker-1", "worker-2", "worker-3", "worker-4"}, Processes: 2}}
		h.Events = []history.Event{
			{Seq: 1, At: 1, Type: history.FaultBegin, Fault: 1, Kind: tt.kind, Effect: tt.effect, Target: tt.target},
			{Seq: 2, At: 2, Type: history.FaultEnd, Fault: 1, Kind: tt.kind, Target: tt.target},
		}
		got := []string{}
		for f := range New(h, nil).FaultsOf("worker-3") {
			got = append(got, f.Target)
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%s of %s: %v concern worker-3, want %s", tt.kind, tt.target, got, tt.want)
		}
	}
}

// Worker 3 has a process of its own.
func TestAFaultOfAProcessConcernsNoOthers(t *testing.T) {
	for _, tt := range []struct {
		target, worker, want string
	}{
		{"lock", "worker-3", "[lock]"},
		{"worker-3->lock", "worker-3", "[worker-3->lock]"},
		{"worker-1", "worker-3", "[]"},
		{"worker-1", "worker-1", "[worker-1]"},
		{"worker-1", "worker-4", "[worker-4]"},
	} {
		h := &history.History{
			Meta:   history.Meta{Workers: []string{"worker-1", "worker-2", "worker-3", "worker-4"}, Processes: 3},
			Events: fault("pause", history.EffectStops, tt.target),
		}
		got := []string{}
		for f := range New(h, nil).FaultsOf(tt.worker) {
			got = append(got, f.Target)
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("a pause of %s: %v concern %s, want %s", tt.target, got, tt.worker, tt.want)
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

func TestAtOnceReturnsWhenThatNumberOfServersHasAFault(t *testing.T) {
	servers := map[string][]Stretch{
		"lock-1": {{1, 5}, {4, 6}, {20, 30}},
		"lock-2": {{3, 8}, {30, 40}},
		"lock-3": {{5, 9}, {25, 35}},
	}
	for n, want := range map[int][]Stretch{
		1: {{1, 9}, {20, 40}},
		2: {{3, 8}, {25, 30}, {30, 35}}, // the fault of lock-1 ends when that of lock-2 begins
		3: {{5, 6}},
		4: nil,
	} {
		if got := atOnce(servers, n); !slices.Equal(got, want) {
			t.Errorf("%d at once: %v, want %v", n, got, want)
		}
	}
}

// If servers are stopped from 2 s to 5 s, lock-3 has served for 10 s by 13 s if the others are too few to go on, or if it is
// independent of them and stopped itself; by 10 s otherwise.
func TestServersAreStoppedIfTheOthersAreTooFew(t *testing.T) {
	const end, later = 10 * time.Second, 13 * time.Second
	for _, tt := range []struct {
		name    string
		meta    history.Meta
		stopped []string
		want    time.Duration
	}{
		{"all", history.Meta{}, []string{"lock"}, later},
		{"one of an unknown number", history.Meta{}, []string{"lock-3"}, end},
		{"two of an unknown number", history.Meta{}, []string{"lock-3", "lock-1"}, later},
		{"two of five members", history.Meta{Members: 5}, []string{"lock-3", "lock-1"}, end},
		{"three of five members", history.Meta{Members: 5}, []string{"lock-3", "lock-1", "lock-5"}, later},
		{"one of four members", history.Meta{Members: 4}, []string{"lock-4"}, end},
		{"two of four members", history.Meta{Members: 4}, []string{"lock-4", "lock-1"}, later},
		{"one of two members", history.Meta{Members: 2}, []string{"lock-2"}, later},
		{"a replica", history.Meta{}, []string{"lock-replica"}, end},
		{"two workers", history.Meta{Workers: []string{"worker-1", "worker-2"}}, []string{"worker-1", "worker-2"}, end},
		{"two of five independent servers", history.Meta{Nodes: 5, Quorum: 3}, []string{"lock-4", "lock-1"}, end},
		{"the one of five independent servers that is asked for", history.Meta{Nodes: 5, Quorum: 3}, []string{"lock-3"}, later},
		{"three of five independent servers", history.Meta{Nodes: 5, Quorum: 3}, []string{"lock-4", "lock-1", "lock-2"}, later},
	} {
		h := &history.History{Meta: tt.meta}
		for i, kind := range []history.Type{history.FaultBegin, history.FaultEnd} {
			for n, target := range tt.stopped {
				h.Events = append(h.Events, history.Event{
					At: time.Duration(2+3*i) * time.Second, Type: kind, Effect: history.EffectStops, Fault: n + 1, Target: target,
				})
			}
		}
		if got := New(h, nil).Served("lock-3", 0, end); got != tt.want {
			t.Errorf("%s: served until %v, want %v", tt.name, got, tt.want)
		}
	}
}

// fault returns a fault from 2 s to 5 s.
func fault(kind string, effect history.Effect, target string) []history.Event {
	return []history.Event{
		{At: 2 * time.Second, Type: history.FaultBegin, Fault: 1, Kind: kind, Effect: effect, Target: target},
		{At: 5 * time.Second, Type: history.FaultEnd, Fault: 1, Kind: kind, Target: target},
	}
}

// A client waits for an answer for 1 s if the history does not say.
func TestTroubleLastsForAnAnswerTimeout(t *testing.T) {
	for answer, want := range map[time.Duration]time.Duration{0: 6 * time.Second, 3 * time.Second: 8 * time.Second} {
		h := &history.History{Meta: history.Meta{Answer: answer}, Events: fault("pause", history.EffectStops, "lock")}
		if got := New(h, nil).Troubled(); !slices.Equal(got, Stretches{{2 * time.Second, want}}) {
			t.Errorf("an answer timeout of %v: %v, want until %v", answer, got, want)
		}
	}
}

// A member is stopped from 2 s to 60 s. The others elect a leader within 10 s, a session ends within 4 s, and a client waits for an
// answer for 1 s. When the member is back, clients may wait for 1 s again.
func TestAFaultOfAMemberHindersUntilTheOthersGoOn(t *testing.T) {
	h := &history.History{Meta: history.Meta{Members: 3, TTL: 4 * time.Second, Workers: []string{"worker-1"}}, Events: fault("pause", history.EffectStops, "lock-2")}
	h.Events[1].At = time.Minute
	want := Stretches{{2 * time.Second, 17 * time.Second}, {time.Minute, 61 * time.Second}}
	if got := New(h, nil).Hindered("worker-1"); !slices.Equal(got, want) {
		t.Errorf("hindered in %v, want %v", got, want)
	}
	h.Events = slices.Insert(h.Events, 1, history.Event{At: 3 * time.Second, Type: history.Promoted, Node: "lock-1"})
	if got := New(h, nil).Hindered("worker-1"); !slices.Equal(got, want) {
		t.Errorf("with a new leader after 1 s: hindered in %v, want %v", got, want)
	}
}

// Only faults of messages and of servers trouble all workers. Clients wait for an answer for 1 s longer.
func TestAFaultOfOneWorkerTroublesNoOthers(t *testing.T) {
	troubled := Stretches{{2 * time.Second, 6 * time.Second}}
	for _, tt := range []struct {
		kind   string
		effect history.Effect
		target string
		want   Stretches
	}{
		{"pause", history.EffectStops, "worker-1", Stretches{}},
		{"clock-rate", history.EffectSkews, "worker-1", Stretches{}},
		{"clock-step", history.EffectSteps, "worker-1", Stretches{}},
		{"latency", "", "worker-1", troubled},
		{"partition", "", "worker-1->lock", troubled},
		{"pause", history.EffectStops, "lock", troubled},
		{"clock-step", history.EffectSteps, "lock", troubled},
	} {
		h := &history.History{Meta: history.Meta{Workers: []string{"worker-1"}}, Events: fault(tt.kind, tt.effect, tt.target)}
		if got := New(h, nil).Troubled(); !slices.Equal(got, tt.want) {
			t.Errorf("%s of %s: %v, want %v", tt.kind, tt.target, got, tt.want)
		}
	}
}

// A worker is stopped before, between and after two cuts.
func TestTroubleHasAllFaultsOfMessages(t *testing.T) {
	h := &history.History{Meta: history.Meta{Workers: []string{"worker-1"}}}
	for i, target := range []string{"worker-1", "worker-1->lock", "worker-1", "lock->worker-1", "worker-1"} {
		pair := fault("partition", "", target)
		if target == "worker-1" {
			pair = fault("pause", history.EffectStops, target)
		}
		for _, e := range pair {
			e.At, e.Fault = e.At+time.Duration(i)*time.Minute, i+1
			h.Events = append(h.Events, e)
		}
	}
	want := Stretches{{62 * time.Second, 66 * time.Second}, {182 * time.Second, 186 * time.Second}}
	if got := New(h, nil).Troubled(); !slices.Equal(got, want) {
		t.Errorf("troubled in %v, want %v", got, want)
	}
}

// A server that is slow still serves.
func TestOnlyAStoppedServerDoesNotServe(t *testing.T) {
	for effect, want := range map[history.Effect]time.Duration{history.EffectStops: 13 * time.Second, history.EffectSkews: 10 * time.Second, "": 10 * time.Second} {
		h := &history.History{Events: fault("pause", effect, "lock")}
		if got := New(h, nil).Served("lock", 0, 10*time.Second); got != want {
			t.Errorf("a fault with the effect %q: served until %v, want %v", effect, got, want)
		}
	}
	h := &history.History{Events: fault("pause", history.EffectStops, "lock")}
	if got := New(h, nil).Served("lock", 7*time.Second, 10*time.Second); got != 17*time.Second {
		t.Errorf("a stop before: served until %v, want 17s", got)
	}
	if got := New(h, nil).Served("lock", 0, time.Second); got != time.Second {
		t.Errorf("a stop after: served until %v, want 1s", got)
	}
}

// The last message that the fault delayed arrives at 9 s.
func TestLateMessagesAreThoseOfTheWorkersLinks(t *testing.T) {
	late := Stretches{{5 * time.Second, 9 * time.Second}}
	for _, tt := range []struct {
		target string
		want   Stretches
	}{
		{"worker-1->lock", late},
		{"lock->worker-1", late},
		{"worker-1->resource", Stretches{}},
		{"resource->worker-1", Stretches{}},
		{"worker-2->lock", Stretches{}},
		{"lock-1->lock", Stretches{}},
		{"none", Stretches{}},
	} {
		h := &history.History{Meta: history.Meta{Workers: []string{"worker-1", "worker-2"}}, Events: fault("latency", "", tt.target)}
		if h.Events[1].Until = 9 * time.Second; tt.target == "none" { // no message was delayed
			h.Events[0].Target, h.Events[1].Target, h.Events[1].Until = "worker-1->lock", "worker-1->lock", 0
		}
		if got := New(h, nil).Late("worker-1", Serves); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.target, got, tt.want)
		}
	}
}

// The fault lasts from 2 s to 5 s. Its consequences last for an answer timeout of 1 s and a lease of 4 s more.
func TestAFaultDisturbsUntilItsLastConsequence(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		from, to time.Duration
		want     bool
	}{
		{0, 2*s - 1, false},
		{0, 2 * s, true},
		{10 * s, 20 * s, true},
		{10*s + 1, 20 * s, false},
	} {
		h := &history.History{Meta: history.Meta{Workers: []string{"worker-1"}, TTL: 4 * s}, Events: fault("partition", "", "worker-1->lock")}
		if got := New(h, nil).Disturbed("worker-1", tt.from, tt.to, history.EffectFails); got != tt.want {
			t.Errorf("%v to %v: %v, want %v", tt.from, tt.to, got, tt.want)
		}
		h.Events[0].Effect = history.EffectFails
		if New(h, nil).Disturbed("worker-1", tt.from, tt.to, history.EffectFails) {
			t.Errorf("%v to %v: disturbed by a fault that does not count", tt.from, tt.to)
		}
	}
}
