package command

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The command of each row of the track record says first what was violated, and prints no more than a
// screen. The story ends a few lines after the one that completes the violation.
func TestEachCommandOfTheTrackRecordSaysFirstWhatWentWrong(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs many scenarios")
	}
	page, err := os.ReadFile("../../docs/failures.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\|.*\\| `lockquake (reproduce [^`]+)` \\| `([a-z-]+)` \\|$").FindAllStringSubmatch(string(page), -1)
	if len(rows) < 26 {
		t.Errorf("the track record has %d commands", len(rows))
	}
	for _, row := range rows {
		const screen, aftermath = 45, 12
		var out bytes.Buffer
		if code := newProgram(nil).execute(t.Context(), shellWords(row[1]), &out, io.Discard); code != exitOK {
			t.Errorf("%s: exit code %d", row[1], code)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) > screen || len(lines) < 4 {
			t.Fatalf("%s: %d lines", row[1], len(lines))
		}
		if !strings.Contains(lines[2], " invalid: ") {
			t.Errorf("%s: the first line after the title is %q", row[1], lines[2])
		}
		if !regexp.MustCompile(`(?m)^([a-z-]+, )*` + row[2] + `(, [a-z-]+)* invalid: `).MatchString(out.String()) {
			t.Errorf("%s: %s is not violated", row[1], row[2])
		}
		decisive := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "! ") })
		if decisive < 0 {
			t.Fatalf("%s: no line completes the violation", row[1])
		}
		if after := slices.Index(lines[decisive:], ""); after-1 > aftermath {
			t.Errorf("%s: %d lines after the one that completes the violation", row[1], after-1)
		}
	}
}
