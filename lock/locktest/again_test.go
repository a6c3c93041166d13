package locktest

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"lockquake/lock"
	"lockquake/scenarios/results"
)

// decided returns the text of a test whose lock has a lease of several TTLs.
func decided(t *testing.T, ttls int, options ...Option) string {
	t.Helper()
	entry := lock.Entry{Name: "naive", Doc: "a lease", New: func(d lock.Deps) lock.Strategy {
		d.Params.TTL *= time.Duration(ttls)
		return newNaive(d)
	}}
	r := newRequest(t, "paused.yaml", entry, options)
	r.call, r.patience = 1, 0
	text, err := r.decide(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestATestBeginsWithItsLastFailure(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "paused.yaml", paused)
	token := "testdata/lockquake/" + t.Name() + ".token"
	there := func() bool {
		_, err := os.Stat(token)
		return !errors.Is(err, os.ErrNotExist)
	}
	first := decided(t, 1, Seeds(10))
	if !strings.Contains(first, "of 10 runs") || !strings.Contains(first, "the test begins with this run until it passes: "+token) || !there() {
		t.Errorf("the first run: %s", first)
	}
	second := decided(t, 1, Seeds(10))
	if strings.Contains(second, "of 10 runs") || !strings.Contains(second, "as in the last run of the test ("+token+")") || !strings.Contains(second, "update lost") || !there() {
		t.Errorf("the second run: %s", second)
	}
	if third := decided(t, 1, Seeds(10), Violates("lost-update")); third != "" || there() {
		t.Errorf("a violation that is expected now: %s", third)
	}
	decided(t, 1, Seeds(10))
	if fourth := decided(t, 50, Seeds(1), Holds("lost-update")); fourth != "" || there() {
		t.Errorf("with a lock that has been mended: %s", fourth)
	}
}

// The function of Results decides about all runs, so one run that violates a check does not keep it from being called.
func TestResultsDecideAlsoAfterARunThatFailed(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "paused.yaml", paused)
	decided(t, 1, Seeds(10))
	called := 0
	for range 2 {
		if text := decided(t, 1, Seeds(10), Results(func(*results.Campaign) { called++ })); text != "" {
			t.Errorf("the test fails with: %s", text)
		}
	}
	if called != 2 {
		t.Errorf("two tests call the function %d times", called)
	}
}

// When a test passes, the files of its last failure are gone.
func TestATestThatPassesRemovesItsFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "paused.yaml", paused)
	r := newRequest(t, "paused.yaml", naiveEntry(), []Option{Seeds(10)})
	r.patience = time.Minute
	text, err := r.decide(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	files := func() int {
		all, err := os.ReadDir("testdata/lockquake")
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	if files() != 2 {
		t.Errorf("after a failure there are %d files, want the token and the scenario:\n%s", files(), text)
	}
	r.expect.Violates = []string{"lost-update"}
	if text, err := r.decide(t.Context()); text != "" || err != nil || files() != 0 {
		t.Errorf("%d files are left: %v\n%s", files(), err, text)
	}
}

// A file that names no run, or a run of a scenario that is gone, does not keep a test from passing.
func TestATokenOfNothingIsRemoved(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "paused.yaml", paused)
	for _, text := range []string{"nonsense", "gone.yaml@0:naive:1:0.1.0:0000000000000000"} {
		r := newRequest(t, "paused.yaml", naiveEntry(), []Option{Seeds(1)})
		if !r.remember(text) {
			t.Fatal("the token is not written")
		}
		failure, err := r.again()
		if _, stat := os.Stat(r.file(".token")); failure != "" || err != nil || !errors.Is(stat, os.ErrNotExist) {
			t.Errorf("%s: %q, %v, %v", text, failure, err, stat)
		}
	}
}
