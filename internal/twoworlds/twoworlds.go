// Package twoworlds helps tests that compare a model of a client with the client itself. A script runs
// twice: with the client, in the time of a synctest bubble, and with the model, in a world of package
// sim. Both runs write a [Log], and [Compare] compares the logs.
package twoworlds

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/lock/env"
)

// OneWay is the latency of a message in both worlds.
const OneWay = time.Millisecond

// Log is a list of events with their times.
type Log struct {
	// Elapsed returns the time since the begin of the run.
	Elapsed func() time.Duration

	mu    sync.Mutex
	lines []string
}

// Add adds an event.
func (l *Log) Add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf("%12.6f ms  ", float64(l.Elapsed())/1e6)+fmt.Sprintf(format, args...))
}

// Sorted returns the lines. Those of one instant are sorted, since a bubble has no order for them.
func (l *Log) Sorted() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.Sort(l.lines)
	return l.lines
}

// Compare fails the test if the logs differ, or if one of the texts is not in the log of the client.
func Compare(t *testing.T, client, model, texts []string) {
	t.Helper()
	if diff := cmp.Diff(client, model); diff != "" {
		t.Errorf("what happened (-client +model):\n%s", diff)
	}
	all := strings.Join(client, "\n")
	for _, text := range texts {
		if !strings.Contains(all, text) {
			t.Errorf("nothing says %q in\n%s", text, all)
		}
	}
}

// Together runs the bodies at the same time, slightly shifted, and waits for all.
func Together(e env.Env, bodies ...func()) {
	var all []env.Sem
	for i, body := range bodies {
		all = append(all, e.Go("body", func() {
			_ = e.Sleep(context.Background(), time.Duration(i)*100*time.Microsecond)
			body()
		}))
	}
	for _, done := range all {
		_ = done.Acquire(context.Background())
	}
}

// Within calls do with a context that ends after d.
func Within(e env.Env, d time.Duration, do func(ctx context.Context)) {
	ctx, cancel := e.WithTimeout(context.Background(), d)
	defer cancel()
	do(ctx)
}

// Repeat calls do until it succeeds, at most the given number of times, and returns its last error. A request that is
// repeated as often as a cluster has members reaches each of them, if it is sent to the next one each time.
func Repeat(times int, do func() error) (err error) {
	for range times {
		if err = do(); err == nil {
			return nil
		}
	}
	return err
}
