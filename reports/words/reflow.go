package words

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// entry is an indented line that explains a name: the name, and the explanation after two spaces or more.
var entry = regexp.MustCompile(`^( +\S+(?: \S+)* {2,})(\S.*)$`)

// Reflow breaks the lines of a text that do not fit on the screen. It joins a paragraph that has such a
// line and breaks all of it. It indents the further lines of an explanation below its first. Other
// indented lines, such as commands, stay as they are, since a reader copies them.
func (s Screen) Reflow(text string) string {
	var b bytes.Buffer
	var paragraph []string
	long := func(line string) bool { return Width(line) > s.Columns() }
	flush := func() {
		lines := paragraph
		if slices.ContainsFunc(paragraph, long) {
			lines = Wrap(strings.Join(paragraph, " "), s.Columns())
		}
		for _, line := range lines {
			b.WriteString(line + "\n")
		}
		paragraph = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line != "" && !strings.HasPrefix(line, " ") {
			paragraph = append(paragraph, line)
			continue
		}
		flush()
		if parts := entry.FindStringSubmatch(line); parts != nil && long(line) {
			s.Prose(&b, "", parts[1], strings.Repeat(" ", Width(parts[1])), parts[2])
		} else {
			b.WriteString(line + "\n")
		}
	}
	flush()
	return b.String()
}
