package plaintext

import (
	"testing"
	"unicode"
)

func TestTheFirstFaultHasItsPlaceInCharacters(t *testing.T) {
	control := func(r rune) bool { return r != '\n' && unicode.IsControl(r) }
	for _, tt := range []struct {
		name, data string
		refused    func(r rune) bool
		want       Fault
	}{
		{"the first byte", "\xff", nil, Fault{1, 1, "byte 0xff is not UTF-8 text"}},
		{"after characters of several bytes", "aé€\xc3(", nil, Fault{1, 4, "byte 0xc3 is not UTF-8 text"}},
		{"in a later line", "a\n\nbc\x80", nil, Fault{3, 3, "byte 0x80 is not UTF-8 text"}},
		{"a refused character", "a\nb\x07\xff", control, Fault{2, 2, "control character U+0007 is not allowed"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := First([]byte(tt.data), tt.refused); got == nil || *got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTextHasNoFault(t *testing.T) {
	for _, data := range []string{"", "a\nb", "\x07", "\uFFFD"} { // U+FFFD itself is text
		if got := First([]byte(data), nil); got != nil {
			t.Errorf("%q: %v", data, *got)
		}
	}
}
