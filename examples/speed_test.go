package locks

import (
	"testing"

	"lockquake/lock/locktest"
	"lockquake/scenarios/results"
)

// BenchmarkRedsync measures runs of gc-pause with redsync on one processor, in lock cycles a second. It counts the second run of
// the first seed as time and not as cycles, so run it with -benchtime 30x or more.
func BenchmarkRedsync(b *testing.B) {
	all := func(string, string) (bool, error) { return true, nil }
	testing.RunTests(all, []testing.InternalTest{{Name: "redsync", F: func(t *testing.T) {
		locktest.Run(t, "gc-pause", newRedsync, locktest.Seeds(b.N), locktest.OneProcess(), locktest.Results(func(c *results.Campaign) {
			b.ReportMetric(float64(c.Strategies[0].Metrics.Acquisitions)/b.Elapsed().Seconds(), "cycles/s")
		}))
	}}})
}
