package bench

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

var table = flag.Bool("table", false, "measure everything and print the table")

// TestTable prints what make bench shows. It judges nothing.
func TestTable(t *testing.T) {
	if !*table {
		t.Skip("without -table")
	}
	fmt.Printf("%s, %d cores, %s, %s/%s\n\n", processor(), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer out.Flush()

	today := measure(t, BenchmarkToday).Extra[cycles]
	fmt.Fprintf(out, "%d workers, one lock\tcycles/s\tof today\tB/cycle\tallocs/cycle\t\n", workers)
	fmt.Fprintf(out, "today: goroutines, real sleeps, TCP\t%.0f\t1\t\t\t\n", today)
	const inBubble = 2000
	inMemory := bubble(t, inBubble)
	fmt.Fprintf(out, "synctest bubble, in-memory connections\t%.0f\t%.1f\t\t\t\n", inMemory, inMemory/today)
	for _, strategy := range pipelines() {
		r := measure(t, func(b *testing.B) { pipeline(b, strategy) })
		n := r.Extra[cycles] * r.T.Seconds()
		fmt.Fprintf(out, "lockquake, %s, one core, judged\t%.0f\t%.1f\t%.0f\t%.0f\t\n", strategy,
			r.Extra[cycles], r.Extra[cycles]/today, float64(r.MemBytes)/n, float64(r.MemAllocs)/n)
	}
	alone := measure(t, BenchmarkCommands)
	fmt.Fprintf(out, "SET and EVAL of miniredis alone\t%.0f\t%.1f\t%d\t%d\t\n",
		alone.Extra[cycles], alone.Extra[cycles]/today, alone.AllocedBytesPerOp(), alone.AllocsPerOp())

	fmt.Fprintf(out, "\t\t\t\t\t\nthe engine alone\tevents/s\tns/event\tB/event\tallocs/event\t\n")
	for _, e := range []struct {
		name string
		run  func(*testing.B)
	}{{"tasks that sleep", sleeping}, {"requests and replies", calling}} {
		r := measure(t, e.run)
		fmt.Fprintf(out, "%s\t%.0f\t%d\t%d\t%d\t\n", e.name, r.Extra["events/s"], r.NsPerOp(), r.AllocedBytesPerOp(), r.AllocsPerOp())
	}

	fmt.Fprintf(out, "\t\t\t\t\t\nall checks\tms\tns/operation\tB/operation\tallocs/operation\t\n")
	for _, n := range []int{1_000, 10_000, 100_000} {
		r := measure(t, func(b *testing.B) { checks(b, n) })
		per := float64(n)
		fmt.Fprintf(out, "%d operations\t%.1f\t%.0f\t%.0f\t%.1f\t\n", n, float64(r.NsPerOp())/float64(time.Millisecond),
			float64(r.NsPerOp())/per, float64(r.AllocedBytesPerOp())/per, float64(r.AllocsPerOp())/per)
	}
}

// measure runs one benchmark, as go test -bench would.
func measure(t *testing.T, f func(*testing.B)) testing.BenchmarkResult {
	r := testing.Benchmark(f)
	if r.N == 0 {
		t.Fatal("a benchmark failed; go test -bench says why")
	}
	return r
}

// processor names the processor, as far as the system tells.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(info)) {
		if name, model, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model)
		}
	}
	return "unknown processor"
}
