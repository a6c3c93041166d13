package strictyaml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// Unknown returns the message for an unknown name of a sort, such as "strategy". It proposes the
// nearest known name if one is near enough, and otherwise lists the first few known names: of those
// that begin with the word, if there are any.
func Unknown(sort, word string, known []string) string {
	const shown = 12
	text := fmt.Sprintf("unknown %s %s", sort, quote(word))
	if near, ok := nearest(word, known); ok {
		return fmt.Sprintf("%s; did you mean %q?", text, near)
	}
	if longer := beginning(word, known); len(longer) > 0 {
		known = longer
	}
	switch {
	case len(known) == 0:
		return text
	case len(known) > shown:
		return fmt.Sprintf("%s; known are %s, ...", text, strings.Join(known[:shown], ", "))
	default:
		return fmt.Sprintf("%s; known are %s", text, strings.Join(known, ", "))
	}
}

// beginning returns the known names that begin with a word.
func beginning(word string, known []string) []string {
	if word == "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !strings.HasPrefix(k, word) })
}

// Near reports whether Unknown would propose a known name for a word.
func Near(word string, known []string) bool {
	_, ok := nearest(word, known)
	return ok
}

// nearest returns the known word with the fewest edits, the first of several, if it needs at most
// one edit for every three letters. Two swapped letters are one edit.
func nearest(word string, known []string) (string, bool) {
	const longest = 64 // a longer word is no typo, and costly to compare
	if word == "" || len(word) > longest {
		return "", false
	}
	word = strings.ToLower(word)
	best, edits := "", max(1, len(word)/3)+1
	for _, k := range known {
		d := levenshtein.Distance(word, strings.ToLower(k), nil)
		if d == 2 && letters(word) == letters(strings.ToLower(k)) {
			d = 1
		}
		if d < edits {
			best, edits = k, d
		}
	}
	return best, best != ""
}

// letters returns the letters of a word, sorted.
func letters(word string) string {
	sorted := []rune(word)
	slices.Sort(sorted)
	return string(sorted)
}
