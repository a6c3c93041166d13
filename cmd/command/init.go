package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func (p program) newInit() *cobra.Command {
	f := adviseFlags{program: p}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a scenario with comments for a lock with its pauses, latency and work",
		Long: `Init takes the same inputs as advise, and writes the scenario that advise runs: the lock,
alternatives to it, and the faults that its servers can have. It runs nothing. With --ttl '?' the
scenario has the usual TTL of the lock; advise searches for one.`,
		Example: `  lockquake init --topology failover --renew 10s --pauses "up to 3s" --out lock.yaml
  lockquake run lock.yaml`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return f.init(ctx, cmd)
		},
	}
	f.flags(cmd, "lock.yaml")
	return cmd
}

func (f *adviseFlags) init(ctx context.Context, cmd *cobra.Command) error {
	in, err := f.inputs(ctx, cmd)
	if err != nil {
		return err
	}
	s, err := in.Scenario(f.out, f.program.name)
	if err != nil {
		return flagged("init:", err)
	}
	f.warn(cmd.ErrOrStderr(), s)
	if err := writeScenario(f.out, s.Text); err != nil {
		return err
	}
	say(cmd.OutOrStdout(), "%s: %s", f.out, in.Describe())
	fmt.Fprintf(cmd.OutOrStdout(), "run it with: %s run %s\n", f.program.name, s.Argument())
	return nil
}
