package fleet

import (
	"flag"
	"testing"
	"time"
)

var speed = flag.Bool("speed", false, "measure how much faster two workers are than one, on a machine with two idle processors")

// Two processors that share a core or a cache do less than twice the work of one. Two processes that know nothing of each other
// show what this machine gives. A fleet loses at most 5 % of that, which is 1.9 where two processors do twice the work.
func TestTwoWorkersAreTwiceAsFast(t *testing.T) {
	if !*speed {
		t.Skip("it needs two idle processors: make fleet")
	}
	t.Setenv("GOMAXPROCS", "1") // or a process that is alone collects its garbage on the other processor
	end := func(processes ...*process) {
		for _, p := range processes {
			if code := p.wait(t); code != 0 {
				t.Fatalf("exit code %d: %s", code, &p.err)
			}
		}
	}
	of := func(one, two time.Duration) float64 { return float64(one) / float64(two) }

	plain := func(seeds ...string) time.Duration {
		began := time.Now()
		var processes []*process
		for _, some := range seeds {
			processes = append(processes, start(t, t.TempDir(), "plain", "run", "gc-pause", "--seeds", some, "--jobs", "1", "--no-report", "--quiet"))
		}
		end(processes...)
		return time.Since(began)
	}
	given := of(plain("1-960"), plain("1-480", "481-960"))

	fleet := func(workers int) time.Duration {
		dir := t.TempDir()
		_, address := startServer(t, dir, "127.0.0.1:0")
		for range workers {
			start(t, dir, "plain", "work", "nats://"+address, "--jobs", "1").says(t, "worker .* takes")
		}
		began := time.Now()
		end(start(t, dir, "plain", "run", "gc-pause", "--seeds", "1-960", "--piece-seeds", "60", "--no-report", "--quiet", "--on", "nats://"+address))
		return time.Since(began)
	}
	one, two := fleet(1), fleet(2)
	t.Logf("one worker: %v, two: %v, %.2f times as fast; two processes without a fleet are %.2f times as fast as one", one, two, of(one, two), given)
	if of(one, two) < given*0.95 {
		t.Error("a fleet of two workers loses more than 5 % of what two processors give")
	}
}
