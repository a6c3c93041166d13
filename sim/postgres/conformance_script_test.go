package postgres_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// step is one step of a sequence: a session does something, and then everything comes to rest, so
// each statement has ended or waits for a lock.
//
//	a: select pg_advisory_lock($1) <- 7     a statement, and its arguments
//	a! select pg_advisory_lock(7)           the same, and time passes until it has ended
//	a& select pg_advisory_lock(7)           the same, and no time passes: nothing looks for deadlocks
//	a: \cancel                              another session cancels the statement of a
//	a: \terminate                           another session terminates a
//	a: \close                               the client of a leaves
//	a: \gone                                the client of a is gone, and does not say so
//	a: \expire                              time passes until the server has ended a
//
// An argument null is the value, and @b is the process of session b.
type step struct {
	session string
	rest    byte // ':', '!' or '&'
	text    string
	args    []string
}

type sequence []step

// The actions that are no statements.
const (
	actCancel    = `\cancel`
	actTerminate = `\terminate`
	actClose     = `\close`
	actGone      = `\gone`
	actExpire    = `\expire`
)

// parse reads a sequence, one step a line.
func parse(t *testing.T, text string) sequence {
	t.Helper()
	var s sequence
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.IndexAny(line, ":!&")
		if at != 1 || len(line) < 4 {
			t.Fatalf("%q is no step", line)
		}
		st := step{session: line[:at], rest: line[at], text: strings.TrimSpace(line[at+1:])}
		if statement, args, found := strings.Cut(st.text, " <- "); found {
			st.text, st.args = strings.TrimSpace(statement), strings.Split(args, ", ")
		}
		s = append(s, st)
	}
	return s
}

func (s step) String() string {
	text := fmt.Sprintf("%s%c %s", s.session, s.rest, s.text)
	if len(s.args) > 0 {
		text += " <- " + strings.Join(s.args, ", ")
	}
	return text
}

func (s sequence) String() string {
	var b strings.Builder
	for _, st := range s {
		b.WriteString(st.String() + "\n")
	}
	return b.String()
}

// sessions returns the names of the sessions of a sequence, in order.
func (s sequence) sessions() []string {
	var names []string
	for _, st := range s {
		names = append(names, st.session)
		for _, arg := range st.args {
			if other, isPID := strings.CutPrefix(arg, "@"); isPID {
				names = append(names, other)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// side is a database that runs sequences: the real one or the simulated one.
type side interface {
	// open begins a sequence with an empty database and new sessions.
	open(names []string) error
	// do runs a step and returns what can be seen after it.
	do(st step) (*sight, error)
}

// sight has all that can be seen after a step.
type sight struct {
	results map[string]*result  // of the statements that have ended in the step, by session
	waiting map[string][]string // the sessions for which a session waits, by session
	over    []string            // the sessions that the step has ended
}

// result is the result of a statement.
type result struct {
	params  []string // types
	columns []string // name and type
	rows    [][]string
	tag     string
	err     *failure
	status  byte // of the session: 'I', 'T' or 'E'; 0 if the session is over
}

type failure struct{ severity, code, message string }

// The texts of values that no two servers have in common.
const (
	someTime     = "(time)"
	someInterval = "(interval)"
)

// String returns what can be seen as lines, in the order of the sessions.
func (s *sight) String() string {
	var lines []string
	for name, r := range s.results {
		lines = append(lines, name+" "+r.String())
	}
	for name, others := range s.waiting {
		lines = append(lines, name+" waits for "+strings.Join(others, ", "))
	}
	for _, name := range s.over {
		lines = append(lines, name+" is over")
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func (r *result) String() string {
	if r.err != nil {
		return fmt.Sprintf("%s %s: %s [%s]", r.err.severity, r.err.code, r.err.message, r.statusText())
	}
	text := r.tag
	if len(r.params) > 0 {
		text += fmt.Sprintf(" takes %s", strings.Join(r.params, ", "))
	}
	if len(r.columns) > 0 {
		text += fmt.Sprintf(" (%s)", strings.Join(r.columns, ", "))
	}
	for _, row := range r.rows {
		text += fmt.Sprintf(" %q", row)
	}
	return fmt.Sprintf("%s [%s]", text, r.statusText())
}

func (r *result) statusText() string {
	if r.status == 0 {
		return "over"
	}
	return string(r.status)
}

// normal puts rows in order whose order the statement leaves open.
func (r *result) normal(statement string) *result {
	if !strings.Contains(strings.ToLower(statement), "order by") {
		slices.SortFunc(r.rows, slices.Compare)
	}
	return r
}
