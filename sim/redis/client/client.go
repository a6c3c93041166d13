package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/redis/keyspace"
)

// Options are the settings of a client that change what the network
// sees. The zero value of a field stands for the default of go-redis, with
// two exceptions: MaxRetries, and PoolSize, which there depends on the machine.
type Options struct {
	// PoolSize is the most connections at a time, 10 by default. Pipelines have
	// a pool of their own, of 10, and use this one when that cannot serve them.
	PoolSize int `yaml:"pool-size"`
	// PoolTimeout bounds the wait for a connection: ReadTimeout + 1 s.
	PoolTimeout time.Duration `yaml:"pool-timeout"`
	// DialTimeout bounds each of the 5 attempts to connect: 5 s.
	DialTimeout time.Duration `yaml:"dial-timeout"`
	// ReadTimeout bounds the wait for a reply: 5 s.
	ReadTimeout time.Duration `yaml:"read-timeout"`
	// ContextTimeoutEnabled lets the deadline of a context shorten ReadTimeout.
	ContextTimeoutEnabled bool `yaml:"context-timeout"`
	// MaxRetries is how often a command is sent again after a network error:
	// never by default, where go-redis does so 3 times.
	MaxRetries int `yaml:"max-retries"`
	// MinRetryBackoff and MaxRetryBackoff bound the pause before a resend:
	// 10 ms and 1 s. If one of them is negative, there is no pause.
	MinRetryBackoff time.Duration `yaml:"min-retry-backoff"`
	MaxRetryBackoff time.Duration `yaml:"max-retry-backoff"`
}

// WithDefaults fills in the defaults of go-redis.
func (o Options) WithDefaults() Options {
	setDefault(&o.PoolSize, 10)
	setDefault(&o.DialTimeout, 5*time.Second)
	setDefault(&o.ReadTimeout, 5*time.Second)
	setDefault(&o.PoolTimeout, o.ReadTimeout+time.Second)
	setDefault(&o.MinRetryBackoff, 10*time.Millisecond)
	setDefault(&o.MaxRetryBackoff, time.Second)
	return o
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// New returns a go-redis client of the process whose commands reach the
// simulated server on the node that resolve names. That is asked at every dial,
// so a client follows a server that moves. All workers of the process may share
// it. It starts no goroutine and needs no Close.
//
// An error of the server has the types that go-redis gives it. When nobody
// answered, the error is or wraps one of package sim's, which is a time-out in
// the sense of net.Error where it was one.
func New(p *sim.Process, resolve func() string, o Options) *goredis.Client {
	c := &conductor{process: p, resolve: resolve, options: o.WithDefaults()}
	// The client waits and draws on its own behalf, for every worker that uses it.
	c.env = p.Worker(p.Name() + " redis client")
	c.random = c.env.Rand("backoff to " + resolve())
	c.commands, c.pipelines = newPool(c, c.options.PoolSize), newPool(c, pipelinePool)
	client := newQuietClient(c.dialPubSub)
	client.AddHook(c)
	return client
}

// newQuietClient returns a go-redis client that does nothing by itself: no
// goroutines, no look-up of names, no resends.
func newQuietClient(dial func(ctx context.Context, network, addr string) (net.Conn, error)) *goredis.Client {
	return goredis.NewClient(&goredis.Options{
		Addr:                     "127.0.0.1:6379",
		Dialer:                   dial,
		Protocol:                 2,
		DisableIdentity:          true,
		MaxRetries:               -1,
		PoolSize:                 1,
		PipelinePoolSize:         -1,
		ConnMaxIdleTime:          -1,
		ReadBufferSize:           clientBuffer,
		WriteBufferSize:          clientBuffer,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

// pipelinePool is the size of the pool that go-redis keeps for pipelines unless
// told otherwise, whatever that of the other pool is.
const pipelinePool = 10

// clientBuffer is room for the replies that are played back, in bytes. The
// default is made for a network.
const clientBuffer = 512

// conductor is the hook that takes commands over from go-redis. It is outside
// the loop that resends, so it has a loop of its own.
type conductor struct {
	process             *sim.Process
	resolve             func() string
	options             Options
	env                 env.Env
	random              *rand.Rand
	commands, pipelines *pool
	spare               []*keyspace.Command // that nobody looks at any more
	reader              replayer
	face                *face       // that go-redis is making
	greeted             bool        // the next face is that of a handshake which is over
	foreign             atomic.Bool // a goroutine of go-redis has used the client
}

var _ goredis.Hook = (*conductor)(nil)

// DialHook implements the hook of go-redis, which asks for it first for the client,
// and again for each transaction and each handshake.
func (c *conductor) DialHook(next goredis.DialHook) goredis.DialHook {
	c.face = &face{conductor: c, greeted: c.greeted}
	c.greeted = false
	return next
}

// ProcessHook implements the hook of go-redis. It never calls next.
func (c *conductor) ProcessHook(goredis.ProcessHook) goredis.ProcessHook { return c.face.process1 }

// ProcessPipelineHook implements the hook of go-redis. It never calls next.
func (c *conductor) ProcessPipelineHook(goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return c.face.processMany
}

// process1 carries out one command, and again after a network error.
func (c *face) process1(ctx context.Context, cmd goredis.Cmder) error {
	if c.greeted {
		return nil
	}
	if c.foreign.Load() {
		return c.refuse(cmd.Name(), "SUBSCRIBE with PubSub.Channel", "that starts goroutines; use Receive, or the port's Subscriber")
	}
	if err := c.process.Admit(); err != nil {
		return err
	}
	command := c.newCommand()
	words, err := appendArgs(command.Args, cmd.Args())
	if err != nil {
		return err
	}
	command.Args = words
	op := env.Op(ctx)
	if op == "" {
		op = strings.ToLower(cmd.Name())
	}
	if keyspace.OfConnection(words) && !c.beginsOrEnds(cmd) {
		return c.refuse(op, strings.ToUpper(words[0])+" outside of Client.Watch and TxPipelined", "the next command may go over another connection of the pool")
	}
	first := c.held == nil
	for attempt := 0; ; attempt++ {
		sent, err := c.attempt(ctx, op, command, cmd)
		if err == nil || attempt >= c.options.MaxRetries || !resend(err, sent) {
			c.settle(cmd, first, err)
			return err
		}
		if err := c.env.Sleep(ctx, c.backoff(attempt+1)); err != nil {
			c.settle(cmd, first, err)
			return contextError(ctx, err)
		}
		// The server may still come to see the one that was given up on, so the
		// two share nothing that is used again.
		command = &keyspace.Command{Args: slices.Clone(command.Args)}
	}
}

// attempt sends the command once. It reports whether it came so far.
func (c *face) attempt(ctx context.Context, op string, command *keyspace.Command, cmd goredis.Cmder) (sent bool, err error) {
	conn, err := c.get(ctx)
	if err != nil {
		return false, err
	}
	answer, err := conn.Call(context.Background(), op, command, c.timeout(ctx, cmd))
	if err == nil {
		c.spare = append(c.spare, command)
		err = c.reader.set(cmd, answer.(*keyspace.Reply))
	}
	c.put(conn, cmd, err)
	return true, err
}

// newCommand returns an empty command, one that has been answered if there is.
func (c *conductor) newCommand() *keyspace.Command {
	n := len(c.spare)
	if n == 0 {
		return &keyspace.Command{}
	}
	command := c.spare[n-1]
	c.spare = c.spare[:n-1]
	command.Args = command.Args[:0]
	return command
}

// timeout is how long to wait for a reply. A context that is cancelled does
// not interrupt the wait; only its deadline counts, if at all.
// cmd is nil for what is no single command. 0 stands for no limit.
func (c *conductor) timeout(ctx context.Context, cmd goredis.Cmder) time.Duration {
	timeout := c.options.ReadTimeout
	if own, ok := waitTimeout(cmd); ok {
		timeout = own
	}
	if c.options.ContextTimeoutEnabled {
		if deadline, ok := ctx.Deadline(); ok {
			// At least a moment, since none would be no limit.
			left := max(deadline.Sub(c.env.Now()), time.Nanosecond)
			if timeout == 0 {
				return left
			}
			timeout = min(timeout, left)
		}
	}
	return timeout
}

// waitTimeout returns how long go-redis waits for the reply to a command whose
// method brings a time-out of its own. BLPop and its like send whole seconds, so
// of a time-out with a fraction the fraction is missing here.
func waitTimeout(cmd goredis.Cmder) (time.Duration, bool) {
	const grace = 10 * time.Second
	if cmd == nil {
		return 0, false
	}
	var number any
	unit := time.Second
	args := cmd.Args()
	switch cmd.Name() {
	case "wait":
		number, unit = args[2], time.Millisecond
	case "blpop", "brpop", "blmove", "brpoplpush", "bzpopmin", "bzpopmax":
		number = args[len(args)-1]
	case "blmpop", "bzmpop":
		number = args[1]
	default:
		return 0, false
	}
	if _, plain := cmd.(*goredis.Cmd); plain {
		return 0, false
	}
	var n int64
	switch number := number.(type) {
	case int:
		n = int64(number)
	case int64:
		n = number
	default:
		return 0, false
	}
	if n == 0 {
		return 0, true
	}
	return time.Duration(n)*unit + grace, true
}

// processMany carries out a pipeline, and again after a network error.
func (c *face) processMany(ctx context.Context, cmds []goredis.Cmder) error {
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
		again, err := c.attemptMany(ctx, op, &keyspace.Pipeline{Commands: commands}, cmds)
		if !again || attempt >= c.options.MaxRetries {
			return err
		}
		if err := c.env.Sleep(ctx, c.backoff(attempt+1)); err != nil {
			return setErrors(cmds, contextError(ctx, err))
		}
	}
}

// attemptMany sends the pipeline once. It reports whether go-redis would send
// it again: a transaction only as long as it was not sent at all.
func (c *face) attemptMany(ctx context.Context, op string, pipeline *keyspace.Pipeline, cmds []goredis.Cmder) (again bool, err error) {
	whole := isTransaction(cmds)
	if c.held != nil {
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
	err = c.reader.setMany(cmds, answer.(*keyspace.Reply))
	if whole {
		from.put(conn, cmds[1].Err())
		return false, err
	}
	// The first command stands for all.
	first := cmds[0].Err()
	from.put(conn, first)
	return first != nil && resend(first, true), err
}

// pipelineConn returns a connection of the pool that go-redis has for
// pipelines, or one of the other pool if that one has none. Only a caller who
// has given up, and a dial that took too long, which looks the same, end it
// at once.
func (c *conductor) pipelineConn(ctx context.Context) (*pooledConn, *pool, error) {
	conn, err := c.pipelines.tryTake(ctx)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil, nil, err
	}
	if err == nil {
		if err = c.pipelines.greet(ctx, conn); err == nil {
			return conn, c.pipelines, nil
		}
	}
	conn, err = c.commands.get(ctx)
	return conn, c.commands, err
}

// setErrors gives the error to all commands that have none yet.
func setErrors(cmds []goredis.Cmder, err error) error {
	for _, cmd := range cmds {
		if cmd.Err() == nil {
			cmd.SetErr(err)
		}
	}
	return err
}

// resend reports whether go-redis would send the command again after err. A
// time-out counts only if it was the command's own.
func resend(err error, sent bool) bool {
	var refused *net.OpError
	if errors.As(err, &refused) && refused.Op == "dial" {
		return true
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if errors.Is(err, sim.ErrTimeout) {
		return sent
	}
	if text, ok := serverError(err); ok {
		code, _, _ := strings.Cut(text, " ")
		switch code {
		case "LOADING", "READONLY", "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN", "NOREPLICAS":
			return true
		}
		return strings.HasPrefix(text, "ERR max number of clients reached")
	}
	return errors.Is(err, goredis.ErrPoolTimeout) || errors.Is(err, sim.ErrReset)
}

// serverError returns the text of an error that the server sent.
func serverError(err error) (string, bool) {
	if sent, ok := errors.AsType[goredis.Error](err); ok {
		return sent.Error(), true
	}
	return "", false
}

// backoff draws the pause before the attempt of this number.
func (c *conductor) backoff(attempt int) time.Duration {
	shortest, longest := c.options.MinRetryBackoff, c.options.MaxRetryBackoff
	if shortest < 0 || longest < 0 {
		return 0
	}
	spread := shortest << attempt
	if spread < shortest {
		return longest
	}
	return min(shortest+time.Duration(c.random.Int64N(int64(spread))), longest)
}

// String names the client in messages.
func (c *conductor) String() string { return fmt.Sprintf("redis client of %s", c.process.Name()) }
