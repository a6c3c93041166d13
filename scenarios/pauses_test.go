package scenarios

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/scenarios/results"
)

// The pauses of servers and faults of other kinds stay as they are.
func TestPausesOfWorkersComeFromTheFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("sub", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("measured.txt", []byte("5ms\n1s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const text = `name: x
duration: 10s
workload: {kind: counter, hold: 100ms}
strategies: [redis]
faults:
  - at: 1s
    pause: {target: lock, for: 2s}
  - pause: {target: each worker, every: 1s, for: 100ms}
  - when: {worker: worker-1, point: acquired}
    pause: {for: 3s}
  - at: 1s
    stall: {target: worker-1, task: renewal, for: 1s}
`
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ scenario, pauses, file string }{
		{"x.yaml", "measured.txt", "measured.txt"},
		{"sub/x.yaml", "measured.txt", "../measured.txt"},
		{"sub/x.yaml", "./sub/../measured.txt", "../measured.txt"},
		{filepath.Join(here, "sub", "x.yaml"), "measured.txt", filepath.Join(here, "measured.txt")},
		{"sub/x.yaml", filepath.Join(here, "measured.txt"), filepath.Join(here, "measured.txt")},
	} {
		s, err := Parse(test.scenario, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		with, err := s.WithPauses(test.pauses)
		if err != nil {
			t.Fatal(err)
		}
		value := `{dist: empirical, file: "` + test.file + `"}`
		want := []results.Override{{Path: "faults[1].pause.for", Value: value}, {Path: "faults[2].pause.for", Value: value}}
		if diff := cmp.Diff(want, with.Overrides); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test, diff)
		}
		if got := with.Faults[2].For.Samples; len(got) != 2 || with.Hash == s.Hash {
			t.Errorf("the pause has samples %v, and the hash is %s, before %s", got, with.Hash, s.Hash)
		}
	}
}

func TestAFileOfPausesThatCannotBeReadIsRefusedInClearWords(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "binary")
	if err := os.WriteFile(binary, []byte("\x7fELF\x02\x00\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		os.DevNull: os.DevNull + " is a pipe or a device: write what it has into a file first",
		dir:        dir + " is a directory, and has to be a file of durations or a log",
		binary:     binary + ":1: the line is not text in UTF-8",
	} {
		if _, _, err := MeasuredPauses(path); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
