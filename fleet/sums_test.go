package fleet

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"
)

var sums = flag.Bool("sums", false, "run a campaign of more than a million runs twice, which takes about six minutes of CPU")

// tiny has runs that take little time, and some of them lose an update.
const tiny = `name: tiny
duration: 1s
workers: 2
sections: 1
workload: {kind: counter, hold: {dist: uniform, min: 0s, max: 4ms}}
each: [{worker: worker-2, start: 4ms}]
strategies: [none, optimistic]
checks: [lost-update]
expect: {none: {violates: [lost-update]}}
`

func TestACampaignOfSumsIsThatOfOneProcess(t *testing.T) {
	if !*sums {
		t.Skip("it takes minutes: make fleet")
	}
	const seeds = "1-500001" // of two strategies
	run := []string{"run", "tiny.yaml", "--seeds", seeds, "--out", "report", "--quiet"}
	one, many := t.TempDir(), t.TempDir()
	write(t, one, "tiny.yaml", tiny)
	write(t, many, "tiny.yaml", tiny)
	plain := start(t, one, "plain", run...)
	code := plain.wait(t)

	_, address := startServer(t, many, "127.0.0.1:0")
	start(t, many, "plain", "work", "nats://"+address)
	p := start(t, many, "plain", append(run, "--on", "nats://"+address)...)
	if got := p.wait(t); got != code || code != 0 {
		t.Errorf("exit code %d, and %d in one process: %s%s", got, code, &p.err, &plain.err)
	}
	sameReport(t, filepath.Join(many, "report"), filepath.Join(one, "report"))
	if p.out.String() != plain.out.String() || !strings.Contains(p.out.String(), "more than a million runs: the report has their sums") {
		t.Errorf("printed\n%s\nand in one process\n%s", &p.out, &plain.out)
	}
}
