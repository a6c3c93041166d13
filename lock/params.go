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
	Profile string        `yaml:"profile" doc:"ttl, retry and renew of a kind of work; the keys beside it win"`
	TTL     time.Duration `yaml:"ttl" doc:"lease time that the server is asked for"`
	Retry   Retry         `yaml:"retry" doc:"what follows a refused acquire"`
	Renew   time.Duration `yaml:"renew" doc:"period of renewal; 0s for a third of the lease, or with several servers for half of the validity that is left"`
	// RenewShare is the period of renewal as a share of the TTL, where Renew is 0;
	// 0 for none. Presets have it, so that their period follows the TTL.
	RenewShare float64       `yaml:"-"`
	MaxHold    time.Duration `yaml:"max-hold" doc:"how long renewal keeps one grant alive; 0s for no bound"`
	// NodeTimeout is that of WAIT, if the server has a replica. One of several servers
	// counts as failed after it.
	NodeTimeout time.Duration `yaml:"node-timeout" doc:"how long one of several servers, or a replica, is waited for; 0s for as long as the client waits"`
	// Drift is for clocks that run at different rates. The hundredth is rounded to a
	// millisecond.
	Drift    time.Duration `yaml:"drift" doc:"what is taken off the validity of several servers; 0s for a hundredth of the ttl and 2ms"`
	Wait     int           `yaml:"wait" doc:"how many replicas must have the key before it counts as taken"`
	Fallback time.Duration `yaml:"fallback" doc:"how long a waiter listens before it asks all the same; 0s for ever"`

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
	Attempts  Attempts      `yaml:"attempts" doc:"how often an acquire is tried, the first one included"`
	Delay     time.Duration `yaml:"delay" doc:"wait before the next attempt"`
	Jitter    time.Duration `yaml:"jitter" doc:"a uniform part of this is added to the delay"`
	Doubling  bool          `yaml:"doubling" doc:"the delay, but not the jitter, doubles after every attempt"`
	Random    bool          `yaml:"random" doc:"waits for a uniform part of the delay instead of all of it"`
	AfterLast bool          `yaml:"after-last" doc:"waits once more when the last attempt was refused"`
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
