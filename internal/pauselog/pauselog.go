package pauselog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Kind names the sort of a file.
type Kind string

// The kinds of files.
const (
	List      Kind = "list of durations"
	GoTrace   Kind = "gctrace log of Go"
	Safepoint Kind = "safepoint log of a JVM"
	JVMGC     Kind = "garbage collection log of a JVM"
	Hiccups   Kind = "recording of lockquake hiccup"
)

// Log is the content of a file.
type Log struct {
	Kind   Kind
	Pauses []time.Duration // in the order of the file
	// Span is the time from the first pause to the last by the stamps of the log, 0 if it has
	// none. The time between two processes that write to one log does not count. Of recordings of
	// hiccups it is the sum of the times that their first lines say.
	Span time.Duration
}

// Longest returns the longest pause, 0 if there is none.
func (l Log) Longest() time.Duration {
	if len(l.Pauses) == 0 {
		return 0
	}
	return slices.Max(l.Pauses)
}

// Fit returns an error that wraps [ErrTooMany] or is [ErrQuiet] if a scenario cannot have the pauses as samples. A list is
// bounded by the size of its file only.
func (l Log) Fit() error {
	switch n := len(l.Pauses); {
	case n == 0:
		return ErrQuiet
	case n > MaxPauses && l.Kind != List:
		return fmt.Errorf("%w: %d, and a scenario takes at most %d; use a shorter stretch", ErrTooMany, n, MaxPauses)
	}
	return nil
}

// LineError reports a line that does not belong in its file.
type LineError struct {
	File string
	Line int // from 1
	Text string
}

// Error returns one line, "file:line: text".
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// ErrEmpty reports a file without a pause.
var ErrEmpty = errors.New("the file has no duration, and no line of a pause log")

// ErrQuiet reports a recording of hiccups that has none.
var ErrQuiet = errors.New("the recording has no pause")

// ErrTooMany reports a log with more than MaxPauses.
var ErrTooMany = errors.New("the log has too many pauses")

// MaxPauses bounds the pauses of a log in a scenario, so that a scenario file that includes them
// stays below its own bound.
const MaxPauses = 50_000

// Read reads the pauses of a file. Name is the name of the file, for error messages. The error is a
// [*LineError] or [ErrEmpty]. Only a recording of hiccups may be without a pause: the machine had none.
func Read(name string, data []byte) (Log, error) {
	lines := strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n") // editors on Windows begin a file with this mark
	logs := readLogs(lines)
	if len(logs) == 0 {
		return readList(name, lines)
	}
	main := logs[0]
	for _, other := range logs[1:] {
		if runtimeOf(main.Kind) != runtimeOf(other.Kind) {
			return Log{}, &LineError{name, other.line, fmt.Sprintf("a line of a %s, and line %d is of a %s: a file is one of them", other.Kind, main.line, main.Kind)}
		}
		// The line of a collection and that of its safepoint have the same pause. A safepoint
		// includes the time until all threads have stopped.
		if other.Kind == Safepoint {
			main = other
		}
	}
	if at := slices.IndexFunc(lines, isDuration); at >= 0 {
		return Log{}, &LineError{name, at + 1, fmt.Sprintf("%s is a bare duration, and line %d is of a %s: a file is one of them", quote(lines[at]), main.line, main.Kind)}
	}
	return main.Log, nil
}

// runtimeOf returns the kind that stands for all kinds of logs of one runtime.
func runtimeOf(k Kind) Kind {
	if k == JVMGC {
		return Safepoint
	}
	return k
}

// readList reads one duration a line. Empty lines and those that begin with # do not count.
func readList(name string, lines []string) (Log, error) {
	log := Log{Kind: List}
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		d, err := time.ParseDuration(line)
		if err != nil {
			text := quote(line) + " is not a duration such as 150ms"
			if !utf8.ValidString(line) || strings.ContainsRune(line, 0) {
				text = "the line is not text in UTF-8"
			} else if len(log.Pauses) == 0 {
				text += ", and no line of the file is a pause in a log of Go or of a JVM"
			}
			return Log{}, &LineError{name, i + 1, text}
		}
		if d < 0 || d > longest {
			return Log{}, &LineError{name, i + 1, quote(line) + " is not between 0s and ten years"}
		}
		log.Pauses = append(log.Pauses, d)
	}
	if len(log.Pauses) == 0 {
		return Log{}, ErrEmpty
	}
	return log, nil
}

// isDuration reports whether a line is one of a list. Any program can print a bare 0.
func isDuration(line string) bool {
	line = strings.TrimSpace(line)
	_, err := time.ParseDuration(line)
	return err == nil && line != "0"
}

// quote returns a line in quotes, and shortens a long one.
func quote(line string) string {
	const longest = 40
	return fmt.Sprintf("%q", strings.ToValidUTF8(line[:min(len(line), longest)], "?"))
}
