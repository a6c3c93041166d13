//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package campaign

import (
	"errors"
	"os"
)

// journalLock does nothing here: a caller that lets two campaigns write to one place
// loses runs.
func journalLock(*os.File) error { return nil }

// journalReplace renames a fresh file to path, in place of an old one, and returns it. Both are closed
// meanwhile, since not every system renames a file that is open.
func journalReplace(old, fresh *os.File, path string) (*os.File, error) {
	if err := errors.Join(old.Close(), fresh.Close()); err != nil {
		return fresh, err
	}
	if err := os.Rename(fresh.Name(), path); err != nil {
		return fresh, err
	}
	return os.OpenFile(path, os.O_RDWR, 0o644)
}
