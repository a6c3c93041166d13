// Command lockquake shakes distributed locks until they break.
package main

import "lockquake/cmd/command"

func main() { command.Main() }
