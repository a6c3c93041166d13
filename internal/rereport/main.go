package main

import (
	"errors"
	"fmt"
	"os"

	"lockquake/reports"
	"lockquake/scenarios/results"
)

func main() {
	if err := rereport(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// rereport reads the results.json of the first argument, and writes a report into the
// directory of the second.
func rereport(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: rereport results.json directory")
	}
	c, err := results.Read(args[0])
	if err != nil {
		return err
	}
	return reports.WriteDir(args[1], c, []byte(c.Text), nil)
}
