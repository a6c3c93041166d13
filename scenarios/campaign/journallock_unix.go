//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package campaign

import (
	"os"
	"syscall"
)

// journalLock locks the file for this process, or fails at once. The system releases the lock when
// the process ends, even if it is killed.
func journalLock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
