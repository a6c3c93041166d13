package client

import (
	"context"
	"errors"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/sim/redis/keyspace"
)

// face is what go-redis's client, or one of its transactions, sees of the
// conductor. A transaction that has sent WATCH holds its connection until EXEC or
// UNWATCH. (That of go-redis holds it until its function has returned.)
type face struct {
	*conductor
	held    *pooledConn // nil: none
	bad     error       // why the held connection is of no use any more
	greeted bool        // it is that of a handshake which is over, and says nothing
}

// badStateError is what go-redis answers after the connection of a transaction has
// broken.
type badStateError struct{ error }

func (e badStateError) Error() string { return "redis: Conn is in a bad state: " + e.error.Error() }
func (e badStateError) Unwrap() error { return e.error }

// beginsOrEnds reports whether WATCH or UNWATCH comes from a method of go-redis's
// transaction. Anything else that speaks of a connection could meet any
// connection of the pool.
func (c *face) beginsOrEnds(cmd goredis.Cmder) bool {
	_, ok := cmd.(*goredis.StatusCmd)
	return ok && (cmd.Name() == "watch" || cmd.Name() == "unwatch")
}

// get returns the connection for a command.
func (c *face) get(ctx context.Context) (*pooledConn, error) {
	switch {
	case c.held == nil:
		return c.commands.get(ctx)
	case c.bad != nil:
		return nil, badStateError{c.bad}
	}
	return c.held, nil
}

// put takes the connection back after a command that ended with err, and holds it
// if that was WATCH.
func (c *face) put(conn *pooledConn, cmd goredis.Cmder, err error) {
	switch {
	case c.held == nil && cmd.Name() != "watch":
		c.commands.put(conn, err)
		return
	case c.held == nil:
		c.held = conn
	}
	if badConn(err) {
		c.bad = err
	}
}

// settle gives the held connection back after a command that leaves nothing
// watched: UNWATCH, and a first WATCH that failed.
func (c *face) settle(cmd goredis.Cmder, first bool, err error) {
	if c.held != nil && (cmd.Name() == "unwatch" || cmd.Name() == "watch" && first && err != nil) {
		c.release()
	}
}

// release gives the held connection back.
func (c *face) release() {
	conn, err := c.held, c.bad
	c.held, c.bad = nil, nil
	c.commands.put(conn, err)
}

// attemptHeld sends a pipeline over the held connection, and releases that after
// EXEC. It reports whether go-redis would send the pipeline again.
func (c *face) attemptHeld(ctx context.Context, op string, pipeline *keyspace.Pipeline, cmds []goredis.Cmder) (again bool, err error) {
	conn, err := c.get(ctx)
	if err != nil {
		return false, setErrors(cmds, err)
	}
	answer, err := conn.Call(context.Background(), op, pipeline, c.timeout(ctx, nil))
	if err != nil {
		c.bad = err
		cmds[0].SetErr(err)
		return !isTransaction(cmds) && resend(err, true), setErrors(cmds, err)
	}
	err = c.reader.setMany(cmds, answer.(*keyspace.Reply))
	if isTransaction(cmds) && (err == nil || errors.Is(err, goredis.TxFailedErr) || goredis.IsExecAbortError(err)) {
		c.release()
	}
	return false, err
}
