package client

import (
	"context"
	"errors"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/sim/redis/resp"
)

// view is the hook as go-redis's client, or one of its transactions, uses it. A transaction that
// has sent WATCH holds its connection until EXEC or UNWATCH. (In go-redis it holds it until its
// function has returned.)
type view struct {
	*hook
	held    pooledConn // the zero value: none
	bad     error      // why the held connection is unusable
	greeted bool       // it is for a handshake that is already done, and sends nothing
}

// badStateError is the error of go-redis after the connection of a transaction has broken.
type badStateError struct{ error }

func (e badStateError) Error() string { return "redis: Conn is in a bad state: " + e.error.Error() }
func (e badStateError) Unwrap() error { return e.error }

// beginsOrEnds reports whether WATCH or UNWATCH comes from a method of go-redis's transaction. Any
// other command about a connection could reach any connection of the pool.
func (c *view) beginsOrEnds(cmd goredis.Cmder) bool {
	_, ok := cmd.(*goredis.StatusCmd)
	return ok && (cmd.Name() == "watch" || cmd.Name() == "unwatch")
}

// get returns the connection for a command.
func (c *view) get(ctx context.Context) (pooledConn, error) {
	switch {
	case c.held.Conn == nil:
		return c.commands.get(ctx)
	case c.bad != nil:
		return pooledConn{}, badStateError{c.bad}
	}
	return c.held, nil
}

// put returns the connection after a command that ended with err, or holds it if that command was
// WATCH.
func (c *view) put(conn pooledConn, cmd goredis.Cmder, err error) {
	switch {
	case c.held.Conn == nil && cmd.Name() != "watch":
		c.commands.put(conn, err)
		return
	case c.held.Conn == nil:
		c.held = conn
	}
	if badConn(err) {
		c.bad = err
	}
}

// settle returns the held connection after a command that leaves no watch: UNWATCH, or a first
// WATCH that failed.
func (c *view) settle(cmd goredis.Cmder, first bool, err error) {
	if c.held.Conn != nil && (cmd.Name() == "unwatch" || cmd.Name() == "watch" && first && err != nil) {
		c.release()
	}
}

// release returns the held connection.
func (c *view) release() {
	conn, err := c.held, c.bad
	c.held, c.bad = pooledConn{}, nil
	c.commands.put(conn, err)
}

// attemptHeld sends a pipeline on the held connection, and releases the connection after EXEC. It
// reports whether go-redis would resend the pipeline.
func (c *view) attemptHeld(ctx context.Context, op string, pipeline *resp.Pipeline, cmds []goredis.Cmder) (again bool, err error) {
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
	err = c.reader.setMany(cmds, answer.(*resp.Reply))
	if isTransaction(cmds) && (err == nil || errors.Is(err, goredis.TxFailedErr) || goredis.IsExecAbortError(err)) {
		c.release()
	}
	return false, err
}
