package command

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A screen that says no width has 100 columns.
func TestAFileIsAsWideAsCOLUMNSSays(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for columns, want := range map[string]int{"": 100, "132": 132, "40": 80, "-1": 100, "wide": 100} {
		t.Setenv("COLUMNS", columns)
		if got := screenOf(file).Columns(); got != want {
			t.Errorf("COLUMNS=%s gives %d columns, want %d", columns, got, want)
		}
		if got := screenOf(io.Discard).Columns(); got != 100 {
			t.Errorf("COLUMNS=%s gives a buffer %d columns, want 100", columns, got)
		}
	}
}

func TestTheEnvironmentDecidesOnColours(t *testing.T) {
	for _, test := range []struct {
		noColor, force, term string
		want                 bool
	}{
		{"", "", "xterm", false}, // it is no terminal
		{"", "1", "xterm", true},
		{"", "0", "xterm", false},
		{"", "1", "dumb", true},
		{"1", "1", "xterm", false},
	} {
		t.Setenv("NO_COLOR", test.noColor)
		t.Setenv("CLICOLOR_FORCE", test.force)
		t.Setenv("TERM", test.term)
		if got := colours(io.Discard); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
