// Package strictyaml reads YAML files that people write by hand, and reports the exact position of
// an error.
//
// A [Decoder] decodes a file into a Go value. The keys are the yaml tags of the structs. It sets
// only what the file contains, so defaults that were set before remain, and refuses everything that
// it does not know: an unknown or repeated key, a number instead of a duration, a second document.
// For any input, it returns at most one [Error], which is one line with file, line and column; it
// neither panics nor hangs.
//
// A [Hook] decodes a type with a notation of its own, from a [Node]. [Patch] is the part of a
// struct that a file sets; it can be applied to several values later. [Extension] holds the keys
// that another package defines, such as those of a family of servers. [Positions] finds the place of
// any decoded value, for checks that need the whole file. [Unknown] returns the message for an
// unknown name, with the nearest known one. A [Tree] allows values to be set before a file is
// decoded. [Outline] describes the files as a JSON Schema.
//
// # The files
//
// decode.go has the Decoder, parse.go the limits of a file, node.go the Node, error.go the Error, patch.go the Patch,
// extension.go the Extension, positions.go the Positions, nearest.go the nearest name, tree.go the Tree, schema.go the
// Outline.
//
// # The library
//
// The parser is go.yaml.in/yaml/v4, whose syntax errors carry line and column; v3 names at most a
// line, in its text. github.com/goccy/go-yaml has positions too, but would be more code of ours: its
// tree needs 133 lines of conversion, and a writer that keeps comments on top. Its parser also takes
// time quadratic in the keys of a map (5 s for 20,000 keys, which take 0.03 s here).
package strictyaml
