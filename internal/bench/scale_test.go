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
	"text/tabwriter"
	"time"

	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

var (
	big   = flag.Bool("big", false, "print also the rows of the scaling table that take minutes")
	world = flag.String("world", "", "run one world, workers/duration, and print what it cost")
)

// size is the size of a world: its workers, with one lock for ten of them, and its virtual time.
type size struct {
	workers  int
	duration time.Duration
	big      bool // it takes more than a minute
}

func (s size) linear() float64 { return float64(s.workers) * s.duration.Seconds() }

// sizes lists the rows of the scaling table: first more and more workers, then more and more time.
func sizes() [][]size {
	const hour = time.Hour
	return [][]size{
		{{8, time.Minute, false}, {100, time.Minute, false}, {1_000, time.Minute, false}, {10_000, time.Minute, true}, {100_000, time.Minute, true}},
		{{8, time.Minute, false}, {8, 10 * time.Minute, false}, {8, hour, false}},
		{{100, time.Minute, false}, {100, 10 * time.Minute, false}, {100, hour, true}},
	}
}

// cost holds what a world took.
type cost struct {
	CPU    time.Duration // of the process
	Memory uint64        // bytes that the process got from the system
}

// TestScale prints the scaling table. It judges nothing.
func TestScale(t *testing.T) {
	if *world != "" {
		runWorld(t, *world)
		return
	}
	if !*table {
		t.Skip("without -table")
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer out.Flush()
	fmt.Fprintf(out, "\nworkers\tvirtual time\tCPU\tmemory\tCPU to linear\tmemory to linear\t\n")
	for _, series := range sizes() {
		var before size
		var least cost
		for _, s := range series {
			if s.big && !*big {
				continue
			}
			c := measureWorld(t, s)
			fmt.Fprintf(out, "%d\t%v\t%.1f s\t%d MB\t", s.workers, s.duration, c.CPU.Seconds(), c.Memory>>20)
			if before.workers != 0 {
				grew := s.linear() / before.linear()
				fmt.Fprintf(out, "%.2f\t%.2f", c.CPU.Seconds()/least.CPU.Seconds()/grew, float64(c.Memory)/float64(least.Memory)/grew)
			} else {
				fmt.Fprintf(out, "\t")
			}
			fmt.Fprintf(out, "\t\n")
			before, least = s, c
		}
		fmt.Fprintf(out, "\t\t\t\t\t\t\n")
	}
	if !*big {
		fmt.Fprintf(out, "more rows with -big: up to 100,000 workers, and an hour of 100\t\n")
	}
}

// measureWorld runs a world in a process of its own, on one core.
func measureWorld(t *testing.T, s size) cost {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run", "^TestScale$", "-test.timeout", "4h", "-world", fmt.Sprintf("%d/%v", s.workers, s.duration))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%d workers, %v: %v\n%s", s.workers, s.duration, err, text)
	}
	var c cost
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&c.Memory); err != nil {
		t.Fatalf("%d workers, %v: %v\n%s", s.workers, s.duration, err, text)
	}
	c.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return c
}

// runWorld runs one world as a campaign of one run, and prints the memory that the process got from
// the system.
func runWorld(t *testing.T, text string) {
	t.Helper()
	count, length, _ := strings.Cut(text, "/")
	workers, err := strconv.Atoi(count)
	if err != nil {
		t.Fatal(err)
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
		t.Fatal(err)
	}
	debug.SetGCPercent(400) // as the command does
	if _, err := campaign.Run(context.Background(), s, campaign.Request{Seeds: results.SeedRange{First: 1, Last: 1}, Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println(m.Sys)
}
