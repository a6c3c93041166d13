package command

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lockquake/internal/pauselog"
)

// A sleep that takes more than 5 ms too long is a pause of the time that it was late. The time between two sleeps
// counts too. The clock is the test's, and so is the end: it comes in the middle, after 16.4 ms.
func TestARecordingHasEachSleepThatWasLate(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	sleeps := []time.Duration{time.Millisecond, 6 * time.Millisecond, 7100 * time.Microsecond, 2300 * time.Microsecond}
	path := filepath.Join(t.TempDir(), "hiccup.log")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	r := recorder{file: file, now: func() time.Time { return now }, sleep: func(d time.Duration) {
		if d != time.Millisecond {
			t.Errorf("it sleeps for %v", d)
		}
		now = now.Add(sleeps[0])
		if sleeps = sleeps[1:]; len(sleeps) == 0 {
			stop()
		}
	}}
	if err := r.record(ctx, 0); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "# lockquake hiccup: pauses beyond 5ms, recorded over 00000000000.016 s\n2026-11-29T12:00:00.014Z hiccup 6.100 ms\n"
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	log, err := pauselog.Read(path, text)
	if err != nil || len(log.Pauses) != 1 || log.Pauses[0] != 6100*time.Microsecond || log.Span != 16*time.Millisecond {
		t.Errorf("it is read as %+v, %v", log, err)
	}
}

// It ends by itself after its length.
func TestARecordingEndsAfterItsLength(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	file, err := os.Create(filepath.Join(t.TempDir(), "hiccup.log"))
	if err != nil {
		t.Fatal(err)
	}
	r := recorder{file: file, now: func() time.Time { return now }, sleep: func(d time.Duration) { now = now.Add(d) }}
	if err := r.record(t.Context(), 10*time.Millisecond); err != nil || r.over != 10*time.Millisecond || r.pauses != 0 {
		t.Errorf("it recorded %v with %d pauses: %v", r.over, r.pauses, err)
	}
}
