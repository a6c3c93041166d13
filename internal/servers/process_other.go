//go:build !linux

package servers

import "syscall"

// attributes has no effect outside of Linux: there a child outlives a parent that is killed before
// it can clean up, and runs under our own account.
func attributes(*account) *syscall.SysProcAttr { return nil }

// childrenOf knows no children outside of Linux, so they have to notice the end of their parent.
func childrenOf(int) []int { return nil }

func killStray(int) {}

func removeSharedMemory(int) {}
