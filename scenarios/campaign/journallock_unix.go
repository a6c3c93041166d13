//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package campaign

import (
	"os"
	"path/filepath"
	"syscall"
)

// journalLock locks the file for this process, or fails at once. The system releases the lock when
// the process ends, even if it is killed.
func journalLock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// journalReplace renames a fresh file to path, in place of an old one that this process has locked, and
// returns it, locked as well. Another process never finds a file at path that it can lock.
func journalReplace(old, fresh *os.File, path string) (*os.File, error) {
	info, err := old.Stat()
	if err == nil {
		err = fresh.Chmod(info.Mode())
	}
	if err == nil {
		err = journalLock(fresh)
	}
	if err == nil {
		err = os.Rename(fresh.Name(), path)
	}
	if err != nil {
		return fresh, err
	}
	journalSyncDir(filepath.Dir(path))
	return fresh, old.Close()
}

// journalSyncDir makes a rename in the directory survive a power cut. Not every file system can do it.
// Without it a power cut may bring the old file back, which is complete as well, so an error is ignored.
func journalSyncDir(path string) {
	if dir, err := os.Open(path); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
}
