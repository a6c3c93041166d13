package lock

import (
	"maps"
	"math/rand/v2"
	"time"
)

// Params are the parts of a strategy, and its numbers. A strategy begins with its own
// defaults, and ignores the parts and numbers that it does not have. A scenario can set
// each of them for all strategies, for one strategy, and for one worker. So a flaw is a
// recipe with one part changed.
type Params struct {
	// Profile names one of Profiles; "" for none.
	Profile string        `yaml:"profile" doc:"a preset of ttl, retry and renew for one kind of work; the other keys override it"`
	TTL     time.Duration `yaml:"ttl" doc:"length of the lease that the lock asks for"`
	Retry   Retry         `yaml:"retry" doc:"what happens after a refused acquire"`
	Renew   time.Duration `yaml:"renew" doc:"period of renewal; 0s for a third of the lease, or with several servers for half of the validity that is left"`
	// RenewShare is the period of renewal as a share of the TTL, if Renew is 0; 0 for
	// none. Presets set it, so that their period follows the TTL.
	RenewShare float64 `yaml:"-"`
	// RenewDeadline applies to leader elections.
	RenewDeadline time.Duration `yaml:"renew-deadline" doc:"how long the leader of an election tries to renew its lease before it steps down; 0s for two thirds of the ttl"`
	MaxHold       time.Duration `yaml:"max-hold" doc:"longest time for which a grant is renewed; 0s for no limit"`
	// NodeTimeout is the time after which one of several servers counts as failed. With
	// a replica it is the timeout of WAIT.
	NodeTimeout time.Duration `yaml:"node-timeout" doc:"timeout for one of several servers, or for a replica; 0s for the timeout of the client"`
	// Drift allows for clocks that run at different rates. The default, a hundredth of the TTL plus
	// 2 ms, is rounded to a millisecond.
	Drift time.Duration `yaml:"drift" doc:"allowance for clock drift that is subtracted from the validity with several servers; 0s for a hundredth of the ttl plus 2ms"`
	// Tries limits the claims of one job of a queue.
	Tries int `yaml:"tries" doc:"how often a job of a queue may be claimed before it is given up"`
	// LockTimeout is the limit that a database sets to one wait for a lock.
	LockTimeout time.Duration `yaml:"lock-timeout" doc:"longest time for which an acquire waits in the database (lock_timeout); 0s for no limit"`
	Wait        int           `yaml:"wait" doc:"number of replicas that must confirm a grant"`
	Fallback    time.Duration `yaml:"fallback" doc:"longest time for which a waiter waits for a release message before it polls; 0s for no limit"`

	// Parts names the way of each part that the strategy has, as in "renewal":
	// "watchdog". Each family lists its parts.
	Parts Parts `yaml:",inline"`
}

// Parts maps the names of parts to the names of their ways. A map is never changed: Set
// copies it.
type Parts map[string]string

// Set names the way of a part.
func (p *Params) Set(part, way string) {
	parts := maps.Clone(p.Parts)
	if parts == nil {
		parts = Parts{}
	}
	parts[part] = way
	p.Parts = parts
}

// Fenced reports whether the strategy promises tokens in the order of grants.
func (p Params) Fenced() bool {
	way := p.Parts["fence"]
	return way != "" && way != "none"
}

// Renews reports whether the strategy may renew its leases. A strategy that does not
// have this part may renew them.
func (p Params) Renews() bool { return p.Parts["renewal"] != "none" }

// DriftAllowance returns by how much a lease of several servers is shortened because their clocks may drift.
func (p Params) DriftAllowance() time.Duration {
	if p.Drift != 0 {
		return p.Drift
	}
	return (p.TTL / 100).Round(time.Millisecond) + 2*time.Millisecond
}

// Retry is the policy after a refused acquire: the waiter sleeps for Delay plus a
// random time of up to Jitter, then tries again.
type Retry struct {
	Attempts  Attempts      `yaml:"attempts" doc:"number of attempts of one acquire, the first one included"`
	Delay     time.Duration `yaml:"delay" doc:"pause before the next attempt"`
	Jitter    time.Duration `yaml:"jitter" doc:"a random time of up to this is added to the delay"`
	Doubling  bool          `yaml:"doubling" doc:"the delay, but not the jitter, doubles after every attempt"`
	Random    bool          `yaml:"random" doc:"whether the pause is drawn uniformly between 0 and the delay"`
	AfterLast bool          `yaml:"after-last" doc:"whether the lock pauses once more after the last refused attempt"`
}

// longest bounds pauses that double.
const longest = 24 * time.Hour

// Pause draws the time between an attempt and the next. The first attempt is 1.
func (r Retry) Pause(attempt int, random *rand.Rand) time.Duration {
	delay := r.Delay
	for i := 1; r.Doubling && i < attempt && delay < longest; i++ {
		delay *= 2
	}
	if r.Random && delay > 0 {
		delay = time.Duration(random.Int64N(int64(delay)))
	}
	if r.Jitter <= 0 {
		return delay
	}
	return delay + time.Duration(random.Int64N(int64(r.Jitter)))
}

// Longest returns an upper bound of the total pause between the attempts of one acquire, and whether the attempts are
// limited.
func (r Retry) Longest() (total time.Duration, limited bool) {
	delay := r.Delay
	for n := 1; n < int(r.Attempts) && total < longest; n++ {
		total += delay + r.Jitter
		if r.Doubling {
			delay *= 2
		}
	}
	return total, r.Attempts != Unlimited
}

// Attempts is a number of attempts, or Unlimited.
type Attempts int

// Unlimited means that the caller tries until its context ends.
const Unlimited Attempts = -1
