package workload

import (
	"context"
	"time"
)

// Commit says when the writes of a section reach the resource.
type Commit string

// The two moments of a commit.
const (
	// CommitInside: each write by itself, while the section has the lock.
	CommitInside Commit = "inside"
	// CommitAfterRelease: all writes together, after the lock was given back. The
	// work holds the lock inside a transaction, and the transaction ends later.
	CommitAfterRelease Commit = "after-release"
)

// commitParam is the key commit.
func commitParam() Param {
	return Param{Name: "commit", Word: &Word{func(s Settings) string { return string(s.Commit) }, "moment of a commit", words([]Commit{CommitInside, CommitAfterRelease})}}
}

// writesParam is the key writes of the workloads that can write several times.
func writesParam() Param {
	return Param{Name: "writes", Count: &Count{func(s Settings) int { return s.Writes }, 1, mostWrites}}
}

// Recorded is how the Meta of a history names the moment.
func (c Commit) Recorded() string {
	if c == CommitInside {
		return ""
	}
	return string(c)
}

// writing splits the hold into one part for each write of the section, and calls
// write after each part with the number of the write, from 0.
func (w *Work) writing(ctx context.Context, write func(i int) error) error {
	writes := w.Settings.Writes
	part := w.Hold / time.Duration(writes)
	for i := range writes {
		takes := part
		if i == 0 {
			takes = w.Hold - part*time.Duration(writes-1)
		} else {
			w.Proceed()
		}
		if err := w.Spend(ctx, takes); err != nil {
			return err
		}
		if err := write(i); err != nil {
			return err
		}
	}
	return nil
}
