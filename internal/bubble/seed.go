package bubble

import (
	mathrand "math/rand"
	"os"
	"strings"
	"testing"
	"testing/cryptotest"
)

// Seed makes crypto/rand and the global generator of math/rand return the same numbers for the same seed, until
// the test ends. The global generator of math/rand/v2 cannot be seeded. The test must not be parallel.
func Seed(t *testing.T, seed uint64) {
	cryptotest.SetGlobalRandom(t, seed)
	// Go honours a seed of math/rand, and prints the label of a bubble in the stack of a panic.
	const needed = "randseednop=0,tracebacklabels=1"
	if settings := os.Getenv("GODEBUG"); !strings.Contains(settings, needed) {
		t.Setenv("GODEBUG", strings.TrimPrefix(settings+","+needed, ","))
	}
	mathrand.Seed(int64(seed)) //nolint:staticcheck // the only way to seed what a library draws
}
