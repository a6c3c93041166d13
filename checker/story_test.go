package checker

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"lockquake/checker/internal/linear"
	"lockquake/faults"
	"lockquake/history"
)

// scriptedHistory is a history written by hand: one lock and one item, both called x. A millisecond
// passes before each event unless still is set.
type scriptedHistory struct {
	meta      history.Meta
	recorder  history.Recorder
	now       time.Duration
	still     bool
	silent    bool // the resource keeps no record
	sections  map[string]int
	tokens    map[string]int64
	pending   map[string]int64 // by worker: request under way
	requests  map[int64]history.Event
	units     map[string]string // by worker: what its section is asked for, and writes
	requested int64
	faults    int
}

// story begins a history of a workload on a resource with a fence policy. The
// item holds 0 at first.
func story(workload, fence string) *scriptedHistory {
	return &scriptedHistory{
		meta:     history.Meta{Schema: 1, Workload: workload, Fence: fence, Initial: map[string]string{"x": "0"}},
		sections: map[string]int{}, tokens: map[string]int64{}, pending: map[string]int64{}, requests: map[int64]history.Event{}, units: map[string]string{},
	}
}

func (t *scriptedHistory) tell(e history.Event) *scriptedHistory {
	if !t.still {
		t.now += time.Millisecond
	}
	e.At = t.now
	if e.Type == history.FaultBegin {
		info, _ := faults.Lookup(faults.Kind(e.Kind)) // none for a kind that does not exist
		e.Effect = history.Effect(info.Effect)
	}
	t.recorder.Record(e)
	return t
}

func (t *scriptedHistory) history() *history.History {
	return &history.History{Meta: t.meta, Events: t.recorder.Events()}
}

func (t *scriptedHistory) unwitnessed() *scriptedHistory        { t.silent = true; return t }
func (t *scriptedHistory) fenced() *scriptedHistory             { t.meta.Fenced = true; return t }
func (t *scriptedHistory) commitsLate() *scriptedHistory        { t.meta.Commit = "after-release"; return t }
func (t *scriptedHistory) members(n int) *scriptedHistory       { t.meta.Members = n; return t }
func (t *scriptedHistory) ttl(d time.Duration) *scriptedHistory { t.meta.TTL = d; return t }
func (t *scriptedHistory) stop() *scriptedHistory               { t.still = true; return t } // the clock
func (t *scriptedHistory) after(d time.Duration) *scriptedHistory {
	t.now += d
	return t
}

// The section of a worker, as single events or as a whole.
func (t *scriptedHistory) ofSection(w string, kind history.Type) *scriptedHistory {
	return t.tell(history.Event{Type: kind, Worker: w, Section: t.sections[w], Token: t.tokens[w]})
}

func (t *scriptedHistory) call(w string) *scriptedHistory {
	t.sections[w]++
	return t.tell(history.Event{Type: history.AcquireCalled, Worker: w, Section: t.sections[w], Key: "x"})
}

func (t *scriptedHistory) grant(w string) *scriptedHistory {
	return t.tell(history.Event{Type: history.Granted, Worker: w, Key: "x", Owner: w, Node: "lock"})
}

// grantOn and expireOn are events of one of several servers.
func (t *scriptedHistory) grantOn(w, node string) *scriptedHistory {
	return t.tell(history.Event{Type: history.Granted, Worker: w, Key: "x", Owner: w, Node: node})
}

func (t *scriptedHistory) expireOn(w, node string) *scriptedHistory {
	return t.tell(history.Event{Type: history.Expired, Worker: w, Key: "x", Owner: w, Node: node})
}

// refusedBy records that the server refused w because owner has the lock.
func (t *scriptedHistory) refusedBy(w, owner string) *scriptedHistory {
	return t.tell(history.Event{Type: history.Refused, Worker: w, Key: "x", Owner: owner, Node: "lock"})
}

// asked is refusedBy with the time at which the request was sent.
func (t *scriptedHistory) asked(w, owner string) *scriptedHistory {
	return t.tell(history.Event{Type: history.Refused, Worker: w, Key: "x", Owner: owner, Node: "lock", Sent: t.now})
}

// answered records the return of a section with the given answer; failed records the error of its
// work.
func (t *scriptedHistory) answered(w string, class history.Class, text string) *scriptedHistory {
	return t.tell(history.Event{Type: history.Released, Worker: w, Section: t.sections[w], Class: class, Err: text})
}

func (t *scriptedHistory) failed(w, body string) *scriptedHistory {
	return t.tell(history.Event{Type: history.ReleaseCalled, Worker: w, Section: t.sections[w], Err: body})
}

// renewed and freed record that a request of w changed the grant of owner.
func (t *scriptedHistory) renewed(w, owner string) *scriptedHistory {
	return t.tell(history.Event{Type: history.Renewed, Worker: w, Key: "x", Owner: owner, Node: "lock", Until: t.now + time.Second})
}

func (t *scriptedHistory) freed(w, owner string) *scriptedHistory {
	return t.tell(history.Event{Type: history.Freed, Worker: w, Key: "x", Owner: owner, Node: "lock", Sent: t.now})
}

// leased records a grant with a lease.
func (t *scriptedHistory) leased(w string, lease time.Duration) *scriptedHistory {
	t.tell(history.Event{Type: history.Granted, Worker: w, Key: "x", Owner: w, Node: "lock", Sent: t.now})
	events := t.recorder.Events()
	events[len(events)-1].Until = t.now + lease
	return t
}

// fault records a fault that lasts for d from now on.
func (t *scriptedHistory) fault(kind, target string, d time.Duration) *scriptedHistory {
	return t.begin(kind, target, func(*scriptedHistory) *scriptedHistory { return t.after(d) })
}

// delays records a fault that is over at once, and whose last delayed message arrives d later.
func (t *scriptedHistory) delays(target string, d time.Duration) *scriptedHistory {
	t.faults++
	e := history.Event{Type: history.FaultBegin, Fault: t.faults, Kind: "latency", Target: target}
	t.tell(e)
	e.Type, e.Until = history.FaultEnd, t.now+d
	return t.tell(e)
}

// begin records a fault during which the rest happens.
func (t *scriptedHistory) begin(kind, target string, rest func(*scriptedHistory) *scriptedHistory) *scriptedHistory {
	t.faults++
	e := history.Event{Type: history.FaultBegin, Fault: t.faults, Kind: kind, Target: target}
	t.tell(e)
	rest(t)
	e.Type = history.FaultEnd
	return t.tell(e)
}

func (t *scriptedHistory) enter(w string, token int64) *scriptedHistory {
	t.tokens[w] = token
	return t.ofSection(w, history.Acquired)
}

func (t *scriptedHistory) acquire(w string, token int64) *scriptedHistory {
	return t.call(w).grant(w).enter(w, token)
}

func (t *scriptedHistory) leave(w string) *scriptedHistory {
	return t.ofSection(w, history.ReleaseCalled)
}
func (t *scriptedHistory) told(w string) *scriptedHistory { return t.ofSection(w, history.Told) }
func (t *scriptedHistory) release(w string) *scriptedHistory {
	return t.leave(w).ended(w, history.Freed).ofSection(w, history.Released)
}

func (t *scriptedHistory) expire(w string) *scriptedHistory { return t.ended(w, history.Expired) }

// ended records that the server ended the grant of w, if it has not ended yet.
func (t *scriptedHistory) ended(w string, how history.Type) *scriptedHistory {
	if !t.holds(w) {
		return t.after(time.Millisecond)
	}
	return t.tell(history.Event{Type: how, Worker: w, Key: "x", Owner: w, Node: "lock"})
}

// holds reports whether by the last event of the server lock the owner has a grant.
func (t *scriptedHistory) holds(owner string) bool {
	for _, e := range slices.Backward(t.recorder.Events()) {
		if e.Owner != owner || e.Node != "lock" {
			continue
		}
		switch e.Type {
		case history.Granted, history.Renewed:
			return true
		case history.Freed, history.Expired, history.Evicted:
			return false
		default:
		}
	}
	return false
}

func (t *scriptedHistory) crash(w string) *scriptedHistory {
	return t.tell(history.Event{Type: history.Crashed, Worker: w})
}

func (t *scriptedHistory) final(value string) *scriptedHistory {
	return t.tell(history.Event{Type: history.Final, Key: "x", Value: value})
}

// An operation of a worker, as single events or as a whole. The single events belong to the
// worker's last operation.
func (t *scriptedHistory) invoke(w, op, value string) *scriptedHistory {
	t.requested++
	t.pending[w] = t.requested
	e := history.Event{
		Type: history.Invoke, Worker: w, Section: t.sections[w], Token: t.tokens[w],
		Request: t.requested, Op: op, Key: cmp.Or(t.units[w], "x"), Value: value,
	}
	t.requests[t.requested] = e
	if op == "read" {
		e.Value = ""
	}
	return t.tell(e)
}

func (t *scriptedHistory) sendRead(w, value string) *scriptedHistory {
	return t.invoke(w, "read", value)
}

func (t *scriptedHistory) sendWrite(w, value string) *scriptedHistory {
	return t.invoke(w, "write", value)
}
func (t *scriptedHistory) applied(w string) *scriptedHistory { return t.apply(w, true) }
func (t *scriptedHistory) refused(w string) *scriptedHistory { return t.apply(w, false) }
func (t *scriptedHistory) apply(w string, accept bool) *scriptedHistory {
	if t.silent {
		return t
	}
	e := t.requests[t.pending[w]]
	e.Type, e.Accepted = history.Applied, accept
	return t.tell(e)
}

func (t *scriptedHistory) ok(w string) *scriptedHistory   { return t.answer(w, history.OK) }
func (t *scriptedHistory) fail(w string) *scriptedHistory { return t.answer(w, history.Fail) }
func (t *scriptedHistory) info(w string) *scriptedHistory { return t.answer(w, history.Info) }
func (t *scriptedHistory) answer(w string, a history.Type) *scriptedHistory {
	e := t.requests[t.pending[w]]
	e.Type = a
	return t.tell(e)
}

func (t *scriptedHistory) read(w, value string) *scriptedHistory {
	return t.sendRead(w, value).applied(w).ok(w)
}

func (t *scriptedHistory) write(w, value string) *scriptedHistory {
	return t.sendWrite(w, value).applied(w).ok(w)
}

func (t *scriptedHistory) refuse(w, op, value string) *scriptedHistory {
	return t.invoke(w, op, value).refused(w).fail(w)
}

// verdictCase is a history and the result that a check must return for it.
type verdictCase struct {
	name  string
	story *scriptedHistory
	want  Verdict
	// text is the beginning of the first finding, or a part of it after "...".
	text  string
	count int
}

// judge runs one check over a table of stories, twice each, and compares.
func judge(t *testing.T, check string, tests []verdictCase) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := tt.story.history()
			got := mustRun(t, h, check)[0]
			if got.Verdict != tt.want || got.Count != tt.count {
				t.Fatalf("verdict %s with %d violations, want %s with %d: %+v", got.Verdict, got.Count, tt.want, tt.count, got.Findings)
			}
			if tt.want != Valid && !got.Applies {
				t.Errorf("verdict %s of a check that does not apply", got.Verdict)
			}
			if tt.want == Invalid && len(got.Findings[0].Events) == 0 {
				t.Errorf("no event shows %q", got.Findings[0].Text)
			}
			if tt.text == "" {
				return
			}
			if len(got.Findings) == 0 {
				t.Fatal("no findings")
			}
			text := got.Findings[0].Text
			part, anywhere := strings.CutPrefix(tt.text, "...")
			if at := strings.Index(text, part); at < 0 || at > 0 && !anywhere {
				t.Errorf("finding %q, want %q", text, tt.text)
			}
			for _, f := range got.Findings {
				eventsExist(t, h, f)
			}
		})
	}
}

// eventsExist fails unless the events of f are in order and in the history.
func eventsExist(t *testing.T, h *history.History, f Finding) {
	t.Helper()
	last := int64(0)
	for _, seq := range f.Events {
		if seq <= last || seq > int64(len(h.Events)) {
			t.Errorf("%q names event %d after %d, of %d", f.Text, seq, last, len(h.Events))
		}
		last = seq
	}
}

func mustRun(t testing.TB, h *history.History, checks ...string) []Result {
	t.Helper()
	return mustRunWithin(t, linear.DefaultLimits(), h, checks...)
}

func mustRunWithin(t testing.TB, l linear.Limits, h *history.History, checks ...string) []Result {
	t.Helper()
	results, err := run(h, checks, l)
	if err != nil {
		t.Fatal(err)
	}
	return results
}
