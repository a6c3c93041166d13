// Package jepsen reads the histories that Jepsen leaves behind and turns
// them into a plain list of operations, to be judged by package checker.
//
// # A tour
//
//   - [Parse] reads a file of either form, and says which it was.
//   - [Operation] is one call of a process, from its invocation to its
//     completion, with the values of both.
//   - [Keyed] sees whether a history is of several independent keys, and [ByKey]
//     splits it.
//   - [Value] is an EDN value with its place in the file; the reader of EDN
//     is in edn.go and scalar.go.
//   - [Error] says what is wrong with a file, by line and column.
//
// # The two forms
//
// A text log has one operation a line, after whatever the logger puts in front;
// process, type, function and value are separated by tabs, or by blanks in logs
// that have lost their tabs. Lines of another shape are skipped. The EDN form is one map for each
// event, one after the other or in one vector. In both, what the nemesis did is
// skipped.
//
// # What counts
//
// The order of the file is the order of events; times are not looked at. An
// operation that ended with :info may or may not have taken effect, at any time
// from its call on. Its process ends with it, and one that goes on after that
// is an error, as is everything else that no run of Jepsen leaves behind.
package jepsen
