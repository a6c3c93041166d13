// Package docgen writes the pages of the documentation that list what the program knows:
// docs/reference and docs/failures.md.
//
// [Pages] returns them all. Each page but the map (pages.go) has a file by its name, such as
// faults.go for docs/reference/faults.md; schema.go is shared. The catalogues give what there is (strategies, workloads, faults,
// checks), and the JSON Schema of scenario files gives the keys, each with the sentence of its
// doc tag. Sentences about a whole page are here.
//
// No program links the package. A golden test of cmd/command (reference_test.go) calls it,
// because the command is one of the things that it describes. The test compares the pages with those in docs, and
// with -update, as in make update, it writes them.
package docgen
