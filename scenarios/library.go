package scenarios

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"lockquake/internal/strictyaml"
	"lockquake/scenarios/libraries"
)

// LibraryUse returns the use of the strategy that is nearest to a library, with the parts of the
// library. Its label is the name of the library.
func LibraryUse(l libraries.Library) (Strategy, error) {
	use := Strategy{Name: l.Preset, Label: l.Name, Library: l.Name}
	var err error
	use.Lock, err = lockParams(l, l.Lock)
	return use, err
}

// LibraryDefaults returns the numbers of a library, such as its TTL.
func LibraryDefaults(l libraries.Library) (LockParams, error) { return lockParams(l, l.Defaults) }

// lockParams reads keys of "lock" of a library.
func lockParams(l libraries.Library, keys string) (set LockParams, err error) {
	if keys == "" {
		return set, nil
	}
	decoder := strictyaml.Decoder{Hooks: hooks(samplesIn(".", nil), sha256.New(), map[string]samples{}), Extensions: extensions(), Keys: openKeys(Parts())}
	_, err = decoder.Decode("library "+l.Name, fmt.Appendf(nil, "{%s}", keys), &set)
	return set, err
}

// asLibrary replaces a use by that of the strategy nearest to the library that it names. What the use
// sets counts over the parts of the library.
func asLibrary(use Strategy) (Strategy, bool) {
	l, ok := libraries.Find(use.Name)
	if !ok {
		return use, false
	}
	nearest := mustUse(l)
	use.Name, use.Library, use.Lock = nearest.Name, nearest.Library, use.Lock.Over(nearest.Lock)
	return use, true
}

// mustUse is LibraryUse for a library of the catalogue.
func mustUse(l libraries.Library) Strategy {
	use, err := LibraryUse(l)
	if err != nil {
		panic(err) // a test reads them all
	}
	return use
}

// LibrariesOf returns the libraries among the uses that names select, as [Scenario.Uses] does. It
// returns none if a name is unknown.
func (s *Scenario) LibrariesOf(names []string) []libraries.Library {
	uses, err := s.Uses(names, nil)
	if err != nil {
		return nil
	}
	var all []libraries.Library
	for _, use := range uses {
		if l, ok := libraries.Find(use.Library); ok && !slices.ContainsFunc(all, func(other libraries.Library) bool { return other.Name == l.Name }) {
			all = append(all, l)
		}
	}
	return all
}

// ofLibrary returns the uses of the strategy that is nearest to the library of a name, nil if there
// is none.
func (s *Scenario) ofLibrary(name string) []Strategy {
	base, _, cased := strings.Cut(name, " under ")
	l, ok := libraries.Find(base)
	if !ok {
		return nil
	}
	uses := s.underCases(mustUse(l))
	if !cased {
		return uses
	}
	return slices.DeleteFunc(uses, func(u Strategy) bool { return u.Label != name })
}
