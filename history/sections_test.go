package history_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lockquake/history"
)

// Short names for the events of one worker's first section.
func called() history.Event {
	return history.Event{Type: history.AcquireCalled, Worker: "w1", Section: 1, Key: "k"}
}

func ofSection(t history.Type) history.Event {
	return history.Event{Type: t, Worker: "w1", Section: 1}
}

func invoke(op string, request int64) history.Event {
	return history.Event{Type: history.Invoke, Worker: "w1", Section: 1, Request: request, Op: op, Key: "x", Value: "1"}
}

func of(request int64, t history.Type) history.Event {
	return history.Event{Type: t, Worker: "w1", Request: request}
}

func applied(request int64, accepted bool) history.Event {
	return history.Event{Type: history.Applied, Request: request, Accepted: accepted, Value: "1", Prior: "0", Mark: 5}
}

// with returns a copy of an event that a function has changed.
func with(e history.Event, change func(*history.Event)) history.Event {
	change(&e)
	return e
}

// at returns an event of server node about the lock k.
func at(node string, t history.Type, owner string) history.Event {
	return history.Event{Type: t, Node: node, Key: "k", Owner: owner}
}

func TestEventsBecomeSections(t *testing.T) {
	ms := time.Millisecond
	tests := []struct {
		name   string
		events []history.Event
		want   []*history.Section
	}{
		{
			"refused",
			[]history.Event{called(), {Type: history.Released, Worker: "w1", Section: 1, Class: history.ClassNotObtained, Err: "no"}},
			[]*history.Section{{Worker: "w1", N: 1, Key: "k", Call: 1, Return: 2, ReturnAt: ms, Class: history.ClassNotObtained, Err: "no"}},
		},
		{
			"whole",
			[]history.Event{
				called(),
				{Type: history.Granted, Worker: "w1", Key: "k", Owner: "o"},
				{Type: history.Acquired, Worker: "w1", Section: 1, Token: 7},
				invoke("read", 1), applied(1, true),
				{Type: history.OK, Worker: "w1", Request: 1, Value: "1"},
				{Type: history.ReleaseCalled, Worker: "w1", Section: 1, Err: "body"},
				ofSection(history.Released),
				{Type: history.Told, Worker: "w1", Section: 1},
			},
			[]*history.Section{{
				Worker: "w1", N: 1, Key: "k", Token: 7, Call: 1,
				Enter: 3, EnterAt: 2 * ms, Leave: 7, LeaveAt: 6 * ms, BodyErr: "body", Return: 8, ReturnAt: 7 * ms,
				Told: 9, ToldAt: 8 * ms, Grant: 2, GrantAt: ms,
				Ops: []*history.Op{{
					Request: 1, Worker: "w1", Section: 1, Kind: "read", Item: "x", Value: "1",
					Invoke: 4, InvokeAt: 3 * ms, Return: 6, ReturnAt: 5 * ms, Outcome: history.OutcomeOK,
					Applied: 5, AppliedAt: 4 * ms, Accepted: true, Prior: "0", Mark: 5,
				}},
			}},
		},
		{
			"crashed with a write under way",
			[]history.Event{
				called(), ofSection(history.Acquired), invoke("write", 1), {Type: history.Crashed, Worker: "w1"}, applied(1, true),
			},
			[]*history.Section{{
				Worker: "w1", N: 1, Key: "k", Call: 1, Enter: 2, EnterAt: ms, Crashed: true, Crash: 4, CrashAt: 3 * ms,
				Ops: []*history.Op{{
					Request: 1, Worker: "w1", Section: 1, Kind: "write", Item: "x", Value: "1", Invoke: 3, InvokeAt: 2 * ms,
					Outcome: history.OutcomeInfo, Applied: 5, AppliedAt: 4 * ms, Accepted: true, Prior: "0", Mark: 5,
				}},
			}},
		},
		{
			"two reads at once, the second of which is answered first, and a crash with the first under way",
			[]history.Event{
				called(), ofSection(history.Acquired), with(invoke("read", 1), func(e *history.Event) { e.Value = "" }), with(invoke("read", 2), func(e *history.Event) { e.Value = "" }),
				applied(1, true), applied(2, true),
				{Type: history.OK, Worker: "w1", Request: 2, Value: "1"},
				{Type: history.Crashed, Worker: "w1"},
			},
			[]*history.Section{{
				Worker: "w1", N: 1, Key: "k", Call: 1, Enter: 2, EnterAt: ms, Crashed: true, Crash: 8, CrashAt: 7 * ms,
				Ops: []*history.Op{
					{
						Request: 1, Worker: "w1", Section: 1, Kind: "read", Item: "x", Value: "1", Invoke: 3, InvokeAt: 2 * ms,
						Outcome: history.OutcomeInfo, Applied: 5, AppliedAt: 4 * ms, Accepted: true, Prior: "0", Mark: 5,
					},
					{
						Request: 2, Worker: "w1", Section: 1, Kind: "read", Item: "x", Value: "1", Invoke: 4, InvokeAt: 3 * ms,
						Return: 7, ReturnAt: 6 * ms, Outcome: history.OutcomeOK, Applied: 6, AppliedAt: 5 * ms, Accepted: true, Prior: "0", Mark: 5,
					},
				},
			}},
		},
		{
			"a crash ends the sections since the last one",
			[]history.Event{called(), {Type: history.Crashed, Worker: "w1"}, with(called(), func(e *history.Event) { e.Section = 2 }), {Type: history.Crashed, Worker: "w1"}},
			[]*history.Section{
				{Worker: "w1", N: 1, Key: "k", Call: 1, Crashed: true, Crash: 2, CrashAt: ms},
				{Worker: "w1", N: 2, Key: "k", Call: 3, CallAt: 2 * ms, Crashed: true, Crash: 4, CrashAt: 3 * ms},
			},
		},
		{
			"a write that never reached the resource, whose outcome is unknown",
			[]history.Event{called(), ofSection(history.Acquired), invoke("write", 1), of(1, history.Info), invoke("read", 2), applied(2, true)},
			[]*history.Section{{
				Worker: "w1", N: 1, Key: "k", Call: 1, Enter: 2, EnterAt: ms,
				Ops: []*history.Op{
					{
						Request: 1, Worker: "w1", Section: 1, Kind: "write", Item: "x", Value: "1", Invoke: 3, InvokeAt: 2 * ms,
						Return: 4, ReturnAt: 3 * ms, Outcome: history.OutcomeInfo,
					},
					{
						Request: 2, Worker: "w1", Section: 1, Kind: "read", Item: "x", Value: "1", Invoke: 5, InvokeAt: 4 * ms,
						Outcome: history.OutcomeInfo, Applied: 6, AppliedAt: 5 * ms, Accepted: true, Prior: "0", Mark: 5,
					},
				},
			}},
		},
		{
			"conditional writes",
			[]history.Event{
				called(), ofSection(history.Acquired),
				with(invoke("write", 1), func(e *history.Event) { e.If = &history.Condition{By: "version", Version: 3} }),
				with(invoke("write", 2), func(e *history.Event) { e.If = &history.Condition{By: "value", Value: "0"} }),
			},
			[]*history.Section{{
				Worker: "w1", N: 1, Key: "k", Call: 1, Enter: 2, EnterAt: ms,
				Ops: []*history.Op{
					{Request: 1, Worker: "w1", Section: 1, Kind: "write", Item: "x", Value: "1", If: &history.Condition{By: "version", Version: 3}, Invoke: 3, InvokeAt: 2 * ms, Outcome: history.OutcomeInfo},
					{Request: 2, Worker: "w1", Section: 1, Kind: "write", Item: "x", Value: "1", If: &history.Condition{By: "value", Value: "0"}, Invoke: 4, InvokeAt: 3 * ms, Outcome: history.OutcomeInfo},
				},
			}},
		},
		{
			"an older grant is not the section's",
			[]history.Event{
				{Type: history.Granted, Worker: "w1", Key: "k", Owner: "o"}, called(), ofSection(history.Acquired),
			},
			[]*history.Section{{Worker: "w1", N: 1, Key: "k", Call: 2, CallAt: ms, Enter: 3, EnterAt: 2 * ms}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := history.History{Events: record(tt.events...)}
			got, err := h.Sections()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSectionsRefusesContradictions(t *testing.T) {
	in := []history.Event{called(), ofSection(history.Acquired)}
	after := func(more ...history.Event) []history.Event { return append(append([]history.Event{}, in...), more...) }
	tests := []struct {
		name   string
		events []history.Event
		want   string
	}{
		{"unknown type", []history.Event{{Type: "dance"}}, `unknown type "dance"`},
		{"section called twice", []history.Event{called(), called()}, "calls its section 1 twice"},
		{"entered uncalled", []history.Event{ofSection(history.Acquired)}, "never called"},
		{"entered twice", after(ofSection(history.Acquired)), "enters its section 1 twice"},
		{"left unentered", []history.Event{called(), ofSection(history.ReleaseCalled)}, "without having entered"},
		{"left twice", after(ofSection(history.ReleaseCalled), ofSection(history.ReleaseCalled)), "leaves its section 1 twice"},
		{"entered after return", []history.Event{called(), ofSection(history.Released), ofSection(history.Acquired)}, "after it returned"},
		{"speaks after a crash", after(of(0, history.Crashed), ofSection(history.Told)), "has crashed"},
		{"invokes after a crash", after(of(0, history.Crashed), invoke("read", 1)), "has crashed"},
		{"invokes in a section that returned before a crash", after(ofSection(history.ReleaseCalled), ofSection(history.Released), of(0, history.Crashed), invoke("write", 1)), "has crashed"},
		{"hears in a section that returned before a crash", after(invoke("write", 1), ofSection(history.ReleaseCalled), ofSection(history.Released), of(0, history.Crashed), of(1, history.OK)), "has crashed"},
		{"hears after a crash", after(invoke("read", 1), of(0, history.Crashed), of(1, history.OK)), "has crashed"},
		{"invoke without request", after(invoke("read", 0)), "without a request"},
		{"invoked twice", after(invoke("read", 1), invoke("read", 1)), "request 1 is invoked twice"},
		{"neither read nor write", after(invoke("delete", 1)), `neither read nor write but "delete"`},
		{"outside any section", []history.Event{invoke("read", 1)}, "never called"},
		{"answer without invoke", after(of(1, history.OK)), "never invoked"},
		{"applied without invoke", after(applied(1, true)), "never invoked"},
		{"answered twice", after(invoke("read", 1), of(1, history.Info), of(1, history.Info)), "returns twice"},
		{"applied twice", after(invoke("read", 1), applied(1, true), applied(1, true)), "applied twice"},
		{"applied with another value", after(invoke("write", 1), with(applied(1, true), func(e *history.Event) { e.Value = "2" })), `event 4: request 1 is applied with value "2", and was invoked with "1"`},
		{"applied with another token", after(invoke("write", 1), with(applied(1, true), func(e *history.Event) { e.Token = 7 })), "event 4: request 1 is applied with token 7, and was invoked with 0"},
		{"applied without its token", after(with(invoke("read", 1), func(e *history.Event) { e.Token = 7 }), applied(1, true)), "is applied with token 0, and was invoked with 7"},
		{"refused with another token", after(invoke("read", 1), with(applied(1, false), func(e *history.Event) { e.Token = 7 })), "is applied with token 7"},
		{"applied to another item", after(invoke("write", 1), with(applied(1, true), func(e *history.Event) { e.Key = "y" })), `applied of request 1 has the item "y", and it was invoked with "x"`},
		{"applied as another operation", after(invoke("write", 1), with(applied(1, true), func(e *history.Event) { e.Op = "read" })), `has the operation "read", and it was invoked with "write"`},
		{"applied for another worker", after(invoke("write", 1), with(applied(1, true), func(e *history.Event) { e.Worker = "w2" })), `has the worker "w2", and it was invoked with "w1"`},
		{"answered to another worker", after(invoke("write", 1), with(of(1, history.OK), func(e *history.Event) { e.Worker = "w2" })), `ok of request 1 has the worker "w2"`},
		{"answered in another section", after(invoke("write", 1), with(of(1, history.OK), func(e *history.Event) { e.Section = 2 })), "ok of request 1 has section 2, and it was invoked in section 1"},
		{"another write is ok", after(invoke("write", 1), with(of(1, history.OK), func(e *history.Event) { e.Value = "2" })), `ok of request 1 has the value "2", and it was invoked with "1"`},
		{"reads what the resource did not say", after(invoke("read", 1), applied(1, true), with(of(1, history.OK), func(e *history.Event) { e.Value = "2" })), `request 1 read "2", but the resource answered "1"`},
		{"granted twice to one owner", []history.Event{at("n", history.Granted, "a"), at("n", history.Renewed, "a"), at("n", history.Granted, "a")}, "event 3: granted of k to a, which has it"},
		{"renewed without a grant", []history.Event{at("n", history.Renewed, "a")}, "event 1: renewed of k, which no owner holds"},
		{"freed without a grant", []history.Event{at("n", history.Freed, "a")}, "freed of k, which no owner holds"},
		{"expired after it was freed", []history.Event{at("n", history.Granted, "a"), at("n", history.Freed, "a"), at("n", history.Expired, "a")}, "event 3: expired of k, which no owner holds"},
		{"evicted twice", []history.Event{at("n", history.Granted, "a"), at("n", history.Evicted, "a"), at("n", history.Evicted, "a")}, "event 3: evicted of k"},
		{"renewed on a server that did not grant it", []history.Event{at("n", history.Granted, "a"), at("m", history.Renewed, "a")}, "event 2: renewed of k, which no owner holds"},
		{"freed of an owner that has nothing", []history.Event{at("n", history.Granted, "a"), at("n", history.Freed, "b")}, "event 2: freed of k of b, and a holds it"},
		{"an end without an owner of a free lock", []history.Event{at("n", history.Granted, "a"), at("n", history.Evicted, ""), at("n", history.Freed, "a")}, "event 3: freed of k"},
		{"ok before applied", after(invoke("read", 1), of(1, history.OK), applied(1, true)), "applied after it was ok"},
		{"ok though refused", after(invoke("read", 1), applied(1, false), of(1, history.OK)), "the resource refused it"},
		{"ok though never seen", after(invoke("read", 1), applied(1, true), invoke("read", 2), of(2, history.OK)), "event 6: request 2 is ok, but the resource never saw it"},
		{"failed though accepted", after(invoke("read", 1), applied(1, true), of(1, history.Fail)), "the resource accepted it"},
		{"accepted after it failed", after(invoke("read", 1), of(1, history.Fail), applied(1, true)), "accepted after it had failed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := history.History{Events: record(tt.events...)}
			_, err := h.Sections()
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// Valid sequences of grants, renewals and ends are accepted.
func TestSectionsAcceptsGrants(t *testing.T) {
	late := func(what history.Type) history.Event {
		e := at("n", what, "a")
		e.Late = true
		return e
	}
	for name, events := range map[string][]history.Event{
		"granted, renewed, freed and granted again": {at("n", history.Granted, "a"), at("n", history.Renewed, "a"), at("n", history.Freed, "a"), at("n", history.Granted, "a")},
		"several holders":                       {at("n", history.Granted, "a"), at("n", history.Granted, "b"), at("n", history.Renewed, "a"), at("n", history.Freed, "b"), at("n", history.Expired, "a")},
		"one owner on several servers":          {at("n", history.Granted, "a"), at("m", history.Granted, "a"), at("n", history.Freed, "a"), at("m", history.Freed, "a")},
		"an end without an owner ends all":      {at("n", history.Granted, "a"), at("n", history.Granted, "b"), at("n", history.Evicted, ""), at("n", history.Granted, "a")},
		"a grant without an owner":              {at("n", history.Granted, ""), at("n", history.Renewed, "a"), at("n", history.Freed, "a")},
		"a lease that is over and found again":  {at("n", history.Granted, "a"), at("n", history.Expired, "a"), late(history.Renewed), at("n", history.Expired, "a"), late(history.Freed), at("n", history.Granted, "a")},
		"a late end of a lease that is held":    {at("n", history.Granted, "a"), late(history.Freed), at("n", history.Granted, "a")},
		"refusals and late renewals of nothing": {at("n", history.Refused, "a"), at("n", history.NotRenewed, "a")},
	} {
		h := history.History{Events: record(events...)}
		if _, err := h.Sections(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSectionsRefusesEventsOutOfOrder(t *testing.T) {
	gap := history.History{Events: []history.Event{{Seq: 2, Type: history.Crashed}}}
	back := history.History{Events: []history.Event{
		{Seq: 1, At: 2, Type: history.Crashed}, {Seq: 2, At: 1, Type: history.Crashed},
	}}
	for want, h := range map[string]history.History{"sequence number 2": gap, "earlier than": back} {
		if _, err := h.Sections(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestRecorderNumbersFromOneAgainAfterReset(t *testing.T) {
	var r history.Recorder
	for range 2 {
		r.Record(history.Event{Type: history.Crashed})
		r.Record(history.Event{Type: history.Crashed})
		if got := r.Events(); len(got) != 2 || got[0].Seq != 1 || got[1].Seq != 2 {
			t.Fatalf("got %v", got)
		}
		r.Reset()
	}
}

// Nothing of a history is left for the next one: a crash, an open section, a holder, a request or a third operation.
func TestASectionerForgetsTheHistoryBefore(t *testing.T) {
	granted := history.Event{Type: history.Granted, Worker: "w1", Key: "k", Owner: "w1"}
	entered := ofSection(history.Acquired)
	other := with(called(), func(e *history.Event) { e.Worker = "w2" })
	histories := [][]history.Event{
		{called(), granted, entered, invoke("read", 1), of(1, history.OK), invoke("write", 2), of(2, history.OK), invoke("write", 3), {Type: history.Crashed, Worker: "w1"}},
		{other, called(), granted, entered, invoke("write", 1), of(1, history.Info), ofSection(history.ReleaseCalled)},
		{called(), of(1, history.OK)},
		{called(), entered, invoke("read", 3)},
		{},
	}
	var reused history.Sectioner
	for _, i := range []int{0, 1, 0, 2, 1, 3, 4, 3, 0} {
		events := slices.Clone(histories[i])
		for n := range events {
			events[n].Seq = int64(n) + 1
		}
		h := &history.History{Events: events}
		want, errWant := h.Sections()
		got, err := reused.Sections(h)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || fmt.Sprint(err) != fmt.Sprint(errWant) {
			t.Errorf("history %d: %v, want %v (-want +got):\n%s", i, err, errWant, diff)
		}
	}
}

func ExampleHistory_Sections() {
	file := `{"schema":1,"version":"","scenario":"","strategy":"redis","label":"","seed":1,"workload":"counter","fence":"off","fenced":false,"workers":["worker-1"],"duration":0,"end":0}
{"seq":1,"at":0,"type":"acquire-called","worker":"worker-1","section":1,"key":"stock"}
{"seq":2,"at":1000000,"type":"acquired","worker":"worker-1","section":1}
{"seq":3,"at":2000000,"type":"invoke","worker":"worker-1","section":1,"request":1,"op":"write","key":"stock","value":"9"}
{"seq":4,"at":3000000,"type":"ok","worker":"worker-1","section":1,"request":1}
{"seq":5,"at":4000000,"type":"release-called","worker":"worker-1","section":1}
`
	h, err := history.Read(strings.NewReader(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	sections, err := h.Sections()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range sections {
		fmt.Printf("%s was in %s for %s\n", s.Worker, s.Key, s.LeaveAt-s.EnterAt)
		for _, o := range s.Ops {
			fmt.Printf("  %s %s=%s: %s after %s\n", o.Kind, o.Item, o.Value, o.Outcome, o.ReturnAt-o.InvokeAt)
		}
	}
	// Output:
	// worker-1 was in stock for 3ms
	//   write stock=9: ok after 1ms
}
