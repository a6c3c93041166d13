// Package jepsen reads the histories that Jepsen writes and turns them into a list of operations,
// which package checker/stored judges.
//
// # A tour
//
//   - [Parse] reads a file of either form, and reports which form it has.
//   - [Operation] is one call of a process, from its invocation to its
//     completion, with the values of both.
//   - [Keyed] reports whether a history has several independent keys, and [ByKey] splits it.
//   - [Value] is an EDN value with its place in the file. The EDN reader is in edn.go and
//     scalar.go.
//   - [Error] is an error in a file, with line and column.
//
// # The two forms
//
// A text log has one operation per line, after the prefix of the logger. Process, type, function
// and value are separated by tabs, or by spaces in logs that have lost their tabs. Other lines are
// skipped. The EDN form has one map for each event, one after the other or in one vector. In both
// forms the events of the nemesis are skipped.
//
// # What counts
//
// The order of the file is the order of events; times are ignored. An operation that ended with
// :info may have taken effect at any time after its call. Its process ends with it, so another
// event of that process is an error, as is anything else that Jepsen never writes.
package jepsen
