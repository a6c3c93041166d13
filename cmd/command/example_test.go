package command_test

import (
	"lockquake/cmd/command"
	"lockquake/scenarios"
)

// A program that knows one lock more. Here that is the first of the catalogue, which
// lets everybody in, under another name.
func ExampleMain() {
	everybody := scenarios.Strategies()[0].New
	command.Main(
		command.WithStrategy("everybody", "lets everybody in", everybody),
		command.WithProgram("go run ./mylockquake"),
	)
}
