package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"lockquake/reports/words"
)

// narrowest is the width of the narrowest screen that a text is laid out for, in columns.
const narrowest = 80

// screenOf returns the screen behind a stream. Its width is that of the terminal, or what COLUMNS says,
// but at least 80 columns; a file and a pipe have words.UsualWidth. What a program reads does not depend
// on it: JSON, Markdown, and the files of a report.
func screenOf(w any) words.Screen {
	screen := words.Screen{Color: colours(w)}
	f, ok := w.(*os.File)
	if !ok {
		return screen
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		screen.Width = max(narrowest, columns)
	} else if isTerminal(f) {
		screen.Width = max(narrowest, widthOf(f))
	}
	return screen
}

// say prints a sentence, wrapped for the screen behind a stream.
func say(w io.Writer, format string, args ...any) {
	var b bytes.Buffer
	screenOf(w).Prose(&b, "", "", "  ", fmt.Sprintf(format, args...))
	fmt.Fprint(w, b.String())
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// widthOf returns the number of columns of a terminal, or narrowest if it is not known.
func widthOf(f *os.File) int {
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width
	}
	return narrowest
}

// colours reports whether output to a stream is coloured: the stream is a terminal or
// CLICOLOR_FORCE is set, and the environment does not forbid colours.
func colours(w any) bool {
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	if force := os.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return isTerminal(w) && os.Getenv("TERM") != "dumb"
}
