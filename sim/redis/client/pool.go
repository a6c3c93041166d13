package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/redis/resp"
)

// pool has the connections of a client and works like that of go-redis. It takes the connection
// that was used last, and dials if none is idle. A caller waits for its turn if all connections are
// in use. Each connection in use, and each dial until it has ended, holds a turn.
type pool struct {
	client   *hook
	size     int
	turns    env.Sem
	idle     []pooledConn  // in order of their last use
	room     [1]pooledConn // of idle, until there are more
	dialling int           // number of background dials

	waiters   []*dialWaiter // the callers that wait for a background dial, in order
	failures  int           // failed dials since the last successful one
	lastError error         // the error of the last failed dial
}

// pooledConn is a connection of a pool. The handshake is made before its first use, which may be
// long after the dial if the caller has given up.
type pooledConn struct {
	*sim.Conn
	greeted bool
}

func (p *pool) init(c *hook, size int) {
	p.client, p.size, p.turns = c, size, c.env.NewSem(size)
	p.idle = p.room[:0]
}

// errNoTurn is the error of tryTake if all connections are in use.
var errNoTurn = errors.New("redis: connection pool has no free turn")

// get returns a connection that is ready for a command. The caller has to call put.
func (p *pool) get(ctx context.Context) (pooledConn, error) {
	if err := p.takeTurn(ctx); err != nil {
		return pooledConn{}, err
	}
	conn, err := p.take(ctx)
	if err != nil {
		return pooledConn{}, err
	}
	err = p.greet(ctx, &conn)
	return conn, err
}

// tryTake returns a connection that may still need a handshake. It returns errNoTurn if get would
// wait.
func (p *pool) tryTake(ctx context.Context) (pooledConn, error) {
	if err := ctx.Err(); err != nil {
		return pooledConn{}, err
	}
	if !p.turns.TryAcquire() {
		return pooledConn{}, errNoTurn
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

// take returns an idle connection or dials one. If the dial fails, it releases the turn.
func (p *pool) take(ctx context.Context) (pooledConn, error) {
	for n := len(p.idle); n > 0; n = len(p.idle) {
		conn := p.idle[n-1]
		p.idle = p.idle[:n-1]
		if conn.Err() == nil {
			return conn, nil
		}
	}
	if ctx.Done() != nil || p.dialling > 0 {
		return p.dialInBackground(ctx)
	}
	// The caller cannot give up on this dial, so it needs no task of its own.
	conn, err := p.dial()
	if err != nil {
		p.turns.Release()
	}
	return conn, err
}

// dialWaiter is a caller that waits for a background dial.
type dialWaiter struct {
	ready env.Sem
	conn  pooledConn
	err   error
}

// dialInBackground dials in the background. The dial goes on after ctx has ended.
func (p *pool) dialInBackground(ctx context.Context) (pooledConn, error) {
	w := &dialWaiter{ready: p.client.env.NewSem(0)}
	p.waiters = append(p.waiters, w)
	p.dialling++
	p.client.process.Node().World().Go("dial", func() {
		conn, err := p.dial()
		p.dialling--
		if err == nil {
			p.dialled(w, conn)
			return
		}
		p.turns.Release()
		p.deliver(w, pooledConn{}, err)
	})
	if err := w.ready.Acquire(ctx); err != nil {
		p.forget(w)
		return pooledConn{}, contextError(ctx, err)
	}
	return w.conn, w.err
}

// dialled gives a new connection to the caller whose dial it was. If that has given up, the
// connection goes to the caller that has waited longest, whose own dial will become idle later.
func (p *pool) dialled(w *dialWaiter, conn pooledConn) {
	switch {
	case p.deliver(w, conn, nil):
	case len(p.waiters) > 0:
		p.deliver(p.waiters[0], conn, nil)
	default:
		p.idle = append(p.idle, conn)
		p.turns.Release()
	}
}

// deliver ends the wait of w, and reports whether it still waited.
func (p *pool) deliver(w *dialWaiter, conn pooledConn, err error) bool {
	if !p.forget(w) {
		return false
	}
	w.conn, w.err = conn, err
	w.ready.Release()
	return true
}

func (p *pool) forget(w *dialWaiter) bool {
	i := slices.Index(p.waiters, w)
	if i >= 0 {
		p.waiters = slices.Delete(p.waiters, i, i+1)
	}
	return i >= 0
}

// The defaults of go-redis for dials.
const (
	dialAttempts = 5
	dialPause    = 100 * time.Millisecond
	probePause   = time.Second
)

// dial opens a connection, with the attempts of go-redis's pool. After as many failures as the pool
// has connections it fails at once, until a background probe succeeds.
func (p *pool) dial() (pooledConn, error) {
	if p.failures >= p.size {
		return pooledConn{}, p.lastError
	}
	for attempt := 1; ; attempt++ {
		conn, err := p.client.dialOnce()
		if err == nil {
			return pooledConn{Conn: conn}, nil
		}
		if attempt == dialAttempts {
			p.lastError = err
			if p.failures++; p.failures == p.size {
				p.client.process.Node().World().Go("dial probe", p.probe)
			}
			return pooledConn{}, err
		}
		if p.client.env.Sleep(context.Background(), dialPause) != nil {
			return pooledConn{}, err // the run is over
		}
	}
}

// probe dials until it succeeds.
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

// greet makes the handshake of go-redis: a HELLO, which succeeds if the server answers at all. If
// it fails, the connection is closed and the turn released.
func (p *pool) greet(ctx context.Context, conn *pooledConn) error {
	if conn.greeted {
		return nil
	}
	err := p.hello(ctx, conn.Conn)
	if err != nil {
		p.put(*conn, err)
		return err
	}
	conn.greeted = true
	return nil
}

// hello sends HELLO. go-redis retries a failure like that of any command, with pauses, but on the
// same broken connection. So only the first attempt sends anything, and a timeout is retried only
// once.
func (p *pool) hello(ctx context.Context, conn *sim.Conn) error {
	c := p.client
	_, err := conn.Call(context.Background(), "hello", &resp.Command{Args: []string{"hello", "2"}}, c.timeout(ctx, nil))
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

// put returns a connection to the pool, or closes it if err makes it unusable.
func (p *pool) put(conn pooledConn, err error) {
	if badConn(err) {
		conn.Close()
	} else {
		p.idle = append(p.idle, conn)
	}
	p.turns.Release()
}

// badConn reports whether go-redis closes a connection after a command with this error. It does not
// after most errors from the server.
func badConn(err error) bool {
	if err == nil {
		return false
	}
	text, ok := serverError(err)
	return !ok || strings.HasPrefix(text, "READONLY ")
}

// contextError returns the error of go-redis for an interrupted wait: that of the context, not its
// cause.
func contextError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("redis: %w", err)
}
