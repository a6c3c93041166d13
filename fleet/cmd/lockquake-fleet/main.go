// Command lockquake-fleet is lockquake with campaigns on many machines.
package main

import (
	"lockquake/cmd/command"
	"lockquake/fleet"
)

func main() { command.Main(fleet.Commands()) }
