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
	// Profile names one of Profiles; "" for none. Its numbers apply unless the same
	// section of a scenario sets them.
	Profile string `yaml:"profile"`
	// TTL is the length of the lease that the strategy asks for.
	TTL time.Duration `yaml:"ttl"`
	// Retry is the policy after a refused acquire.
	Retry Retry `yaml:"retry"`
	// Renew is the period of renewal; 0 for TTL/3, or with several servers for half
	// of the validity that is left.
	Renew time.Duration `yaml:"renew"`
	// RenewShare is the period of renewal as a share of the TTL, if Renew is 0; 0
	// for none. Presets set it, so that their period follows the TTL.
	RenewShare float64 `yaml:"-"`
	// MaxHold bounds the time for which renewal keeps one grant alive; 0 for no
	// bound.
	MaxHold time.Duration `yaml:"max-hold"`
	// NodeTimeout is the time after which one of several servers counts as failed; 0
	// for the timeout of the client. For a server with a replica it is the timeout of
	// WAIT.
	NodeTimeout time.Duration `yaml:"node-timeout"`
	// Drift is subtracted from the validity of a quorum, since clocks run at
	// different rates; 0 for TTL/100, rounded to a millisecond, plus 2 ms.
	Drift time.Duration `yaml:"drift"`
	// Wait is the number of replicas that must confirm a grant; 0 for none.
	Wait int `yaml:"wait"`
	// Fallback is the time after which a waiter that listens for a release asks
	// anyway; 0 for never.
	Fallback time.Duration `yaml:"fallback"`

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

// Retry is the policy after a refused acquire: the waiter sleeps for Delay plus a
// random time of up to Jitter, then tries again.
type Retry struct {
	// Attempts includes the first one.
	Attempts Attempts      `yaml:"attempts"`
	Delay    time.Duration `yaml:"delay"`
	Jitter   time.Duration `yaml:"jitter"`
	// Doubling doubles Delay, but not Jitter, after every attempt.
	Doubling bool `yaml:"doubling"`
	// Random draws the delay uniformly from 0 to Delay.
	Random bool `yaml:"random"`
	// AfterLast sleeps once more after the last attempt was refused, to no purpose.
	AfterLast bool `yaml:"after-last"`
}

// Pause draws the time between an attempt and the next. The first attempt is 1.
func (r Retry) Pause(attempt int, random *rand.Rand) time.Duration {
	const longest = 24 * time.Hour
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

// Attempts is a number of attempts, or Unlimited.
type Attempts int

// Unlimited: the caller tries until its context ends.
const Unlimited Attempts = -1
