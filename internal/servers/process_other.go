//go:build !linux

package servers

import "syscall"

// dieWithParent has no effect outside of Linux: there a child outlives a parent that is killed
// before it can clean up.
func dieWithParent() *syscall.SysProcAttr { return nil }
