package client

import (
	"context"
	"errors"
	"net"
	"time"

	goredis "github.com/redis/go-redis/v9"

	lockredis "lockquake/lock/redis"
	"lockquake/sim"
)

// connector opens the connections of a process to a server. The client and the subscribers of the process
// share it.
type connector struct {
	process *sim.Process
	resolve func() string
	options Options // with their defaults
}

// Connect returns the clients of a process: one for each server, and the subscribers to the first. Each of
// resolvers returns the present node of a server. See [New] for the clients.
func Connect(p *sim.Process, resolvers []func() string, o Options) lockredis.Port {
	var nodes []goredis.Cmdable
	hooks := hooksOf(p, resolvers, o, &spareCommands{})
	for _, c := range hooks {
		nodes = append(nodes, c.client())
	}
	return portOf(hooks, nodes)
}

// hooksOf returns the hooks of a process for each server.
func hooksOf(p *sim.Process, resolvers []func() string, o Options, spare *spareCommands) []*hook {
	o = o.WithDefaults()
	list := make([]*hook, len(resolvers))
	for i, resolve := range resolvers {
		list[i] = newHook(p, resolve, o, spare)
	}
	return list
}

// portOf returns the port of a process with a client for each server.
func portOf(hooks []*hook, nodes []goredis.Cmdable) lockredis.Port {
	if len(nodes) == 0 {
		return lockredis.Port{}
	}
	first := subscriber{&hooks[0].connector}
	port := lockredis.Port{Client: nodes[0], Nodes: nodes, Subscriber: first, SharedSubscriber: &sharedSubscriber{subscriber: first}}
	port.Dial = func(node int, opOf func(command string) string) (net.Conn, error) { return hooks[node].dialWire(opOf) }
	return port
}

// dialOnce opens a connection, without the handshake.
func (d *connector) dialOnce() (*sim.Conn, error) {
	conn, err := d.process.Dial(context.Background(), d.resolve(), d.options.DialTimeout)
	if errors.Is(err, sim.ErrTimeout) {
		err = dialTimeoutError{err}
	}
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
	return conn, nil
}

// dialTimeoutError is the error of a dial that took too long. As in package net, errors.Is finds
// context.DeadlineExceeded in it.
type dialTimeoutError struct{ error }

func (e dialTimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }
func (e dialTimeoutError) Timeout() bool        { return true }
func (e dialTimeoutError) Unwrap() error        { return e.error }

// timeout returns how long to wait for a reply; 0 means forever. Cmd is nil for a pipeline. A
// cancelled context does not end the wait; only its deadline counts, if that is enabled.
func (d *connector) timeout(ctx context.Context, cmd goredis.Cmder) time.Duration {
	timeout := d.options.ReadTimeout
	if own, ok := waitTimeout(cmd); ok {
		timeout = own
	}
	if d.options.ContextTimeoutEnabled {
		if deadline, ok := ctx.Deadline(); ok {
			// At least 1 ns, since 0 means no limit.
			left := max(deadline.Sub(d.process.Node().Now()), time.Nanosecond)
			if timeout == 0 {
				return left
			}
			timeout = min(timeout, left)
		}
	}
	return timeout
}
