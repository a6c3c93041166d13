package bench

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"lockquake/checker"
	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
	"lockquake/sim"
)

// The settings that all ways of running the lock share.
const (
	workers    = 20
	hold       = time.Millisecond
	ttl        = time.Minute
	retryDelay = 10 * time.Millisecond
	jitter     = 5 * time.Millisecond
)

// cycles is the measure by which ways of running a lock are compared: how often a second a worker
// takes the lock, does its work and releases the lock.
const cycles = "cycles/s"

// scenario returns the scenario of the pipeline.
func scenario(tb testing.TB) *scenarios.Scenario {
	tb.Helper()
	s, err := scenarios.Parse("cycles.yaml", fmt.Appendf(nil, `
name: cycles
description: many workers want one lock, and nothing goes wrong
duration: 2s
workers: %d
workload: {kind: counter, hold: %v, think: 0s}
lock: {ttl: %v, retry: {attempts: unlimited, delay: %v, jitter: %v}}
network: {latency: {dist: uniform, min: 50us, max: 150us}}
strategies:
  - redis
  - {name: redis-fenced, resource: {fence: reads-writes}}
  - pg-advisory-session
  - pg-advisory-xact
  - {name: pg-lease-row-fenced, resource: {fence: reads-writes}}
  - {name: dynamodb, resource: {fence: reads-writes}}
checks: [linearizable, lost-update, exclusion, belief, fencing]
`, workers, hold, ttl, retryDelay, jitter))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// pipelines lists the locks of which whole runs are measured.
func pipelines() []string {
	return []string{"redis", "redis-fenced", "pg-advisory-session", "pg-advisory-xact", "pg-lease-row-fenced", "dynamodb"}
}

// BenchmarkPipeline measures whole runs on one core: simulated, with go-redis and real Lua, or pgx
// and SQL, recorded, and judged by all checks.
func BenchmarkPipeline(b *testing.B) {
	for _, strategy := range pipelines() {
		b.Run(strategy, func(b *testing.B) { pipeline(b, strategy) })
	}
}

func pipeline(b *testing.B, strategy string) {
	s := scenario(b)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
	b.ReportAllocs()
	b.ResetTimer()
	c, err := campaign.Run(context.Background(), s,
		campaign.Request{Seeds: results.SeedRange{First: 1, Last: uint64(b.N)}, Strategies: []string{strategy}, Jobs: 1})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(c.Strategies[0].Acquisitions)/b.Elapsed().Seconds(), cycles)
}

// BenchmarkEngine measures the engine without locks, by event: tasks that sleep, and tasks that
// call a server.
func BenchmarkEngine(b *testing.B) {
	b.Run("sleep", sleeping)
	b.Run("call", calling)
}

func sleeping(b *testing.B) {
	engine(b, func(k *sim.Worker, more func() bool) error {
		for more() {
			if err := k.Sleep(context.Background(), time.Millisecond); err != nil {
				return err
			}
		}
		return nil
	})
}

func calling(b *testing.B) {
	engine(b, func(k *sim.Worker, more func() bool) error {
		conn, err := k.Process().Dial(context.Background(), "server", 0)
		for err == nil && more() {
			_, err = conn.Call(context.Background(), "ask", nil, time.Second)
		}
		return err
	})
}

// engine lets workers run task until b.N events have happened.
func engine(b *testing.B, task func(k *sim.Worker, more func() bool) error) {
	b.ReportAllocs()
	w := sim.New(sim.Config{Seed: 1, Step: 10 * time.Microsecond, Latency: draw.Fixed(100 * time.Microsecond)})
	defer w.Close()
	w.AddNode("server", sim.NodeConfig{}).Listen(echo{})
	more := func() bool { return w.Events() < int64(b.N) }
	for i := range workers {
		name := fmt.Sprintf("worker-%d", i+1)
		k := w.AddNode(name, sim.NodeConfig{}).Process(name).Worker(name)
		k.Go("main", func() {
			if err := task(k, more); err != nil {
				b.Error(err)
			}
		})
	}
	b.ResetTimer()
	if err := w.Run(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(w.Events())/b.Elapsed().Seconds(), "events/s")
}

// echo answers every request at once with an empty answer.
type echo struct{}

func (echo) Serve(c *sim.Call) {
	c.Applied()
	c.Reply(nil)
}

func (echo) Closed(*sim.Session, error) {}

// BenchmarkChecks measures all checks together, by the number of operations.
func BenchmarkChecks(b *testing.B) {
	for _, operations := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(operations), func(b *testing.B) { checks(b, operations) })
	}
}

func checks(b *testing.B, operations int) {
	h := generated(operations)
	b.ReportAllocs()
	for b.Loop() {
		results, err := checker.Run(h, nil)
		if err != nil {
			b.Fatal(err)
		}
		for _, r := range results {
			if r.Verdict != checker.Valid {
				b.Fatalf("%s of a clean history is %s", r.Check, r.Verdict)
			}
		}
	}
}

// generated returns the history of workers that take turns, under a lock with fencing tokens, to
// read a counter and add one to it.
func generated(operations int) *history.History {
	h := &history.History{Meta: history.Meta{
		Schema: 1, Workload: "counter", Fence: "reads-writes", Fenced: true, Initial: map[string]string{"counter": "0"},
	}}
	var recorder history.Recorder
	var now time.Duration
	tell := func(e history.Event) {
		now += time.Millisecond
		e.At, e.Key = now, "counter"
		recorder.Record(e)
	}
	for n := range operations / 2 {
		who := history.Event{Worker: fmt.Sprintf("worker-%d", n%workers+1), Section: n/workers + 1}
		token := int64(n + 1)
		mine := func(t history.Type) history.Event { e := who; e.Type = t; return e }
		tell(mine(history.AcquireCalled))
		tell(history.Event{Type: history.Granted, Node: "lock", Worker: who.Worker, Owner: fmt.Sprint(n)})
		acquired := mine(history.Acquired)
		acquired.Token = token
		tell(acquired)
		for i, op := range []string{"read", "write"} {
			e := mine(history.Invoke)
			e.Op, e.Request, e.Token, e.Value = op, 2*int64(n)+int64(i)+1, token, fmt.Sprint(n+i)
			tell(e)
			applied := e
			applied.Type, applied.Section, applied.Node, applied.Mark, applied.Accepted = history.Applied, 0, "resource", token, true
			applied.Prior = fmt.Sprint(n)
			tell(applied)
			e.Type = history.OK
			tell(e)
		}
		tell(mine(history.ReleaseCalled))
		tell(history.Event{Type: history.Freed, Node: "lock", Worker: who.Worker, Owner: fmt.Sprint(n)})
		tell(mine(history.Released))
	}
	h.Events, h.Meta.End, h.Meta.Duration = recorder.Events(), now, now
	return h
}
