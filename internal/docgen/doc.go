// Package docgen writes the pages of the documentation that are generated from the program:
// docs/reference, docs/failures.md and docs/libraries.md.
//
// [Pages] returns them all. Each page but the map (pages.go) has a file by its name: checks, commands, failures,
// faults, libraries, metrics, points, scenarios, strategies and workloads; schema.go is shared. record.go has the published
// bugs of failures.md, findings.go what tests of libraries have shown. The lists come from the catalogues of strategies,
// workloads, faults and checks. The keys come from the JSON Schema of scenario files, each with the sentence of its
// doc tag. Only sentences about a whole page are in this package.
//
// No program links the package. A golden test of cmd/command (reference_test.go) calls it,
// because the pages also describe the command. The test compares the pages with those in docs, and
// with -update, as in make update, it writes them.
package docgen
