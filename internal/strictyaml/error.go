package strictyaml

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Error is what is wrong with a file, and where. Line and Column count from 1;
// a column is a character, not a byte.
type Error struct {
	File   string
	Line   int
	Column int
	Text   string
}

// Error is one line, "file:line:column: text", whatever the file holds.
func (e *Error) Error() string {
	return oneLine(fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text))
}

// oneLine writes everything that could break the line or the terminal as an
// escape.
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

// quote puts a word of the file in quotes and cuts a long one.
func quote(word string) string {
	const longest = 40
	if runes := []rune(word[:min(len(word), 4*longest)]); len(runes) > longest {
		word = string(runes[:longest]) + "..."
	}
	return strconv.Quote(word)
}
