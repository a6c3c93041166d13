package command_test

import (
	"lockquake/cmd/command"
	"lockquake/scenarios"
)

// This program has one more lock: the first of the catalogue, which excludes no worker,
// under another name.
func ExampleMain() {
	everybody := scenarios.Strategies()[0].New
	command.Main(
		command.WithStrategy("everybody", "lets everybody in", everybody),
		command.WithProgram("go run ./mylockquake"),
	)
}
