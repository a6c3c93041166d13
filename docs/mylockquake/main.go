// Command mylockquake is lockquake with a lock of your own, as you would write it in your own
// module.
package main

import "lockquake/cmd/command"

func main() {
	command.Main(
		command.WithStrategy("mine", "SET NX with a lease, and DEL to release", newMine),
		command.WithProgram("go run ./mylockquake"),
	)
}
