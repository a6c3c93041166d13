package client

import (
	"context"
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

// String returns the name of the client in messages.
func (c *hook) String() string { return fmt.Sprintf("redis client of %s", c.process.Name()) }
