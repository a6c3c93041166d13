// Package command implements the command lockquake: its command line, its progress and its
// exit codes. Your own program can use all of it with locks of its own beside those of the
// catalogue:
//
//	func main() {
//		command.Main(command.WithStrategy("mine", "what it is, in one line", newMine))
//	}
//
// The folder docs/mylockquake has a complete program.
//
// # A tour
//
//   - [Main] runs a command line and exits (command.go). An [Option] adds a lock or sets
//     the name of the program (program.go).
//   - root.go creates the commands and loads scenarios for all of them. Each command has a
//     file with its name, except replay (reproduce.go), validate (list.go) and help (root.go):
//     advise, check, compare, explore, hiccup, init, list, matrix, merge, rate, reproduce, run,
//     schema, shrink, sweep and version. checkhistory.go is the part of check for histories of
//     lockquake, checkjepsen.go the one for those of Jepsen, and checkresult.go prints the result.
//     ask.go asks for the inputs of advise and init. An [Extension] adds commands
//     of another module (extension.go).
//   - flags.go has the flags that several commands share. set.go has --set and --pauses, and
//     loads a scenario with them or from a token. shard.go has --shard.
//   - delivery.go prints and writes the results of run and merge, summary.go adds them to the
//     summary of a job of GitHub Actions, and annotate.go prints what GitHub Actions shows
//     beside the lines of a scenario.
//   - progress.go shows the progress, and screen.go lays out text for a terminal. points.go
//     describes points, libraries.go names the strategy that runs for a library, and large.go
//     announces the memory of large runs.
//   - complete.go offers completions to a shell.
//   - internal/docgen writes the reference of the documentation; only a test calls it
//     (reference_test.go).
package command
