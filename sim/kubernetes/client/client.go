// Package client is a model of the REST client of client-go 0.37, for Lease objects in the simulation.
//
// A [Client] has one connection, as HTTP/2 has for all requests of a process (connection.go), a limit of requests per
// second (limiter.go), and the retries of rest.Request: after an answer with Retry-After, and of a get after a reset
// (client.go).
package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"lockquake/lock/env"
	"lockquake/lock/kubernetes"
	"lockquake/sim"
	"lockquake/sim/kubernetes/api"
)

// Options are the settings of a client.
type Options struct {
	Timeout time.Duration `yaml:"timeout" doc:"how long a client tries one request, with its retries; client-go gives an election half of its renew deadline, 5s" min:"1ms"`
	QPS     int           `yaml:"qps" doc:"requests per second that a client sends, after a burst; 0 for no limit" min:"0" max:"100000"`
	Burst   int           `yaml:"burst" doc:"requests that a client sends at once before qps limits it" min:"1" max:"100000"`
}

// Defaults returns the options of client-go. The timeout is that of an election with the default renew deadline.
func Defaults() Options { return Options{Timeout: 5 * time.Second, QPS: 5, Burst: 10} }

// Client sends the requests of the workers of a process. It implements kubernetes.Leases.
type Client struct {
	env     env.Env
	options Options
	network network
	limiter *limiter
}

// New returns a client for the process. Its requests go to the node that resolve returns.
func New(p *sim.Process, resolve func() string, o Options) *Client {
	e := p.Worker(p.Name() + " kubernetes client")
	return &Client{
		env: e, options: o, limiter: &limiter{env: e, qps: o.QPS, burst: o.Burst},
		network: network{process: p, resolve: resolve, dialling: e.NewSem(1)},
	}
}

// Get implements kubernetes.Leases.
func (c *Client) Get(ctx context.Context, name string) (kubernetes.Lease, error) {
	return c.do(ctx, &api.Request{Verb: api.Get, Lease: kubernetes.Lease{Name: name}})
}

// Create implements kubernetes.Leases.
func (c *Client) Create(ctx context.Context, l kubernetes.Lease) (kubernetes.Lease, error) {
	return c.do(ctx, &api.Request{Verb: api.Create, Lease: l})
}

// Update implements kubernetes.Leases.
func (c *Client) Update(ctx context.Context, l kubernetes.Lease) (kubernetes.Lease, error) {
	return c.do(ctx, &api.Request{Verb: api.Update, Lease: l})
}

// maxRetries is how often a request is sent again.
const maxRetries = 10

// do sends a request, and again as long as the answer asks for that. The limit of requests comes before the timeout.
func (c *Client) do(ctx context.Context, r *api.Request) (kubernetes.Lease, error) {
	if err := c.network.process.Admit(); err != nil {
		return kubernetes.Lease{}, err
	}
	if err := c.limiter.wait(ctx); err != nil {
		return kubernetes.Lease{}, err
	}
	limited, cancel := c.env.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	for retries := 0; ; retries++ {
		response, err := c.network.send(limited, r)
		pause, again := retryAfter(r, response, err)
		if !again || retries >= maxRetries {
			return result(r, response, err)
		}
		if err := c.env.Sleep(limited, pause); err != nil {
			return kubernetes.Lease{}, fmt.Errorf("%s %s: %w", r.Verb, r.Lease.Name, err)
		}
		if err := c.limiter.wait(limited); err != nil {
			return kubernetes.Lease{}, err
		}
	}
}

// retryAfter returns the pause before a request is sent again, and reports whether it is: after an answer of 429 or
// of 500 and more that has a Retry-After, and a get after its connection was lost.
func retryAfter(r *api.Request, response *api.Response, err error) (time.Duration, bool) {
	if err != nil {
		return time.Second, r.Verb == api.Get && errors.Is(err, sim.ErrReset)
	}
	retries := response.Code == http.StatusTooManyRequests || response.Code >= http.StatusInternalServerError
	return time.Duration(response.RetryAfter) * time.Second, retries && response.RetryAfter > 0
}

func result(r *api.Request, response *api.Response, err error) (kubernetes.Lease, error) {
	switch {
	case err != nil:
		return kubernetes.Lease{}, fmt.Errorf("%s %s: %w", r.Verb, r.Lease.Name, err)
	case response.Code >= http.StatusBadRequest:
		return kubernetes.Lease{}, &kubernetes.StatusError{Code: response.Code, Reason: response.Reason, Message: response.Message}
	}
	return response.Lease, nil
}
