// Package toys verifies the table in CONTRIBUTING.md: an extension needs only its own files and one line, and a family
// of servers also needs an import. It holds a toy of each kind: a check, a preset of a lock, a workload, a fault, and
// a family of servers. Each toy is a folder of testdata:
//
//	testdata/check/checker/brief.go      its own files, at their paths in the tree
//	testdata/check/checker/brief_test.go
//	testdata/check/line.txt              the change of the tree: the file, and for each new
//	                                     line the line before it and the line itself
//	testdata/check/toy.yaml              a scenario that uses it
//
// The test builds the tree with all toys as an overlay (go build -overlay), so it copies
// nothing and does not change the tree. It runs the tests of the toys, compares the files of each toy with its row in
// CONTRIBUTING.md, and runs the program with the scenario of each toy.
package toys
