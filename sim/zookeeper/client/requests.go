package client

import (
	"cmp"
	"context"

	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/zookeeper/wire"
)

// send sends a request on a connection.
func (c *Client) send(conn *sim.Conn, op string, call *call) error {
	c.xid++
	call.request.Xid = c.xid
	c.calls = append(c.calls, call)
	if err := conn.Send(op, call.request); err != nil {
		return ErrConnectionClosed
	}
	return nil
}

// fail ends calls with an error.
func (c *Client) fail(list *[]*call, err error) {
	failed := *list
	*list = nil
	for _, call := range failed {
		call.err = err
		call.done.Release()
	}
}

// do sends a request when there is a connection, and waits for the reply. After ErrConnectionClosed,
// and if ctx ends, it is unknown whether the request takes effect.
func (c *Client) do(ctx context.Context, q *wire.Request) (*call, error) {
	if err := c.process.Admit(); err != nil {
		return nil, err
	}
	c.start()
	call := &call{request: q, done: c.env.NewSem(0)}
	for c.conn == nil && call.err == nil {
		if c.closed {
			return nil, ErrClosing
		}
		c.unsent = append(c.unsent, call)
		if err := call.done.Acquire(ctx); err != nil {
			c.forget(call)
			return nil, notSent(err)
		}
	}
	if call.err != nil {
		return nil, call.err
	}
	if err := c.send(c.conn, cmp.Or(env.Op(ctx), string(q.Kind)), call); err != nil {
		c.forget(call)
		return nil, err
	}
	if err := call.done.Acquire(ctx); err != nil {
		return nil, err // the reply is still expected, since the connection goes on
	}
	if call.err != nil {
		return nil, call.err
	}
	return call, call.reply.Code.Err()
}

// forget removes a call from the lists.
func (c *Client) forget(gone *call) {
	for _, list := range []*[]*call{&c.calls, &c.unsent} {
		for i, call := range *list {
			if call == gone {
				*list = append((*list)[:i:i], (*list)[i+1:]...)
				break
			}
		}
	}
}

// NotSentError says that a request was not sent before its context ended.
type NotSentError struct{ Cause error }

func notSent(cause error) error { return &NotSentError{cause} }

func (e *NotSentError) Error() string { return "zookeeper: not sent: " + e.Cause.Error() }

// Unwrap returns the cause of the context.
func (e *NotSentError) Unwrap() error { return e.Cause }

// Create creates a znode and returns its path.
func (c *Client) Create(ctx context.Context, path, data string, mode wire.Mode) (string, error) {
	done, err := c.do(ctx, &wire.Request{Op: wire.Op{Kind: wire.Create, Path: path, Data: data, Mode: mode}})
	if err != nil {
		return "", err
	}
	return done.reply.Path, nil
}

// Delete deletes a znode if it has the version; -1 for any.
func (c *Client) Delete(ctx context.Context, path string, version int32) error {
	_, err := c.do(ctx, &wire.Request{Op: wire.Op{Kind: wire.Delete, Path: path, Version: version}})
	return err
}

// Set sets the data of a znode if it has the version; -1 for any.
func (c *Client) Set(ctx context.Context, path, data string, version int32) (wire.Stat, error) {
	return stat(c.do(ctx, &wire.Request{Op: wire.Op{Kind: wire.SetData, Path: path, Data: data, Version: version}}))
}

func stat(done *call, err error) (wire.Stat, error) {
	if err != nil {
		return wire.Stat{}, err
	}
	return done.reply.Stat, nil
}

// Exists reports whether a znode exists. With watch it leaves a watch in any case.
func (c *Client) Exists(ctx context.Context, path string, watch bool) (bool, wire.Stat, *Signal, error) {
	done, err := c.do(ctx, &wire.Request{Op: wire.Op{Kind: wire.Exists, Path: path}, Watch: watch})
	if err == wire.ErrNoNode { //nolint:errorlint // do returns the code itself
		return false, wire.Stat{}, done.watch, nil
	}
	if err != nil {
		return false, wire.Stat{}, nil, err
	}
	return true, done.reply.Stat, done.watch, nil
}

// Get returns the data of a znode. With watch it leaves a watch if the znode exists.
func (c *Client) Get(ctx context.Context, path string, watch bool) (string, wire.Stat, *Signal, error) {
	done, err := c.do(ctx, &wire.Request{Op: wire.Op{Kind: wire.GetData, Path: path}, Watch: watch})
	if err != nil {
		return "", wire.Stat{}, nil, err
	}
	return done.reply.Data, done.reply.Stat, done.watch, nil
}

// Children lists the names of the children of a znode. With watch it leaves a watch if the znode
// exists.
func (c *Client) Children(ctx context.Context, path string, watch bool) ([]string, wire.Stat, *Signal, error) {
	done, err := c.do(ctx, &wire.Request{Op: wire.Op{Kind: wire.Children, Path: path}, Watch: watch})
	if err != nil {
		return nil, wire.Stat{}, nil, err
	}
	return done.reply.Children, done.reply.Stat, done.watch, nil
}

// Multi executes all operations or none. With an error the results say which one failed.
func (c *Client) Multi(ctx context.Context, ops ...wire.Op) ([]wire.Result, error) {
	done, err := c.do(ctx, &wire.Request{Op: wire.Op{Kind: wire.Multi}, Ops: ops})
	if done == nil {
		return nil, err
	}
	return done.reply.Results, err
}

// Sync waits until the member that the client uses has applied what was committed before.
func (c *Client) Sync(ctx context.Context, path string) error {
	_, err := c.do(ctx, &wire.Request{Op: wire.Op{Kind: wire.Sync, Path: path}})
	return err
}
