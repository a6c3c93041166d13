package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/redis/keyspace"
)

// pool keeps the connections of a client as go-redis does: the one that was
// used last is taken first, a new one is dialled when none is idle, and who
// finds all in use waits his turn. A turn is held by a connection in use, and
// by a dial, until it has ended.
type pool struct {
	client *conductor
	size   int
	turns  env.Sem
	idle   []*pooledConn // the last one was used last

	wanted    []*want // who waits for a dial in the background, in order
	dialling  int     // dials in the background
	failures  int     // dials that failed since one last came through
	lastError error   // of them
}

// pooledConn is a connection of a pool. It is greeted before its first use,
// which comes late if who had it dialled has given up.
type pooledConn struct {
	*sim.Conn
	greeted bool
}

func newPool(c *conductor, size int) *pool {
	return &pool{client: c, size: size, turns: c.env.NewSem(size)}
}

// errNoTurn says that all connections of a pool are in use.
var errNoTurn = errors.New("redis: connection pool has no free turn")

// get returns a connection that is ready for a command. put must follow.
func (p *pool) get(ctx context.Context) (*pooledConn, error) {
	if err := p.takeTurn(ctx); err != nil {
		return nil, err
	}
	conn, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	return conn, p.greet(ctx, conn)
}

// tryTake returns a connection that may have to be greeted, or errNoTurn where
// get would wait.
func (p *pool) tryTake(ctx context.Context) (*pooledConn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !p.turns.TryAcquire() {
		return nil, errNoTurn
	}
	return p.take(ctx)
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

// take returns an idle connection or dials one. If it fails, the turn is given
// back, by who dials.
func (p *pool) take(ctx context.Context) (*pooledConn, error) {
	for n := len(p.idle); n > 0; n = len(p.idle) {
		conn := p.idle[n-1]
		p.idle = p.idle[:n-1]
		if conn.Err() == nil {
			return conn, nil
		}
	}
	if ctx.Done() != nil || p.dialling > 0 {
		return p.dialBehind(ctx)
	}
	// Nobody can give up on this dial, so it needs no task of its own.
	conn, err := p.dial()
	if err != nil {
		p.turns.Release()
	}
	return conn, err
}

// want is somebody who waits for a dial in the background.
type want struct {
	ready env.Sem
	conn  *pooledConn
	err   error
}

// dialBehind dials in the background. The dial goes on when ctx has ended.
func (p *pool) dialBehind(ctx context.Context) (*pooledConn, error) {
	w := &want{ready: p.client.env.NewSem(0)}
	p.wanted = append(p.wanted, w)
	p.dialling++
	p.client.process.Node().World().Go("dial", func() {
		conn, err := p.dial()
		p.dialling--
		if err == nil {
			p.dialled(w, conn)
			return
		}
		p.turns.Release()
		p.deliver(w, nil, err)
	})
	if err := w.ready.Acquire(ctx); err != nil {
		p.forget(w)
		return nil, contextError(ctx, err)
	}
	return w.conn, w.err
}

// dialled gives a new connection to who had it dialled, or else to the one who
// waits longest, whose own dial will leave one idle in its turn.
func (p *pool) dialled(w *want, conn *pooledConn) {
	switch {
	case p.deliver(w, conn, nil):
	case len(p.wanted) > 0:
		p.deliver(p.wanted[0], conn, nil)
	default:
		p.idle = append(p.idle, conn)
		p.turns.Release()
	}
}

// deliver ends the wait of w, and reports whether it still waited.
func (p *pool) deliver(w *want, conn *pooledConn, err error) bool {
	if !p.forget(w) {
		return false
	}
	w.conn, w.err = conn, err
	w.ready.Release()
	return true
}

func (p *pool) forget(w *want) bool {
	i := slices.Index(p.wanted, w)
	if i >= 0 {
		p.wanted = slices.Delete(p.wanted, i, i+1)
	}
	return i >= 0
}

// How go-redis dials unless told otherwise.
const (
	dialAttempts = 5
	dialPause    = 100 * time.Millisecond
	probePause   = time.Second
)

// dial opens a connection, with the attempts of go-redis's pool. After as many
// failures as the pool has connections it refuses at once, until a probe in
// the background comes through.
func (p *pool) dial() (*pooledConn, error) {
	if p.failures >= p.size {
		return nil, p.lastError
	}
	for attempt := 1; ; attempt++ {
		conn, err := p.client.dialOnce()
		if err == nil {
			return &pooledConn{Conn: conn}, nil
		}
		if attempt == dialAttempts {
			p.lastError = err
			if p.failures++; p.failures == p.size {
				p.client.process.Node().World().Go("dial probe", p.probe)
			}
			return nil, err
		}
		if p.client.env.Sleep(context.Background(), dialPause) != nil {
			return nil, err // the run is over
		}
	}
}

// probe dials until it comes through.
func (p *pool) probe() {
	for {
		conn, err := p.client.dialOnce()
		if err == nil {
			p.failures = 0
			conn.Close()
			return
		}
		p.lastError = err
		if p.client.env.Sleep(context.Background(), probePause) != nil {
			return // the run is over
		}
	}
}

func (c *conductor) dialOnce() (*sim.Conn, error) {
	conn, err := c.process.Dial(context.Background(), c.resolve(), c.options.DialTimeout)
	if errors.Is(err, sim.ErrTimeout) {
		err = dialTimeoutError{err}
	}
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
	return conn, nil
}

// dialTimeoutError is a dial that took too long. As in package net, it passes for
// the end of a context's time.
type dialTimeoutError struct{ error }

func (e dialTimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }
func (e dialTimeoutError) Timeout() bool        { return true }
func (e dialTimeoutError) Unwrap() error        { return e.error }

// greet is the handshake, which go-redis cannot do without: a HELLO, and
// nothing more if the server answers at all. If it fails the connection is
// closed and the turn given back.
func (p *pool) greet(ctx context.Context, conn *pooledConn) error {
	if conn.greeted {
		return nil
	}
	err := p.hello(ctx, conn)
	if err != nil {
		p.put(conn, err)
		return err
	}
	conn.greeted = true
	return nil
}

// hello sends HELLO. A failure is repeated like that of any command, with the
// pauses in between, but on a connection that is of no use any more: so only
// the first attempt sends anything, and a time-out is tried once more only.
func (p *pool) hello(ctx context.Context, conn *pooledConn) error {
	c := p.client
	_, err := conn.Call(context.Background(), "hello", &keyspace.Command{Args: []string{"hello", "2"}}, c.timeout(ctx, nil))
	for attempt := 1; err != nil && attempt <= c.options.MaxRetries; attempt++ {
		if err := c.env.Sleep(ctx, c.backoff(attempt)); err != nil {
			return contextError(ctx, err)
		}
		if !resend(err, false) {
			break
		}
	}
	return err
}

// put gives a connection back, or closes it if err makes it useless.
func (p *pool) put(conn *pooledConn, err error) {
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
