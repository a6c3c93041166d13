package words

import (
	"unicode"

	"golang.org/x/text/width"
)

// Width returns the number of columns that a text takes on a terminal. A wide character, as of Chinese, Japanese and
// Korean, takes two, and a mark that is combined with the character before it takes none.
func Width(text string) int {
	columns := 0
	for _, r := range text {
		columns += widthOf(r)
	}
	return columns
}

func widthOf(r rune) int {
	if r < unicode.MaxLatin1 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default: // a width that depends on the font is that of Latin letters
		return 1
	}
}
