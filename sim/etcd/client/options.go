package client

import "time"

// Options are the settings of a client.
type Options struct {
	RequestTimeout time.Duration `yaml:"request-timeout" doc:"how long a client waits for a reply; the official client has no timeout, and programs set one" min:"1ms"`
	DialTimeout    time.Duration `yaml:"dial-timeout" doc:"how long a client tries to connect to a member" min:"1ms"`
	Retries        int           `yaml:"retries" doc:"maximum number of retries of a retriable request after a temporary error" min:"0" max:"1000"`
}

// WithDefaults returns the options with defaults in place of zeros: those of the official client, and
// a timeout of 5 s.
func (o Options) WithDefaults() Options {
	const seconds, retries = 5 * time.Second, 100
	if o.RequestTimeout == 0 {
		o.RequestTimeout = seconds
	}
	if o.DialTimeout == 0 {
		o.DialTimeout = time.Second
	}
	if o.Retries == 0 {
		o.Retries = retries
	}
	return o
}

const (
	// A request is repeated after 25 ms, 10 % more or less, when all members have been asked.
	retryPause, retryJitter = 25 * time.Millisecond, 5 * time.Millisecond
	// A member that could not be reached is tried again after a second.
	redialPause = time.Second
)
