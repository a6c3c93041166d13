// Package locktest runs scenarios in ordinary Go tests.
//
//	func TestMine(t *testing.T) {
//		mine := lock.Entry{Name: "mine", Doc: "SET NX with a lease", New: newMine}
//		locktest.RunEntry(t, "gc-pause", mine, locktest.Seeds(200), locktest.Holds("lost-update"))
//	}
//
// [RunEntry] fails with what went wrong and how often, the story of the smallest run that fails, and
// the command that repeats it. It prints nothing if everything is as expected.
//
// # A tour
//
//   - runentry.go: RunEntry, and which expectation decides.
//   - options.go: [Seeds], [Set], [Holds] and [Violates].
//   - failure.go: the text of a failure, and its shrunk scenario.
//   - replay.go: the flag -lockquake.replay.
package locktest
