package timeline

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/reports/internal/sample"
	"lockquake/scenarios/results"
)

const ms = time.Millisecond

// In Kleppmann's failure two beliefs overlap, and two leases do not.
func TestATimelineShowsTheViolation(t *testing.T) {
	tl := Of(sample.Kleppmann(0), "lost-update")
	var beliefs, leases []Span
	for _, s := range tl.Spans {
		switch s.Kind {
		case "belief":
			beliefs = append(beliefs, s)
		case "lease":
			leases = append(leases, s)
		}
	}
	if len(beliefs) != 2 || beliefs[0].To <= beliefs[1].From {
		t.Errorf("the beliefs are %+v, want two that overlap", beliefs)
	}
	if len(leases) != 2 || leases[0].To > leases[1].From {
		t.Errorf("the leases are %+v, want two, one after the other", leases)
	}
	i := slices.IndexFunc(tl.Steps, func(s Step) bool { return s.Decisive })
	if i < 0 || len(tl.Steps[i].Arrows) != 2 {
		t.Fatalf("the decisive step is %d of %+v, want one that is tied to a request and its answer", i, tl.Steps)
	}
	write := tl.Arrows[tl.Steps[i].Arrows[0]]
	if write.Arrived != tl.Steps[i].At || tl.Lanes[write.From].Name != "worker-1" || tl.Lanes[write.To].Kind != "resource" {
		t.Errorf("it is tied to %+v, want worker-1's write", write)
	}
}

// Indices are in range, times are in the window, and the axis rises from 0 to 1.
func TestEveryTimelineIsConsistent(t *testing.T) {
	for name, run := range map[string]*results.Trial{
		"redis": sample.Kleppmann(0), "fenced": sample.Kleppmann(33), "long": sample.Long(), "late packet": sample.LatePacket(), "quorum": quorum(),
	} {
		t.Run(name, func(t *testing.T) {
			tl := Of(run, "")
			inside := func(from, to Moment) bool { return tl.From <= from && from <= to && to <= tl.To }
			lane := func(i int) bool { return i >= 0 && i < len(tl.Lanes) }
			for _, s := range tl.Spans {
				if !lane(s.Lane) || !inside(s.From, s.To) || s.Text == "" {
					t.Errorf("span %+v", s)
				}
			}
			for _, a := range tl.Arrows {
				if !lane(a.From) || !lane(a.To) || !inside(a.Sent, a.Arrived) || a.Text == "" {
					t.Errorf("arrow %+v", a)
				}
			}
			for _, s := range tl.Steps {
				if s.Lane >= len(tl.Lanes) || !inside(s.At, s.At) {
					t.Errorf("step %+v", s)
				}
			}
			places := []float64{}
			for _, knot := range tl.Ruler {
				places = append(places, knot.Place)
			}
			if !slices.IsSorted(places) || places[0] != 0 || places[len(places)-1] != 1 {
				t.Errorf("the axis is %v", places)
			}
		})
	}
}

// quorum returns a run with a lock on three servers.
func quorum() *results.Trial {
	s := sample.NewScript("redlock", "off", "worker-1")
	s.Ask(0, "worker-1", 1)
	for i, node := range []string{"lock-1", "lock-2", "lock-3"} {
		at := time.Duration(i+1) * ms
		s.Add(at, history.Event{Type: history.Granted, Worker: "worker-1", Key: "lock", Node: node, Until: at + 10*time.Second})
		s.Add(at+200*ms, history.Event{Type: history.Freed, Worker: "worker-1", Key: "lock", Node: node})
	}
	s.EnterUngranted(10*ms, "worker-1", 1, 0)
	s.Add(199*ms, history.Event{Type: history.ReleaseCalled, Worker: "worker-1", Section: 1})
	s.Add(210*ms, history.Event{Type: history.Released, Worker: "worker-1", Section: 1})
	return &results.Trial{Scenario: "quorum", Label: "redlock", Strategy: "redlock", History: s.History()}
}

func TestATimelineHasALaneForEachServer(t *testing.T) {
	tl := Of(quorum(), "")
	var names []string
	for _, lane := range tl.Lanes {
		names = append(names, lane.Name)
	}
	if want := []string{"lock-1", "lock-2", "lock-3", "worker-1", "resource"}; !slices.Equal(names, want) {
		t.Errorf("the lanes are %q, want %q", names, want)
	}
	asked := 0
	for _, a := range tl.Arrows {
		if tl.Lanes[a.From].Kind == "worker" && tl.Lanes[a.To].Kind == "server" {
			asked++
		}
	}
	if asked != 6 {
		t.Errorf("%d requests went to servers, want 3 to get in and 3 to release", asked)
	}
}

// The other workers share a lane if the window has something of them.
func TestTheLaneOfTheOthersIsNotEmpty(t *testing.T) {
	for _, tt := range []struct {
		name  string
		works bool // the third and fourth worker, in the window
		want  []string
	}{
		{"idle", false, []string{"lock", "worker-1", "worker-2", "resource"}},
		{"at work", true, []string{"lock", "worker-1", "worker-2", "others", "resource"}},
	} {
		s := sample.NewScript("redis", "off", "worker-1", "worker-2", "worker-3", "worker-4")
		s.Ask(0, "worker-1", 1)
		s.Enter(2*time.Millisecond, "worker-1", 1, 0)
		read := s.Read(4*time.Millisecond, "worker-1", 1, 0, "0")
		for i := range 10 {
			if tt.works {
				s.Section(time.Duration(12+i)*time.Second, []string{"worker-3", "worker-4"}[i%2], i+1, 0, 0)
			}
		}
		s.Section(25*time.Second, "worker-2", 1, 0, 0)
		lost := s.Write(30*time.Second, "worker-1", 1, 0, "1")
		tl := aboutLostUpdate(s, func(e *history.Event) bool { return e.Request == read || e.Request == lost || e.Worker == "worker-2" })
		var names []string
		for _, lane := range tl.Lanes {
			names = append(names, lane.Name)
		}
		if !slices.Equal(names, tt.want) {
			t.Errorf("%s: the lanes are %q, want %q", tt.name, names, tt.want)
		}
		for _, step := range tl.Steps {
			if step.Lane >= len(tl.Lanes) || step.Decisive && tl.Lanes[step.Lane].Name != "resource" {
				t.Errorf("%s: step %q is in lane %d", tt.name, step.Text, step.Lane)
			}
		}
	}
}

func TestAnEmptyOrContradictoryHistoryHasAnEmptyTimeline(t *testing.T) {
	broken := sample.Kleppmann(0)
	broken.History.Events = broken.History.Events[5:]
	for name, run := range map[string]*results.Trial{
		"empty": {History: &history.History{}}, "contradictory": broken,
	} {
		tl := Of(run, checker.Names()[0])
		if len(tl.Lanes)+len(tl.Steps) != 0 {
			t.Errorf("%s: %+v", name, tl)
		}
	}
}

func TestAMomentIsWrittenInMilliseconds(t *testing.T) {
	for at, want := range map[time.Duration]string{0: "0", 1500 * time.Microsecond: "1.5", 61 * time.Second: "61000", 1234567: "1.235"} {
		if got, err := Moment(at).MarshalJSON(); err != nil || string(got) != want {
			t.Errorf("%v is %s, want %s (%v)", at, got, want, err)
		}
	}
}

// A server with a replica records its events under one name. Each lease and each crash is drawn in the lane of the node that
// was the primary then, also a lease that the replica has when it takes over.
func TestALeaseIsDrawnInTheLaneOfTheNodeThatHasIt(t *testing.T) {
	for name, kept := range map[string]bool{"lost lease": false, "replicated lease": true} {
		t.Run(name, func(t *testing.T) {
			s := sample.NewScript("redis-replica", "off", "worker-1", "worker-2")
			s.Ask(0, "worker-1", 1)
			s.Enter(2*ms, "worker-1", 1, 0)
			s.Fault(time.Second, 5*time.Second, 1, "crash", "lock", "")
			if !kept {
				s.Server(2*time.Second, history.Evicted, "worker-1", 0)
			}
			s.Add(2*time.Second, history.Event{Type: history.Promoted, Node: "lock-replica"})
			if !kept {
				s.Ask(2500*ms, "worker-2", 1)
				s.Enter(3*time.Second, "worker-2", 1, 0)
			} else {
				s.Leave(3*time.Second, "worker-1", 1)
			}
			tl := Of(s.Trial(), "")
			drawn := map[string][]string{}
			for _, span := range tl.Spans {
				if span.Kind == "lease" || span.Kind == "fault" {
					lane := tl.Lanes[span.Lane].Name
					drawn[lane] = append(drawn[lane], span.Label)
				}
			}
			want := map[string][]string{"lock": {"worker-1", "crash 4s"}, "lock-replica": {"worker-2"}}
			if kept {
				want["lock-replica"] = []string{"worker-1"}
			}
			if diff := cmp.Diff(want, drawn); diff != "" {
				t.Errorf("leases and faults by lane: %s", diff)
			}
		})
	}
}

// Each holder of a permit has a lease of its own, which ends when its server ends it. A late renewal begins a lease again.
func TestLeasesThatShareALockAreDrawnSideBySide(t *testing.T) {
	s := sample.NewScript("redis-semaphore", "off", "worker-1", "worker-2")
	server := func(at time.Duration, kind history.Type, worker string, late bool) {
		s.Add(at, history.Event{Type: kind, Worker: worker, Key: "lock", Owner: "of-" + worker, Node: "lock", Mode: "shared", Until: at + 2*time.Second, Late: late})
	}
	for i, worker := range []string{"worker-1", "worker-2"} {
		at := time.Duration(i) * time.Second
		s.Ask(at, worker, 1)
		server(at+ms, history.Granted, worker, false)
		s.EnterUngranted(at+2*ms, worker, 1, 0)
	}
	server(2*time.Second, history.Expired, "worker-1", false)
	server(3*time.Second, history.Renewed, "worker-1", true)
	server(4*time.Second, history.Freed, "worker-1", false)
	server(5*time.Second, history.Freed, "worker-2", false)
	s.Add(6*time.Second, history.Event{Type: history.Crashed, Worker: "worker-1"})
	var got []string
	tl := Of(s.Trial(), "")
	for _, span := range tl.Spans {
		if span.Kind == "lease" {
			got = append(got, fmt.Sprintf("%s from %v to %v, row %d of %d", span.Label, time.Duration(span.From), time.Duration(span.To), span.Row, tl.Lanes[span.Lane].Rows))
		}
	}
	want := []string{"worker-1 from 1ms to 2s, row 0 of 2", "worker-1 from 3s to 4s, row 0 of 2", "worker-2 from 1.001s to 5s, row 1 of 2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("leases (-want +got): %s", diff)
	}
}

// onEtcd has one section, whose lease was granted under the leader lock-3.
func onEtcd() *sample.Script {
	s := sample.NewScript("etcd", "off", "worker-1")
	s.Meta.Leader = "lock-3"
	s.Ask(0, "worker-1", 1)
	s.Add(ms, history.Event{Type: history.Granted, Worker: "worker-1", Key: "lock", Owner: "worker-1", Node: "lock-1", Until: 12 * time.Second})
	s.EnterUngranted(2*ms, "worker-1", 1, 0)
	return s
}

// A service with a leader records its events under the name of one member, lock-1 here. It has a lane for each member that
// led: lock-3 at first, lock-2 from 10 s on. A fault of all members is drawn in the lane of the leader that it ended.
func TestALeaseIsDrawnInTheLaneOfTheLeader(t *testing.T) {
	s := onEtcd()
	s.Fault(9*time.Second, 10*time.Second, 1, "leader-change", "lock", "")
	s.Add(10*time.Second, history.Event{Type: history.Promoted, Node: "lock-2"})
	s.Add(12*time.Second, history.Event{Type: history.Expired, Worker: "worker-1", Key: "lock", Owner: "worker-1", Node: "lock-1"})
	tl := Of(s.Trial(), "")
	drawn := map[string][]string{}
	for _, span := range tl.Spans {
		if span.Kind == "lease" || span.Kind == "fault" {
			lane := tl.Lanes[span.Lane].Name
			drawn[lane] = append(drawn[lane], fmt.Sprint(span.Label, " from ", time.Duration(span.From), " to ", time.Duration(span.To)))
		}
	}
	want := map[string][]string{
		"lock-3": {"leader-change 1s from 9s to 10s", "worker-1 from 1ms to 10s"},
		"lock-2": {"worker-1 from 10s to 12s"},
	}
	if diff := cmp.Diff(want, drawn); diff != "" {
		t.Errorf("leases and faults by lane: %s", diff)
	}
}

// lock-3 leads, and the story tells of a pause of lock-2. Nothing happens to lock-1, the third member.
func TestAFaultOfAMemberThatDoesNotLeadHasALane(t *testing.T) {
	s := onEtcd()
	s.Fault(4*time.Second, 6*time.Second, 1, "pause", "lock-2", "")
	s.Fault(8*time.Second, 9*time.Second, 2, "pause", "resource", "")
	s.Add(12*time.Second, history.Event{Type: history.Expired, Worker: "worker-1", Key: "lock", Owner: "worker-1", Node: "lock-1"})
	tl := Of(s.Trial(), "")
	var lanes, pauses []string
	for _, lane := range tl.Lanes {
		lanes = append(lanes, lane.Name+" of "+lane.Kind)
	}
	for _, span := range tl.Spans {
		if span.Kind == "fault" {
			pauses = append(pauses, fmt.Sprint(tl.Lanes[span.Lane].Name, " from ", time.Duration(span.From)))
		}
	}
	if diff := cmp.Diff([]string{"lock-2 of server", "lock-3 of server", "worker-1 of worker", "resource of resource"}, lanes); diff != "" {
		t.Errorf("lanes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"lock-2 from 4s", "resource from 8s"}, pauses); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// A worker that is told of a loss works on until its call returns: 1 s to 3 s of the picture.
func TestACallThatGoesOnAfterTheBeliefIsDrawnUntilItReturns(t *testing.T) {
	s := sample.NewScript("redis", "off", "worker-1")
	s.Ask(0, "worker-1", 1)
	s.Enter(2*ms, "worker-1", 1, 0)
	s.Add(time.Second, history.Event{Type: history.Told, Worker: "worker-1", Section: 1, Err: "lost"})
	s.LeaveWith(3*time.Second, "worker-1", 1, "lost", history.ClassLost)
	tl := Of(s.Trial(), "")
	i := slices.IndexFunc(tl.Spans, func(s Span) bool { return s.Kind == "after" })
	if i < 0 {
		t.Fatalf("no span after the belief in %+v", tl.Spans)
	}
	if got := tl.Spans[i]; got.From != Moment(time.Second) || got.To != Moment(3002*ms) || tl.Lanes[got.Lane].Name != "worker-1" {
		t.Errorf("the call goes on from %v to %v in lane %d, want 1 s to 3.002 s in the lane of worker-1", time.Duration(got.From), time.Duration(got.To), got.Lane)
	}
}

// aboutLostUpdate returns the timeline of a run that violates lost-update. The evidence is the applied operations for which is returns true.
func aboutLostUpdate(s *sample.Script, is func(*history.Event) bool) Timeline {
	run := s.Trial()
	finding := checker.Finding{Text: "lost"}
	for i := range run.History.Events {
		if e := &run.History.Events[i]; e.Type == history.Applied && is(e) {
			finding.Events = append(finding.Events, e.Seq)
		}
	}
	run.Results = []checker.Result{{Check: "lost-update", Verdict: checker.Invalid, Findings: []checker.Finding{finding}}}
	return Of(run, "lost-update")
}

// Eight workers share a lock. A lane has six rows at most, so the last leases are all in its last row.
func TestALaneHasAFewRows(t *testing.T) {
	var workers []string
	for i := range 8 {
		workers = append(workers, fmt.Sprintf("worker-%d", i+1))
	}
	s := sample.NewScript("redis-semaphore", "off", workers...)
	for i, worker := range workers {
		at := time.Duration(i) * time.Second
		s.Ask(at, worker, 1)
		s.Add(at+ms, history.Event{Type: history.Granted, Worker: worker, Key: "lock", Owner: "of-" + worker, Node: "lock", Mode: "shared"})
		s.EnterUngranted(at+2*ms, worker, 1, 0)
	}
	tl := Of(s.Trial(), "")
	rows := map[string]int{}
	for _, span := range tl.Spans {
		if span.Kind == "lease" {
			rows[span.Label] = span.Row
		}
	}
	want := map[string]int{"worker-1": 0, "worker-2": 1, "worker-3": 2, "worker-4": 3, "worker-5": 4, "worker-6": 5, "worker-7": 5, "worker-8": 5}
	if diff := cmp.Diff(want, rows); diff != "" || tl.Lanes[0].Rows != 6 {
		t.Errorf("%d rows, leases (-want +got): %s", tl.Lanes[0].Rows, diff)
	}
}

// The leases of two workers overlap. The lease of a third worker, which is not in the story, is in the first row that is free then.
func TestALeaseOutsideTheStoryCoversNone(t *testing.T) {
	for _, tt := range []struct {
		name  string
		freed time.Duration // the lease of worker 1
		want  int
	}{{"no row is free", 20 * time.Second, 2}, {"the first row is free", 5 * time.Second, 0}} {
		s := sample.NewScript("redis-semaphore", "off", "worker-1", "worker-2", "worker-3")
		server := func(at time.Duration, kind history.Type, worker string) {
			s.Add(at, history.Event{Type: kind, Worker: worker, Key: "lock", Owner: "of-" + worker, Node: "lock", Mode: "shared"})
		}
		for i, worker := range s.Meta.Workers {
			at := time.Duration([]int{0, 1, 10}[i]) * time.Second
			s.Ask(at, worker, 1)
			server(at+ms, history.Granted, worker)
			s.EnterUngranted(at+2*ms, worker, 1, 0)
		}
		read := s.Read(2*time.Second, "worker-1", 1, 0, "0")
		server(tt.freed, history.Freed, "worker-1")
		last := s.Write(30*time.Second, "worker-2", 1, 0, "1")
		tl := aboutLostUpdate(s, func(e *history.Event) bool { return e.Request == read || e.Request == last })
		rows := []int{}
		for _, span := range tl.Spans {
			if span.Kind == "quiet" && tl.Lanes[span.Lane].Kind == "server" {
				rows = append(rows, span.Row)
			}
		}
		if !slices.Equal(rows, []int{tt.want}) {
			t.Errorf("%s: the quiet lease is in rows %v, want %d", tt.name, rows, tt.want)
		}
	}
}
