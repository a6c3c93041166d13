package run_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/run"
)

// The run takes 5000 s, and one byte of its events may stay in memory. Each lock has its first block in memory, so the
// first write comes after a few sections.
func TestARunWhoseEventsCannotBeStoredStopsAtOnceAndNamesTMPDIR(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	for _, name := range []string{"TMPDIR", "TMP"} { // TMP on Windows
		t.Setenv(name, dir)
	}
	s := runtest.Parse(t, longAndQuiet)
	use := s.Strategies[1]
	var last time.Duration
	err := run.NewPool(s, nil, 1, time.Minute).All(t.Context(), 1, func(int64) run.Task {
		return run.Task{Scenario: s, Use: use, Seed: 1, Do: func(r *run.Runner) error {
			r.Counts = true
			r.KeepInMemory(1)
			r.Visit = func(at time.Duration, _, _ string) { last = at }
			_, err := r.Once(use, 1)
			return err
		}}
	})
	if _, ok := errors.AsType[*run.StorageError](err); !ok || !strings.Contains(err.Error(), "TMPDIR") || !strings.Contains(err.Error(), dir) {
		t.Errorf("the error is %v, want that %s cannot be written, and that TMPDIR sets it", err, dir)
	}
	if failed, ok := errors.AsType[*run.Error](err); ok {
		t.Errorf("the error offers to repeat the run: %v", failed)
	}
	if last == 0 || last > 500*time.Second {
		t.Errorf("the run went on until %s, want an end before 500s", last)
	}
}
