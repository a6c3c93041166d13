// Command mylockquake is lockquake with a lock of your own, as you would write it in your own
// module.
package main

import "lockquake/cmd/command"

func main() {
	command.Main(command.WithEntry(entry()), command.WithProgram("go run ."))
}
