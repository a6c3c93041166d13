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
	Name        string `yaml:"name" doc:"how the scenario is called"`
	Description string `yaml:"description" doc:"what it shows, in one line"`
	Source      string `yaml:"source" doc:"where the story comes from"`

	Duration  time.Duration `yaml:"duration" doc:"virtual time; faults and new sections end here, the run goes on"`
	Seeds     int           `yaml:"seeds" doc:"fewest runs after which an expected violation that was not seen counts as missing"`
	Workers   int           `yaml:"workers" doc:"how many workers there are; they are called worker-1, worker-2, ..."`
	Processes int           `yaml:"processes" doc:"processes that the workers share in turn, with one client each; 0 for a process of its own for each"`
	Resources int           `yaml:"resources" doc:"how many resources there are; a section draws one of them"`
	Sections  int           `yaml:"sections" doc:"jobs of each worker, each one critical section unless workload.attempts lets it try again; 0 for as many as fit into the duration"`
	Step      time.Duration `yaml:"step" doc:"virtual time that every named step of a worker costs"`
	Wake      results.Wake  `yaml:"wake" doc:"what a process that was stopped sees first on waking; drawn: each of its cores takes a wake-lag of its own, and so does the network poller"`
	WakeLag   draw.Dist     `yaml:"wake-lag" doc:"from the waking of a process to its late deadlines and messages"`
	Cores     int           `yaml:"cores" doc:"processors of each process, which wake one by one if wake is drawn"`

	Workload workload.Settings `yaml:"workload" doc:"what the workers do under the lock"`
	Resource Resource          `yaml:"resource" doc:"what the protected resource does"`
	Lock     LockParams        `yaml:"lock" doc:"parameters of the lock"`
	// Families has the keys of the families of lock servers, such as client.
	Families strictyaml.Extension `yaml:"*families"`
	Servers  ServersParams        `yaml:"servers" doc:"the servers of the lock"`
	Network  Network              `yaml:"network" doc:"the network between workers and servers"`

	Strategies []Strategy    `yaml:"strategies" doc:"the locks under test"`
	Each       []Each        `yaml:"each" doc:"where one worker differs from the others"`
	Faults     []faults.Spec `yaml:"faults" doc:"what goes wrong"`

	Checks []string                  `yaml:"checks" doc:"how runs are judged; all checks that can judge the workload unless given"`
	Expect map[string]results.Expect `yaml:"expect" doc:"what must be seen, by label of a strategy"`
	Claims bool                      `yaml:"claims" doc:"whether of each strategy is expected what it claims to hold under the class of the case"`

	// Own are strategies that the caller brought along to [Parse].
	Own []lock.Entry `yaml:"-"`
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
	Fence string `yaml:"fence" doc:"what it does with a fence token"`
}

// Strategy is one use of a strategy: its name, how the scenario calls this
// use, and what differs from the scenario's own settings.
type Strategy struct {
	Name     string                     `yaml:"name" doc:"which lock"`
	Label    string                     `yaml:"label" doc:"how reports call this use of the strategy; its name unless given"`
	Lock     LockParams                 `yaml:"lock" doc:"parameters of the lock"`
	Families strictyaml.Extension       `yaml:"*families"`
	Servers  ServersParams              `yaml:"servers" doc:"the servers of the lock"`
	Resource strictyaml.Patch[Resource] `yaml:"resource" doc:"what the protected resource does"`
	Workload WorkloadParams             `yaml:"workload" doc:"what the workers do under the lock, all but its kind"`
	// Case is the one of the scenario's cases that this use is of, "" if there
	// are none.
	Case string `yaml:"-"`
}

// Each is where one worker differs from the others.
type Each struct {
	Worker     string               `yaml:"worker" doc:"which worker"`
	Start      time.Duration        `yaml:"start" doc:"when its first section begins"`
	Hold       *draw.Dist           `yaml:"hold" doc:"time between its read and its write; workload.hold unless given"`
	Heeds      results.Heeds        `yaml:"heeds" doc:"how far its work looks at its context; workload.heeds unless given"`
	WallOffset time.Duration        `yaml:"wall-offset" doc:"by how much its wall clock is fast; slow if negative"`
	Lock       LockParams           `yaml:"lock" doc:"parameters of its lock"`
	Families   strictyaml.Extension `yaml:"*families"`
}
