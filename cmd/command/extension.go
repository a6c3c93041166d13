package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
)

// Extension adds to the command what a module of its own provides, such as a fleet of machines.
type Extension struct {
	// Program is the name that the help shows if the program has no locks of its own.
	Program string
	// Title heads the commands in the help, such as "On many machines:".
	Title string
	// Commands returns the commands to add.
	Commands func(Program) []*cobra.Command
	// RunFlags adds flags to the command run. The function that it returns is called when the flags
	// are parsed, and returns what executes the runs; nil: the command itself does.
	RunFlags func(Program, *pflag.FlagSet) func() (Executor, error)
}

// Executor executes the runs of a campaign, and imports them into the journal of the request. The
// campaign then finds nothing left to run. Delivered is called when its report is written.
//
// An executor that ctx ends returns an error of [Interruptedf], which says how to go on.
type Executor func(ctx context.Context, w Work) (delivered func() error, err error)

// Work is a campaign for an [Executor].
type Work struct {
	Scenario *scenarios.Scenario
	Request  campaign.Request
	Resume   bool              // go on with what was begun before, instead of from the beginning
	Status   func(text string) // shows the progress; it may be called often
	Note     func(text string) // prints a line of its own
}

// WithExtension adds an extension.
func WithExtension(e Extension) Option {
	return func(p *program) { p.extensions = append(p.extensions, e) }
}

// Program describes the program to an extension.
type Program struct {
	Name string       // as a user types it
	Own  []lock.Entry // locks that are not in the catalogue
	// Build identifies the source of the program in one line: version, commit, and the program with locks of
	// its own. Two programs of one build do the same runs with the same seeds.
	Build string
}

// describe returns what an extension knows of the program.
func (p program) describe() (Program, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	var names []string
	for _, e := range p.own {
		names = append(names, e.Name)
	}
	build, err := versionOf(info, len(p.own) > 0).build(names, sumOfProgram)
	return Program{Name: p.shown(), Own: p.own, Build: build}, err
}

// Interruptible returns a context that ends with the first SIGINT or SIGTERM. The second
// signal kills the program.
func Interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return interruptible(ctx)
}

// Usagef returns the error of a wrong command line. It ends the program with exit code 64.
func Usagef(format string, args ...any) error { return usagef(format, args...) }

// Interruptedf returns the error of a command that a signal has ended. It ends the program with exit
// code 130.
func Interruptedf(format string, args ...any) error {
	return interruptError{fmt.Sprintf(format, args...)}
}

// NoArguments is the check of a command that has no arguments.
func NoArguments(cmd *cobra.Command, args []string) error { return noArguments(cmd, args) }

// addTo adds the commands of the extension.
func (e Extension) addTo(root *cobra.Command, p Program) {
	const id = "extension"
	root.AddGroup(&cobra.Group{ID: id + e.Title, Title: e.Title})
	for _, cmd := range e.Commands(p) {
		cmd.GroupID = id + e.Title
		root.AddCommand(cmd)
	}
}

// execute has the runs of a campaign executed, if an extension is asked for that. Delivered is called when
// the report is written.
func (f *runFlags) execute(ctx context.Context, s *scenarios.Scenario, title string, r campaign.Request, stderr io.Writer) (delivered func() error, err error) {
	if f.executor == nil {
		return func() error { return nil }, nil
	}
	w := Work{Scenario: s, Request: r, Resume: f.resume, Status: func(string) {}}
	w.Note = func(text string) { fmt.Fprintf(stderr, "%s: %s\n", s.Name, text) }
	if !f.quiet {
		bar := progressOf(stderr, title)
		defer bar.end()
		w.Status = bar.say
		w.Note = func(text string) {
			bar.clear()
			fmt.Fprintf(stderr, "%s: %s\n", s.Name, text)
		}
	}
	return f.executor(ctx, w)
}

// openJournal opens the journal of a campaign, if it has one. Without a report a journal is needed only for
// runs that are executed elsewhere. Close removes what is left of it.
func (f *runFlags) openJournal(dir string, s *scenarios.Scenario) (j *campaign.Journal, closeIt func() error, err error) {
	nothing := func() error { return nil }
	switch {
	case f.noReport && f.executor == nil:
		return nil, nothing, nil
	case f.noReport:
		temporary, err := os.MkdirTemp("", "lockquake-*")
		if err != nil {
			return nil, nothing, err
		}
		j, err := campaign.CreateJournal(filepath.Join(temporary, "runs"), s)
		if err != nil {
			return nil, nothing, errors.Join(err, os.RemoveAll(temporary))
		}
		return j, func() error { return errors.Join(j.Close(), os.RemoveAll(temporary)) }, nil
	}
	// What executes the runs elsewhere has them all, and hands them over again.
	if j, err = openRuns(dir, s, f.resume && f.executor == nil); err != nil {
		return nil, nothing, err
	}
	return j, j.Close, nil
}
