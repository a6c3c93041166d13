package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

var (
	big   = flag.Bool("big", false, "measure also the worlds that take minutes")
	world = flag.String("world", "", "run one world, workers/duration, and print what it cost")
)

// size is the size of a world: its workers, with one lock for ten of them, and its virtual time.
type size struct {
	workers  int
	duration time.Duration
	big      bool // it takes more than a minute
}

func (s size) linear() float64 { return float64(s.workers) * s.duration.Seconds() }

// series is a list of worlds that grow.
type series struct {
	name   string
	worlds []size
}

func growing() []series {
	const hour = time.Hour
	return []series{
		{"workers", []size{{8, time.Minute, false}, {100, time.Minute, false}, {1_000, time.Minute, false}, {10_000, time.Minute, true}, {100_000, time.Minute, true}}},
		{"time-of-8", []size{{8, time.Minute, false}, {8, 10 * time.Minute, false}, {8, hour, false}}},
		{"time-of-100", []size{{100, time.Minute, false}, {100, 10 * time.Minute, false}, {100, hour, false}}},
	}
}

// cost holds what a world took.
type cost struct {
	CPU    time.Duration // of the process
	Memory uint64        // bytes that the process got from the system
}

// TestMain runs the one world that the flag names, or else the benchmarks.
func TestMain(m *testing.M) {
	flag.Parse()
	if *world == "" {
		m.Run()
		return
	}
	if err := runWorld(*world); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// BenchmarkScale measures worlds of more and more workers, and of more and more virtual time. It
// compares each with linear growth from the one before.
func BenchmarkScale(b *testing.B) {
	for _, list := range growing() {
		var before size
		var least cost
		for _, s := range list.worlds {
			if s.big && !*big {
				continue
			}
			var c cost
			b.Run(fmt.Sprintf("%s/%d/%v", list.name, s.workers, s.duration), func(b *testing.B) {
				for b.Loop() {
					c = measureWorld(b, s)
				}
				b.ReportMetric(0, "ns/op") // hides the time of the machine
				b.ReportMetric(c.CPU.Seconds(), "CPU-s")
				b.ReportMetric(float64(c.Memory>>20), "MB")
				if before.workers != 0 {
					grew := s.linear() / before.linear()
					b.ReportMetric(c.CPU.Seconds()/least.CPU.Seconds()/grew, "CPU/linear")
					b.ReportMetric(float64(c.Memory)/float64(least.Memory)/grew, "memory/linear")
				}
			})
			if c.CPU > 0 { // the flag -bench chose it
				before, least = s, c
			}
		}
	}
}

// measureWorld runs a world in a process of its own, on one core.
func measureWorld(b *testing.B, s size) cost {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), self, "-world", fmt.Sprintf("%d/%v", s.workers, s.duration))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		b.Fatalf("%d workers, %v: %v\n%s", s.workers, s.duration, err, text)
	}
	var c cost
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&c.Memory); err != nil {
		b.Fatalf("%d workers, %v: %v\n%s", s.workers, s.duration, err, text)
	}
	c.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return c
}

// runWorld runs one world as a campaign of one run, and prints the memory that the process got from
// the system.
func runWorld(text string) error {
	count, length, _ := strings.Cut(text, "/")
	workers, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	s, err := scenarios.Parse("world.yaml", fmt.Appendf(nil, `
name: world
description: ten workers for each lock, and nothing goes wrong
duration: %s
workers: %d
resources: %d
workload: {kind: counter, hold: {dist: uniform, min: 20ms, max: 200ms}, think: 100ms}
network: {latency: {dist: uniform, min: 500us, max: 1500us}}
lock: {ttl: 2s, retry: {attempts: unlimited, delay: 100ms, jitter: 50ms}}
strategies: [redis]
checks: [linearizable, lost-update, exclusion, belief, fencing, told, recovery, progress, errors, ownership]
`, length, workers, max(1, workers/10)))
	if err != nil {
		return err
	}
	r := campaign.Request{Seeds: results.SeedRange{First: 1, Last: 1}, Jobs: 1, Stall: time.Hour}
	debug.SetGCPercent(campaign.GCPercent(s, r, false)) // as the command does
	if _, err := campaign.Run(context.Background(), s, r); err != nil {
		return err
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println(m.Sys)
	return nil
}
