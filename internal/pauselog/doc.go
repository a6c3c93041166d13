// Package pauselog reads the pauses of a process from the log of its runtime.
//
// [Read] takes one of these files, and recognises the format by its lines:
//
//   - the output of a Go program under GODEBUG=gctrace=1. A collection stops the world twice, and
//     the first and the third figure of "a+b+c ms clock" are these pauses (Go 1.26,
//     runtime/extern.go);
//   - a log of a JVM, -Xlog:safepoint or -Xlog:gc, or the lines "Total time for which application
//     threads were stopped" of a JVM before 13;
//   - a recording of lockquake hiccup, which [HiccupHead] and [HiccupLine] write;
//   - a list with one duration per line.
//
// The other lines of a log are skipped, since programs write to the same stream. A list has no
// other lines.
//
// A runtime logs only its own pauses. The log does not have the pauses of the machine, such as a stopped
// container, a migrated virtual machine or a process that waits for a processor. A recording of hiccups
// has these too.
package pauselog
