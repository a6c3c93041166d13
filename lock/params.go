package lock

import "time"

// Params are the numbers that a strategy can be tuned by. A strategy reads
// those that it has and begins from its own defaults; a scenario may set each
// of them for all strategies, for one, and for one worker.
type Params struct {
	// TTL is the lease time that the server is asked for.
	TTL time.Duration `yaml:"ttl"`
	// Retry says how a refused acquire is repeated.
	Retry Retry `yaml:"retry"`
	// Renew is the period of renewal; 0 stands for TTL/3.
	Renew time.Duration `yaml:"renew"`
	// MaxHold bounds how long renewal keeps one grant alive.
	MaxHold time.Duration `yaml:"max-hold"`
}

// Retry is the policy after a refused acquire: wait Delay plus a uniform part
// of Jitter, then ask again.
type Retry struct {
	// Attempts counts the first one too.
	Attempts Attempts      `yaml:"attempts"`
	Delay    time.Duration `yaml:"delay"`
	Jitter   time.Duration `yaml:"jitter"`
}

// Attempts is a number of tries, or Unlimited.
type Attempts int

// Unlimited attempts end only with the caller's context.
const Unlimited Attempts = -1
