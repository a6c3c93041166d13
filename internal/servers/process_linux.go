package servers

import "syscall"

// dieWithParent has the kernel kill a child whose parent is gone. It gets a
// process group of its own, so that an interrupt at the terminal ends it by
// our hand and not before us.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
