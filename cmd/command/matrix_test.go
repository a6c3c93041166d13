package command

import (
	"bytes"
	"context"
	"testing"

	"lockquake/scenarios/results"
)

// An interrupt after the last run leaves the advice undone, if it was asked for, and else nothing.
func TestAnInterruptAfterTheLastRunOfAMatrixNamesWhatIsUndone(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, test := range []struct {
		name   string
		advice bool
		m      results.Matrix
		want   string
	}{
		{"no advice was asked for", false, results.Matrix{}, ""},
		{"the advice was not compared", true, results.Matrix{}, "interrupted: the matrix is complete, and the advice was not compared"},
		{"the advice was compared", true, results.Matrix{Advice: []results.MatrixAdvice{{}}}, ""},
		{"runs are missing", false, results.Matrix{Partial: true, Runs: 7000}, "interrupted: the matrix was stopped after 7,000 runs; the tables show what they tell"},
	} {
		f := matrixFlags{advice: test.advice}
		got := ""
		if err := f.stopped(ctx, &test.m); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestASingleSeedIsNoNumberOfSeeds(t *testing.T) {
	for _, test := range []struct {
		seeds string
		quiet bool
		want  string
	}{
		{"20", false, "note: --seeds 20 is seed 20 only; --seeds 1-20 runs 20 seeds\n"},
		{"20", true, ""},
		{"1", false, ""},
		{"1-20", false, ""},
		{"", false, ""},
	} {
		var out bytes.Buffer
		noteSeeds(&out, test.seeds, test.quiet)
		if out.String() != test.want {
			t.Errorf("--seeds %s, quiet %v: %q, want %q", test.seeds, test.quiet, out.String(), test.want)
		}
	}
	t.Chdir(t.TempDir())
	_, said, _ := executed(t, "run", "kleppmann", "--strategy", "redis", "--seeds", "2", "--no-report")
	if want := "note: --seeds 2 is seed 2 only; --seeds 1-2 runs 2 seeds\n"; !bytes.Contains([]byte(said), []byte(want)) {
		t.Errorf("run --seeds 2: %q", said)
	}
}
