package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"lockquake/internal/strictyaml"
	"lockquake/reports"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

// The exit codes.
const (
	exitOK          = 0
	exitViolation   = 1
	exitUnknown     = 2
	exitUsage       = 64
	exitInternal    = 70
	exitInterrupted = 130
)

// Main runs the command line of the process, and exits with its exit code.
func Main(options ...Option) {
	if os.Getenv("GOGC") == "" {
		// A run allocates much and keeps little. Collecting less often costs some megabytes
		// and saves a tenth of the time.
		const percent = 400
		debug.SetGCPercent(percent)
	}
	os.Exit(newProgram(options).execute(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs one command line and returns its exit code.
func (p program) execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if err := scenarios.CheckOwn(p.own...); err != nil {
		fmt.Fprintf(stderr, "lockquake: %v\n", err)
		return exitUsage
	}
	if len(p.extensions) > 0 {
		var err error
		if p.described, err = p.describe(); err != nil {
			fmt.Fprintf(stderr, "lockquake: %v\n", err)
			return exitInternal
		}
	}
	root := p.newRoot(stdout, stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	code := exitCode(err)
	var outcome outcomeError
	if err != nil && !errors.As(err, &outcome) {
		fmt.Fprintf(stderr, "lockquake: %v\n", err)
		if failed, ok := errors.AsType[*run.Error](err); ok {
			again := fmt.Sprintf("%s reproduce %s --strategy %s --seed %d", p.name, failed.Path, scenarios.Word(strategyList(failed.Label)), failed.Seed)
			if placed, ok := errors.AsType[placementError](err); ok {
				again = placed.again
			}
			explain(stderr, failed, again)
		}
		if kept, ok := errors.AsType[keptError](err); ok {
			fmt.Fprintln(stderr, kept.text)
		}
	}
	return code
}

// explain prints the stack of a run that failed, and again, the command that repeats it.
func explain(w io.Writer, failed *run.Error, again string) {
	if hang, ok := errors.AsType[*run.HangError](failed.Err); ok {
		fmt.Fprintf(w, "\n%s\n", hang.Stacks)
	} else if stack := failed.Stack(); stack != "" {
		fmt.Fprintf(w, "\n%s\n", stack)
	}
	fmt.Fprintf(w, "run it again with: %s\n", again)
}

// usageError is an error in the command line.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return usageError{fmt.Sprintf(format, args...)}
}

// interruptError ends a command that was interrupted by a signal.
type interruptError struct{ text string }

func (e interruptError) Error() string { return "interrupted: " + e.text }

// keptError is an error of a campaign whose finished runs are kept. Its text says where.
type keptError struct {
	error
	text string
}

func (e keptError) Unwrap() error { return e.error }

// outcomeError is a verdict that is not a pass, as an exit code. The command has already
// printed the reasons.
type outcomeError struct{ code int }

func (e outcomeError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

func outcome(o results.Outcome) error {
	switch o {
	case results.Pass:
		return nil
	case results.Unknown:
		return outcomeError{exitUnknown}
	case results.Fail:
	}
	return outcomeError{exitViolation}
}

func exitCode(err error) int {
	var (
		usage    usageError
		file     *strictyaml.Error
		strategy *scenarios.UnknownStrategyError
		setting  *scenarios.SettingError
		journal  *campaign.JournalError
		outcome  outcomeError
		stopped  interruptError
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &outcome):
		return outcome.code
	case errors.As(err, &usage), errors.As(err, &file), errors.As(err, &strategy), errors.As(err, &setting), errors.As(err, &journal),
		errors.Is(err, results.ErrToken), errors.Is(err, campaign.ErrShard), errors.Is(err, reports.ErrForeignDir):
		return exitUsage
	case errors.As(err, &stopped):
		return exitInterrupted
	default:
		return exitInternal
	}
}
