package servers

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// howMany is the environment variable with the number of random sequences.
const howMany = "LOCKQUAKE_CONFORMANCE"

// EnoughSequences is the number of random sequences with which a conformance test must have covered
// every case.
const EnoughSequences = 10_000

// Sequences returns the first and the last number of the random sequences that a conformance test
// compares: 1 to 300, or to the number in LOCKQUAKE_CONFORMANCE, or with "6302-6400" those.
func Sequences(t *testing.T) (first, last int) {
	t.Helper()
	text := os.Getenv(howMany)
	switch {
	case text == "" && testing.Short():
		return 1, 30
	case text == "":
		return 1, 300
	}
	from, to, isRange := strings.Cut(text, "-")
	if !isRange {
		from, to = "1", text
	}
	first, err1 := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	if err1 != nil || err2 != nil {
		t.Fatalf("%s=%s is neither a number nor a range", howMany, text)
	}
	return first, last
}

// Coverage counts the cases that the random sequences of a conformance test have met.
type Coverage struct {
	mu    sync.Mutex
	cases []string
	met   map[string]int
}

// NewCoverage returns a Coverage of cases. A case is a text that answers contain.
func NewCoverage(cases ...string) *Coverage {
	return &Coverage{cases: cases, met: map[string]int{}}
}

// Add counts the cases in some answers.
func (c *Coverage) Add(answers ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, answer := range answers {
		for _, text := range c.cases {
			if strings.Contains(answer, text) {
				c.met[text]++
			}
		}
	}
}

// Check logs how often each case was met, and fails the test if one never was.
func (c *Coverage) Check(t *testing.T) {
	t.Helper()
	for _, text := range c.cases {
		t.Logf("%6d %q", c.met[text], text)
		if c.met[text] == 0 {
			t.Errorf("no sequence met %q", text)
		}
	}
}
