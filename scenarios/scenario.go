package scenarios

import (
	"time"

	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/lock"
)

// Scenario is one experiment: who works under which lock, what goes wrong,
// and what is expected to be seen. It is read from YAML by Parse, which fills
// in the defaults and refuses what makes no sense.
type Scenario struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	Source      string `yaml:"source"` // where the story comes from

	Duration  time.Duration `yaml:"duration"`  // virtual; faults and new sections end here, the run goes on
	Seeds     int           `yaml:"seeds"`     // fewest runs that decide an expectation
	Workers   int           `yaml:"workers"`   // named worker-1, worker-2, ...
	Resources int           `yaml:"resources"` // named resource-1, ...; a section draws one of them
	Sections  int           `yaml:"sections"`  // sections of each worker; 0: as many as fit into Duration
	Step      time.Duration `yaml:"step"`      // virtual time that every point costs
	WakeLag   time.Duration `yaml:"wake-lag"`  // from waking to the late deadlines and messages
	Wake      Wake          `yaml:"wake"`

	Workload Workload    `yaml:"workload"`
	Resource Resource    `yaml:"resource"`
	Lock     lock.Params `yaml:"lock"`
	Network  Network     `yaml:"network"`

	Strategies []Strategy    `yaml:"strategies"`
	Each       []Each        `yaml:"each"`
	Faults     []faults.Spec `yaml:"faults"`

	Checks []string          `yaml:"checks"`
	Expect map[string]Expect `yaml:"expect"` // by label

	// Path is where the scenario was read from, as an error or a replay token
	// names it: a built-in name or a file. Hash is of the bytes read.
	Path string `yaml:"-"`
	Hash string `yaml:"-"`
	// Text is the file itself.
	Text []byte `yaml:"-"`
}

// Wake says what a client that slept past its deadline sees first on waking.
type Wake string

// The two orders.
const (
	DeadlinesFirst Wake = "deadlines-first"
	Arrival        Wake = "arrival"
)

// Workload is what the workers do under the lock.
type Workload struct {
	Kind  string    `yaml:"kind"`
	Hold  draw.Dist `yaml:"hold"`  // between the read and the write
	Think draw.Dist `yaml:"think"` // between two sections
}

// Resource is what the protected resource does with a token.
type Resource struct {
	Fence string `yaml:"fence"`
}

// Network is how long messages are under way, in each direction.
type Network struct {
	Latency draw.Dist `yaml:"latency"`
}

// Strategy is one use of a strategy: its name, how the scenario calls this
// use, and what differs from the scenario's own settings.
type Strategy struct {
	Name     string       `yaml:"name"`
	Label    string       `yaml:"label"`
	Lock     *lock.Params `yaml:"lock"`
	Resource *Resource    `yaml:"resource"`
}

// Each is where one worker differs from the others.
type Each struct {
	Worker string        `yaml:"worker"`
	Start  time.Duration `yaml:"start"` // when its first section begins
	Lock   *lock.Params  `yaml:"lock"`
}

// Expect is what must be seen of one label. Violates names checks that must
// be violated in at least one run, Holds checks that must be valid in every
// run.
type Expect struct {
	Holds    []string `yaml:"holds"`
	Violates []string `yaml:"violates"`
}
