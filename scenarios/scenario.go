package scenarios

import (
	"fmt"
	"slices"
	"time"

	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
	"lockquake/sim/resource"
)

// Scenario is one experiment: its workers, its locks, its faults and its expectations. Parse reads
// it from YAML, fills in the defaults and refuses invalid files.
type Scenario struct {
	Name        string `yaml:"name" doc:"the name of the scenario"`
	Description string `yaml:"description" doc:"what happens, in one line"`
	Source      string `yaml:"source" doc:"where the failure was published"`

	Duration  time.Duration `yaml:"duration" doc:"virtual time; after this time no section starts, and no fault except those that wait for a point (when); everything that has started continues"`
	Seeds     int           `yaml:"seeds" doc:"default number of runs; an expected violation that does not occur in this number of runs counts as missing, and with fewer runs it is unknown"`
	Workers   int           `yaml:"workers" doc:"number of workers; their names are worker-1, worker-2, ..."`
	Processes int           `yaml:"processes" doc:"number of processes, among which the workers are distributed round-robin; each process has one client; 0 gives each worker its own process"`
	Resources int           `yaml:"resources" doc:"number of resources; a section uses a random one"`
	Sections  int           `yaml:"sections" doc:"number of jobs of each worker; a job is one section, or more with workload.attempts; 0 for as many as fit into the duration"`
	Step      time.Duration `yaml:"step" doc:"virtual time that every named step of a worker costs"`
	Wake      results.Wake  `yaml:"wake" doc:"what a paused process handles first on waking; drawn: each of its cores, and the network poller, takes its own wake-lag"`
	WakeLag   draw.Dist     `yaml:"wake-lag" doc:"time from the waking of a process until it handles late timers and messages"`
	Cores     int           `yaml:"cores" doc:"processors of each process; if wake is drawn, each wakes after its own lag"`

	Workload workload.Settings `yaml:"workload" doc:"what the workers do under the lock"`
	Resource Resource          `yaml:"resource" doc:"what the protected resource does"`
	Lock     LockParams        `yaml:"lock" doc:"parameters of the lock"`
	// Families has the keys of the families of lock servers, such as client.
	Families strictyaml.Extension `yaml:"*families"`
	Servers  ServersParams        `yaml:"servers" doc:"the servers of the lock"`
	Network  Network              `yaml:"network" doc:"the network between workers and servers"`

	Strategies []Strategy    `yaml:"strategies" doc:"the locks under test"`
	Each       []Each        `yaml:"each" doc:"settings of single workers"`
	Faults     []faults.Spec `yaml:"faults" doc:"what goes wrong"`

	Checks  []string                  `yaml:"checks" doc:"the checks that judge the runs; by default all that can judge the workload"`
	Expect  map[string]results.Expect `yaml:"expect" doc:"what is expected of each strategy, by label"`
	NoFault bool                      `yaml:"no-fault" doc:"whether each strategy is also run without the faults of the cases, as the case no-fault"`
	Claims  bool                      `yaml:"claims" doc:"whether each strategy is expected to hold what it claims for the class of a case; the claims are about work that violates no check under a perfect lock, such as counter"`

	// Own are the caller's own strategies, as passed to [Parse].
	Own []lock.Entry `yaml:"-"`
	// Warnings name settings that contradict each other. The scenario can be run, but its results say
	// little about the locks.
	Warnings []Warning `yaml:"-"`
	// Program is the command that repeats a run from a replay token: a report prints it before
	// "replay". "" stands for lockquake, which does not have the strategies in Own.
	Program string `yaml:"-"`
	// Path is the source of the scenario, as errors and replay tokens name it: the name of a
	// built-in one, or a file.
	Path string `yaml:"-"`
	// Hash is a hash of the file, the files of its distributions and the Overrides: 12 hexadecimal
	// digits. It does not depend on line ends and byte order marks.
	Hash string `yaml:"-"`
	// Text is the text of the file with the Overrides applied.
	Text []byte `yaml:"-"`
	// Overrides are the values that were set from outside, in order.
	Overrides []results.Override `yaml:"-"`
	workload  workload.Info      // of Workload.Kind
	// samples has the files of empirical distributions, by the path of the distribution in the
	// scenario.
	samples map[string]samples
	given   map[string][]byte // files that are not read from the disk
	// File is the text as it was read, if Overrides make it differ from Text.
	File []byte `yaml:"-"`
}

// WorkerNames lists the workers by number.
func (s *Scenario) WorkerNames() []string { return numbered("worker", s.Workers) }

// ResourceNames lists the resources by number.
func (s *Scenario) ResourceNames() []string { return numbered("resource", s.Resources) }

// largeRun is the number of workers times seconds from which on a run is large: its history, of about
// 17 events a worker and second, takes 0.4 GB, and a campaign keeps one for each check that is violated.
const largeRun = 50_000

// Large reports whether a run of the scenario is so large that a campaign keeps only part of a failing run.
func (s *Scenario) Large() bool { return float64(s.Workers)*s.Duration.Seconds() >= largeRun }

// eventBytes is the size of a history.Event on a 64-bit machine.
const eventBytes = 408

// HistoryBytes returns about how many bytes the history of a run takes in memory, at most.
func (s *Scenario) HistoryBytes() float64 {
	const each = 17 * eventBytes // second of a worker, or section
	n := s.Duration.Seconds()
	if s.Sections > 0 {
		n = min(n, float64(s.Sections))
	}
	return float64(s.Workers) * n * each
}

func numbered(noun string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", noun, i+1)
	}
	return names
}

// ParamsOf returns the parameters of a worker's lock. The worker's settings override those of this
// use of the strategy, which override those of the scenario, which override the strategy's
// defaults.
func (s *Scenario) ParamsOf(own lock.Params, use Strategy, worker string) lock.Params {
	for _, set := range []LockParams{s.Lock, use.Lock, s.EachOf(worker).Lock} {
		// The profile comes first, so that the keys beside it override it.
		var named lock.Params
		set.Apply(&named)
		own.ApplyProfile(named.Profile)
		set.Apply(&own)
	}
	return own
}

// ResourceOf returns the settings of the resource for one use of a strategy.
func (s *Scenario) ResourceOf(use Strategy) Resource {
	r := s.Resource
	use.Resource.Apply(&r)
	if r.Fence == fenceByStrategy {
		r.Fence = string(resource.Off)
		if s.promisesTokens(use) {
			r.Fence = string(resource.ReadsWrites)
		}
	}
	return r
}

// fenceByStrategy is the fence of a resource that checks tokens if the strategy promises them.
const fenceByStrategy = "by-strategy"

// promisesTokens reports whether a use of a strategy promises tokens in the order of grants.
func (s *Scenario) promisesTokens(use Strategy) bool {
	entries := s.entries()
	i := slices.IndexFunc(entries, func(e lock.Entry) bool { return e.Name == use.Name })
	return i >= 0 && s.ParamsOf(entries[i].Defaults, use, "").Fenced()
}

// WorkloadOf returns the settings of the workload for one use of a strategy.
func (s *Scenario) WorkloadOf(use Strategy) workload.Settings {
	w := s.Workload
	use.Workload.Apply(&w)
	return w
}

// LongestTTL returns the longest lease that a worker requests.
func (s *Scenario) LongestTTL(own lock.Params, use Strategy) time.Duration {
	longest := s.ParamsOf(own, use, "").TTL
	for _, e := range s.Each {
		longest = max(longest, s.ParamsOf(own, use, e.Worker).TTL)
	}
	return longest
}

// EachOf returns the settings that differ for one worker; none, if the scenario has no entry for
// it.
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

// WorkloadParams has the settings of a workload that a part of a file sets.
type WorkloadParams = strictyaml.Patch[workload.Settings]

// LockParams has the parameters of a lock that a part of a file sets.
type LockParams = strictyaml.Patch[lock.Params]

// usualWakeLag returns the wake-lag that was measured for a stopped Go process, on a machine with
// other load: mostly about 0.1 ms, and sometimes the 10 ms of a scheduler.
func usualWakeLag() draw.Dist {
	return draw.Dist{Kind: draw.Lognormal, Median: 100 * time.Microsecond, P99: 10 * time.Millisecond}
}

// WakingCores returns the number of processors of a process that wake independently.
func (s *Scenario) WakingCores() int {
	if s.Wake == results.WakeDrawn {
		return s.Cores
	}
	return 1
}

// Resource has the settings of the protected resource.
type Resource struct {
	Fence string `yaml:"fence" doc:"what it does with a fencing token"`
	In    Home   `yaml:"in" doc:"where its data is: on its own server, or in a database, which is that of the lock if the lock has one; by default server, unless the strategy does its work in a transaction of the lock's database"`
}

// Home is the place of the resource's data.
type Home string

// The places.
const (
	HomeServer   Home = "server"
	HomeDatabase Home = "database"
)

// Homes lists the places.
func Homes() []string { return []string{string(HomeServer), string(HomeDatabase)} }

// HomeOf returns the place of the resource's data for one use of a strategy.
func (s *Scenario) HomeOf(e lock.Entry, use Strategy) Home {
	switch in := s.ResourceOf(use).In; {
	case in != "":
		return in
	case e.Inside:
		return HomeDatabase
	}
	return HomeServer
}

// Strategy is one use of a strategy: its name, its label, and the settings that differ from those
// of the scenario.
type Strategy struct {
	Name     string                     `yaml:"name" doc:"which lock, or the name of a library"`
	Label    string                     `yaml:"label" doc:"name of this use of the strategy in reports, by default the name of the strategy; with a pattern, the name replaces a *"`
	Lock     LockParams                 `yaml:"lock" doc:"parameters of the lock"`
	Families strictyaml.Extension       `yaml:"*families"`
	Servers  ServersParams              `yaml:"servers" doc:"the servers of the lock"`
	Resource strictyaml.Patch[Resource] `yaml:"resource" doc:"what the protected resource does"`
	Workload WorkloadParams             `yaml:"workload" doc:"what the workers do under the lock, all but its kind"`
	// Library is the library that the file or the caller named, "" for a strategy of the catalogue.
	// Name is then the strategy that is nearest, and Lock has the parts of the library.
	Library string `yaml:"-"`
	// Case is the case of this use, "" if the scenario has no cases.
	Case string `yaml:"-"`
}

// Each has the settings that differ for one worker.
type Each struct {
	Worker     string               `yaml:"worker" doc:"which worker"`
	Start      time.Duration        `yaml:"start" doc:"start of its first section"`
	Hold       *draw.Dist           `yaml:"hold" doc:"time between its read and its write; by default workload.hold"`
	Heeds      results.Heeds        `yaml:"heeds" doc:"when its work heeds its context; by default workload.heeds"`
	WallOffset time.Duration        `yaml:"wall-offset" doc:"offset of its wall clock; negative if the clock is slow"`
	Lock       LockParams           `yaml:"lock" doc:"parameters of its lock"`
	Families   strictyaml.Extension `yaml:"*families"`
}
