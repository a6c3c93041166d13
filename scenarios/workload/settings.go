package workload

import (
	"time"

	"lockquake/internal/draw"
	"lockquake/scenarios/results"
)

// Settings are those of the workload of a scenario. The keys after heeds belong to
// the workloads whose [Info] names them.
type Settings struct {
	Kind  string        `yaml:"kind"`
	Hold  draw.Dist     `yaml:"hold"`  // between the read and the write
	Think draw.Dist     `yaml:"think"` // between two sections
	Heeds results.Heeds `yaml:"heeds"` // how far the work looks at its context

	Writes int    `yaml:"writes"` // of a section; the hold is split between them
	Fails  int    `yaml:"fails"`  // percent of the sections whose work ends with an error before its first write
	Commit Commit `yaml:"commit"` // when the writes reach the resource
	// Attempts is how many sections one job may take. A job is tried again if its
	// section ended with any error: of the lock, of the work, of the resource.
	Attempts int `yaml:"attempts"`

	Period      time.Duration `yaml:"period"`        // from tick to tick
	HoldAtLeast time.Duration `yaml:"hold-at-least"` // no lock is given back earlier; 0: at the end of the task
	Key         TickKey       `yaml:"key"`           // what the lock is of; "" is KeyJob
	Recheck     bool          `yaml:"recheck"`       // whether the holder looks at the mark again

	Locks int   `yaml:"locks"` // resources that a section draws; 0 stands for 2
	Order Order `yaml:"order"` // in which it locks them; "" is OrderSorted
}

// Defaults are the settings that hold where a file says nothing else.
func Defaults() Settings {
	return Settings{Heeds: results.HeedsAlways, Writes: 1, Commit: CommitInside, Attempts: 1, Recheck: true}
}

// Param is a key that only some workloads have, and which values it takes: one of
// Count, Time and Word says so, or none if every value of its type is right.
type Param struct {
	Name  string
	Doc   string // what it means, for editors and the reference
	Count *Count
	Time  *Time
	Word  *Word
	Must  bool // a file has to set it
}

// Count is a whole number with its bounds.
type Count struct {
	Of        func(Settings) int
	Low, High int
}

// Time is a duration with its lower bound.
type Time struct {
	Of       func(Settings) time.Duration
	Shortest time.Duration
}

// Word is one of a few words.
type Word struct {
	Of    func(Settings) string
	Sort  string // of the words, as an error calls it
	Known []string
}

// The bounds of the settings.
const (
	percent      = 100
	mostWrites   = 1_000
	mostAttempts = 1_000
	mostLocks    = 10_000
)

// Params lists the keys that only some workloads have, each once.
func Params(catalogue []Info) []Param {
	var list []Param
	seen := map[string]bool{}
	for _, info := range catalogue {
		for _, p := range info.Params {
			if !seen[p.Name] {
				seen[p.Name] = true
				list = append(list, p)
			}
		}
	}
	return list
}

// periodParam is the key period of the workloads that follow a clock.
func periodParam() Param {
	return Param{
		Name: "period", Must: true, Time: &Time{func(s Settings) time.Duration { return s.Period }, time.Millisecond},
		Doc: "of cron and reminders: from one tick to the next, by each worker's own wall clock",
	}
}

// words makes plain strings of the words of a type.
func words[S ~string](known []S) []string {
	var list []string
	for _, w := range known {
		list = append(list, string(w))
	}
	return list
}
