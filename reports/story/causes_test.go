package story

import (
	"slices"
	"testing"
	"time"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/history"
	"lockquake/reports/internal/sample"
	"lockquake/scenarios/results"
)

// A violation has a cause, which a reader looks for in the lines before it: a fault, a holder, a request without an answer.
// A line is written as "who: what", and ! is before the decisive one.
func TestAStoryShowsTheCauseOfItsViolation(t *testing.T) {
	ofType := func(worker string, types ...history.Type) func(e history.Event) bool {
		return func(e history.Event) bool { return e.Worker == worker && slices.Contains(types, e.Type) }
	}
	cut := func(from, to string) faults.Step {
		return faults.Step{Fault: &faults.Partition{OnLink: faults.OnLink{From: from, To: to}, Mode: faults.ModeDrop}, For: 50 * time.Second}
	}
	unit := func(s *sample.Script, at time.Duration, worker string, section int) {
		s.Operation(at-ms, at, history.Event{Worker: worker, Section: section, Op: "write", Value: worker, Accepted: true})
	}
	tests := []struct {
		name, check string
		write       func(s *sample.Script)
		steps       []faults.Step
		evidence    func(e history.Event) bool
		want, not   []string
	}{
		{
			name: "a client that cannot connect",
			write: func(s *sample.Script) {
				s.Fault(0, 50*time.Second, 1, "partition", "worker-1", "")
				s.Ask(0, "worker-1", 1)
				s.Section(time.Second, "worker-2", 1, 0, 0)
				s.Add(20*time.Second, history.Event{Type: history.Released, Worker: "worker-1", Section: 1, Class: history.ClassUnknown})
			},
			steps: []faults.Step{cut("worker-1", "lock")},
			want:  []string{"network: cuts worker-1 -> lock for 50s (messages lost)", "worker-1: gives up: outcome unknown; its request got no answer"},
		},
		{
			name: "clocks that are wrong from the start", check: "lost-update",
			write: func(s *sample.Script) {
				s.Meta.Clocks = history.Clocks{"lock-2": 3 * time.Second, "worker-1": -20 * ms, "worker-3": time.Minute}
				s.Section(time.Second, "worker-1", 1, 0, 0)
				s.Section(1100*ms, "worker-2", 1, 0, 0)
			},
			evidence: func(e history.Event) bool { return e.Op == "write" },
			want:     []string{"lock-2: has a wall clock that is 3s fast from the start", "worker-1: has a wall clock that is 20ms slow from the start"},
			not:      []string{"worker-3"},
		},
		{
			name: "a client that cannot connect until the end", check: "progress",
			write: func(s *sample.Script) {
				s.Fault(0, 50*time.Second, 1, "partition", "worker-1", "")
				s.Ask(0, "worker-1", 1)
				s.Section(time.Second, "worker-2", 1, 0, 0)
				s.Write(2*time.Second, "worker-2", 1, 0, "1")
				s.Add(time.Minute, history.Event{Type: history.Final, Key: "n", Value: "1"})
			},
			steps:    []faults.Step{cut("worker-1", "lock")},
			evidence: ofType("worker-1", history.AcquireCalled),
			want:     []string{"network: cuts worker-1 -> lock for 50s (messages lost)", "! worker-1: still waits for the lock; its request got no answer"},
		},
		{
			name: "a waiter that the server lets wait", check: "progress",
			write: func(s *sample.Script) {
				s.Meta.Stopped = history.StopIdle
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Read(4*ms, "worker-1", 1, 0, "0")
				s.Ask(5*ms, "worker-2", 1)
				s.Add(time.Minute, history.Event{Type: history.Final, Key: "n", Value: "0"})
			},
			evidence: ofType("worker-2", history.AcquireCalled),
			want:     []string{"worker-1: gets the lock", "worker-1: waits forever in its section, after its read", "! worker-2: waits forever for the lock"},
			not:      []string{"no answer"},
		},
		{
			name: "an inner section that waits for its own lock", check: "progress",
			write: func(s *sample.Script) {
				s.Meta.Workload, s.Meta.Stopped = "nested", history.StopIdle
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Read(4*ms, "worker-1", 1, 0, "0")
				s.Add(time.Minute, history.Event{Type: history.Final, Key: "n", Value: "0"})
			},
			evidence: ofType("worker-1", history.AcquireCalled, history.Acquired),
			want:     []string{"! worker-1: waits forever for its own lock: its inner section asks for it"},
		},
		{
			name: "a long wait without a refusal", check: "progress",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Ask(5*ms, "worker-2", 1)
				s.Leave(30*time.Second, "worker-1", 1)
				s.Enter(30010*ms, "worker-2", 1, 0)
				s.Read(30020*ms, "worker-2", 1, 0, "0")
			},
			evidence: ofType("worker-2", history.AcquireCalled, history.Acquired),
			want:     []string{"worker-1: gets the lock", "! worker-2: gets the lock after 30.005s"},
			not:      []string{"reads"}, // after the violation
		},
		{
			name: "the holder to which work was left is cut off", check: "once",
			write: func(s *sample.Script) {
				s.Meta.Workload = "jobs"
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Fault(time.Second, 51*time.Second, 1, "partition", "worker-1", "")
				s.Fault(time.Second, 51*time.Second, 2, "partition", "worker-1", "")
				s.Ask(2*time.Second, "worker-2", 1)
				s.Refuse(2001*ms, "worker-2", "worker-1")
				s.Add(2002*ms, history.Event{Type: history.Released, Worker: "worker-2", Section: 1, Class: history.ClassNotObtained})
				s.LeaveWith(55*time.Second, "worker-1", 1, "", history.ClassUnknown)
			},
			steps:    []faults.Step{cut("worker-1", "lock"), cut("lock", "worker-1")},
			evidence: ofType("worker-2", history.AcquireCalled, history.Released),
			want: []string{
				"worker-1: gets the lock", "network: cuts worker-1 <-> lock for 50s (messages lost)",
				"worker-2: asks for the lock: refused", "! worker-2: gives up: lock not obtained",
			},
			not: []string{"outcome unknown"}, // of the holder, later
		},
		{
			name: "a holder that no section of the evidence has crashes", check: "lost-update",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Ask(500*ms, "worker-2", 1)
				s.Refuse(502*ms, "worker-2", "worker-1")
				s.Add(time.Second, history.Event{Type: history.Crashed, Worker: "worker-1"})
				s.Add(2*time.Second, history.Event{Type: history.Crashed, Worker: "worker-3"}) // it has no lock
				s.Server(20*time.Second, history.Expired, "worker-1", 0)
				s.EnterUngranted(21*time.Second, "worker-2", 1, 0)
				s.Write(22*time.Second, "worker-2", 1, 0, "1")
			},
			evidence: ofType("worker-2", history.AcquireCalled, history.Applied),
			want:     []string{"worker-2: asks for the lock: refused", "worker-1: crashes", "! worker-2: writes 1"},
			not:      []string{"worker-3"},
		},
		{
			name: "a renewal of a lease that another worker has freed",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Add(time.Second, history.Event{Type: history.Freed, Worker: "worker-2", Key: "lock", Owner: "worker-1", Node: "lock"})
				s.Add(2*time.Second, history.Event{Type: history.NotRenewed, Worker: "worker-1", Key: "lock", Owner: "worker-1", Node: "lock"})
			},
			want: []string{"worker-2: frees the lease of worker-1", "worker-1: asks to renew the lock that worker-2 has freed"},
		},
		{
			name: "a write outside the evidence", check: "lost-update",
			write: func(s *sample.Script) {
				s.Section(time.Second, "worker-1", 1, 0, 0)
				s.Section(2*time.Second, "worker-2", 1, 0, 1)
				s.Section(3*time.Second, "worker-1", 2, 0, 2)
			},
			evidence: ofType("worker-1", history.Applied),
			want:     []string{"worker-2: makes 1 write", "! worker-1: writes 3"},
		},
		{
			name: "waiters whose lease and session end in the queue",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Ask(time.Second, "worker-2", 1)
				s.Refuse(time.Second+ms, "worker-2", "worker-1")
				s.Add(5*time.Second, history.Event{Type: history.LeftQueue, Worker: "worker-2", Key: "lock", Owner: "worker-2", Node: "lock"})
				s.Add(6*time.Second, history.Event{Type: history.LeftQueue, Worker: "worker-3", Key: "lock", Owner: "worker-3", Node: "lock", With: "session"})
			},
			want: []string{"lock: worker-2's lease ends in the queue", "lock: worker-3's session ends in the queue"},
		},
		{
			name: "a crash before the lock was ever asked for", check: "lost-update",
			write: func(s *sample.Script) {
				s.Fault(0, 2*time.Second, 1, "crash", "worker-1", "")
				s.Add(0, history.Event{Type: history.Crashed, Worker: "worker-1"})
				s.Fault(3*time.Second, 40*time.Second, 2, "partition", "worker-1", "")
				s.Section(10*time.Second, "worker-1", 1, 0, 0)
			},
			steps:    []faults.Step{{Fault: &faults.Crash{OnNode: faults.OnNode{Target: "worker-1"}}, For: 2 * time.Second}, cut("worker-1", "lock")},
			evidence: ofType("worker-1", history.Acquired),
			want:     []string{"network: cuts worker-1 -> lock for 37s (messages lost)", "! worker-1: gets the lock"},
			not:      []string{"starts again", "crashes"},
		},
		{
			name: "work that is done again", check: "once",
			write: func(s *sample.Script) {
				s.Meta.Workload = "cron"
				for i, worker := range []string{"worker-1", "worker-2", "worker-3"} {
					at := time.Duration(i) * time.Second
					s.Ask(at, worker, 1)
					s.Enter(at+2*ms, worker, 1, 0)
					unit(s, at+10*ms, worker, 1)
					s.Leave(at+20*ms, worker, 1)
				}
			},
			evidence: func(e history.Event) bool { return e.Type == history.Applied },
			want:     []string{"worker-1: writes worker-1", "worker-2: writes worker-2: done twice", "! worker-3: writes worker-3: done 3 times"},
		},
		{
			name: "a lease that outlives its section", check: "recovery",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.LeaveWith(20*ms, "worker-1", 1, "failed", history.ClassOther)
				s.Ask(time.Second, "worker-2", 1)
				s.Refuse(1001*ms, "worker-2", "worker-1")
				s.Server(10*time.Second, history.Expired, "worker-1", 0)
				s.Enter(11*time.Second, "worker-2", 1, 0)
				s.Read(12*time.Second, "worker-2", 1, 0, "0")
				s.Write(13*time.Second, "worker-2", 1, 0, "1")
			},
			evidence: func(e history.Event) bool {
				return e.Type == history.Granted && e.Worker == "worker-1" || e.Type == history.Refused
			},
			want: []string{"worker-1: ends: ; its lease goes on", "! worker-2: asks for the lock: refused", "lock: worker-1's lease ends"},
			not:  []string{"worker-2: gets the lock", "writes"}, // after the violation
		},
		{
			name: "a replica that lags", check: "lost-update",
			write: func(s *sample.Script) {
				s.Meta.Initial = map[string]string{"n": "0"}
				s.Section(0, "worker-1", 1, 0, 0)
				s.Ask(time.Second, "worker-2", 1)
				s.Enter(1002*ms, "worker-2", 1, 0)
				s.Read(1004*ms, "worker-2", 1, 0, "0")
				s.Write(1010*ms, "worker-2", 1, 0, "1")
			},
			evidence: func(e history.Event) bool { return e.Type == history.Applied },
			want:     []string{"worker-2: reads 0, out of date: the resource holds 1"},
		},
		{
			name: "overlapping sections that lose no update", check: "exclusion",
			write: func(s *sample.Script) {
				s.Meta.Workload = "limited"
				for i, worker := range []string{"worker-1", "worker-2"} {
					at := time.Duration(i) * 5 * ms
					s.Ask(at, worker, 1)
					s.EnterUngranted(at+2*ms, worker, 1, 0)
					unit(s, at+4*ms, worker, 1)
					unit(s, at+14*ms, worker, 1)
				}
			},
			evidence: func(e history.Event) bool { return e.Type == history.Applied },
			want:     []string{"! worker-2: writes worker-2", "worker-1: writes worker-1", "worker-2: writes worker-2"},
		},
		{
			name: "an inner section that gets the lock once the outer lease is over",
			write: func(s *sample.Script) {
				s.Meta.Workload = "nested"
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Server(10*time.Second, history.Expired, "worker-1", 0)
				s.Server(11*time.Second, history.Granted, "worker-1", 21*time.Second)
			},
			want: []string{"lock: worker-1's lease ends, unknown to it", "lock: gives worker-1 the lock again, for its inner section"},
		},
		{
			name: "a renewal that is delayed",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Fault(time.Second, 9*time.Second, 1, "hold", "worker-1", "renew.sent")
			},
			steps: []faults.Step{{When: &faults.When{Worker: "worker-1", Point: "renew.sent", Nth: 1}, For: 8 * time.Second, Fault: &faults.Hold{}}},
			want:  []string{"network: holds the renewal of worker-1 for 8s"},
		},
		{
			name: "a lease that the worker has kept", check: "lost-update",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.LeaveWith(20*ms, "worker-1", 1, "", history.ClassOK)
				s.Ask(30*ms, "worker-1", 2)
				s.EnterUngranted(31*ms, "worker-1", 2, 0)
			},
			want: []string{"worker-1: ends, and keeps its lease", "worker-1: enters with the lease that it has"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := sample.NewScript("redis", "off", "worker-1", "worker-2", "worker-3")
			tt.write(s)
			run := s.Trial(tt.steps...)
			if tt.evidence != nil {
				finding := checker.Finding{Text: "found"}
				for _, e := range run.History.Events {
					if tt.evidence(e) {
						finding.Events = append(finding.Events, e.Seq)
					}
				}
				run.Results = []checker.Result{{Check: tt.check, Verdict: checker.Invalid, Findings: []checker.Finding{finding}}}
			}
			var got []string
			for _, line := range Tell(run).Lines {
				text := line.Actor + ": " + line.Text
				if line.Decisive {
					text = "! " + text
				}
				got = append(got, text)
			}
			compareLines(t, got, tt.want, tt.not, func(line, want string) bool { return line == want })
		})
	}
}

// A lock on several servers can be won and lost many times before a worker uses it.
func TestALockOnSeveralServersThatIsLostAgainAndAgainHasOneLine(t *testing.T) {
	var events []history.Event
	add := func(at time.Duration, kind history.Type, node string) {
		events = append(events, history.Event{At: at, Type: kind, Worker: "a", Key: "x", Owner: "a", Node: node, Section: 0, Until: at + time.Second})
	}
	events = append(events, history.Event{Type: history.AcquireCalled, Worker: "a", Section: 1, Key: "x"})
	for i := range 3 {
		at := time.Duration(i) * 2 * time.Second
		add(at, history.Granted, "lock-1")
		add(at+ms, history.Granted, "lock-2")
		add(at+time.Second, history.Expired, []string{"lock-1", "lock-2", "lock-2"}[i])
		add(at+time.Second+ms, history.Expired, []string{"lock-2", "lock-1", "lock-1"}[i])
	}
	events = append(events, history.Event{At: 7 * time.Second, Type: history.Acquired, Worker: "a", Section: 1})
	var r history.Recorder
	for _, e := range events {
		r.Record(e)
	}
	h := &history.History{Meta: history.Meta{Schema: 1, Workload: "counter", Workers: []string{"a"}, Quorum: 2, End: 8 * time.Second}, Events: r.Events()}
	var got []string
	for _, line := range Tell(&results.Trial{History: h}).Lines {
		got = append(got, line.Actor+": "+line.Text)
	}
	want := []string{"lock: loses a's key, and with it the majority 3 times, 1.000s to 5.000s", "a: learns of its grant, which is over"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A quorum lock that counts wrongly lets a worker in that never had a majority. If it had one, its grant is over.
func TestAWorkerWithoutAMajorityHasNoGrantThatIsOver(t *testing.T) {
	for _, tt := range []struct {
		servers int // that grant the lock
		want    string
	}{{1, "enters without a majority of the servers"}, {2, "gets the lock"}} {
		var r history.Recorder
		r.Record(history.Event{Type: history.AcquireCalled, Worker: "a", Section: 1, Key: "x"})
		for i := range tt.servers {
			r.Record(history.Event{At: ms, Type: history.Granted, Worker: "a", Key: "x", Owner: "a", Node: []string{"lock-1", "lock-2"}[i], Until: time.Second})
		}
		r.Record(history.Event{At: 2 * ms, Type: history.Acquired, Worker: "a", Section: 1})
		h := &history.History{Meta: history.Meta{Schema: 1, Workload: "counter", Workers: []string{"a"}, Quorum: 2, End: time.Second}, Events: r.Events()}
		lines := Tell(&results.Trial{History: h}).Lines
		if len(lines) == 0 || lines[len(lines)-1].Text != tt.want {
			t.Errorf("%d servers: %v, want %q", tt.servers, lines, tt.want)
		}
	}
}
