package bubble

import (
	crand "crypto/rand"
	"math/rand"
)

// numbersOf draws from the global generators.
func numbersOf() []int64 {
	b := make([]byte, 4)
	_, _ = crand.Read(b)
	return []int64{int64(b[0]), int64(b[1]), int64(b[2]), rand.Int63(), rand.Int63()}
}
