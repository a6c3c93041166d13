package words

import "testing"

func TestOnlyLinesThatDoNotFitAreBroken(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a paragraph that fits stays", "one two\nthree\n", "one two\nthree\n"},
		{"a paragraph is broken as a whole", "one two three four\nfive\n\nsix\n", "one two\nthree four\nfive\n\nsix\n"},
		{"an explanation is broken below itself", "  -a  one two\n  -b  two\n", "  -a  one\n      two\n  -b  two\n"},
		{"a command is copied whole", "  lockquake run gc-pause\n", "  lockquake run gc-pause\n"},
	} {
		if got := (Screen{Width: 10}).Reflow(test.text); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
