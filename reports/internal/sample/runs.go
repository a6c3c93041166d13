package sample

import (
	"fmt"
	"time"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/history"
	"lockquake/scenarios/results"
)

// Kleppmann returns the classic failure, which Martin Kleppmann described: a holder is
// paused between its check and its write until its lease has expired. With token 0 the
// resource accepts the late write, else it refuses it.
func Kleppmann(token int64) *results.Trial {
	strategy, fence := "redis", "off"
	if token != 0 {
		strategy, fence = "redis-fenced", "reads-writes"
	}
	s := NewScript(strategy, fence, "worker-1", "worker-2")
	next := token
	if token != 0 {
		next++
	}
	s.Meta.Initial = map[string]string{"n": "0"}
	s.Ask(0, "worker-1", 1)
	s.Enter(2*ms, "worker-1", 1, token)
	first := s.Read(4*ms, "worker-1", 1, token, "0")
	s.Ask(50*ms, "worker-2", 1)
	for i := range time.Duration(80) {
		s.Refuse(51*ms+i*125*ms, "worker-2", "worker-1")
	}
	s.Fault(105*ms, 15105*ms, 1, "pause", "worker-1", "lease-checked")
	s.Server(10002*ms, history.Expired, "", 0)
	s.Enter(10052*ms, "worker-2", 1, next)
	s.Read(10054*ms, "worker-2", 1, next, "0")
	other := s.Write(10156*ms, "worker-2", 1, next, "1")
	s.Leave(10158*ms, "worker-2", 1)
	run := &results.Trial{
		Scenario: "kleppmann", Label: strategy, Strategy: strategy, Seed: 1, Checksum: "00112233445566ff",
		Replay: "kleppmann@1a2b3c4d5e6f/" + strategy + "/1",
		Plan: faults.Plan{Steps: []faults.Step{{
			When: &faults.When{Worker: "worker-1", Point: "lease-checked", Nth: 1},
			For:  15 * time.Second, Fault: &faults.Pause{OnNode: faults.OnNode{Target: "worker-1"}},
		}}},
		Injections: []results.Injection{{Happened: true, Hit: true, Begin: 105 * ms, End: 15105 * ms}},
	}
	if token != 0 {
		s.RefusedWrite(15107*ms, "worker-1", 1, token, next, "1")
		s.LeaveWith(15108*ms, "worker-1", 1, "refused by the resource: stale token", history.ClassRefused)
		s.final("1")
		run.History = s.History()
		for _, check := range []string{"linearizable", "lost-update", "exclusion", "fencing"} {
			run.Results = append(run.Results, checker.Result{Check: check, Verdict: checker.Valid, Applies: true})
		}
		return run
	}
	late := s.Write(15107*ms, "worker-1", 1, 0, "1")
	s.LeaveWith(15108*ms, "worker-1", 1, "", history.ClassLost)
	s.final("1")
	run.History = s.History()
	run.Results = []checker.Result{
		{Check: "linearizable", Verdict: checker.Unknown, Applies: true, Findings: []checker.Finding{
			{Text: "gave up after 1,000,000 steps"},
		}},
		{Check: "lost-update", Verdict: checker.Invalid, Applies: true, Count: 1, Findings: []checker.Finding{{
			Text:   "worker-1's section 1 wrote 1 over worker-2's 1, which it had not read",
			Events: seqs(run.History, first, other, late),
		}}},
		{Check: "exclusion", Verdict: checker.Valid, Applies: true},
		{Check: "fencing", Verdict: checker.Valid},
	}
	return run
}

// Long returns a run of many sections. In the middle of it worker-1 is paused, and then
// overwrites the updates of five other workers.
func Long() *results.Trial {
	workers := []string{"worker-1", "worker-2", "worker-3", "worker-4", "worker-5", "worker-6"}
	s := NewScript("redis", "off", workers...)
	s.Meta.TTL = 2 * time.Second
	s.Meta.Initial = map[string]string{"n": "0"}
	at, n := time.Duration(0), 0
	sections := make([]int, len(workers))
	round := func(times int) (request int64) {
		for i := range times {
			w := i%(len(workers)-1) + 1
			sections[w]++
			s.Section(at, workers[w], sections[w], 0, n)
			request = s.next
			at += 100 * ms
			n++
		}
		return request
	}
	round(40)
	s.Ask(at, "worker-1", 1)
	s.Enter(at+2*ms, "worker-1", 1, 0)
	first := s.Read(at+4*ms, "worker-1", 1, 0, fmt.Sprint(n))
	read := n
	s.Fault(at+10*ms, at+4010*ms, 1, "pause", "worker-1", "")
	s.Server(at+2001*ms, history.Expired, "", 0)
	woken := at + 4010*ms
	at += 2100 * ms
	other := round(13)
	// It wakes between two sections of the others, and does not release their leases.
	late := s.Write(woken+2*ms, "worker-1", 1, 0, fmt.Sprint(read+1))
	s.LeaveWith(woken+4*ms, "worker-1", 1, "", history.ClassLost)
	n = read + 1
	at = woken + 50*ms
	round(40)
	s.final(fmt.Sprint(n))
	h := s.History()
	return &results.Trial{
		Scenario: "gc-pause", Label: "plain", Strategy: "redis", Seed: 7, History: h,
		Replay: "gc-pause@1a2b3c4d5e6f/plain/7",
		Plan: faults.Plan{Steps: []faults.Step{{
			At: 4010 * ms, For: 4 * time.Second, Fault: &faults.Pause{OnNode: faults.OnNode{Target: "worker-1"}},
		}}},
		Injections: []results.Injection{{Happened: true, Hit: true}},
		Results: []checker.Result{{Check: "lost-update", Verdict: checker.Invalid, Applies: true, Count: 3, Findings: []checker.Finding{{
			Text: "worker-1's section 1 wrote 41 over 53", Events: seqs(h, first, other, late),
		}}}},
	}
}

// LatePacket returns a run in which the network delays the write of a holder until long
// after the holder was told of a loss and gave up.
func LatePacket() *results.Trial {
	s := NewScript("redis-watchdog", "off", "worker-1", "worker-2")
	s.Meta.Initial = map[string]string{"n": "0"}
	s.Ask(0, "worker-1", 1)
	s.Enter(2*ms, "worker-1", 1, 0)
	first := s.Read(4*ms, "worker-1", 1, 0, "0")
	s.Fault(104*ms, 25104*ms, 1, "hold", "", "write.sent")
	s.Ask(50*ms, "worker-2", 1)
	for i := range time.Duration(3) {
		s.Server((i+1)*3333*ms, history.Renewed, "worker-1", (i+1)*3333*ms+10*time.Second)
		s.Refuse((i+1)*3334*ms, "worker-2", "worker-1")
	}
	late := s.lostReply(103*ms, 25105*ms, 10500*ms, "worker-1", 1, "1")
	s.Add(10500*ms, history.Event{Type: history.Told, Worker: "worker-1", Section: 1, Err: "lock lost"})
	s.Add(10501*ms, history.Event{Type: history.ReleaseCalled, Worker: "worker-1", Section: 1, Err: "outcome unknown"})
	s.Server(10502*ms, history.Freed, "worker-1", 0)
	s.Add(10503*ms, history.Event{Type: history.Released, Worker: "worker-1", Section: 1, Class: history.ClassUnknown, Err: "outcome unknown"})
	s.Enter(10602*ms, "worker-2", 1, 0)
	s.Read(10604*ms, "worker-2", 1, 0, "0")
	other := s.Write(10706*ms, "worker-2", 1, 0, "1")
	s.Leave(10708*ms, "worker-2", 1)
	s.final("1")
	h := s.History()
	return &results.Trial{
		Scenario: "late-packet", Label: "redis-watchdog", Strategy: "redis-watchdog", Seed: 1, History: h,
		Replay: "late-packet@1a2b3c4d5e6f:redis-watchdog:1:0.1.0:0011223344556677",
		Plan: faults.Plan{Steps: []faults.Step{{
			When: &faults.When{Worker: "worker-1", Point: "write.sent", Nth: 1},
			For:  25 * time.Second, Fault: &faults.Hold{},
		}}},
		Results: []checker.Result{{
			Check: "lost-update", Verdict: checker.Invalid, Applies: true, Count: 1, Findings: []checker.Finding{{
				Text: "lost update: worker-1's section 1 wrote 1 over 1", Events: seqs(h, first, other, late),
			}},
		}},
	}
}
