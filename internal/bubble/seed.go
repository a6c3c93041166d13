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
	const seedable = "randseednop=0"
	if settings := os.Getenv("GODEBUG"); !strings.Contains(settings, seedable) {
		t.Setenv("GODEBUG", strings.TrimPrefix(settings+","+seedable, ","))
	}
	mathrand.Seed(int64(seed)) //nolint:staticcheck // the only way to seed what a library draws
}
