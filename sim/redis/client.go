package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock/env"
	"lockquake/sim"
)

// ClientOptions are the settings of a client. A zero value stands for the
// default of go-redis, but for MaxRetries.
type ClientOptions struct {
	PoolSize     int           // connections at most; 10
	PoolTimeout  time.Duration // wait for one of them; ReadTimeout and a second
	DialTimeout  time.Duration // for the connection to open; 5 s
	ReadTimeout  time.Duration // for a reply; 3 s
	MaxRetries   int           // resends after a network error; none, where go-redis has 3
	MinBackoff   time.Duration // before the first resend, doubling; 8 ms
	MaxBackoff   time.Duration // before any resend; 512 ms
	ContextReads bool          // a context's deadline bounds the wait for a reply too
}

func (o ClientOptions) withDefaults() ClientOptions {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	if o.PoolSize == 0 {
		o.PoolSize = 10
	}
	set(&o.ReadTimeout, 3*time.Second)
	set(&o.PoolTimeout, o.ReadTimeout+time.Second)
	set(&o.DialTimeout, 5*time.Second)
	set(&o.MinBackoff, 8*time.Millisecond)
	set(&o.MaxBackoff, 512*time.Millisecond)
	return o
}

// NewClient returns a go-redis client of a worker, whose commands travel over
// the simulated network to the server on a node. Connections, their order,
// time-outs and resends are modelled here as go-redis has them: its own pool
// lies behind the hook and is never asked.
func NewClient(k *sim.Worker, node string, o ClientOptions) *goredis.Client {
	o = o.withDefaults()
	client := goredis.NewClient(&goredis.Options{
		Addr: "192.0.2.1:6379", Protocol: 2, DisableIdentity: true, MaxRetries: -1,
	})
	client.AddHook(&hook{worker: k, options: o, pool: newPool(k, node, o)})
	return client
}

// hook takes every command away from go-redis before it reaches a pool.
type hook struct {
	worker  *sim.Worker
	options ClientOptions
	pool    *pool
	reader  *replyReader // made when first needed
}

var _ goredis.Hook = (*hook)(nil)

// DialHook implements goredis.Hook. Nothing dials: that would leave the world.
func (h *hook) DialHook(goredis.DialHook) goredis.DialHook {
	return func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("redis: the simulation knows commands and pipelines only, no connections of one's own")
	}
}

// ProcessHook implements goredis.Hook.
func (h *hook) ProcessHook(goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		words, err := wordsOf(cmd.Args())
		if err != nil {
			cmd.SetErr(err)
			return err
		}
		op := env.Op(ctx)
		if op == "" {
			op = cmd.Name()
		}
		reply, err := h.send(ctx, op, &Command{Args: words}, !cmd.NoRetry())
		if err == nil {
			err = h.set(cmd, reply)
		}
		cmd.SetErr(err)
		return err
	}
}

// ProcessPipelineHook implements goredis.Hook.
func (h *hook) ProcessPipelineHook(goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []goredis.Cmder) error {
		err := h.pipeline(ctx, cmds)
		if err != nil {
			for _, cmd := range cmds {
				cmd.SetErr(err)
			}
			return err
		}
		for _, cmd := range cmds {
			if cmd.Err() != nil {
				return cmd.Err()
			}
		}
		return nil
	}
}

// pipeline sends commands in one go and sets their replies. The replies of a
// transaction stand in the reply of its last command, EXEC.
func (h *hook) pipeline(ctx context.Context, cmds []goredis.Cmder) error {
	request := &Pipeline{}
	for _, cmd := range cmds {
		words, err := wordsOf(cmd.Args())
		if err != nil {
			return err
		}
		request.Commands = append(request.Commands, words)
	}
	op := env.Op(ctx)
	if op == "" {
		op = "pipeline"
	}
	reply, err := h.send(ctx, op, request, true)
	if err != nil {
		return err
	}
	replies := reply.Elems
	if n := len(cmds); n > 2 && cmds[0].Name() == "multi" && cmds[n-1].Name() == "exec" {
		last := replies[n-1]
		if last.Kind == Error {
			return ReplyError(last.Text)
		}
		if last.Kind != Array {
			return goredis.TxFailedErr
		}
		cmds, replies = cmds[1:n-1], last.Elems
	}
	if len(replies) != len(cmds) {
		return fmt.Errorf("redis: %d replies to %d commands", len(replies), len(cmds))
	}
	for i, cmd := range cmds {
		cmd.SetErr(h.set(cmd, &replies[i]))
	}
	return nil
}

// send sends a request until it is answered or may be resent no more.
func (h *hook) send(ctx context.Context, op string, request any, resend bool) (*Reply, error) {
	for attempt := 0; ; attempt++ {
		if attempt > 0 {
			if err := h.worker.Sleep(ctx, h.backoff(attempt)); err != nil {
				return nil, err
			}
		}
		reply, err := h.sendOnce(ctx, op, request)
		if err == nil {
			return reply, nil
		}
		if attempt >= h.options.MaxRetries || !resend || !retryable(err) {
			return nil, err
		}
	}
}

func (h *hook) sendOnce(ctx context.Context, op string, request any) (*Reply, error) {
	c, err := h.pool.get(ctx)
	if err != nil {
		return nil, err
	}
	timeout := h.options.ReadTimeout
	if deadline, ok := ctx.Deadline(); ok && h.options.ContextReads {
		timeout = max(1, min(timeout, deadline.Sub(h.worker.Now())))
	}
	// A cancel interrupts nothing that is under way.
	answer, err := c.Call(context.WithoutCancel(ctx), op, request, timeout)
	h.pool.put(c, err)
	if err != nil {
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: err}
	}
	reply, ok := answer.(*Reply)
	if !ok {
		return nil, fmt.Errorf("redis: an answer of type %T", answer)
	}
	return reply, nil
}

// backoff is the wait before a resend: random, up to a bound that doubles.
func (h *hook) backoff(attempt int) time.Duration {
	bound := h.options.MinBackoff << (attempt - 1)
	if bound <= 0 || bound > h.options.MaxBackoff {
		bound = h.options.MaxBackoff
	}
	d := h.options.MinBackoff + time.Duration(h.worker.Rand("backoff").Int64N(int64(bound)))
	return min(d, h.options.MaxBackoff)
}

// retryable reports whether go-redis resends after the error: any failure of
// the network, but not the end of the caller's context.
func retryable(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, goredis.ErrPoolTimeout)
}
