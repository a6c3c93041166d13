package official

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"lockquake/lock/zookeeper"
)

// Service has the client of a process. It connects at the first use of its port.
type Service struct {
	servers []string

	mu     sync.Mutex
	client *client
}

// New returns a service with these servers, such as "127.0.0.1:2181".
func New(servers []string) *Service { return &Service{servers: servers} }

// Port returns the port for the locks. All of them share the client and its session.
func (s *Service) Port() zookeeper.Port {
	return zookeeper.Port{Connect: func(timeout time.Duration) zookeeper.Client {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.client == nil {
			s.client = connect(s.servers, timeout)
		}
		return s.client
	}}
}

// Close ends the session, and with it all locks.
func (s *Service) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client != nil && s.client.conn != nil {
		s.client.conn.Close()
	}
}

// client implements zookeeper.Client.
type client struct {
	conn *zk.Conn
	err  error // why there is no connection

	mu     sync.Mutex
	status zookeeper.Status
}

// connect returns a client that asks for a session timeout. Its goroutines connect.
func connect(servers []string, timeout time.Duration) *client {
	c := &client{status: zookeeper.Status{Changed: newSignal()}}
	c.mu.Lock() // until conn is set, since events may come at once
	defer c.mu.Unlock()
	c.conn, _, c.err = zk.Connect(servers, timeout, zk.WithEventCallback(c.changed), zk.WithLogger(silent{}))
	return c
}

// silent drops the messages of the client: its errors reach the locks anyway.
type silent struct{}

func (silent) Printf(string, ...any) {}

// changed notes a change of the session.
func (c *client) changed(e zk.Event) {
	if e.Type != zk.EventSession {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.status
	switch e.State {
	case zk.StateHasSession:
		now.Session, now.Connected = c.conn.SessionID(), true
		now.Connections++
	case zk.StateDisconnected:
		now.Connected = false
	case zk.StateExpired:
		now.Session, now.Connected = 0, false
	default:
		return
	}
	old := now.Changed
	now.Changed = newSignal()
	c.status = now
	close(old.(*signal).happened)
}

// Status implements zookeeper.Client.
func (c *client) Status() zookeeper.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// answer holds the result of one request: its value, or the error.
type answer[T any] struct {
	value T
	err   error
}

// ask waits for a request until ctx ends. The client has no contexts, so the request goes on then.
func ask[T any](ctx context.Context, c *client, do func() (T, error)) (T, error) {
	if c.err != nil {
		var none T
		return none, errors.Join(zookeeper.ErrNotSent, c.err)
	}
	done := make(chan answer[T], 1)
	go func() {
		value, err := do()
		done <- answer[T]{value, err}
	}()
	select {
	case a := <-done:
		return a.value, translated(a.err)
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// Create implements zookeeper.Client.
func (c *client) Create(ctx context.Context, path string, mode zookeeper.Mode) (string, error) {
	flags := int32(zk.FlagPersistent)
	if mode == zookeeper.EphemeralSequential {
		flags = zk.FlagEphemeralSequential
	}
	return ask(ctx, c, func() (string, error) { return c.conn.Create(path, nil, flags, zk.WorldACL(zk.PermAll)) })
}

// Delete implements zookeeper.Client.
func (c *client) Delete(ctx context.Context, path string) error {
	_, err := ask(ctx, c, func() (struct{}, error) { return struct{}{}, c.conn.Delete(path, -1) })
	return err
}

// Children implements zookeeper.Client.
func (c *client) Children(ctx context.Context, path string, watch bool) ([]string, zookeeper.Signal, error) {
	type listed struct {
		names   []string
		changed zookeeper.Signal
	}
	l, err := ask(ctx, c, func() (listed, error) {
		if !watch {
			names, _, err := c.conn.Children(path)
			return listed{names: names}, err
		}
		names, _, events, err := c.conn.ChildrenW(path)
		return listed{names, event(events)}, err
	})
	return l.names, l.changed, err
}

// Exists implements zookeeper.Client.
func (c *client) Exists(ctx context.Context, path string, watch bool) (zookeeper.Znode, zookeeper.Signal, error) {
	type found struct {
		node    zookeeper.Znode
		changed zookeeper.Signal
	}
	f, err := ask(ctx, c, func() (found, error) {
		var events <-chan zk.Event
		exists, stat, err := false, (*zk.Stat)(nil), error(nil)
		if watch {
			exists, stat, events, err = c.conn.ExistsW(path)
		} else {
			exists, stat, err = c.conn.Exists(path)
		}
		if err != nil || !exists {
			return found{changed: event(events)}, err
		}
		return found{zookeeper.Znode{Exists: true, Czxid: stat.Czxid, Owner: stat.EphemeralOwner}, event(events)}, nil
	})
	return f.node, f.changed, err
}

// Sync implements zookeeper.Client.
func (c *client) Sync(ctx context.Context, path string) error {
	_, err := ask(ctx, c, func() (string, error) { return c.conn.Sync(path) })
	return err
}

// translated returns the error that the locks know.
func translated(err error) error {
	for _, pair := range []struct{ is, becomes error }{
		{zk.ErrNoNode, zookeeper.ErrNoNode},
		{zk.ErrNodeExists, zookeeper.ErrExists},
		{zk.ErrSessionExpired, zookeeper.ErrExpired},
		{zk.ErrConnectionClosed, zookeeper.ErrDisconnected},
		{zk.ErrNoServer, zookeeper.ErrNotSent},
	} {
		if errors.Is(err, pair.is) {
			return pair.becomes
		}
	}
	return err
}
