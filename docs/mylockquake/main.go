// Command mylockquake is lockquake with a lock of one's own, as a module of one's
// own would have it.
package main

import "lockquake/cmd/command"

func main() {
	command.Main(
		command.WithStrategy("mine", "SET NX with a lease, and DEL to release", newMine),
		command.WithProgram("go run ./mylockquake"),
	)
}
