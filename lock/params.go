package lock

import (
	"maps"
	"math/rand/v2"
	"time"
)

// Params are the parts that a strategy is put together from, and the numbers that
// tune it. A strategy reads those that it has, and begins from its own defaults. A
// scenario can set each of them for all strategies, for one, and for one worker. So a
// flaw is one part changed.
type Params struct {
	// Profile names one of Profiles, whose numbers hold where the same part of a
	// scenario does not set them; "" for none.
	Profile string `yaml:"profile"`
	// TTL is the lease time that the server is asked for.
	TTL time.Duration `yaml:"ttl"`
	// Retry says how a refused acquire is repeated.
	Retry Retry `yaml:"retry"`
	// Renew is the period of renewal; 0 stands for TTL/3, or with several servers
	// for half of the validity that is left.
	Renew time.Duration `yaml:"renew"`
	// RenewShare is the period of renewal as a share of the TTL, where Renew is 0;
	// 0 for none. Presets have it, so that their period follows the TTL.
	RenewShare float64 `yaml:"-"`
	// MaxHold bounds how long renewal keeps one grant alive; 0 for no bound.
	MaxHold time.Duration `yaml:"max-hold"`
	// NodeTimeout is how long one of several servers is waited for before it
	// counts as failed; 0 for as long as the client waits. Of a server with a
	// replica it is the time-out of WAIT.
	NodeTimeout time.Duration `yaml:"node-timeout"`
	// Drift is taken off the validity that several servers give, for clocks that
	// run at different rates; 0 stands for TTL/100, rounded to a millisecond, and
	// 2 ms.
	Drift time.Duration `yaml:"drift"`
	// Wait is how many replicas must have the key before it counts as taken; 0
	// for none.
	Wait int `yaml:"wait"`
	// Fallback is how long a waiter listens before it asks all the same; 0 for
	// ever.
	Fallback time.Duration `yaml:"fallback"`

	// Parts names the way of each part that the strategy has, as in "renewal":
	// "watchdog". The families say which parts there are.
	Parts Parts `yaml:",inline"`
}

// Parts names ways by the names of their parts. It is not changed: Set copies it.
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

// Renews reports whether the strategy may renew its leases. A strategy without that
// part may.
func (p Params) Renews() bool { return p.Parts["renewal"] != "none" }

// Retry is the policy after a refused acquire: wait Delay plus a uniform part
// of Jitter, then ask again.
type Retry struct {
	// Attempts counts the first one too.
	Attempts Attempts      `yaml:"attempts"`
	Delay    time.Duration `yaml:"delay"`
	Jitter   time.Duration `yaml:"jitter"`
	// Doubling doubles Delay, but not Jitter, after every attempt.
	Doubling bool `yaml:"doubling"`
	// Random waits for a uniform part of Delay instead of all of it.
	Random bool `yaml:"random"`
	// AfterLast waits once more when the last attempt was refused, for nothing.
	AfterLast bool `yaml:"after-last"`
}

// Pause draws the time from an attempt to the next.
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

// Attempts is a number of tries, or Unlimited.
type Attempts int

// Unlimited attempts end only with the caller's context.
const Unlimited Attempts = -1
