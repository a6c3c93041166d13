package reports

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"lockquake/faults"
	"lockquake/history"
)

const ms = time.Millisecond

// script is a history written by hand. Its methods may be called in any
// order: what happens when is said by their first argument.
type script struct {
	meta   history.Meta
	events []history.Event
	next   int64
}

func newScript(strategy, fence string, workers ...string) *script {
	return &script{meta: history.Meta{
		Schema: 1, Version: "test", Scenario: "by-hand", Strategy: strategy, Label: strategy, Seed: 1,
		Workload: "counter", Fence: fence, Workers: workers, TTL: 10 * time.Second,
	}}
}

func (s *script) add(at time.Duration, e history.Event) {
	e.At = at
	s.events = append(s.events, e)
}

func (s *script) ask(at time.Duration, worker string, section int) {
	s.add(at, history.Event{Type: history.AcquireCalled, Worker: worker, Section: section, Key: "lock"})
}

func (s *script) refuse(at time.Duration, worker, owner string) {
	s.add(at, history.Event{Type: history.Refused, Worker: worker, Key: "lock", Owner: owner, Node: "lock"})
}

// enter is a grant by the server and, a millisecond later, the worker's entry.
func (s *script) enter(at time.Duration, worker string, section int, token int64) {
	s.add(at-ms, history.Event{
		Type: history.Granted, Worker: worker, Key: "lock", Owner: worker, Node: "lock",
		Until: at - ms + s.meta.TTL,
	})
	s.enterUngranted(at, worker, section, token)
}

func (s *script) enterUngranted(at time.Duration, worker string, section int, token int64) {
	s.add(at, history.Event{Type: history.Acquired, Worker: worker, Section: section, Token: token})
}

func (s *script) server(at time.Duration, kind history.Type, worker string, until time.Duration) {
	s.add(at, history.Event{Type: kind, Worker: worker, Key: "lock", Node: "lock", Until: until})
}

// operation is a request that is sent at one time, reaches the resource at
// another, and is answered a millisecond later.
func (s *script) operation(sent, arrives time.Duration, e history.Event) int64 {
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
	s.add(sent, invoke)
	s.add(arrives, applied)
	s.add(arrives+ms, reply)
	return e.Request
}

func (s *script) read(at time.Duration, worker string, section int, token int64, value string) int64 {
	return s.operation(at-ms, at, history.Event{
		Worker: worker, Section: section, Op: "read", Token: token, Value: value, Accepted: true, Mark: token,
	})
}

func (s *script) write(at time.Duration, worker string, section int, token int64, value string) int64 {
	return s.operation(at-ms, at, history.Event{
		Worker: worker, Section: section, Op: "write", Token: token, Value: value, Accepted: true, Mark: token,
	})
}

// lostReply is a write that its worker gives up on before it arrives.
func (s *script) lostReply(sent, arrives, givenUp time.Duration, worker string, section int, value string) int64 {
	s.next++
	e := history.Event{Worker: worker, Section: section, Request: s.next, Op: "write", Key: "n", Value: value}
	for _, step := range []struct {
		at   time.Duration
		kind history.Type
	}{{sent, history.Invoke}, {givenUp, history.Info}, {arrives, history.Applied}} {
		e.Type, e.Accepted = step.kind, step.kind == history.Applied
		s.add(step.at, e)
	}
	return e.Request
}

func (s *script) refusedWrite(at time.Duration, worker string, section int, token, mark int64, value string) int64 {
	return s.operation(at-ms, at, history.Event{
		Worker: worker, Section: section, Op: "write", Token: token, Value: value, Mark: mark,
	})
}

// leave is the end of the body, the server's release, and the return.
func (s *script) leave(at time.Duration, worker string, section int) {
	s.add(at, history.Event{Type: history.ReleaseCalled, Worker: worker, Section: section})
	s.server(at+ms, history.Freed, worker, 0)
	s.add(at+2*ms, history.Event{Type: history.Released, Worker: worker, Section: section})
}

// leaveWith is an end of which the server has nothing to say.
func (s *script) leaveWith(at time.Duration, worker string, section int, bodyErr string, class history.Class) {
	s.add(at, history.Event{Type: history.ReleaseCalled, Worker: worker, Section: section, Err: bodyErr})
	s.add(at+2*ms, history.Event{Type: history.Released, Worker: worker, Section: section, Class: class})
}

// effectOf returns the effect of a kind of fault, "" for a kind that does not exist.
func effectOf(kind string) history.Effect {
	for _, k := range faults.Kinds() {
		if string(k.Kind) == kind {
			return history.Effect(k.Effect)
		}
	}
	return ""
}

func (s *script) fault(from, to time.Duration, step int, kind, target, point string) {
	s.add(from, history.Event{Type: history.FaultBegin, Fault: step, Kind: kind, Effect: effectOf(kind), Target: target, Point: point, Until: to})
	s.add(to, history.Event{Type: history.FaultEnd, Fault: step, Kind: kind, Target: target})
}

func (s *script) final(at time.Duration, value string) {
	s.add(at, history.Event{Type: history.Final, Key: "n", Value: value})
}

// history puts the events into their order and numbers them.
func (s *script) history() *history.History {
	slices.SortStableFunc(s.events, func(a, b history.Event) int { return cmp.Compare(a.At, b.At) })
	var r history.Recorder
	for _, e := range s.events {
		r.Record(e)
	}
	s.meta.End = s.events[len(s.events)-1].At
	return &history.History{Meta: s.meta, Events: r.Events()}
}

// seqs finds the events of requests as the resource saw them.
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

// section writes a whole undisturbed section that adds one to n.
func (s *script) section(at time.Duration, worker string, n int, token int64, from int) {
	s.ask(at, worker, n)
	s.enter(at+2*ms, worker, n, token)
	s.read(at+4*ms, worker, n, token, strconv.Itoa(from))
	s.write(at+54*ms, worker, n, token, strconv.Itoa(from+1))
	s.leave(at+56*ms, worker, n)
}
