package redis

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock/env"
	"lockquake/sim"
)

// pool keeps the connections of a client as go-redis does: the one that was
// used last is taken first, a new one is dialled when none is idle, and who
// finds all in use waits his turn.
type pool struct {
	client *conductor
	turns  env.Sem
	idle   []*sim.Conn // the last one was used last
}

func newPool(c *conductor) *pool {
	return &pool{client: c, turns: c.env.NewSem(c.options.PoolSize)}
}

// get returns a connection that is ready for a command. put must follow.
func (p *pool) get(ctx context.Context) (*sim.Conn, error) {
	if err := p.takeTurn(ctx); err != nil {
		return nil, err
	}
	return p.connect(ctx)
}

// tryGet is get for those who will not wait: it reports false if all
// connections are in use.
func (p *pool) tryGet(ctx context.Context) (*sim.Conn, bool, error) {
	if ctx.Err() != nil {
		return nil, true, ctx.Err()
	}
	if !p.turns.TryAcquire() {
		return nil, false, nil
	}
	conn, err := p.connect(ctx)
	return conn, true, err
}

func (p *pool) takeTurn(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.turns.TryAcquire() {
		return nil
	}
	limited, cancel := p.client.env.WithTimeout(ctx, p.client.options.PoolTimeout)
	defer cancel()
	err := p.turns.Acquire(limited)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return goredis.ErrPoolTimeout
	}
	return err
}

// connect takes an idle connection or dials one, and gives the turn back if
// it fails.
func (p *pool) connect(ctx context.Context) (*sim.Conn, error) {
	for n := len(p.idle); n > 0; n = len(p.idle) {
		conn := p.idle[n-1]
		p.idle = p.idle[:n-1]
		if conn.Err() == nil {
			return conn, nil
		}
	}
	conn, err := p.dial(ctx)
	if err == nil {
		if err = p.greet(conn); err == nil {
			return conn, nil
		}
		conn.Close()
	}
	p.turns.Release()
	return nil, err
}

// dial opens a connection, with the attempts of go-redis's pool.
func (p *pool) dial(ctx context.Context) (*sim.Conn, error) {
	o := p.client.options
	for attempt := 1; ; attempt++ {
		conn, err := p.client.process.Dial(ctx, p.client.node, o.DialTimeout)
		if err == nil {
			return conn, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if attempt == dialAttempts {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
		}
		if err := p.client.env.Sleep(ctx, dialPause); err != nil {
			return nil, contextError(ctx, err)
		}
	}
}

// How go-redis dials unless told otherwise.
const (
	dialAttempts = 5
	dialPause    = 100 * time.Millisecond
)

// greet is the handshake, which go-redis cannot do without: a HELLO, and
// nothing more if the server answers at all.
func (p *pool) greet(conn *sim.Conn) error {
	hello := &Command{Args: []string{"hello", "2"}}
	_, err := conn.Call(context.Background(), "hello", hello, p.client.options.ReadTimeout)
	return err
}

// put gives a connection back, or closes it if err makes it useless.
func (p *pool) put(conn *sim.Conn, err error) {
	if badConn(err) {
		conn.Close()
	} else {
		p.idle = append(p.idle, conn)
	}
	p.turns.Release()
}

// badConn reports whether go-redis closes the connection on which a command
// ended like this. After most errors that the server sent, it does not.
func badConn(err error) bool {
	if err == nil {
		return false
	}
	text, ok := serverError(err)
	return !ok || strings.HasPrefix(text, "READONLY ")
}

// contextError is the error that go-redis reports when a wait was cut short:
// that of the context, not its cause.
func contextError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("redis: %w", err)
}
