// Package strictyaml reads YAML files that people write by hand, and says
// exactly where one went wrong.
//
// A [Decoder] fills a Go value from a file. It knows the keys from the yaml
// tags of the structs, sets only what the file says (so a value that is filled
// with defaults before keeps them), and refuses everything that it does not
// understand: an unknown or repeated key, a number where a duration belongs, a
// second document. Whatever the bytes are, it returns at most one [Error], one
// line long, with file, line and column; it neither panics nor hangs.
//
// A [Hook] decodes a type that has a notation of its own, with the help of
// [Node]. [Patch] holds the part of a struct that a file sets, to be laid over
// several values later, and [Extension] the keys of a map that structs of other packages
// have. [Positions] finds the place of anything decoded again,
// for a check that can be made only when the whole file is known. [Unknown]
// words the complaint about a name that does not exist, with the nearest one
// that does. A [Tree] lets values be set before a file is decoded. [Outline]
// describes the same files as JSON Schema.
package strictyaml
