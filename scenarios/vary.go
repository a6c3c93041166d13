package scenarios

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"lockquake/internal/strictyaml"
	"lockquake/scenarios/results"
)

// ParseOverride reads path=value. Its error is a [*SettingError].
func ParseOverride(text string) (results.Override, error) {
	path, value, found := strings.Cut(text, "=")
	if !found || path == "" || value == "" {
		return results.Override{}, &SettingError{text, "write path=value, as in lock.ttl=5s"}
	}
	return results.Override{Path: path, Value: value}, nil
}

// OverrideTexts writes each override as path=value; nil of none.
func (s *Scenario) OverrideTexts() []string {
	var texts []string
	for _, o := range s.Overrides {
		texts = append(texts, o.String())
	}
	return texts
}

// Token returns the replay token that repeats a run of the scenario.
func (s *Scenario) Token(label string, seed uint64, checksum string) string {
	return results.Token{
		Scenario: s.Path, Hash: s.Hash, Label: label, Seed: seed, Version: results.Version, Checksum: checksum, Overrides: s.Overrides,
	}.String()
}

// SettingError reports an invalid setting from outside the file: an override, an axis, or the check
// of a sweep. Its text is a single line.
type SettingError struct {
	Setting string // as it was written
	Text    string // what is wrong with it
}

func (e *SettingError) Error() string { return e.Setting + ": " + e.Text }

// With returns the scenario with further overrides. An invalid override is a [*SettingError].
func (s *Scenario) With(overrides []results.Override) (*Scenario, error) {
	if len(overrides) == 0 {
		return s, nil
	}
	original := s.Original()
	all := slices.Concat(s.Overrides, overrides)
	with, err := overridden(s.Path, original, all, s.known())
	if err == nil {
		with.Program = s.Program
		return with, nil
	}
	// Report the first override with which the scenario becomes invalid. It may need the others to
	// be valid.
	for i := range all {
		if _, err := overridden(s.Path, original, all[:i+1], s.known()); err != nil {
			text := err.Error()
			if inFile, ok := errors.AsType[*strictyaml.Error](err); ok {
				text = inFile.Text
			}
			return nil, &SettingError{all[i].String(), text}
		}
	}
	return nil, err
}

// Original returns the file as it was read, before anything was set.
func (s *Scenario) Original() []byte {
	if s.File != nil {
		return s.File
	}
	return s.Text
}

// Argument returns the words that stand for the scenario in a command line: its path,
// and a --set for each override.
func (s *Scenario) Argument() string {
	words := []string{s.Path}
	for _, o := range s.Overrides {
		words = append(words, "--set", o.String())
	}
	for i, word := range words {
		words[i] = Word(word)
	}
	return strings.Join(words, " ")
}

// Word returns a text as one word of a command line: in quotes, if a shell would change it.
func Word(text string) string {
	if regexp.MustCompile(`^[\w./@%+,:=-]+$`).MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// overridden reads a file as if it had other values.
func overridden(name string, original []byte, overrides []results.Override, known catalogue) (*Scenario, error) {
	tree, err := strictyaml.Open(name, original)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	sum.Write(plainText(original))
	for _, o := range overrides {
		path, err := placeOf(tree, o.Path)
		if err != nil {
			return nil, err
		}
		if err := tree.Set(path, o.Value); err != nil {
			return nil, err
		}
		fmt.Fprintf(sum, "%q\n", o.String())
	}
	text, err := tree.Bytes()
	if err != nil {
		return nil, err
	}
	known.overrides = overrides
	s, err := decode(name, text, known, sum)
	if err != nil {
		return nil, err
	}
	s.File, s.Overrides = original, overrides
	return s, nil
}

// placeOf converts a path that names items of lists to one that has their indices.
func placeOf(tree *strictyaml.Tree, path string) (string, error) {
	list, rest, _ := strings.Cut(path, ".")
	if named, ok := namedItems()[list]; ok && rest != "" {
		items := itemsOf(tree, list)
		if len(items) == 0 {
			return "", fmt.Errorf("the scenario has no %s", list)
		}
		var err error
		if path, err = named(list, rest, items); err != nil {
			return "", err
		}
	}
	// A use of a strategy that is a name only has to become a map first.
	if at := regexp.MustCompile(`^(strategies\[\d+\])\.`).FindStringSubmatch(path); at != nil {
		if use := tree.Get(at[1]); use != nil && !use.IsMap() && !use.IsList() {
			if err := tree.Set(at[1], fmt.Sprintf("{name: %q}", use.Text())); err != nil {
				return "", err
			}
		}
	}
	return path, nil
}

// namedItems returns the lists whose items can be named. Its functions convert the rest of a path
// to one with an index.
func namedItems() map[string]func(list, rest string, items []*strictyaml.Node) (string, error) {
	return map[string]func(list, rest string, items []*strictyaml.Node) (string, error){
		"faults":     faultItem,
		"strategies": labelledItem("strategy", "label", "name"),
		"each":       labelledItem("entry of each", "worker"),
	}
}

func itemsOf(tree *strictyaml.Tree, list string) []*strictyaml.Node {
	var items []*strictyaml.Node
	for {
		item := tree.Get(fmt.Sprintf("%s[%d]", list, len(items)))
		if item == nil {
			return items
		}
		items = append(items, item)
	}
}

// faultItem finds the one fault of a kind.
func faultItem(list, rest string, items []*strictyaml.Node) (string, error) {
	kind, _, _ := strings.Cut(rest, ".")
	var places, kinds []string
	for i, item := range items {
		if item.Field(kind) != nil {
			places = append(places, fmt.Sprintf("%s[%d].%s", list, i, rest))
		}
		for key := range item.Pairs() {
			kinds = append(kinds, key.Text())
		}
	}
	switch len(places) {
	case 0:
		return "", errors.New(strictyaml.Unknown("fault of the scenario", kind, kinds))
	case 1:
		return places[0], nil
	}
	return "", fmt.Errorf("%d entries of %s have a %s; write one of %s", len(places), list, kind, strings.Join(places, ", "))
}

// labelledItem finds the item that one of the keys names. A label may contain a dot, so the longest
// match counts.
func labelledItem(what string, keys ...string) func(list, rest string, items []*strictyaml.Node) (string, error) {
	return func(list, rest string, items []*strictyaml.Node) (string, error) {
		best, longest := "", -1
		var labels []string
		for i, item := range items {
			label := item.Text()
			for _, key := range keys {
				if label == "" && item.Field(key) != nil {
					label = item.Field(key).Text()
				}
			}
			labels = append(labels, label)
			after, ok := strings.CutPrefix(rest, label)
			if ok && label != "" && (after == "" || after[0] == '.') && len(label) > longest {
				best, longest = fmt.Sprintf("%s[%d]%s", list, i, after), len(label)
			}
		}
		if best == "" {
			word, _, _ := strings.Cut(rest, ".")
			return "", errors.New(strictyaml.Unknown(what, word, labels))
		}
		return best, nil
	}
}
