package libraries

import (
	"slices"
	"strings"
)

// Library is a published lock, and the strategy that is nearest to it.
type Library struct {
	Name    string   // as --strategy takes it
	Aliases []string // other names of the same, in lower case
	Project string   // repository on GitHub, "owner/name"
	Version string   // as the files that were read say; "" if they do not
	Commit  string   // that was read
	// Preset is the strategy of the catalogue that is nearest, and Lock has the parts in which the
	// library differs from it, as the keys of "lock" in a scenario; "" for none. The numbers of the
	// library are not in it: a scenario sets the TTL and the retries.
	Preset, Lock string
	// Defaults has the library's own numbers, as the keys of "lock" in a scenario; "" if it has none.
	Defaults string
	Facts    []Fact
	Bugs     []string // scenarios that reproduce a bug that was reported of it, in this or an older version
	Fails    []string // scenarios in which the nearest strategy fails with the library's parts
}

// Nearest returns the strategy with the parts to set, as in "redlock with owner: call".
func (l Library) Nearest() string {
	if l.Lock == "" {
		return l.Preset
	}
	return l.Preset + " with " + l.Lock
}

// Read returns the version and the commit that were read, for a reader.
func (l Library) Read() string {
	const short = 7
	if l.Version == "" {
		return l.Commit[:short]
	}
	return l.Version + " (" + l.Commit[:short] + ")"
}

// Fact is one thing that is known of a library.
type Fact struct {
	Kind Kind
	Text string
	// File is where it was read, in the Project at the Commit; "" if it was inferred.
	File string
}

// Kind says what a fact is about.
type Kind string

// The kinds of facts.
const (
	Same    Kind = "as here"  // what the library does as the preset does
	Differs Kind = "differs"  // what it does in another way, or does not do
	Default Kind = "defaults" // a number
)

// All returns the catalogue, by the sort of server.
func All() []Library {
	return slices.Concat(redis(), quorum(), sql(), coordination())
}

// Find returns the first library with this name, alias or repository (owner/name), in any case of letters.
func Find(name string) (Library, bool) {
	name = strings.ToLower(name)
	for _, l := range All() {
		if l.Name == name || strings.EqualFold(l.Project, name) || slices.Contains(l.Aliases, name) {
			return l, true
		}
	}
	return Library{}, false
}
