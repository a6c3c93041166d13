package postgres_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
)

// coverage counts how often sequences have met each case, with the same result on both sides.
type coverage struct {
	mu    sync.Mutex
	parts []coveragePart
}

type coveragePart struct {
	title string
	met   map[string]int
}

// The parts of a coverage.
const (
	partStatements = iota
	partFunctions
	partErrors
	partEdges
)

// newCoverage returns a coverage with all cases, at 0. The functions and errors are those in the
// sources of the simulation, so that a new one needs a sequence.
func newCoverage(t *testing.T) *coverage {
	t.Helper()
	none := func(names []string) map[string]int {
		met := map[string]int{}
		for _, name := range names {
			met[name] = 0
		}
		return met
	}
	return &coverage{parts: []coveragePart{
		{"statement", none(statementTags())},
		{"function", none(slices.DeleteFunc(simulatedFunctions(t), isUnmetFunction))},
		{"error", none(slices.DeleteFunc(simulatedErrors(t), isUnmetError))},
		{"edge", none(sortedKeys(edges()))},
	}}
}

// statementTags returns the tags of the statements that are simulated.
func statementTags() []string {
	return []string{
		"SELECT", "INSERT", "UPDATE", "DELETE", "BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK", "SET", "SHOW", "RESET", "DISCARD ALL",
		"CREATE TABLE", "DROP TABLE", "TRUNCATE TABLE", "CREATE INDEX", "DROP INDEX", "CREATE SEQUENCE", "ALTER SEQUENCE", "DROP SEQUENCE", "LOCK TABLE",
	}
}

var (
	caseLine = regexp.MustCompile(`(?m)^\tcase (".*"):$`)
	aWord    = regexp.MustCompile(`"([a-z_]+)"`)
	aState   = regexp.MustCompile(`"([0-9][0-9A-Z]{4})"`)
)

// simulatedFunctions returns the names of the functions in the sources.
func simulatedFunctions(t *testing.T) []string {
	t.Helper()
	names := map[string]bool{"pg_advisory_unlock_all": true}
	for _, file := range []string{"advisory.go", "function.go"} {
		for _, line := range caseLine.FindAllStringSubmatch(source(t, filepath.Join("engine", file)), -1) {
			for _, name := range aWord.FindAllStringSubmatch(line[1], -1) {
				names[name[1]] = true
				if file == "advisory.go" {
					names[name[1]+"_shared"] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// simulatedErrors returns the SQLSTATEs in the sources.
func simulatedErrors(t *testing.T) []string {
	t.Helper()
	codes := map[string]bool{}
	for _, pattern := range []string{"engine/*.go", "sql/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no sources in %s: %v", pattern, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, code := range aState.FindAllStringSubmatch(source(t, file), -1) {
				codes[code[1]] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(codes))
}

func source(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// isUnmetFunction reports whether no sequence can compare a function.
func isUnmetFunction(name string) bool {
	return name == "version" // of the server
}

// isUnmetError reports whether no sequence can meet an error.
func isUnmetError(code string) bool {
	switch code {
	case "08006", // no client is left to read it
		"0A000", // says what is not simulated
		"25P01", // a warning in PostgreSQL
		"25P03": // comes when no statement is under way
		return true
	}
	return false
}

// edges returns the cases of waiting, each with what tells it.
func edges() map[string]func(x *exchange) bool {
	waits := func(enough func(x *exchange, name string, blockers []string) bool) func(x *exchange) bool {
		return func(x *exchange) bool {
			for name, blockers := range x.sim.waiting {
				if enough(x, name, blockers) {
					return true
				}
			}
			return false
		}
	}
	// ends tells a statement of another session than the acting one that ends in this step.
	ends := func(enough func(r *result) bool) func(x *exchange) bool {
		return func(x *exchange) bool {
			for name, r := range x.sim.results {
				if name != x.step.session && enough(r) {
					return true
				}
			}
			return false
		}
	}
	failed := func(code string) func(r *result) bool {
		return func(r *result) bool { return r.err != nil && r.err.code == code }
	}
	return map[string]func(x *exchange) bool{
		"a session waits for one session":  waits(func(_ *exchange, _ string, b []string) bool { return len(b) == 1 }),
		"a session waits for two sessions": waits(func(_ *exchange, _ string, b []string) bool { return len(b) == 2 }),
		"a session waits behind one that waits": waits(func(x *exchange, _ string, b []string) bool {
			return len(b) > 0 && x.sim.waiting[b[0]] != nil
		}),
		"a step releases two sessions": func(x *exchange) bool {
			others := len(x.sim.results)
			if x.sim.results[x.step.session] != nil {
				others--
			}
			return others >= 2
		},
		"a deadlock ends the statement that closes the circle": func(x *exchange) bool {
			r := x.sim.results[x.step.session]
			return r != nil && failed("40P01")(r)
		},
		"a statement fails after it has waited for a row in repeatable read": ends(failed("40001")),
		"an insert fails after it has waited for a key":                      ends(failed("23505")),
		"a row no longer matches after the wait":                             ends(func(r *result) bool { return r.tag == "UPDATE 0" }),
		"a statement is canceled while it waits":                             ends(failed("57014")),
		"a session is terminated while it waits": func(x *exchange) bool {
			r := x.sim.results[x.step.session]
			return x.step.text == actTerminate && r != nil && failed("57P01")(r)
		},
		"a lock timeout ends a wait": func(x *exchange) bool {
			r := x.sim.results[x.step.session]
			return x.step.rest == '!' && r != nil && failed("55P03")(r)
		},
		"a session whose client is gone waits": waits(func(x *exchange, name string, _ []string) bool {
			return x.step.text == actGone && name == x.step.session
		}),
	}
}

var calls = regexp.MustCompile(`([a-z_]+)\(`)

// add counts the exchanges of a sequence.
func (c *coverage) add(all []exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	count := func(part int, name string) {
		if _, known := c.parts[part].met[name]; known {
			c.parts[part].met[name]++
		}
	}
	for i := range all {
		x := &all[i]
		if !x.same() {
			continue
		}
		for _, r := range x.sim.results {
			if r.err != nil {
				count(partErrors, r.err.code)
			}
			count(partStatements, strings.TrimRight(r.tag, " 0123456789"))
		}
		if r := x.sim.results[x.step.session]; r != nil && r.err == nil {
			for _, call := range calls.FindAllStringSubmatch(x.step.text, -1) {
				count(partFunctions, call[1])
			}
		}
		for name, tells := range edges() {
			if tells(x) {
				count(partEdges, name)
			}
		}
	}
}

// check fails the test for each case that was never met.
func (c *coverage) check(t *testing.T) {
	t.Helper()
	for _, part := range c.parts {
		for _, name := range sortedKeys(part.met) {
			if part.met[name] == 0 {
				t.Errorf("%s never met: %s", part.title, name)
			}
		}
	}
}

// checkEdges fails the test for each case of waiting that was never met.
func (c *coverage) checkEdges(t *testing.T) {
	t.Helper()
	(&coverage{parts: c.parts[partEdges:]}).check(t)
}

// String returns how often each case was met, as a table.
func (c *coverage) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, part := range c.parts {
		_, _ = fmt.Fprintf(w, "\n%s\tmet\n", part.title)
		for _, name := range sortedKeys(part.met) {
			_, _ = fmt.Fprintf(w, "%s\t%d\n", name, part.met[name])
		}
	}
	_ = w.Flush()
	return b.String()
}
