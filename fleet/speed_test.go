package fleet

import (
	"flag"
	"testing"
	"time"
)

var speed = flag.Bool("speed", false, "measure how much faster two workers are than one, on a machine with two idle processors")

func TestTwoWorkersAreTwiceAsFast(t *testing.T) {
	if !*speed {
		t.Skip("it needs two idle processors: make fleet")
	}
	t.Setenv("GOMAXPROCS", "1") // or a worker that is alone collects its garbage on the other processor
	campaign := func(workers int) time.Duration {
		dir := t.TempDir()
		_, address := startServer(t, dir, "127.0.0.1:0")
		for range workers {
			start(t, dir, "plain", "work", "nats://"+address, "--jobs", "1").says(t, "worker .* takes")
		}
		began := time.Now()
		p := start(t, dir, "plain", "run", "gc-pause", "--seeds", "1-960", "--piece-seeds", "60", "--no-report", "--quiet", "--on", "nats://"+address)
		if code := p.wait(t); code != 0 {
			t.Fatalf("exit code %d: %s", code, &p.err)
		}
		return time.Since(began)
	}
	one, two := campaign(1), campaign(2)
	t.Logf("one worker: %v, two: %v, %.2f times as fast", one, two, float64(one)/float64(two))
	if float64(one)/float64(two) < 1.9 {
		t.Error("two workers are less than 1.9 times as fast as one")
	}
}
