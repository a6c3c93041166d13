// Package client runs the DynamoDB client of the AWS SDK in the simulation. The SDK itself encodes
// requests, decodes responses and decides about retries. Nothing is signed. Its HTTP client is simulated.
//
// A [Client] has the methods of the SDK's client that locks use (client.go). A transport models net/http's
// pool of connections (transport.go). The SDK waits before a retry by a timer of the machine, so the
// retryer here waits in virtual time and lets the SDK wait for 0 (retryer.go).
//
// A context that can end must not reach the SDK, which would wait for it in real time. The SDK gets one
// that cannot end, and the transport and the retryer handle the end.
package client

import "time"

// Options are the settings of a client. Zero values are the defaults of the SDK.
type Options struct {
	Attempts       int           `yaml:"attempts" doc:"maximum number of times that the SDK sends a request, with a pause before each retry" min:"1" max:"1000"`
	ConnectTimeout time.Duration `yaml:"connect-timeout" doc:"how long opening a connection may take" min:"1ms"`
	RequestTimeout time.Duration `yaml:"request-timeout" doc:"timeout of each attempt, as the Timeout of an http.Client; 0s for none" min:"0s"`
}

// WithDefaults fills in the defaults of the SDK.
func (o Options) WithDefaults() Options {
	const (
		attempts       = 4 // of the DynamoDB client; other services have 3
		connectTimeout = 30 * time.Second
	)
	if o.Attempts == 0 {
		o.Attempts = attempts
	}
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = connectTimeout
	}
	return o
}
