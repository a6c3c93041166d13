package client

import (
	"context"
	"errors"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock/env"
	"lockquake/sim/redis/resp"
)

// pipelinePool is the default size of go-redis's pool for pipelines, which does not depend on the
// size of the other pool.
const pipelinePool = 10

// processPipeline runs a pipeline, and resends it after a network error.
func (c *view) processPipeline(ctx context.Context, cmds []goredis.Cmder) error {
	if c.greeted {
		return nil
	}
	if err := c.process.Admit(); err != nil {
		return setErrors(cmds, err)
	}
	commands := make([][]string, len(cmds))
	for i, cmd := range cmds {
		words, err := appendArgs(nil, cmd.Args())
		if err != nil {
			return setErrors(cmds, err)
		}
		commands[i] = words
	}
	op := env.Op(ctx)
	if op == "" {
		op = "pipeline"
	}
	for attempt := 0; ; attempt++ {
		again, err := c.attemptPipeline(ctx, op, &resp.Pipeline{Commands: commands}, cmds)
		if !again || attempt >= c.options.MaxRetries {
			return err
		}
		if err := c.env.Sleep(ctx, c.backoff(attempt+1)); err != nil {
			return setErrors(cmds, contextError(ctx, err))
		}
	}
}

// attemptPipeline sends the pipeline once. It reports whether go-redis would resend it: a
// transaction only if it was not sent at all.
func (c *view) attemptPipeline(ctx context.Context, op string, pipeline *resp.Pipeline, cmds []goredis.Cmder) (again bool, err error) {
	whole := isTransaction(cmds)
	if c.held.Conn != nil {
		return c.attemptHeld(ctx, op, pipeline, cmds)
	}
	conn, from, err := c.pipelineConn(ctx)
	if err != nil {
		return resend(err, true), setErrors(cmds, err)
	}
	answer, err := conn.Call(context.Background(), op, pipeline, c.timeout(ctx, nil))
	if err != nil {
		from.put(conn, err)
		cmds[0].SetErr(err)
		return !whole && resend(err, true), setErrors(cmds, err)
	}
	err = c.reader.setMany(cmds, answer.(*resp.Reply))
	if whole {
		from.put(conn, cmds[1].Err())
		return false, err
	}
	// The first command decides for all.
	first := cmds[0].Err()
	from.put(conn, first)
	return first != nil && resend(first, true), err
}

// pipelines returns the pool for pipelines, which most clients never need.
func (c *hook) pipelines() *pool {
	if c.piped == nil {
		c.piped = &pool{}
		c.piped.init(c, pipelinePool)
	}
	return c.piped
}

// pipelineConn returns a connection of go-redis's pool for pipelines, or one of the other pool if
// that has none. It fails at once only if the caller has given up, or after a dial that took too
// long, which looks the same.
func (c *hook) pipelineConn(ctx context.Context) (pooledConn, *pool, error) {
	pipelines := c.pipelines()
	conn, err := pipelines.tryTake(ctx)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return pooledConn{}, nil, err
	}
	if err == nil {
		if err = pipelines.greet(ctx, &conn); err == nil {
			return conn, pipelines, nil
		}
	}
	conn, err = c.commands.get(ctx)
	return conn, &c.commands, err
}

// setErrors sets the error of all commands that have none.
func setErrors(cmds []goredis.Cmder, err error) error {
	for _, cmd := range cmds {
		if cmd.Err() == nil {
			cmd.SetErr(err)
		}
	}
	return err
}
