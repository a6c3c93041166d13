package servers

import "syscall"

// dieWithParent makes the kernel kill the child when its parent ends. The child gets its own
// process group, so that an interrupt at the terminal reaches it only through us.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
