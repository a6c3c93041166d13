package command

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lockquake/lock"
	"lockquake/scenarios"
)

// plainName is the name of the program without locks of its own.
const plainName = "lockquake"

// program holds what differs between programs with this command.
type program struct {
	name string // as a user types it
	own  []lock.Entry

	extensions []Extension
	described  Program // for the extensions
}

// Option configures the command.
type Option func(*program)

// WithStrategy adds a lock to those of the catalogue. What describes it in one line. The
// factory is called once for each worker of each run. WithStrategy is short for WithEntry
// with a lock that promises nothing.
func WithStrategy(name, what string, factory func(lock.Deps) lock.Strategy) Option {
	return WithEntry(lock.Entry{Name: name, Doc: what, New: factory})
}

// WithEntry adds a lock to those of the catalogue with a whole entry: its promises and
// claims, its defaults, its servers, its points. The checks judge the lock by its promises
// and claims. Entry.New is called once for each worker of each run.
func WithEntry(e lock.Entry) Option {
	return func(p *program) { p.own = append(p.own, e) }
}

// WithProgram sets the name of the program as a user types it, such as
// "go run ./mylockquake", for the commands that it prints. The default is the name of the
// program's file if it has locks of its own, else lockquake.
func WithProgram(name string) Option {
	return func(p *program) { p.name = name }
}

func newProgram(options []Option) program {
	var p program
	for _, option := range options {
		option(&p)
	}
	if p.name == "" {
		p.name = plainName
		if len(p.own) > 0 {
			p.name = strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
		}
	}
	return p
}

// entries lists the strategies that the command knows.
func (p program) entries() []lock.Entry { return append(scenarios.Strategies(), p.own...) }

// ours sets the program of a scenario, for the commands that its reports print.
func (p program) ours(s *scenarios.Scenario, err error) (*scenarios.Scenario, error) {
	if err == nil {
		s.Program = p.name
	}
	return s, err
}

// rename puts the program's name into the examples of every command.
func (p program) rename(cmd *cobra.Command) {
	cmd.Example = strings.ReplaceAll(cmd.Example, plainName+" ", p.shown()+" ")
	for _, sub := range cmd.Commands() {
		p.rename(sub)
	}
}

// shown returns the name in the help: that of the program with an extension, unless it has locks of its own.
func (p program) shown() string {
	if p.name == plainName && len(p.extensions) > 0 {
		return p.extensions[0].Program
	}
	return p.name
}

// file returns the name of the program's file, which a shell completes.
func (p program) file() string {
	words := strings.Fields(p.shown())
	if len(words) == 0 {
		return plainName
	}
	return filepath.Base(words[len(words)-1])
}
