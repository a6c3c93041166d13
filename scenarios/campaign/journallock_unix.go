//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package campaign

import (
	"os"
	"syscall"
)

// journalLock takes the file for this process, or fails at once. The system gives
// it up when the process ends, however it ends.
func journalLock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
