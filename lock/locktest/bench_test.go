package locktest

import (
	"runtime"
	"testing"

	"lockquake/scenarios/run"
)

// BenchmarkRuns measures the runs of a library on one processor, in lock cycles a second, with the faults of gc-pause and
// without them.
func BenchmarkRuns(b *testing.B) {
	for _, bench := range []struct {
		name      string
		overrides []Option
	}{{"gc-pause", nil}, {"without faults", []Option{Set("faults", "[]")}}} {
		b.Run(bench.name, func(b *testing.B) {
			withTest(func(t *testing.T) {
				withLibrary(t, "gc-pause", lockerOf(newSetNX), bench.overrides, func(r *request) {
					s, err := r.load(r.scenario, r.overrides)
					if err != nil {
						b.Fatal(err)
					}
					acquired := int64(0)
					for i := range b.N {
						trial, err := run.Once(s, run.Request{Label: r.entry.Name, Seed: uint64(i) + 1})
						if err != nil {
							b.Fatal(err)
						}
						acquired += trial.Acquisitions
					}
					b.ReportMetric(float64(acquired)/b.Elapsed().Seconds(), "cycles/s")
					b.ReportMetric(float64(runtime.NumGoroutine()), "goroutines")
				})
			})
		})
	}
}

// withTest calls do with a test, which synctest needs.
func withTest(do func(t *testing.T)) {
	all := func(string, string) (bool, error) { return true, nil }
	testing.RunTests(all, []testing.InternalTest{{Name: "bench", F: do}})
}
