package fleet

import (
	"cmp"
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockquake/cmd/command"
)

// Commands adds the commands serve, work, jobs and remove to a program, and the flag --on to its command run.
func Commands() command.Option {
	return command.WithExtension(command.Extension{
		Program: "lockquake-fleet",
		Title:   "On many machines:",
		Commands: func(p command.Program) []*cobra.Command {
			return []*cobra.Command{newServe(), newWork(p), newJobs(p), newRemove(p), newPiece(p)}
		},
		RunFlags: runFlags,
	})
}

// runFlags adds the flags of a fleet to run.
func runFlags(p command.Program, flags *pflag.FlagSet) func() (command.Executor, error) {
	var a access
	var on string
	var pieceSeeds int
	flags.StringVar(&on, "on", "", "run the campaign on the workers of this server, as in nats://host:4222; after Ctrl-C they continue, and --resume waits for them again")
	flags.IntVar(&pieceSeeds, "piece-seeds", 0, "seeds of a piece of the campaign (default: as many as take about a minute)")
	command.PositiveFlags(flags, "piece-seeds")
	a.flags(flags)
	return func() (command.Executor, error) {
		if on == "" {
			for _, name := range append(accessFlags(), "piece-seeds", "on") {
				if flags.Changed(name) {
					return nil, command.Usagef("--%s needs --on with the address of a server, as in nats://host:4222", name)
				}
			}
			return nil, nil //nolint:nilnil // nothing is to be done elsewhere
		}
		q, err := a.connect(on, p.Name+" run")
		if err != nil {
			return nil, err
		}
		c := &client{queue: q, program: p, pieceSeeds: pieceSeeds}
		return c.run, nil
	}
}

// answerWait is the most time that jobs and remove wait for the server.
const answerWait = time.Minute

const authDoc = `
The address may have the user and the password, as in nats://user:password@host:4222. A tls:// address, credentials and
certificates work as with any NATS server; the flags and their variables are those of the command nats.`

func newServe() *cobra.Command {
	var s serving
	cmd := &cobra.Command{
		Use:   "serve --dir DIR",
		Short: "Run the server of a fleet",
		Long: `Serve runs a NATS server with JetStream, which keeps the campaigns, their pieces and their results in DIR until they
are removed. It can be killed at any moment: started again with the same DIR, it continues.
An existing NATS server or cluster with JetStream can take its place.

With --config it takes the file of a nats-server, for users, TLS and clusters.

Exit codes: 0 ended by Ctrl-C or SIGTERM, 64 usage error, 70 the server failed.`,
		Example: `  lockquake serve --dir state
  lockquake serve --dir state --listen 0.0.0.0:4222 --config nats.conf`,
		Args:              command.NoArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := command.Interruptible(cmd.Context())
			defer stop()
			return s.serve(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&s.dir, "dir", "", "directory of the state")
	flags.StringVar(&s.listen, "listen", "", "address to listen on (default :4222, or that of --config)")
	flags.StringVar(&s.config, "config", "", "file with the configuration of a nats-server")
	return cmd
}

func newWork(p command.Program) *cobra.Command {
	var a access
	var jobs int
	lease := usualWait
	cmd := &cobra.Command{
		Use:   "work [ADDRESS]",
		Short: "Run pieces of the campaigns of a fleet",
		Long: `Work takes pieces of campaigns from the server, runs each in a process of its own, and stores the results. It takes only
campaigns of its own build: version, commit, and the same locks if the program has some of its own. It says which campaigns
it refuses.

A worker may be killed at any moment: its pieces go to other workers after the lease. Ctrl-C or SIGTERM gives them back
at once. ADDRESS is by default that of $NATS_URL.
` + authDoc + `

Exit codes: 0 ended by Ctrl-C or SIGTERM, 64 usage error, 70 no server answers.`,
		Example: `  lockquake work nats://host:4222
  lockquake work nats://host:4222 --jobs 16`,
		Args:              atMostOne,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if lease < leastWait {
				return command.Usagef("--lease is at least %v, not %v", leastWait, lease)
			}
			ctx, stop := command.Interruptible(cmd.Context())
			defer stop()
			q, err := connectTo(a, p, cmd, args)
			if err != nil {
				return err
			}
			defer q.close()
			return newWorker(q, p, jobs, lease, cmd.OutOrStdout()).work(ctx)
		},
	}
	flags := cmd.Flags()
	command.JobsFlag(cmd, &jobs, "pieces")
	flags.DurationVar(&lease, "lease", lease, "how long a worker may be silent before its pieces go to others; the last worker that starts sets it for all of its build")
	a.flags(flags)
	return cmd
}

func newJobs(p command.Program) *cobra.Command {
	var a access
	cmd := &cobra.Command{
		Use:   "jobs [ADDRESS]",
		Short: "List the campaigns of a fleet",
		Long: `Jobs lists the campaigns that the server has: how many pieces are done, and which build they are for. A campaign is
there until its report is written or it is removed. ADDRESS is by default that of $NATS_URL.
` + authDoc,
		Example:           `  lockquake jobs nats://host:4222`,
		Args:              atMostOne,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := connectTo(a, p, cmd, args)
			if err != nil {
				return err
			}
			defer q.close()
			ctx, cancel := context.WithTimeout(cmd.Context(), answerWait)
			defer cancel()
			return q.printJobs(ctx, cmd.OutOrStdout())
		},
	}
	a.flags(cmd.Flags())
	return cmd
}

func newRemove(p command.Program) *cobra.Command {
	var a access
	var on string
	var older time.Duration
	cmd := &cobra.Command{
		Use:   "remove CAMPAIGN...",
		Short: "Remove campaigns from a fleet",
		Long: `Remove deletes campaigns, with their waiting pieces and their results. Workers stop their pieces within some seconds. Jobs lists
the names. The address is that of --on, by default that of $NATS_URL.
` + authDoc,
		Example: `  lockquake remove gc-pause-0a1b2c3d4e5f --on nats://host:4222
  lockquake remove --older-than 168h --on nats://host:4222`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && older == 0 {
				return command.Usagef("remove needs the name of a campaign, or --older-than; see %s --help", cmd.CommandPath())
			}
			q, err := connectTo(a, p, cmd, []string{on})
			if err != nil {
				return err
			}
			defer q.close()
			ctx, cancel := context.WithTimeout(cmd.Context(), answerWait)
			defer cancel()
			return q.removeJobs(ctx, args, older, cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&on, "on", "", "address of the server (default: $NATS_URL)")
	flags.DurationVar(&older, "older-than", 0, "remove the campaigns that were submitted longer ago than this, as in 168h")
	command.PositiveFlags(flags, "older-than")
	a.flags(flags)
	return cmd
}

// connectTo connects to the address of the arguments, or of the environment.
func connectTo(a access, p command.Program, cmd *cobra.Command, args []string) (*queue, error) {
	address := os.Getenv("NATS_URL")
	if len(args) > 0 {
		address = cmp.Or(args[0], address)
	}
	if address == "" {
		return nil, command.Usagef("%s needs the address of a server such as nats://host:4222, or NATS_URL; see %s --help", cmd.Name(), cmd.CommandPath())
	}
	return a.connect(address, p.Name+" "+cmd.Name())
}

func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return command.Usagef("%s takes one address, not %d; see %s --help", cmd.Name(), len(args), cmd.CommandPath())
	}
	return nil
}
