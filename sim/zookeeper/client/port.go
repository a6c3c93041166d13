package client

import (
	"context"
	"errors"
	"time"

	lockzookeeper "lockquake/lock/zookeeper"
	"lockquake/sim/zookeeper/wire"
)

// Port returns the client as the locks use it.
func (c *Client) Port() lockzookeeper.Port {
	return lockzookeeper.Port{Connect: func(timeout time.Duration) lockzookeeper.Client {
		if !c.started {
			c.options.Timeout = timeout
			c.status.Timeout = timeout
		}
		return port{c}
	}, Servers: c.servers, Dial: c.dialServer}
}

// port implements lockzookeeper.Client.
type port struct{ client *Client }

func (p port) Create(ctx context.Context, path string, mode lockzookeeper.Mode) (string, error) {
	how := wire.Persistent
	if mode == lockzookeeper.EphemeralSequential {
		how = wire.EphemeralSequential
	}
	made, err := p.client.Create(ctx, path, "", how)
	return made, translated(err)
}

func (p port) Delete(ctx context.Context, path string) error {
	return translated(p.client.Delete(ctx, path, -1))
}

func (p port) Children(ctx context.Context, path string, watch bool) ([]string, lockzookeeper.Signal, error) {
	names, _, changed, err := p.client.Children(ctx, path, watch)
	return names, changed, translated(err)
}

func (p port) Exists(ctx context.Context, path string, watch bool) (lockzookeeper.Znode, lockzookeeper.Signal, error) {
	exists, stat, changed, err := p.client.Exists(ctx, path, watch)
	return lockzookeeper.Znode{Exists: exists, Czxid: stat.Czxid, Owner: stat.EphemeralOwner}, changed, translated(err)
}

func (p port) Sync(ctx context.Context, path string) error {
	return translated(p.client.Sync(ctx, path))
}

func (p port) Status() lockzookeeper.Status {
	s := p.client.Status()
	return lockzookeeper.Status{Session: s.Session, Connected: s.Connected, Connections: s.Connections, Changed: s.Changed}
}

// translated returns the error that the locks know.
func translated(err error) error {
	for _, pair := range []struct{ is, becomes error }{
		{wire.ErrNoNode, lockzookeeper.ErrNoNode},
		{wire.ErrNodeExists, lockzookeeper.ErrExists},
		{wire.ErrSessionExpired, lockzookeeper.ErrExpired},
		{ErrConnectionClosed, lockzookeeper.ErrDisconnected},
		{ErrNoServer, lockzookeeper.ErrNotSent},
	} {
		if errors.Is(err, pair.is) {
			return pair.becomes
		}
	}
	return err
}
