//go:build unix

package command

import (
	"bytes"
	"context"
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
