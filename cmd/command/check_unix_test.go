//go:build unix

package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestCheckStopsAtASignalEvenIfTheFileNeverEnds(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, failed bytes.Buffer
	code := newProgram(nil).execute(ctx, []string{"check", pipe}, &out, &failed)
	if want := "lockquake: interrupted: " + pipe + " was not judged\n"; code != exitInterrupted || failed.String() != want || out.Len() > 0 {
		t.Errorf("exit code %d, printed %q, said %q", code, out.String(), failed.String())
	}
}

func TestAFullDiskIsNoUsageError(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	if err := writeScenario("/dev/full", []byte("name: full")); exitCode(err) != exitInternal {
		t.Errorf("it ends with %v", err)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for _, args := range [][]string{{"version"}, {"validate", "kleppmann"}, {"list", "checks"}} {
		var failed bytes.Buffer
		if code := newProgram(nil).execute(t.Context(), args, full, &failed); code != exitInternal || bytes.Count(failed.Bytes(), []byte("\n")) != 1 {
			t.Errorf("%v: exit code %d, said %q", args, code, failed.String())
		}
	}
}

// The probe leaves a file as it is, and removes the one that it has made. The file that a link names may not exist yet.
func TestWhetherAScenarioCanBeWrittenChangesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("old", []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", "link"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"old", "link", "new"} {
		if err := mayWriteScenario("out", path); err != nil {
			t.Error(err)
		}
	}
	text, err := os.ReadFile("old")
	if err != nil || string(text) != "old" {
		t.Errorf("the file has become %q: %v", text, err)
	}
	if _, err := os.Lstat("link"); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat("new"); err == nil {
		t.Error("the new file is there")
	}
}
