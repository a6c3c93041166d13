package strictyaml

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Error is an error in a file, with its position. Line and Column count from 1; a column is a
// character, not a byte.
type Error struct {
	File   string
	Line   int
	Column int
	Text   string
}

// Error returns one line, "file:line:column: text", whatever the file contains.
func (e *Error) Error() string {
	return oneLine(fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text))
}

// oneLine escapes everything that could break the line or the terminal.
func oneLine(s string) string {
	if strings.IndexFunc(s, unprintable) < 0 {
		return s
	}
	var line strings.Builder
	for _, r := range s {
		if unprintable(r) {
			quoted := strconv.QuoteRune(r)
			line.WriteString(quoted[1 : len(quoted)-1])
		} else {
			line.WriteRune(r)
		}
	}
	return line.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// quote returns a word of the file in quotes, and shortens a long one.
func quote(word string) string {
	const longest = 40
	if runes := []rune(word[:min(len(word), 4*longest)]); len(runes) > longest {
		word = string(runes[:longest]) + "..."
	}
	return strconv.Quote(word)
}
