//go:build race

package run_test

// underRace says that the race detector watches the tests, which adds to the memory of each goroutine.
const underRace = true
