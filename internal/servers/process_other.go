//go:build !linux

package servers

import "syscall"

// dieWithParent is known to Linux only. Elsewhere a child outlives a parent
// that is killed before it can clean up.
func dieWithParent() *syscall.SysProcAttr { return nil }
