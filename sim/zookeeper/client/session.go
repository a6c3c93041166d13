package client

import (
	"cmp"
	"context"
	"errors"
	"time"

	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/zookeeper/wire"
)

// Options are the settings of a client.
type Options struct {
	// Timeout is the session timeout that the client asks for. The server makes it at least 2 and at
	// most 20 ticks.
	Timeout time.Duration `yaml:"-"`
	// Connect limits a dial.
	Connect time.Duration `yaml:"connect-timeout" doc:"how long the client waits for a connection with a server" min:"1ms"`
}

// WithDefaults returns the options with defaults for zero values. The timeout is that of the examples
// of go-zookeeper, and the limit of a dial is that of its code.
func (o Options) WithDefaults() Options {
	const usualTimeout = 10 * time.Second
	return Options{Timeout: cmp.Or(o.Timeout, usualTimeout), Connect: cmp.Or(o.Connect, time.Second)}
}

// The errors of a client.
var (
	// ErrConnectionClosed: the connection has ended before the reply, so the outcome is unknown.
	ErrConnectionClosed = errors.New("zookeeper: connection closed")
	// ErrNoServer: no server could be reached. The request was not sent.
	ErrNoServer = errors.New("zookeeper: could not connect to a server")
	// ErrClosing: the client was closed.
	ErrClosing = errors.New("zookeeper: the client is closed")
)

// Status is the state of the session.
type Status struct {
	Session   int64 // 0: it has expired, or there was none yet
	Timeout   time.Duration
	Connected bool
	// Connections is the number of connections that this client has had.
	Connections int
	// Changed is signalled when the status changes.
	Changed *Signal
}

// Client is a client of an ensemble, for the workers of one process.
type Client struct {
	process *sim.Process
	env     *sim.Worker // of its tasks
	options Options
	servers []string
	next    int // the server that was tried last
	wrap    int // the server after which all have been tried

	started  bool
	closed   bool
	conn     *sim.Conn // with a session; nil: disconnected
	status   Status
	password uint64
	seen     int64 // the last zxid
	xid      int32
	calls    []*call // without a reply, in order
	unsent   []*call // that wait for a connection, in order
	watches  []*watch

	// OnEvent and OnStatus are called for each watch event and each change of the status, before
	// anything else learns of it; they may be nil.
	OnEvent  func(wire.Event)
	OnStatus func(Status)
}

// call is a request under way.
type call struct {
	request *wire.Request
	reply   *wire.Reply
	err     error
	watch   *Signal // that it has left; nil: none
	done    env.Sem
}

// New returns a client of the servers on these nodes. It connects at its first use.
func New(p *sim.Process, nodes []string, o Options) *Client {
	c := &Client{process: p, env: p.Worker(p.Name() + " zookeeper"), options: o.WithDefaults(), next: -1, wrap: -1}
	c.servers = append(c.servers, nodes...)
	c.status.Timeout = c.options.Timeout
	c.status.Changed = c.newSignal()
	return c
}

// Status returns the state of the session.
func (c *Client) Status() Status { return c.status }

// change replaces the status and signals that.
func (c *Client) change(s Status) {
	old := c.status.Changed
	s.Changed = c.newSignal()
	c.status = s
	if c.OnStatus != nil {
		c.OnStatus(s)
	}
	old.fire(wire.Event{}, nil)
}

// Close ends the session.
func (c *Client) Close(ctx context.Context) error {
	if !c.started || c.closed {
		return nil
	}
	c.closed = true
	limited, cancel := c.env.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := c.do(limited, &wire.Request{Op: wire.Op{Kind: wire.Close}})
	if c.conn != nil {
		c.conn.Close()
	}
	return err
}
