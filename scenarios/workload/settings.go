package workload

import (
	"time"

	"lockquake/internal/draw"
	"lockquake/scenarios/results"
)

// Settings holds the settings of a scenario's workload. The keys after heeds belong to the
// workloads whose [Info] names them.
type Settings struct {
	Kind  string        `yaml:"kind" doc:"which workload"`
	Hold  draw.Dist     `yaml:"hold" doc:"time between the read and the write"`
	Think draw.Dist     `yaml:"think" doc:"time between two sections"`
	Heeds results.Heeds `yaml:"heeds" doc:"when the work heeds its context, which a lock ends at a loss; always: the hold sleeps and ends with the context, and requests fail after its end; before-write: the hold computes, and requests fail after the end of the context; never: the hold computes, and requests are sent in any case"`

	Writes   int    `yaml:"writes" doc:"of counter, register and multi-lock: number of writes of a section; the hold is split evenly between them, and each continues from the section's previous write"`
	Fails    int    `yaml:"fails" doc:"of counter and jobs: percent of the sections whose work ends with an error before its first write"`
	Commit   Commit `yaml:"commit" doc:"of counter: when the writes are sent; inside: all inside the section; after-release: the last one after the strategy has returned ok, or not at all if it returned an error"`
	Attempts int    `yaml:"attempts" doc:"of counter and jobs: maximum number of sections of one job, the first one included, each after a think time; a job is retried after any error (of the lock, the work or the resource), given up after the last one, and dropped in a crash"`

	Period      time.Duration `yaml:"period" doc:"of cron, reminders, triggers, discount, charge, migration, cache-fill, leader and steal: from one tick to the next, by each worker's own wall clock"`
	HoldAtLeast time.Duration `yaml:"hold-at-least" doc:"of cron: shortest time for which the lock is held; 0s to release it at the end of the task"`
	Key         TickKey       `yaml:"key" doc:"of cron: one lock for the job, or one for each tick"` // "" is KeyJob
	Recheck     bool          `yaml:"recheck" doc:"of reminders, discount, charge, jobs, migration, cache-fill and steal: whether the holder checks inside the lock that the work has not been done; if not, the work checks only before it asks for the lock, and a job does not check"`

	Claim Claim `yaml:"claim" doc:"of steal: what a worker locks to do a job; job: the job; partition: the partition that has it"` // "" is ClaimJob

	Interval time.Duration `yaml:"interval" doc:"of leader and leader-election: time from the end of one piece of the leader's work to the next; by default 1m"`
	Term     time.Duration `yaml:"term" doc:"of leader and leader-election: term of a leader, which steps down when the term is over and its work is done; by default 5m"`

	Locks int   `yaml:"locks" doc:"of multi-lock: number of resources that a section draws; one drawn twice is locked once; by default 2"` // 0 stands for 2
	Order Order `yaml:"order" doc:"of multi-lock: order in which a section locks them"`                                                    // "" is OrderSorted

	Locking Locking `yaml:"locking" doc:"of transfer: which locks a transfer takes; both: those of both accounts, in sorted order; source: that of the account with the debit; names: one named for the debits of the source and one for the credits of the destination; all: one for all accounts, so that both writes are in one section, and in one transaction if the lock has one"` // "" is LockBoth
	Fenced  Fenced  `yaml:"fenced" doc:"of transfer: which writes carry the fencing token; both; first: only the debit, since the credit goes to an external ledger, which checks no token"`                                                                                                                                                                                             // "" is FencedBoth

	Idempotency bool    `yaml:"idempotency" doc:"of charge: whether the charge carries the order as an idempotency key, so that the external service refuses a second one"`
	Refused     Refused `yaml:"refused" doc:"of jobs: what happens to a job whose lock is not obtained; leave: it is retried, as after any other error; drop: it is dropped"` // "" is RefusedLeave
	Scope       Scope   `yaml:"scope" doc:"of flash-sale: which lock a sale takes; item: that of its product; global: one for all products"`                                  // "" is ScopeItem

	Permits int `yaml:"permits" doc:"of limited: number of calls that the service can serve at a time"`

	Limit   int           `yaml:"limit" doc:"of rate-limit: how many requests may be admitted in any window"`
	Window  time.Duration `yaml:"window" doc:"of rate-limit: the length of a window"`
	Sliding bool          `yaml:"sliding" doc:"of rate-limit: whether the times of the last requests are kept, instead of a count for a window that begins with its first request"`
	Expiry  Expiry        `yaml:"expiry" doc:"of rate-limit without sliding: when the end of a window is written; with-count: together with the first count; after-count: by a second write"` // "" is ExpiryWithCount
}

// Defaults returns the settings of a file without a workload's optional keys.
func Defaults() Settings {
	return Settings{Heeds: results.HeedsAlways, Writes: 1, Commit: CommitInside, Attempts: 1, Recheck: true, Limit: 10, Window: time.Minute, Interval: time.Minute, Term: 5 * time.Minute}
}

// Param is a key that only some workloads have. One of Count, Time and Word describes its
// values; none is set if all values of its type are valid.
type Param struct {
	Name  string
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
	Noun  string // noun for such a word in an error
	Known []string
}

// The bounds of the settings.
const (
	percent     = 100
	maxWrites   = 1_000
	maxAttempts = 1_000
	maxLocks    = 10_000
	maxLimit    = 10_000
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

// periodParam returns the key period of the workloads that follow a clock.
func periodParam() Param {
	return Param{Name: "period", Must: true, Time: &Time{func(s Settings) time.Duration { return s.Period }, time.Millisecond}}
}

// words converts typed words to strings.
func words[S ~string](known []S) []string {
	var list []string
	for _, w := range known {
		list = append(list, string(w))
	}
	return list
}
