package sample

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"lockquake/faults"
	"lockquake/history"
	"lockquake/scenarios/results"
)

const ms = time.Millisecond

// Script builds a history. Its methods record events, and may be called in any order:
// their first argument is the time of the event.
type Script struct {
	Meta   history.Meta
	events []history.Event
	next   int64
}

// NewScript returns an empty script for the workload counter.
func NewScript(strategy, fence string, workers ...string) *Script {
	return &Script{Meta: history.Meta{
		Schema: 1, Version: "test", Scenario: "by-hand", Strategy: strategy, Label: strategy, Seed: 1,
		Workload: "counter", Fence: fence, Workers: workers, TTL: 10 * time.Second,
	}}
}

// Add records an event.
func (s *Script) Add(at time.Duration, e history.Event) {
	e.At = at
	s.events = append(s.events, e)
}

// Ask records that a worker asks for the lock.
func (s *Script) Ask(at time.Duration, worker string, section int) {
	s.Add(at, history.Event{Type: history.AcquireCalled, Worker: worker, Section: section, Key: "lock"})
}

// Refuse records that the server refuses a worker because of the owner.
func (s *Script) Refuse(at time.Duration, worker, owner string) {
	s.Add(at, history.Event{Type: history.Refused, Worker: worker, Key: "lock", Owner: owner, Node: "lock"})
}

// Enter records a grant by the server and, a millisecond later, that the worker enters.
func (s *Script) Enter(at time.Duration, worker string, section int, token int64) {
	s.Add(at-ms, history.Event{
		Type: history.Granted, Worker: worker, Key: "lock", Owner: worker, Node: "lock",
		Until: at - ms + s.Meta.TTL,
	})
	s.EnterUngranted(at, worker, section, token)
}

// EnterUngranted records that a worker enters without a grant.
func (s *Script) EnterUngranted(at time.Duration, worker string, section int, token int64) {
	s.Add(at, history.Event{Type: history.Acquired, Worker: worker, Section: section, Token: token})
}

// Server records an event of the server about the lease of a worker.
func (s *Script) Server(at time.Duration, kind history.Type, worker string, until time.Duration) {
	s.Add(at, history.Event{Type: kind, Worker: worker, Key: "lock", Node: "lock", Until: until})
}

// Operation records a request that is sent at one time, reaches the resource at another,
// and is answered a millisecond later. It returns the number of the request.
func (s *Script) Operation(sent, arrives time.Duration, e history.Event) int64 {
	s.next++
	e.Request, e.Key = s.next, "n"
	invoke := e
	invoke.Type, invoke.Accepted, invoke.Mark, invoke.Prior = history.Invoke, false, 0, ""
	if e.Op == "read" {
		invoke.Value = ""
	}
	applied, reply := e, invoke
	applied.Type = history.Applied
	reply.Type, reply.Value = history.OK, e.Value
	if !e.Accepted {
		reply.Type = history.Fail
	}
	s.Add(sent, invoke)
	s.Add(arrives, applied)
	s.Add(arrives+ms, reply)
	return e.Request
}

// Read records a read that takes two milliseconds.
func (s *Script) Read(at time.Duration, worker string, section int, token int64, value string) int64 {
	return s.Operation(at-ms, at, history.Event{
		Worker: worker, Section: section, Op: "read", Token: token, Value: value, Accepted: true, Mark: token,
	})
}

// Write records a write that takes two milliseconds.
func (s *Script) Write(at time.Duration, worker string, section int, token int64, value string) int64 {
	return s.Operation(at-ms, at, history.Event{
		Worker: worker, Section: section, Op: "write", Token: token, Value: value, Accepted: true, Mark: token,
	})
}

// lostReply records a write that its worker gives up before it arrives.
func (s *Script) lostReply(sent, arrives, givenUp time.Duration, worker string, section int, value string) int64 {
	s.next++
	e := history.Event{Worker: worker, Section: section, Request: s.next, Op: "write", Key: "n", Value: value}
	for _, step := range []struct {
		at   time.Duration
		kind history.Type
	}{{sent, history.Invoke}, {givenUp, history.Info}, {arrives, history.Applied}} {
		e.Type, e.Accepted = step.kind, step.kind == history.Applied
		s.Add(step.at, e)
	}
	return e.Request
}

// RefusedWrite records a write that the resource refuses.
func (s *Script) RefusedWrite(at time.Duration, worker string, section int, token, mark int64, value string) int64 {
	return s.Operation(at-ms, at, history.Event{
		Worker: worker, Section: section, Op: "write", Token: token, Value: value, Mark: mark,
	})
}

// Leave records the end of the work, the release by the server, and the return.
func (s *Script) Leave(at time.Duration, worker string, section int) {
	s.Add(at, history.Event{Type: history.ReleaseCalled, Worker: worker, Section: section})
	s.Server(at+ms, history.Freed, worker, 0)
	s.Add(at+2*ms, history.Event{Type: history.Released, Worker: worker, Section: section})
}

// LeaveWith records the end of the work and a return, without a release at the server.
func (s *Script) LeaveWith(at time.Duration, worker string, section int, bodyErr string, class history.Class) {
	s.Add(at, history.Event{Type: history.ReleaseCalled, Worker: worker, Section: section, Err: bodyErr})
	s.Add(at+2*ms, history.Event{Type: history.Released, Worker: worker, Section: section, Class: class})
}

// Fault records the beginning and the end of a fault of the plan.
func (s *Script) Fault(from, to time.Duration, step int, kind, target, point string) {
	info, _ := faults.Lookup(faults.Kind(kind)) // zero for a kind that does not exist
	s.Add(from, history.Event{Type: history.FaultBegin, Fault: step, Kind: kind, Effect: history.Effect(info.Effect), Target: target, Point: point, Until: to})
	s.Add(to, history.Event{Type: history.FaultEnd, Fault: step, Kind: kind, Target: target})
}

// final records the value of n at the end, after a minute.
func (s *Script) final(value string) {
	s.Add(time.Minute, history.Event{Type: history.Final, Key: "n", Value: value})
}

// History returns the events in order and numbered.
func (s *Script) History() *history.History {
	slices.SortStableFunc(s.events, func(a, b history.Event) int { return cmp.Compare(a.At, b.At) })
	var r history.Recorder
	for _, e := range s.events {
		r.Record(e)
	}
	s.Meta.End = s.events[len(s.events)-1].At
	return &history.History{Meta: s.Meta, Events: r.Events()}
}

// seqs returns the numbers of the applied events of requests.
func seqs(h *history.History, requests ...int64) []int64 {
	var out []int64
	for _, request := range requests {
		for _, e := range h.Events {
			if e.Request == request && e.Type == history.Applied {
				out = append(out, e.Seq)
			}
		}
	}
	return out
}

// Section records a whole section without a fault, which adds one to n.
func (s *Script) Section(at time.Duration, worker string, n int, token int64, from int) {
	s.Ask(at, worker, n)
	s.Enter(at+2*ms, worker, n, token)
	s.Read(at+4*ms, worker, n, token, strconv.Itoa(from))
	s.Write(at+54*ms, worker, n, token, strconv.Itoa(from+1))
	s.Leave(at+56*ms, worker, n)
}

// Trial returns a run with the history of the script.
func (s *Script) Trial(steps ...faults.Step) *results.Trial {
	return &results.Trial{
		Scenario: "by-hand", Label: s.Meta.Label, Strategy: s.Meta.Strategy, Seed: 1,
		History: s.History(), Plan: faults.Plan{Steps: steps},
	}
}
