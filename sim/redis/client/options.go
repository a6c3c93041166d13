package client

import "time"

// Options are the settings of a client that affect the network. Zero values are the defaults of
// go-redis, with two exceptions: MaxRetries, and PoolSize, whose default in go-redis depends on the
// machine.
type Options struct {
	// PoolSize is the maximum number of connections, 10 by default. Pipelines have a pool of their
	// own, of size 10, and use this one if that has no connection.
	PoolSize int `yaml:"pool-size" doc:"maximum number of connections" min:"1" max:"10000"`
	// PoolTimeout limits the wait for a connection. The default is ReadTimeout + 1 s.
	PoolTimeout time.Duration `yaml:"pool-timeout" doc:"how long to wait for a connection" min:"1ms"`
	// DialTimeout limits each of the 5 attempts to connect. The default is 5 s.
	DialTimeout time.Duration `yaml:"dial-timeout" doc:"how long each attempt to connect may take" min:"1ms"`
	// ReadTimeout limits the wait for a reply. The default is 5 s.
	ReadTimeout time.Duration `yaml:"read-timeout" doc:"how long to wait for a reply" min:"1ms"`
	// ContextTimeoutEnabled makes the deadline of a context limit the wait as well.
	ContextTimeoutEnabled bool `yaml:"context-timeout" doc:"whether the deadline of a context shortens the wait for a reply"`
	// MaxRetries is how often a command is resent after a network error. The default is 0; in
	// go-redis it is 3.
	MaxRetries int `yaml:"max-retries" doc:"how often a command is sent again after a network error" min:"0" max:"1000"`
	// MinRetryBackoff and MaxRetryBackoff limit the pause before a resend. The defaults are 10 ms
	// and 1 s. If one of them is negative, there is no pause.
	MinRetryBackoff time.Duration `yaml:"min-retry-backoff" doc:"shortest pause before a command is sent again"`
	MaxRetryBackoff time.Duration `yaml:"max-retry-backoff" doc:"longest pause before a command is sent again"`
}

// WithDefaults fills in the defaults of go-redis.
func (o Options) WithDefaults() Options {
	setDefault(&o.PoolSize, 10)
	setDefault(&o.DialTimeout, 5*time.Second)
	setDefault(&o.ReadTimeout, 5*time.Second)
	setDefault(&o.PoolTimeout, o.ReadTimeout+time.Second)
	setDefault(&o.MinRetryBackoff, 10*time.Millisecond)
	setDefault(&o.MaxRetryBackoff, time.Second)
	return o
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
