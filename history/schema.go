package history

import _ "embed"

//go:embed schema.json
var schema []byte

// JSONSchema returns the JSON Schema (draft 2020-12) of a line of a history file: its first line, the Meta,
// or an Event. It is a contract for programs that record or read histories. Its version is [Schema].
//
// It is made from the types of this package by their test. It cannot say how lines depend on each other: see
// docs/history.md, Read and History.Sections.
func JSONSchema() []byte { return schema }
