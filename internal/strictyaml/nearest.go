package strictyaml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// Unknown says that word is no known name of its sort, such as "strategy", and
// which one may have been meant: the nearest if one is near enough, otherwise
// the first few that there are.
func Unknown(sort, word string, known []string) string {
	const shown = 12
	text := fmt.Sprintf("unknown %s %s", sort, quote(word))
	switch near, ok := nearest(word, known); {
	case ok:
		return fmt.Sprintf("%s; did you mean %q?", text, near)
	case len(known) == 0:
		return text
	case len(known) > shown:
		return fmt.Sprintf("%s; known are %s, ...", text, strings.Join(known[:shown], ", "))
	default:
		return fmt.Sprintf("%s; known are %s", text, strings.Join(known, ", "))
	}
}

// Near reports whether a word is nearly one of the known ones, so that Unknown
// offers that.
func Near(word string, known []string) bool {
	_, ok := nearest(word, known)
	return ok
}

// nearest returns the known word that takes the fewest edits, the first of
// several, if it takes no more than one for every three letters. Two letters
// that changed places are one edit.
func nearest(word string, known []string) (string, bool) {
	const longest = 64 // a word beyond it is no slip of the finger, and dear to compare
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

// letters sorts the letters of a word.
func letters(word string) string {
	sorted := []rune(word)
	slices.Sort(sorted)
	return string(sorted)
}
