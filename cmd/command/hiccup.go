package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"lockquake/internal/pauselog"
)

// hiccupFlags are the flags of lockquake hiccup.
type hiccupFlags struct {
	program program
	length  time.Duration
	out     string
}

func (p program) newHiccup() *cobra.Command {
	f := hiccupFlags{program: p}
	cmd := &cobra.Command{
		Use:   "hiccup",
		Short: "Record the pauses of this machine, for rate and --pauses",
		Long: `Hiccup sleeps for a millisecond, again and again, and writes each sleep that took more than 5 ms
too long, with its time. It sees everything that stops all processes of the machine: a container without
processor time left, a hypervisor that runs others, a page fault, a busy machine. The log of a garbage
collector does not have these pauses. Run hiccup in the same container as your service, on a busy day.

The first line of the file has the length of the recording, which is updated every ten seconds. So a
recorder that was killed leaves a usable file. Ctrl-C ends the recording with a complete file. You can
join the files of several machines: their lengths add up.

Exit codes: 0 done, or ended by Ctrl-C without --for; 64 usage error, or --out exists or cannot be created; 70 a
write to the file failed; 130 interrupted before --for was over.`,
		Example: `  lockquake hiccup --for 24h
  lockquake rate gc-pause --pauses hiccup.log --locks 40`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return f.record(ctx, cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&f.length, "for", 0, "how long to record (default: until Ctrl-C)")
	flags.StringVar(&f.out, "out", "hiccup.log", "file to write to; there must be none of that name")
	PositiveFlags(flags, "for")
	completeFlag(cmd, "for", cobra.NoFileCompletions)
	return cmd
}

func (f *hiccupFlags) record(ctx context.Context, stdout io.Writer) error {
	file, err := os.OpenFile(f.out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return usagef("--out: %s exists; give another name, since hiccup never replaces a recording", f.out)
	}
	if err != nil {
		return usageError{"--out: " + err.Error()}
	}
	r := recorder{file: file, now: time.Now, sleep: time.Sleep}
	err = errors.Join(r.record(ctx, f.length), file.Close())
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	say(stdout, "%s: pauses beyond %v: %d in %v, longest %v", f.out, pauselog.HiccupLeast, r.pauses, r.over.Round(time.Millisecond), r.longest.Round(time.Microsecond))
	if ctx.Err() != nil && f.length > 0 {
		return interruptError{fmt.Sprintf("recorded %v of %v; %s is whole", r.over.Round(time.Second), f.length, f.out)}
	}
	return nil
}

// recorder writes a recording of hiccups.
type recorder struct {
	file interface {
		io.Writer
		io.WriterAt
	}
	now   func() time.Time
	sleep func(time.Duration)

	over    time.Duration // since the begin
	pauses  int
	longest time.Duration
}

const (
	nap       = time.Millisecond
	headEvery = 10 * time.Second
)

// record records until ctx ends, or until length is over unless it is 0. Each sleep is measured from the
// end of the one before, so that no time is left out.
func (r *recorder) record(ctx context.Context, length time.Duration) error {
	if _, err := io.WriteString(r.file, pauselog.HiccupHead(0)); err != nil {
		return err
	}
	begin := r.now()
	last, head := begin, time.Duration(0)
	for ctx.Err() == nil && (length == 0 || r.over < length) {
		r.sleep(nap)
		now := r.now()
		late, jump := now.Sub(last)-nap, wallJump(last, now)
		last, r.over = now, now.Sub(begin)
		hiccup := late > pauselog.HiccupLeast
		if hiccup {
			r.pauses, r.longest = r.pauses+1, max(r.longest, late)
			if _, err := io.WriteString(r.file, pauselog.HiccupLine(now, late)); err != nil {
				return err
			}
		}
		if jump > pauselog.HiccupLeast || jump < -pauselog.HiccupLeast {
			if _, err := fmt.Fprintf(r.file, "# %s: the wall clock jumped by %v: the machine was suspended, or its clock was set\n", now.UTC().Format(time.RFC3339), jump); err != nil {
				return err
			}
		}
		if hiccup || r.over >= head+headEvery {
			if head = r.over; r.head() != nil {
				break // the last one tells the error
			}
		}
	}
	return r.head()
}

// head writes the first line again, with the time so far.
func (r *recorder) head() error {
	_, err := r.file.WriteAt([]byte(pauselog.HiccupHead(r.over)), 0)
	return err
}

// wallJump returns by how much more the wall clock went on than the monotonic one. A machine that is
// suspended stops the monotonic clock.
func wallJump(from, to time.Time) time.Duration {
	return to.Round(0).Sub(from.Round(0)) - to.Sub(from)
}
