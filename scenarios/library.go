package scenarios

import (
	"bytes"
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
	text := libraryText(l)
	decoder := strictyaml.Decoder{Hooks: hooks(".", sha256.New(), map[string]samples{}), Extensions: extensions(), Keys: openKeys(Parts())}
	var use Strategy
	if _, err := decoder.Decode("library "+l.Name, text, &use); err != nil {
		return Strategy{}, err
	}
	return use, nil
}

// libraryText returns the entry of strategies for a library.
func libraryText(l libraries.Library) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "{name: %s, label: %s", l.Preset, l.Name)
	if l.Lock != "" {
		fmt.Fprintf(&text, ", lock: {%s}", l.Lock)
	}
	text.WriteByte('}')
	return text.Bytes()
}

// LibraryOf returns the library that a name stands for. The names of the scenario and of the
// catalogue come first.
func (s *Scenario) LibraryOf(name string) (libraries.Library, bool) {
	if named(s.Strategies, name) != nil || s.ofCatalogue(name) != nil {
		return libraries.Library{}, false
	}
	base, _, _ := strings.Cut(name, " under ") // a case
	return libraries.Find(base)
}

// libraryOf returns the library that a use stands for.
func libraryOf(use Strategy) (libraries.Library, bool) {
	label := use.Use()
	l, ok := libraries.Find(label)
	return l, ok && l.Preset == use.Name && l.Name == label
}

// ofLibrary returns the uses of the strategy that is nearest to the library of a name, nil if there
// is none.
func (s *Scenario) ofLibrary(name string) []Strategy {
	l, ok := s.LibraryOf(name)
	if !ok {
		return nil
	}
	use, err := LibraryUse(l)
	if err != nil {
		panic(err) // a test reads them all
	}
	uses := s.underCases(use)
	if !strings.Contains(name, " under ") {
		return uses
	}
	return slices.DeleteFunc(uses, func(u Strategy) bool { return u.Label != name })
}
