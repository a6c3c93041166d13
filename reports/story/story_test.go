package story

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/history"
	"lockquake/reports/internal/sample"
	"lockquake/reports/words"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/search"
)

const ms = time.Millisecond

// Each history is short and has one kind of event. A line is written as
// "who: what | believes | lease | resource".
func TestEachKindOfEventHasItsLine(t *testing.T) {
	tests := []struct {
		name  string
		write func(s *sample.Script)
		steps []faults.Step
		want  []string // of all lines, these must be there, in this order
		not   []string // what no line says
	}{
		{
			name: "somebody else's lease is freed",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Server(10*time.Second, history.Expired, "", 0)
				s.Ask(10*time.Second, "worker-2", 1)
				s.Enter(10002*ms, "worker-2", 1, 0)
				s.Leave(10010*ms, "worker-1", 1)
			},
			want: []string{
				"lock: worker-1's lease ends, unknown to it | worker-1 | free | ",
				"worker-2: gets the lock | worker-1 worker-2 | worker-2 20.001s | ",
				"worker-1: frees the lease of worker-2 | worker-2 | free | ",
			},
		},
		{
			name: "writes after the release",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Read(4*ms, "worker-1", 1, 0, "0")
				s.Leave(6*ms, "worker-1", 1)
				s.Ask(7*ms, "worker-2", 1)
				s.Enter(9*ms, "worker-2", 1, 0)
				s.Read(11*ms, "worker-2", 1, 0, "0")
				s.Write(13*ms, "worker-1", 1, 0, "1")
				s.Write(15*ms, "worker-2", 1, 0, "1")
			},
			want: []string{
				"worker-1: writes 1 after its release | worker-2 | worker-2 10.008s | n=1, took",
				"worker-2: writes 1 over worker-1's 1: update lost | worker-2 | worker-2 10.008s | n=1, took",
			},
		},
		{
			name: "a grant that nobody hears of",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Server(1*ms, history.Granted, "worker-1", 10*time.Second)
				s.Add(3*time.Second, history.Event{Type: history.Released, Worker: "worker-1", Section: 1, Class: history.ClassUnknown})
			},
			want: []string{
				"lock: grants worker-1 the lock, and worker-1 never learns of it | nobody | worker-1 10.000s | -",
				"worker-1: gives up: outcome unknown | nobody | worker-1 10.000s | -",
			},
		},
		{
			name: "a way in past the lock",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Refuse(1*ms, "worker-1", "worker-2")
				s.EnterUngranted(2*ms, "worker-1", 1, 0)
			},
			want: []string{
				"worker-1: asks for the lock: refused | nobody | free | -",
				"worker-1: enters without a grant | worker-1 | free | -",
			},
		},
		{
			name: "a reply that outlives its lease",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Server(1*ms, history.Granted, "worker-1", 10*time.Second)
				s.Server(10*time.Second, history.Expired, "", 0)
				s.EnterUngranted(11*time.Second, "worker-1", 1, 0)
			},
			want: []string{
				"lock: worker-1's lease ends | nobody | free | -",
				"worker-1: learns of its grant, which is over | worker-1 | free | -",
			},
		},
		{
			name: "renewals share a line",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 5)
				s.Server(3*time.Second, history.Renewed, "worker-1", 13*time.Second)
				s.Server(6*time.Second, history.Renewed, "worker-1", 16*time.Second)
				s.Add(7*time.Second, history.Event{Type: history.Crashed, Worker: "worker-1"})
				s.Server(16*time.Second, history.Evicted, "", 0)
			},
			want: []string{
				"worker-1: gets the lock, token 5 | worker-1 | worker-1 10.001s #5 | -",
				"worker-1: renews its lease 2 times, 3.000s to 6.000s | worker-1 | worker-1 13.000s #5 | -",
				"worker-1: crashes | nobody | worker-1 16.000s #5 | -",
				"lock: worker-1's lease is evicted | nobody | free | -",
			},
		},
		{
			name: "without a lock",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.EnterUngranted(0, "worker-1", 1, 0)
				s.Ask(0, "worker-2", 1)
				s.EnterUngranted(1*ms, "worker-2", 1, 0)
				s.Read(2*ms, "worker-1", 1, 0, "7")
				s.LeaveWith(9*ms, "worker-1", 1, "", history.ClassOK)
			},
			want: []string{
				"worker-2: enters its section | worker-1 worker-2 | - | n=nothing",
				"worker-1: reads 7 | worker-1 worker-2 | - | n=nothing",
				"worker-1: leaves its section | worker-2 | - | n=nothing",
			},
		},
		{
			name: "faults of the network",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Fault(1*ms, 2*time.Second, 1, "partition", "worker-1->lock", "")
				s.Fault(3*ms, 2*time.Second, 2, "drop", "", "acquire.replied")
				s.Fault(4*ms, 2*time.Second, 3, "quake", "everything", "")
			},
			steps: []faults.Step{
				{For: 2 * time.Second, Fault: &faults.Partition{OnLink: faults.OnLink{From: "worker-1", To: "lock"}, Mode: faults.ModeDrop}},
				{When: &faults.When{Worker: "worker-1", Point: "acquire.replied", Nth: 1}, Fault: &faults.Drop{}},
			},
			want: []string{
				"network: cuts worker-1 -> lock for 1.999s (messages lost) | nobody | - | -",
				"network: loses the reply to the acquire of worker-1 | nobody | - | -",
				"network: quake hits everything for 1.996s | nobody | - | -",
				"network: heals worker-1 -> lock | nobody | - | -",
				"network: quake ends | nobody | - | -",
			},
		},
		{
			name: "keys that are deleted and evicted",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Add(3*ms, history.Event{Type: history.FaultBegin, Fault: 1, Kind: "evict", Target: "lock", Hit: "lock:fence"})
				s.Add(3*ms, history.Event{Type: history.FaultEnd, Fault: 1, Kind: "evict", Target: "lock"})
				s.Add(4*ms, history.Event{Type: history.FaultBegin, Fault: 2, Kind: "delete", Target: "lock", Hit: "lock, lock:fence, lock:queue"})
				s.Server(4*ms, history.Evicted, "worker-1", 0)
				s.Add(5*ms, history.Event{Type: history.FaultBegin, Fault: 3, Kind: "evict", Target: "lock"})
			},
			want: []string{
				"lock: key lock:fence is evicted | worker-1 | worker-1 10.001s | -",
				"lock: keys lock:fence, lock:queue are deleted | worker-1 | worker-1 10.001s | -",
				"lock: worker-1's lease is deleted, unknown to it | worker-1 | free | -",
			},
			not: []string{"ends", "for 0s", "key  is"},
		},
		{
			name: "a server that crashes and comes back, and its replica that does not take over",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Fault(1*time.Second, 3*time.Second, 1, "crash", "lock", "")
				s.Server(3*time.Second, history.Evicted, "worker-1", 0)
				s.Add(3*time.Second, history.Event{Type: history.Restarted, Node: "lock"})
			},
			want: []string{
				"lock: crashes | worker-1 | worker-1 10.001s | -",
				"lock: comes back without the lease of worker-1, unknown to worker-1 | worker-1 | free | -",
			},
			not: []string{"takes over", "starts again"},
		},
		{
			name: "a failover",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Fault(1*time.Second, 5*time.Second, 1, "crash", "lock", "")
				s.Server(2*time.Second, history.Evicted, "worker-1", 0)
				s.Add(2*time.Second, history.Event{Type: history.Promoted, Node: "lock-replica"})
				s.Add(7*time.Second, history.Event{Type: history.Restarted, Node: "lock"})
				s.Add(8*time.Second, history.Event{Type: history.Promoted, Node: "lock"})
			},
			want: []string{
				"lock: crashes | worker-1 | worker-1 10.001s | -",
				"lock-replica: takes over, without the lease of worker-1, unknown to worker-1 | worker-1 | free | -",
				"lock: starts again, as the replica | worker-1 | free | -",
				"lock: takes over as the primary | worker-1 | free | -",
			},
			not: []string{"evicted"},
		},
		{
			name: "a service with a leader, which records its events under the name of one member",
			write: func(s *sample.Script) {
				s.Meta.Leader = "lock-3"
				s.Ask(0, "worker-1", 1)
				s.Add(ms, history.Event{Type: history.Granted, Worker: "worker-1", Key: "lock", Owner: "worker-1", Node: "lock-1", Until: 10*time.Second + ms})
				s.EnterUngranted(2*ms, "worker-1", 1, 0)
				s.Fault(1*time.Second, 2*time.Second, 1, "leader-change", "lock", "")
				s.Add(2*time.Second, history.Event{Type: history.Renewed, Worker: "worker-1", Key: "lock", Owner: "worker-1", Node: "lock-1", Until: 12 * time.Second})
				s.Add(2*time.Second, history.Event{Type: history.Promoted, Node: "lock-2"})
				s.Fault(3*time.Second, 4*time.Second, 2, "crash", "lock-3", "")
				s.Add(4*time.Second, history.Event{Type: history.Restarted, Node: "lock-3"})
				s.Add(12*time.Second, history.Event{Type: history.Expired, Worker: "worker-1", Key: "lock", Owner: "worker-1", Node: "lock-1"})
			},
			want: []string{
				"lock: has no leader for 1s | worker-1 | worker-1 10.001s | -",
				"lock-2: moves the end of worker-1's lease | worker-1 | worker-1 12.000s | -",
				"lock-2: takes over as the leader | worker-1 | worker-1 12.000s | -",
				"lock-3: crashes | worker-1 | worker-1 12.000s | -",
				"lock-3: starts again, as a follower | worker-1 | worker-1 12.000s | -",
				"lock-2: worker-1's lease ends, unknown to it | worker-1 | free | -",
			},
			not: []string{"replica", "primary"},
		},
		{
			name: "a read that is out of date",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Write(4*ms, "worker-1", 1, 0, "7")
				s.Operation(5*ms, 6*ms, history.Event{Worker: "worker-1", Section: 1, Op: "read", Value: "6", Prior: "7", Accepted: true})
				s.Operation(7*ms, 8*ms, history.Event{Worker: "worker-1", Section: 1, Op: "read", Value: "7", Prior: "7", Accepted: true})
			},
			want: []string{
				"worker-1: reads 6, out of date: the resource holds 7 | worker-1 | worker-1 10.001s | n=7",
				"worker-1: reads 7 | worker-1 | worker-1 10.001s | n=7",
			},
		},
		{
			name: "a release that arrives a second time",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Add(3*ms, history.Event{Type: history.FaultBegin, Fault: 1, Kind: "duplicate", Target: "worker-1", Point: "release.sent", Request: 9, Until: 5003 * ms})
				s.Add(4*ms, history.Event{Type: history.Freed, Worker: "worker-1", Key: "lock", Node: "lock", Request: 9})
				s.Ask(1*time.Second, "worker-2", 1)
				s.Enter(1002*ms, "worker-2", 1, 0)
				s.Add(5004*ms, history.Event{Type: history.Freed, Worker: "worker-1", Key: "lock", Node: "lock", Request: 9})
			},
			steps: []faults.Step{
				{When: &faults.When{Worker: "worker-1", Point: "release.sent", Nth: 1}, For: 5 * time.Second, Fault: &faults.Duplicate{}},
			},
			want: []string{
				"network: copies the release of worker-1, to deliver it again 5s later | worker-1 | worker-1 10.001s | -",
				"worker-1: releases the lock | worker-1 | free | -",
				"worker-1: frees the lease of worker-2: its release arrives a second time | worker-1 worker-2 | free | -",
			},
		},
		{
			name: "faults that take no time",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				for step, kind := range []string{"error", "reset", "cancel"} {
					at := time.Duration(step+1) * ms
					s.Add(at, history.Event{Type: history.FaultBegin, Fault: step + 1, Kind: kind, Target: "worker-1"})
					s.Add(at, history.Event{Type: history.FaultEnd, Fault: step + 1, Kind: kind, Target: "worker-1"})
				}
			},
			steps: []faults.Step{
				{When: &faults.When{Worker: "worker-1", Point: "acquire.sent", Nth: 1}, Fault: &faults.Error{Text: "LOADING"}},
				{Fault: &faults.Reset{OnLink: faults.OnLink{From: "worker-1", To: "lock"}}},
				{Fault: &faults.Cancel{OnWorker: faults.OnWorker{Target: "worker-1"}}},
			},
			want: []string{
				"network: lets the server answer the acquire of worker-1 with the error LOADING | nobody | - | -",
				"network: resets the connections of worker-1 -> lock | nobody | - | -",
				"worker-1: has its section cancelled | nobody | - | -",
			},
			not: []string{"ends", "0s"},
		},
		{
			name: "two pauses that overlap, and a crash in the second",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Fault(1*time.Second, 4*time.Second, 1, "pause", "worker-1", "")
				s.Fault(2*time.Second, 9*time.Second, 2, "pause", "worker-1", "")
				s.Add(6*time.Second, history.Event{Type: history.Crashed, Worker: "worker-1"})
			},
			want: []string{
				"worker-1: is paused 3s while it asks for the lock | nobody | - | -",
				"worker-1: is paused 7s while it asks for the lock | nobody | - | -",
				"worker-1: crashes | nobody | - | -",
			},
			not: []string{"wakes"},
		},
		{
			name: "a server that answers errors",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				for i := range faults.CodeLoading.Words() {
					s.Fault(time.Duration(i+1)*ms, 2*time.Second, i+1, "answer-errors", "lock", "")
				}
			},
			steps: refusing(faults.CodeReadOnly, faults.CodeLoading, faults.CodeMemory, faults.CodeDisk, faults.CodeClusterDown, faults.CodeThrottled, faults.CodeUnavailable),
			want: []string{
				"lock: refuses writes for 1.999s (READONLY) | nobody | - | -",
				"lock: refuses all commands for 1.998s (LOADING) | nobody | - | -",
				"lock: refuses what needs memory for 1.997s (OOM) | nobody | - | -",
				"lock: refuses writes for 1.996s (MISCONF) | nobody | - | -",
				"lock: refuses commands with keys for 1.995s (CLUSTERDOWN) | nobody | - | -",
				"lock: refuses all requests for 1.994s (THROTTLED) | nobody | - | -",
				"lock: refuses all requests for 1.993s (UNAVAILABLE) | nobody | - | -",
				"lock: refuses nothing any more (UNAVAILABLE) | nobody | - | -",
			},
		},
		{
			name: "a pause between two steps",
			write: func(s *sample.Script) {
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 0)
				s.Read(4*ms, "worker-1", 1, 0, "0")
				s.Fault(6*ms, 8*time.Second, 1, "pause", "worker-1", "")
			},
			want: []string{
				"worker-1: is paused 7.994s after its read | worker-1 | worker-1 10.001s | n=nothing",
				"worker-1: wakes | worker-1 | worker-1 10.001s | n=nothing",
			},
		},
		{
			name: "a token that is refused",
			write: func(s *sample.Script) {
				s.Meta.Fence = "writes"
				s.Ask(0, "worker-1", 1)
				s.Enter(2*ms, "worker-1", 1, 8)
				s.RefusedWrite(4*ms, "worker-1", 1, 8, 9, "1")
				s.RefusedWrite(6*ms, "worker-1", 1, 8, 8, "1")
				s.RefusedWrite(8*ms, "worker-1", 1, 0, 8, "1")
			},
			want: []string{
				"worker-1: writes 1: refused, 8 is below 9 | worker-1 | worker-1 10.001s #8 | n=nothing, refused #8",
				"worker-1: writes 1: token 8 refused | worker-1 | worker-1 10.001s #8 | n=nothing, refused #8",
				"worker-1: writes 1: refused, no token | worker-1 | worker-1 10.001s #8 | n=nothing, refused",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := sample.NewScript("redis", "off", "worker-1", "worker-2")
			tt.write(s)
			var got []string
			for _, line := range Tell(s.Trial(tt.steps...)).Lines {
				got = append(got, strings.Join([]string{line.Actor + ": " + line.Text, line.Believes, line.Lease, line.Resource}, " | "))
			}
			compareLines(t, got, tt.want, tt.not, strings.HasPrefix)
		})
	}
}

// compareLines fails the test unless a story has the wanted lines in their order, and no line that contains one of the
// unwanted texts. Is reports whether a line is the wanted one.
func compareLines(t *testing.T, got, want, not []string, is func(line, want string) bool) {
	t.Helper()
	for _, line := range got {
		if len(want) > 0 && is(line, want[0]) {
			want = want[1:]
		}
		for _, text := range not {
			if strings.Contains(line, text) {
				t.Errorf("a line says %q: %s", text, line)
			}
		}
		t.Log(line)
	}
	if len(want) > 0 {
		t.Errorf("no line says %q", want[0])
	}
}

func TestTheStateNamesAnItemByTheEndOfItsPathThatNoOtherHas(t *testing.T) {
	tests := []struct{ item, other, want string }{
		{"resource-1/order-1", "resource-1/order-2", "order-1"},
		{"resource-1/order-1/complete", "resource-1/order-2/complete", "order-1/complete"},
		{"worker-1/job-1", "worker-2/job-1", "worker-1/job-1"},
		{"outside/resource-1", "resource-1", "outside/resource-1"},
		{"resource-1", "outside/resource-1", "resource-1"},
		{"order-1", "reorder-1", "order-1"},
	}
	for _, tt := range tests {
		teller := &teller{run: &results.Trial{History: &history.History{}}, witnessed: true}
		teller.item(tt.other)
		teller.touched = teller.item(tt.item)
		if got, want := teller.values(), tt.want+"=nothing"; got != want {
			t.Errorf("beside %s the state is %q, want %q", tt.other, got, want)
		}
	}
}

func TestAStoryWithoutALockSaysWhoIsInItsSection(t *testing.T) {
	for _, tt := range []struct {
		strategy, head string
		lockFree       bool
	}{
		{"redis", "believes it holds", false},
		{"none", "in its section", false},
		{"optimistic", "in its section", true},
	} {
		s := sample.NewScript(tt.strategy, "off", "worker-1")
		s.Meta.LockFree = tt.lockFree
		s.Ask(0, "worker-1", 1)
		s.EnterUngranted(2*ms, "worker-1", 1, 0)
		var out bytes.Buffer
		if err := Tell(s.Trial()).Write(&out, InFile()); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "  "+tt.head+"  lease, until") {
			t.Errorf("%s: no column %q in\n%s", tt.strategy, tt.head, out.String())
		}
	}
}

// refusing returns a plan with a step for each code: the servers answer this error.
func refusing(codes ...faults.Code) []faults.Step {
	var steps []faults.Step
	for _, code := range codes {
		steps = append(steps, faults.Step{Fault: &faults.AnswerErrors{OnServer: faults.OnServer{Target: "lock"}, With: code}})
	}
	return steps
}

func TestAStoryFitsOnATerminal(t *testing.T) {
	crowd := sample.NewScript("none", "off", "worker-1")
	for i := range 200 {
		crowd.Section(time.Duration(i)*time.Second, "worker-1", i+1, 0, i)
	}
	everything := crowd.Trial()
	every := checker.Finding{Text: strings.Repeat("all of it ", 60)}
	for _, e := range everything.History.Events {
		every.Events = append(every.Events, e.Seq)
	}
	everything.Results = []checker.Result{{Check: "linearizable", Verdict: checker.Invalid, Findings: []checker.Finding{every}}}
	for name, run := range map[string]*results.Trial{
		"redis": sample.Kleppmann(0), "fenced": sample.Kleppmann(33), "long": sample.Long(), "late packet": sample.LatePacket(),
		"nothing found": crowd.Trial(), "all is evidence": everything,
	} {
		t.Run(name, func(t *testing.T) {
			story := Tell(run)
			if n := len(story.Lines); n == 0 || n > maxLines {
				t.Errorf("%d lines", n)
			}
			for i := 1; i < len(story.Lines); i++ {
				if story.Lines[i].At < story.Lines[i-1].At {
					t.Errorf("line %d is earlier than the one before it", i+1)
				}
			}
			var out bytes.Buffer
			if err := story.Write(&out, InFile()); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				line = strings.TrimSuffix(line, "\n")
				if utf8.RuneCountInString(line) > 120 || strings.TrimRight(line, " ") != line || strings.Contains(line, "\x1b") {
					t.Errorf("bad line: %q", line)
				}
			}
		})
	}
}

func TestExactlyOneLineIsDecisive(t *testing.T) {
	tests := []struct {
		name string
		run  *results.Trial
		want string
	}{
		{"a lost update", sample.Kleppmann(0), "writes 1 over worker-2's 1: update lost"},
		{"in a long run", sample.Long(), "writes 41 over worker-4's 53: update lost"},
		{"a late packet", sample.LatePacket(), "write of 1, sent at 0.103s, lands over worker-2's 1: update lost"},
		{"nothing found", sample.Kleppmann(33), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, line := range Tell(tt.run).Lines {
				if line.Decisive {
					got = append(got, line.Text)
				}
			}
			if strings.Join(got, "; ") != tt.want {
				t.Errorf("decisive: %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAStoryIsToldForTheGivenCheckOrElseTheMostSerious(t *testing.T) {
	finding := func(text string) []checker.Finding { return []checker.Finding{{Text: text, Events: []int64{1}}} }
	judged := []checker.Result{
		{Check: "told", Verdict: checker.Invalid, Findings: finding("told")},
		{Check: "belief", Verdict: checker.Invalid, Findings: finding("belief")},
		{Check: "linearizable", Verdict: checker.Unknown, Findings: finding("linearizable")},
		{Check: "exclusion", Verdict: checker.Invalid, Findings: finding("exclusion")},
		{Check: "lost-update", Verdict: checker.Invalid}, // without evidence
	}
	tests := []struct{ check, want string }{
		{"", "exclusion"},
		{"belief", "belief"},
		{"told", "told"},
		{"linearizable", "exclusion"},
	}
	for _, tt := range tests {
		if got := chooseReason(&results.Trial{Results: judged}, tt.check); got.Text != tt.want {
			t.Errorf("for %q the story is told for %s, want %s", tt.check, got.Text, tt.want)
		}
	}
	if got := chooseReason(&results.Trial{}, ""); got != nil {
		t.Errorf("without results there is a finding: %v", got)
	}
}

func TestAHistoryThatContradictsItselfHasNoStory(t *testing.T) {
	s := sample.NewScript("redis", "off", "worker-1")
	s.EnterUngranted(0, "worker-1", 1, 0)
	story := Tell(s.Trial())
	want := []string{"no story: history: event 1: acquired of section 1 of worker-1, which was never called"}
	if diff := cmp.Diff(want, story.Verdicts); diff != "" || len(story.Lines) != 0 {
		t.Errorf("%d lines and verdicts (-want +got):\n%s", len(story.Lines), diff)
	}
}

func TestADecisiveLineIsRed(t *testing.T) {
	var out bytes.Buffer
	if err := Tell(sample.Kleppmann(0)).Write(&out, words.Screen{Color: true}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), string(words.Alarm)); n != 1 {
		t.Errorf("%d lines stand out, want the decisive one", n)
	}
	if strings.Count(out.String(), "\x1b[0m") != strings.Count(out.String(), "\x1b[")/2 {
		t.Error("a colour is not ended")
	}
}

// If a line is printed to the microsecond, so is the next one of that millisecond, even
// if that is the end of a section.
func TestTheTimesOfAStoryRise(t *testing.T) {
	at := func(us int) time.Duration { return time.Duration(us) * time.Microsecond }
	story := Story{Lines: []Line{{At: at(10100)}, {At: at(10200)}, {At: at(10400), ending: true}}}
	want := map[time.Duration]string{at(10100): "0.010100", at(10200): "0.010200", at(10400): "0.010400"}
	if diff := cmp.Diff(want, story.Times()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Microseconds are printed only where they are needed, and decimal points are aligned.
func TestNeighbouringLinesHaveDifferentTimes(t *testing.T) {
	story := Story{Lines: []Line{{At: 2 * ms}, {At: 10052 * ms}, {At: 10052*ms + 10*time.Microsecond}}}
	want := map[time.Duration]string{
		2 * ms:                         "0.002   ",
		10052 * ms:                     "10.052000",
		10052*ms + 10*time.Microsecond: "10.052010",
	}
	if diff := cmp.Diff(want, story.Times()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheStoryOfAShrunkFailureIsShort(t *testing.T) {
	s, err := scenarios.Load("gc-pause")
	if err != nil {
		t.Fatal(err)
	}
	small, err := search.Shrink(t.Context(), s, search.ShrinkRequest{Label: "redis", Seed: 1, Path: filepath.Join(t.TempDir(), "shrunk.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	if story := TellCheck(small.Trial, small.Check); len(story.Lines) != 13 {
		t.Errorf("%d lines: %+v", len(story.Lines), story.Lines)
	}
}

// Checks that found the same share one sentence, and a sentence does not repeat the name of its check.
// The check whose violation the story shows comes first.
func TestAStorySaysEachVerdictOnce(t *testing.T) {
	invalid := func(check, text string) checker.Result {
		return checker.Result{Check: check, Verdict: checker.Invalid, Applies: true, Findings: []checker.Finding{{Text: text, Events: []int64{1}}}}
	}
	judged := []checker.Result{
		invalid("lost-update", "lost update: a wrote over b"), invalid("exclusion", "a and b were at work"), invalid("capacity", "a and b were at work"),
		{Check: "belief", Verdict: checker.Valid, Applies: true},
	}
	for check, want := range map[string][]string{
		"":         {"lost-update invalid: a wrote over b", "exclusion, capacity invalid: a and b were at work", "valid: belief"},
		"capacity": {"exclusion, capacity invalid: a and b were at work", "lost-update invalid: a wrote over b", "valid: belief"},
	} {
		finding, others := verdicts(&results.Trial{Results: judged, Telling: check}, "")
		if diff := cmp.Diff(want, append([]string{finding}, others...)); diff != "" {
			t.Errorf("told for %q (-want +got):\n%s", check, diff)
		}
	}
}
