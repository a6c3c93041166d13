package command

import (
	"errors"
	"strconv"

	"github.com/spf13/cobra"
)

// jobs is the value of --jobs. It is not negative.
type jobs int

// JobsFlag adds --jobs to a command: how many units, such as "runs", it does at a time. 0, the default, is one per
// processor; a negative number is a usage error.
func JobsFlag(cmd *cobra.Command, into *int, unit string) {
	cmd.Flags().Var((*jobs)(into), "jobs", unit+" at a time; 0, the default: one per processor")
	completeFlag(cmd, "jobs", cobra.NoFileCompletions)
}

func (j *jobs) String() string { return strconv.Itoa(int(*j)) }

func (j *jobs) Type() string { return "int" }

func (j *jobs) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return errors.New("must be 0 or a positive integer")
	}
	*j = jobs(n)
	return nil
}
