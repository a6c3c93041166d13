// Package command is the command lockquake: its command line, its progress and its
// exit codes. A program of one's own has all of it, with locks of its own beside
// those of the catalogue:
//
//	func main() {
//		command.Main(command.WithStrategy("mine", "what it is, in one line", newMine))
//	}
//
// The folder docs/mylockquake holds such a program whole.
//
// # A tour
//
//   - [Main] carries out a command line, and ends the process (command.go). [Option]
//     says what a program has of its own (program.go).
//   - root.go puts the commands together, and loads scenarios for all of them. Each
//     command has a file by its name; what run and merge do with a result is in
//     delivery.go and summary.go, and progress is shown by progress.go.
//   - complete.go is what a shell is offered.
//   - The pages of the documentation that list what the program knows are made by
//     internal/docgen, which only a test calls (reference_test.go).
package command
