package servers

import (
	"os"
	"strconv"
	"strings"
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
		t.Fatalf("%s=%s is no number and no range", howMany, text)
	}
	return first, last
}
