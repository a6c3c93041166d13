package scenarios

import (
	"fmt"
	"time"

	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
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
	Processes int           `yaml:"processes"` // that the workers share in turn; 0: each has its own
	Resources int           `yaml:"resources"` // named resource-1, ...; a section draws one of them
	Sections  int           `yaml:"sections"`  // jobs of each worker, each one section unless it is tried again; 0: as many as fit into Duration
	Step      time.Duration `yaml:"step"`      // virtual time that every point costs
	Wake      results.Wake  `yaml:"wake"`
	WakeLag   draw.Dist     `yaml:"wake-lag"` // from waking to the late deadlines and messages
	Cores     int           `yaml:"cores"`    // processors of each process; they wake one by one

	Workload workload.Settings `yaml:"workload"`
	Resource Resource          `yaml:"resource"`
	Lock     LockParams        `yaml:"lock"` // for every strategy that has them
	// Families has the keys of the families of lock servers, such as client.
	Families strictyaml.Extension `yaml:"*families"`
	Servers  ServersParams        `yaml:"servers"`
	Network  Network              `yaml:"network"`

	Strategies []Strategy    `yaml:"strategies"`
	Each       []Each        `yaml:"each"`
	Faults     []faults.Spec `yaml:"faults"`

	Checks []string                  `yaml:"checks"`
	Expect map[string]results.Expect `yaml:"expect"` // by label
	// Claims: of each strategy is expected what it claims to hold under the
	// class of the case.
	Claims bool `yaml:"claims"`

	// Own are strategies that the caller brought along to [Parse].
	Own []lock.Entry `yaml:"-"`
	// families are those of lock servers that the file was read with.
	families families
	// Warnings are about settings that defeat each other. The scenario can be run,
	// and the run says little about the locks.
	Warnings []Warning `yaml:"-"`
	// Program is how the program is called that repeats a run from a replay token:
	// what a report prints before "replay". "" is lockquake, which does not know Own.
	Program string `yaml:"-"`
	// Path is where the scenario was read from, as an error or a replay token
	// names it: a built-in name or a file.
	Path string `yaml:"-"`
	// Hash is of the bytes read, those of the files of its distributions too:
	// 12 hexadecimal digits. With Overrides it is of these too.
	Hash string `yaml:"-"`
	// Text is the file itself, with the Overrides in it.
	Text []byte `yaml:"-"`
	// Overrides are the values that were set from outside, in their order.
	Overrides []results.Override `yaml:"-"`
	workload  workload.Info      // that Workload.Kind names
	// samples are what the files of empirical distributions hold, by the path of the
	// distribution in the file.
	samples map[string][]time.Duration
	// File is what was read, if Overrides make it differ from Text.
	File []byte `yaml:"-"`
}

// WorkerNames lists the workers in the order of their numbers.
func (s *Scenario) WorkerNames() []string { return numbered("worker", s.Workers) }

// ResourceNames lists the resources in the order of their numbers.
func (s *Scenario) ResourceNames() []string { return numbered("resource", s.Resources) }

func numbered(noun string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", noun, i+1)
	}
	return names
}

// ParamsOf returns the parameters that a worker's lock is made with: the
// strategy's own, under those of the scenario, under those of this use of the
// strategy, under those of the worker.
func (s *Scenario) ParamsOf(own lock.Params, use Strategy, worker string) lock.Params {
	for _, set := range []LockParams{s.Lock, use.Lock, s.EachOf(worker).Lock} {
		// A profile first, so that the keys beside it win.
		var named lock.Params
		set.Apply(&named)
		own.ApplyProfile(named.Profile)
		set.Apply(&own)
	}
	return own
}

// ResourceOf returns what the resource does under one use of a strategy.
func (s *Scenario) ResourceOf(use Strategy) Resource {
	r := s.Resource
	use.Resource.Apply(&r)
	return r
}

// WorkloadOf returns what the workers do under one use of a strategy.
func (s *Scenario) WorkloadOf(use Strategy) workload.Settings {
	w := s.Workload
	use.Workload.Apply(&w)
	return w
}

// LongestTTL returns the longest lease that a worker asks for.
func (s *Scenario) LongestTTL(own lock.Params, use Strategy) time.Duration {
	longest := s.ParamsOf(own, use, "").TTL
	for _, e := range s.Each {
		longest = max(longest, s.ParamsOf(own, use, e.Worker).TTL)
	}
	return longest
}

// EachOf returns where a worker differs from the others: nowhere, if the scenario
// does not speak of it.
func (s *Scenario) EachOf(worker string) Each {
	for _, e := range s.Each {
		if e.Worker == worker {
			return e
		}
	}
	return Each{Worker: worker}
}

// HoldOf returns how long the work of a worker takes.
func (s *Scenario) HoldOf(w workload.Settings, worker string) draw.Dist {
	if hold := s.EachOf(worker).Hold; hold != nil {
		return *hold
	}
	return w.Hold
}

// WorkloadParams are those settings of a workload that a part of a file sets.
type WorkloadParams = strictyaml.Patch[workload.Settings]

// LockParams are those parameters of a lock that a part of a file sets.
type LockParams = strictyaml.Patch[lock.Params]

// usualWakeLag is what a stopped Go process was seen to take, on a machine with
// other work to do: mostly about a tenth of a millisecond, and now and then the ten
// milliseconds of a scheduler.
func usualWakeLag() draw.Dist {
	return draw.Dist{Kind: draw.Lognormal, Median: 100 * time.Microsecond, P99: 10 * time.Millisecond}
}

// WakingCores counts the processors of a process that wake by themselves.
func (s *Scenario) WakingCores() int {
	if s.Wake == results.WakeDrawn {
		return s.Cores
	}
	return 1
}

// Resource is what the protected resource does with a token.
type Resource struct {
	Fence string `yaml:"fence"`
}

// Strategy is one use of a strategy: its name, how the scenario calls this
// use, and what differs from the scenario's own settings.
type Strategy struct {
	Name     string                     `yaml:"name"`
	Label    string                     `yaml:"label"` // no two uses share one; the name unless set
	Lock     LockParams                 `yaml:"lock"`
	Families strictyaml.Extension       `yaml:"*families"`
	Servers  ServersParams              `yaml:"servers"`
	Resource strictyaml.Patch[Resource] `yaml:"resource"`
	Workload WorkloadParams             `yaml:"workload"` // all but its kind
	// Case is the one of the scenario's cases that this use is of, "" if there
	// are none.
	Case string `yaml:"-"`
}

// Each is where one worker differs from the others.
type Each struct {
	Worker     string               `yaml:"worker"`
	Start      time.Duration        `yaml:"start"`       // when its first section begins
	Hold       *draw.Dist           `yaml:"hold"`        // of its work; nil: as everybody's
	Heeds      results.Heeds        `yaml:"heeds"`       // of its work; "": as everybody's
	WallOffset time.Duration        `yaml:"wall-offset"` // by how much its wall clock is fast; slow if negative
	Lock       LockParams           `yaml:"lock"`
	Families   strictyaml.Extension `yaml:"*families"`
}
