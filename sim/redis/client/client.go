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
	"lockquake/sim/redis/resp"
)

// Options are the settings of a client that affect the network. Zero values are the defaults of
// go-redis, with two exceptions: MaxRetries, and PoolSize, whose default in go-redis depends on the
// machine.
type Options struct {
	// PoolSize is the maximum number of connections, 10 by default. Pipelines have a pool of their
	// own, of size 10, and use this one if that has no connection.
	PoolSize int `yaml:"pool-size" doc:"maximum number of connections" min:"1" max:"10000"`
	// PoolTimeout limits the wait for a connection. The default is ReadTimeout + 1 s.
	PoolTimeout time.Duration `yaml:"pool-timeout" doc:"how long to wait for a connection" min:"1ms"`
	// DialTimeout limits each of the 5 attempts to connect. The default is 5 s.
	DialTimeout time.Duration `yaml:"dial-timeout" doc:"how long each attempt to connect may take" min:"1ms"`
	// ReadTimeout limits the wait for a reply. The default is 5 s.
	ReadTimeout time.Duration `yaml:"read-timeout" doc:"how long to wait for a reply" min:"1ms"`
	// ContextTimeoutEnabled makes the deadline of a context limit the wait as well.
	ContextTimeoutEnabled bool `yaml:"context-timeout" doc:"whether the deadline of a context shortens the wait for a reply"`
	// MaxRetries is how often a command is resent after a network error. The default is 0; in
	// go-redis it is 3.
	MaxRetries int `yaml:"max-retries" doc:"how often a command is sent again after a network error" min:"0" max:"1000"`
	// MinRetryBackoff and MaxRetryBackoff limit the pause before a resend. The defaults are 10 ms
	// and 1 s. If one of them is negative, there is no pause.
	MinRetryBackoff time.Duration `yaml:"min-retry-backoff" doc:"shortest pause before a command is sent again"`
	MaxRetryBackoff time.Duration `yaml:"max-retry-backoff" doc:"longest pause before a command is sent again"`
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

// New returns a go-redis client for the process. Its commands go to the simulated server on the
// node that resolve returns; each dial calls resolve, so the client follows a server that moves.
// All workers of the process may share it. It starts no goroutine and needs no Close.
//
// Errors of the server have the types of go-redis. If there is no answer, the error is or wraps one
// of package sim; a timeout is one in the sense of net.Error.
func New(p *sim.Process, resolve func() string, o Options) *goredis.Client {
	return newHook(p, resolve, o.WithDefaults(), &spareCommands{}).client()
}

// newHook returns the part of a client that the process needs of its own.
func newHook(p *sim.Process, resolve func() string, o Options, spare *spareCommands) *hook {
	c := &hook{connector: connector{p, resolve, o}, spare: spare, first: resolve()}
	// The client sleeps and draws on its own account, for every worker that uses it.
	c.env = p.Worker(p.Name() + " redis client")
	c.commands.init(c, o.PoolSize)
	c.plain.hook = c
	return c
}

// client returns a client that uses the hook.
func (c *hook) client() *goredis.Client {
	client := newQuietClient(c.dialPubSub)
	client.AddHook(c)
	return client
}

// newQuietClient returns a go-redis client that does nothing by itself: no goroutines, no name
// lookups, no resends.
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

// pipelinePool is the default size of go-redis's pool for pipelines, which does not depend on the
// size of the other pool.
const pipelinePool = 10

// clientBuffer is the buffer size for replies that are played back, in bytes. The default of
// go-redis is for a network.
const clientBuffer = 512

// hook takes commands over from go-redis. It is outside of go-redis's loop that resends, so it has
// its own.
//
// Its parts are in it, and not objects of their own, because the time of a command in a large world is that of reaching
// the memory of its process.
type hook struct {
	connector
	plain    view        // behind a shared client, the view of the client
	foreign  atomic.Bool // a goroutine of go-redis has used the client
	greeted  bool        // the next view is for a handshake that is already done
	commands pool
	spare    *spareCommands
	env      env.Env
	next     *hook      // behind a shared client, the hook for the next server
	first    string     // the node of the server when the client was made
	random   *rand.Rand // for pauses before a resend; nil before the first
	piped    *pool      // see pipelines
	reader   replayer
	view     *view // the view for which go-redis is adding hooks
}

// spareCommands has answered commands, for reuse.
type spareCommands []*resp.Command

var _ goredis.Hook = (*hook)(nil)

// DialHook implements the hook of go-redis, which calls it first when it adds the hook to the
// client, and again for each transaction and each handshake.
func (c *hook) DialHook(next goredis.DialHook) goredis.DialHook {
	c.view = c.newView()
	return next
}

// newView returns the view of the client, a transaction or a handshake that go-redis begins now.
func (c *hook) newView() *view {
	v := &view{hook: c, greeted: c.greeted}
	c.greeted = false
	return v
}

// ProcessHook implements the hook of go-redis. It never calls next.
func (c *hook) ProcessHook(goredis.ProcessHook) goredis.ProcessHook { return c.view.processCommand }

// ProcessPipelineHook implements the hook of go-redis. It never calls next.
func (c *hook) ProcessPipelineHook(goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return c.view.processPipeline
}

// processCommand runs a command, and resends it after a network error.
func (c *view) processCommand(ctx context.Context, cmd goredis.Cmder) error {
	if c.greeted {
		return nil
	}
	if c.foreign.Load() {
		return c.refuse(cmd.Name(), "SUBSCRIBE with PubSub.Channel", "that starts goroutines; use Receive, or the port's Subscriber")
	}
	if err := c.process.Admit(); err != nil {
		return err
	}
	command := c.spare.take()
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
	first := c.held.Conn == nil
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
		// The server may still receive the earlier attempt, so the two attempts must not share
		// memory.
		command = &resp.Command{Args: slices.Clone(command.Args)}
	}
}

// attempt sends the command once. It reports whether it had a connection to send it on.
func (c *view) attempt(ctx context.Context, op string, command *resp.Command, cmd goredis.Cmder) (sent bool, err error) {
	conn, err := c.get(ctx)
	if err != nil {
		return false, err
	}
	answer, err := conn.Call(context.Background(), op, command, c.timeout(ctx, cmd))
	if err == nil {
		c.spare.put(command)
		err = c.reader.set(cmd, answer.(*resp.Reply))
	}
	c.put(conn, cmd, err)
	return true, err
}

// mostSpare bounds the commands that are kept: when 100,000 workers begin, each has one.
const mostSpare = 1000

func (s *spareCommands) put(command *resp.Command) {
	if len(*s) < mostSpare {
		*s = append(*s, command)
	}
}

// take returns an empty command, a recycled one if possible.
func (s *spareCommands) take() *resp.Command {
	n := len(*s)
	if n == 0 {
		return &resp.Command{}
	}
	command := (*s)[n-1]
	*s = (*s)[:n-1]
	command.Args = command.Args[:0]
	return command
}

// waitTimeout returns how long go-redis waits for the reply to a command whose method has a timeout
// of its own. BLPop and the like send whole seconds, so the fraction of a timeout is missing here.
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

// resend reports whether go-redis would resend the command after err. A timeout counts only if it
// was the command's own.
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

// serverError returns the text of an error reply.
func serverError(err error) (string, bool) {
	if sent, ok := errors.AsType[goredis.Error](err); ok {
		return sent.Error(), true
	}
	return "", false
}

// backoff draws the pause before the given attempt.
func (c *hook) backoff(attempt int) time.Duration {
	shortest, longest := c.options.MinRetryBackoff, c.options.MaxRetryBackoff
	if shortest < 0 || longest < 0 {
		return 0
	}
	spread := shortest << attempt
	if spread < shortest {
		return longest
	}
	if c.random == nil {
		c.random = c.env.Rand("backoff to " + c.first)
	}
	return min(shortest+time.Duration(c.random.Int64N(int64(spread))), longest)
}

// String returns the name of the client in messages.
func (c *hook) String() string { return fmt.Sprintf("redis client of %s", c.process.Name()) }
