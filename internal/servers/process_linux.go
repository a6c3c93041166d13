package servers

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// attributes makes the kernel kill the child when its parent ends, and sets its account. The child
// gets its own process group, so that an interrupt at the terminal reaches it only through us.
func attributes(as *account) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if as != nil {
		a.Credential = &syscall.Credential{Uid: uint32(as.uid), Gid: uint32(as.gid)}
	}
	return a
}

// childrenOf returns the processes that a process has started.
func childrenOf(pid int) []int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return nil // it has ended, or the kernel keeps no such list
	}
	var pids []int
	for field := range strings.FieldsSeq(string(text)) {
		if child, err := strconv.Atoi(field); err == nil {
			pids = append(pids, child)
		}
	}
	return pids
}

// killStray kills the child of a child, and waits until it has ended.
func killStray(pid int) {
	_ = syscall.Kill(pid, syscall.SIGKILL) // fails only if it has ended
	for range int(pollLimit / pollEvery) {
		// After the command, which may contain anything: the state. Z is a process that has
		// ended, and that its new parent does not look after.
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.HasPrefix(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " Z") {
			return
		}
		time.Sleep(pollEvery)
	}
}

// removeSharedMemory removes a System V shared memory segment. A killed process leaves it behind.
func removeSharedMemory(id int) {
	_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) // fails only if it is gone
}
