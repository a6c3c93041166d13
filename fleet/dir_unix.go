//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fleet

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"lockquake/cmd/command"
)

// holdDir keeps a second server out of a state directory. The system releases it when the process ends, even if it is
// killed.
func holdDir(dir string) (release func(), err error) {
	file, err := os.OpenFile(filepath.Join(dir, "lockquake-fleet.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, command.Usagef("--dir: %v", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(command.Usagef("--dir %s: another server has it", dir), file.Close())
	}
	return func() { _ = file.Close() }, nil
}
