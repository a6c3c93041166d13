package locktest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"lockquake/lock/env"
	"lockquake/lock/redis"
	"lockquake/sim"
)

// redis returns a client for goroutines of the bubble. The simulated client of the worker executes its
// commands, with its connection pool, timeouts and resends.
func (p process) redis(name string, simulated *goredis.Client) *goredis.Client {
	c := goredis.NewClient(&goredis.Options{
		Addr: "127.0.0.1:6379", Protocol: 2, DisableIdentity: true, MaxRetries: -1, PoolSize: 1, PipelinePoolSize: -1, ConnMaxIdleTime: -1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		Dialer: func(_ context.Context, network, addr string) (net.Conn, error) {
			return p.dial(name, func([]byte) string { return "" }, func() (net.Conn, error) {
				p.boundLookAhead()
				return simulated.Options().Dialer(context.Background(), network, addr)
			})
		},
	})
	c.AddHook(&redisHook{p, name, simulated})
	return c
}

// boundLookAhead prepares the world for messages that a server pushes: they reach the process although nothing of its own does.
func (p process) boundLookAhead() { p.worker.Process().Node().World().BoundLookAhead(time.Millisecond) }

// redisHook takes commands over from go-redis.
type redisHook struct {
	process
	name      string
	simulated *goredis.Client
}

var _ goredis.Hook = (*redisHook)(nil)

// errWatch is the error of a transaction that watches keys.
var errWatch = errors.New("locktest: WATCH needs a connection of its own, which Deps.Redis does not have: make a client that dials Deps.RedisServers")

// DialHook implements the hook of go-redis.
func (h *redisHook) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook implements the hook of go-redis. It never calls next.
func (h *redisHook) ProcessHook(goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		if cmd.Name() == "watch" {
			cmd.SetErr(errWatch)
			return errWatch
		}
		err := h.request(ctx, cmd.Name(), func(ctx context.Context) error { return h.simulated.Process(ctx, cmd) })
		if err != nil && cmd.Err() == nil {
			cmd.SetErr(err)
		}
		return err
	}
}

// ProcessPipelineHook implements the hook of go-redis. It never calls next.
func (h *redisHook) ProcessPipelineHook(goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []goredis.Cmder) error {
		inside, pipe := cmds, h.simulated.Pipeline
		if cmds[0].Name() == "multi" {
			inside, pipe = cmds[1:len(cmds)-1], h.simulated.TxPipeline
		}
		err := h.request(ctx, inside[0].Name(), func(ctx context.Context) error {
			p := pipe()
			for _, cmd := range inside {
				_ = p.Process(ctx, cmd)
			}
			_, err := p.Exec(ctx)
			return err
		})
		for _, cmd := range cmds {
			if err != nil && cmd.Err() == nil && (errors.Is(err, sim.ErrOver) || ctx.Err() != nil) {
				cmd.SetErr(err)
			}
		}
		return err
	}
}

// request lets the world send a request, whose purpose is that of the context or else the command. The worker
// passes the point OP.called before the request leaves. The request does not leave if its context ends before: code between two late
// timers takes no time in a bubble, and a process that wakes handles both before it goes on.
func (h *redisHook) request(ctx context.Context, command string, send func(ctx context.Context) error) (err error) {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	op := env.Op(ctx)
	if op == "" {
		op = command
	}
	var ended atomic.Bool // a goroutine of the bubble may set it while the task of the world reads it
	leaves := false
	stop := context.AfterFunc(ctx, func() { ended.Store(true) })
	defer stop()
	over := h.Ask(h.worker, h.name+" "+command, func() {
		h.worker.Point(op + ".called")
		if leaves = !ended.Load(); leaves {
			err = send(env.WithOp(context.Background(), op))
		}
	})
	if over == nil && !leaves {
		return ctx.Err()
	}
	return cmp.Or(over, err) // as it is: libraries compare it with redis.Nil
}

// RedisServers reaches the simulated Redis servers of the scenario, for a client that speaks Redis's protocol itself. The servers
// have RESP2 only. Redis and Nodes of [Deps] are clients of the same servers.
type RedisServers struct {
	// Addresses has the addresses of the servers: IP addresses with ports, so that a client looks up no name.
	Addresses []string
	// Dial connects to one of them, as the dialer of go-redis, redigo or rueidis does. The network is ignored, and no context
	// ends it.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// redisServers returns how the goroutines of the bubble reach the servers of the port themselves.
func (p process) redisServers(port redis.Port) *RedisServers {
	servers := map[string]int{} // by address
	r := &RedisServers{Dial: func(_ context.Context, _, address string) (net.Conn, error) {
		server, known := servers[address]
		if !known {
			return nil, fmt.Errorf("locktest: no Redis server has the address %s: give the client the addresses of Deps.RedisServers", address)
		}
		return p.dial(fmt.Sprintf("node %d", server+1), p.pointOfCommands, func() (net.Conn, error) { return port.Dial(server, p.opOf) })
	}}
	for i := range port.Nodes {
		address := fmt.Sprintf("127.0.0.%d:6379", i+1)
		servers[address] = i
		r.Addresses = append(r.Addresses, address)
	}
	return r
}

// opOf returns the operation of a command: "acquire" and "release" while the lock is called so, else its name, as always for
// commands that set up a connection.
func (p process) opOf(command string) string {
	switch command {
	case "auth", "client", "hello", "ping", "select", "subscribe", "unsubscribe":
		return command
	}
	doing, _ := p.doing.Load().(string)
	return cmp.Or(doing, command)
}

// pointOfCommands returns the point before commands leave, that of the first one.
func (p process) pointOfCommands(written []byte) string {
	const name = 2 // of a command: after the number of its words, and the length of the first
	lines := strings.SplitN(string(written), "\r\n", name+2)
	if len(lines) < name+2 || written[0] != '*' {
		return "" // the rest of a command
	}
	return p.opOf(strings.ToLower(lines[name])) + ".called"
}
