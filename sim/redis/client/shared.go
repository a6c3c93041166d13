package client

import (
	"context"
	"net"

	goredis "github.com/redis/go-redis/v9"

	lockredis "lockquake/lock/redis"
	"lockquake/sim"
)

// Shared has one go-redis client for each server, for all processes of a world. A command goes over the
// connections of the process whose task calls it, under the options of that process. So a large world keeps few
// clients, of 2.5 KB each. It is for locks that treat their client as one of many: they do not close it, add no
// hooks to it, and do not pass it to another process.
type Shared struct {
	world *sim.World
	nodes []goredis.Cmdable // the clients, by server
	spare spareCommands
}

// NewShared returns the shared clients of a world, none yet.
func NewShared(w *sim.World) *Shared { return &Shared{world: w} }

// Connect returns the port of a process, as the function [Connect] does.
func (s *Shared) Connect(p *sim.Process, resolvers []func() string, o Options) lockredis.Port {
	hooks := hooksOf(p, resolvers, o, &s.spare)
	for i := 1; i < len(hooks); i++ {
		hooks[i-1].next = hooks[i]
	}
	if len(hooks) > 0 {
		p.Data = hooks[0]
	}
	for i := len(s.nodes); i < len(hooks); i++ {
		s.nodes = append(s.nodes, s.client(i))
	}
	return portOf(hooks, s.nodes)
}

// client returns the client of a server.
func (s *Shared) client(server int) *goredis.Client {
	c := &sharedHook{world: s.world, server: server}
	client := newQuietClient(c.dialPubSub)
	client.AddHook(c)
	c.added = true
	return client
}

// sharedHook passes each command on to the hook of the process that it comes from.
type sharedHook struct {
	world  *sim.World
	server int
	added  bool  // to the client; what is added later is a transaction or a handshake
	view   *view // of the transaction or handshake for which go-redis is adding hooks; nil: for the client
}

var _ goredis.Hook = (*sharedHook)(nil)

// own returns the hook of the process whose task runs, or an error after the end of the run.
func (c *sharedHook) own() (*hook, error) {
	p := c.world.Current()
	if p == nil {
		return nil, sim.ErrOver
	}
	h := p.Data.(*hook)
	for range c.server {
		h = h.next
	}
	return h, nil
}

func (c *sharedHook) dialPubSub(ctx context.Context, network, addr string) (net.Conn, error) {
	own, err := c.own()
	if err != nil {
		return nil, err
	}
	return own.dialPubSub(ctx, network, addr)
}

// DialHook implements the hook of go-redis, which calls it first when it adds the hook to the client, and again
// for each transaction and each handshake.
func (c *sharedHook) DialHook(next goredis.DialHook) goredis.DialHook {
	c.view = nil
	if own, err := c.own(); c.added && err == nil {
		c.view = own.newView()
	}
	return next
}

// ProcessHook implements the hook of go-redis. It never calls next.
func (c *sharedHook) ProcessHook(goredis.ProcessHook) goredis.ProcessHook {
	if c.view != nil {
		return c.view.processCommand
	}
	return func(ctx context.Context, cmd goredis.Cmder) error {
		own, err := c.own()
		if err != nil {
			return err
		}
		return own.plain.processCommand(ctx, cmd)
	}
}

// ProcessPipelineHook implements the hook of go-redis. It never calls next.
func (c *sharedHook) ProcessPipelineHook(goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	if c.view != nil {
		return c.view.processPipeline
	}
	return func(ctx context.Context, cmds []goredis.Cmder) error {
		own, err := c.own()
		if err != nil {
			return setErrors(cmds, err)
		}
		return own.plain.processPipeline(ctx, cmds)
	}
}
