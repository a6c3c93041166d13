package command

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lockquake/lock"
	"lockquake/scenarios"
)

// plainName is what the program is called that knows the catalogue alone.
const plainName = "lockquake"

// program is the command as one program has it.
type program struct {
	name string // as a user calls it
	own  []lock.Entry
}

// Option changes the command.
type Option func(*program)

// WithStrategy lets the command know a lock of one's own. It is named and run like
// those of the catalogue; what says in one line what it is. The factory is called
// once for each worker of each run. It is short for WithEntry, of a lock that
// promises nothing.
func WithStrategy(name, what string, factory func(lock.Deps) lock.Strategy) Option {
	return WithEntry(lock.Entry{Name: name, Doc: what, New: factory})
}

// WithEntry lets the command know a lock of one's own with all that an entry of the
// catalogue says: what it promises and claims, its defaults, the servers that it
// runs on, its points. It is held to that. Entry.New is called once for each worker
// of each run.
func WithEntry(e lock.Entry) Option {
	return func(p *program) { p.own = append(p.own, e) }
}

// WithProgram says how the program is called, such as "go run ./mylockquake", so
// that the lines that repeat a run can be pasted. Without it a program with
// strategies of its own is called by its file, and one without is lockquake.
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

// entries are the strategies that the command knows.
func (p program) entries() []lock.Entry { return append(scenarios.Strategies(), p.own...) }

// ours lets a scenario name the program in what is printed of its runs.
func (p program) ours(s *scenarios.Scenario, err error) (*scenarios.Scenario, error) {
	if err == nil {
		s.Program = p.name
	}
	return s, err
}

// rename puts the program's name into the examples of every command.
func (p program) rename(cmd *cobra.Command) {
	cmd.Example = strings.ReplaceAll(cmd.Example, plainName+" ", p.name+" ")
	for _, sub := range cmd.Commands() {
		p.rename(sub)
	}
}

// file is how the program's file is called, which is what a shell completes.
func (p program) file() string {
	words := strings.Fields(p.name)
	if len(words) == 0 {
		return plainName
	}
	return filepath.Base(words[len(words)-1])
}
