// Package toys proves that an extension costs one file, its test and one line. It
// holds a toy of each kind: a check, a preset of a lock, a workload, a fault, and a
// family of servers. Each toy is a folder of testdata:
//
//	testdata/check/checker/busy.go       its own files, as they would lie in the tree
//	testdata/check/checker/busy_test.go
//	testdata/check/line.txt              the file of the tree that gets one line, the line
//	                                     before it, and the line
//	testdata/check/toy.yaml              a scenario that uses it
//
// The test builds the tree with the toy laid over it (go build -overlay), so nothing
// is copied and the tree stays as it is. It runs the toy's own tests, and then the
// scenario with the program.
package toys
