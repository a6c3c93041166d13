package workload

import (
	"context"
	"time"
)

// Commit is the moment at which the writes of a section reach the resource.
type Commit string

// The two moments of a commit.
const (
	// CommitInside: each write at once, while the section has the lock.
	CommitInside Commit = "inside"
	// CommitAfterRelease: all writes together, after the release of the lock. The work
	// holds the lock inside a transaction, which ends later.
	CommitAfterRelease Commit = "after-release"
)

// commitParam returns the key commit.
func commitParam() Param {
	return Param{Name: "commit", Word: &Word{func(s Settings) string { return string(s.Commit) }, "moment of a commit", words([]Commit{CommitInside, CommitAfterRelease})}}
}

// writesParam returns the key writes of the workloads that can write several times.
func writesParam() Param {
	return Param{Name: "writes", Count: &Count{func(s Settings) int { return s.Writes }, 1, maxWrites}}
}

// Recorded returns the name of the moment in the Meta of a history.
func (c Commit) Recorded() string {
	if c == CommitInside {
		return ""
	}
	return string(c)
}

// writing splits the hold into equal parts, one for each write of the section. After each
// part it calls write with the number of the write, from 0.
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
