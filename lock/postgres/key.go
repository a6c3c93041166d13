package postgres

import (
	"fmt"
	"hash/fnv"
)

// AdvisoryKey returns the number of the advisory lock of a name: the FNV-1a hash of the name, in 64
// bits.
func AdvisoryKey(name string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // it never fails
	return int64(h.Sum64())
}

// advisoryRecord returns the name of the record of the advisory lock of a name.
func advisoryRecord(name string) string { return fmt.Sprintf("advisory/%d", AdvisoryKey(name)) }
