// Package plaintext finds the first byte of a file that is not text.
package plaintext

import (
	"fmt"
	"unicode/utf8"
)

// Fault is a character that a file must not have.
type Fault struct {
	Line, Column int // of the character, from 1; columns count characters
	Text         string
}

// First returns the first fault of a file, nil if it has none: a byte that is not UTF-8, or a character for which refused
// returns true. A nil refused accepts every character.
func First(data []byte, refused func(r rune) bool) *Fault {
	line, column := 1, 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			return &Fault{line, column, fmt.Sprintf("byte %#02x is not UTF-8 text", data[0])}
		case refused != nil && refused(r):
			return &Fault{line, column, fmt.Sprintf("control character %U is not allowed", r)}
		case r == '\n':
			line, column = line+1, 1
		default:
			column++
		}
		data = data[size:]
	}
	return nil
}
