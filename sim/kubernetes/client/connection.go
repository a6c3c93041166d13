package client

import (
	"context"
	"errors"
	"fmt"

	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/kubernetes/api"
)

// network has the connection of a client. A request that its caller gives up leaves the connection open for the
// others; its reply is dropped.
type network struct {
	process  *sim.Process
	resolve  func() string
	dialling env.Sem
	conn     *sim.Conn
}

var errHandshake = errors.New("remote error: tls: internal error")

// send sends a request once and returns its answer.
func (n *network) send(ctx context.Context, r *api.Request) (*api.Response, error) {
	conn, err := n.connect(ctx)
	if err != nil {
		return nil, err
	}
	op := env.Op(ctx)
	if op == "" {
		op = string(r.Verb)
	}
	answer, err := conn.Call(ctx, op, r, 0)
	if err != nil {
		return nil, err
	}
	response, ok := answer.(*api.Response)
	if !ok {
		return nil, fmt.Errorf("kubernetes: an answer of type %T", answer)
	}
	return response, nil
}

// connect returns the open connection, or opens one.
func (n *network) connect(ctx context.Context) (*sim.Conn, error) {
	if err := n.dialling.Acquire(ctx); err != nil {
		return nil, err
	}
	defer n.dialling.Release()
	if n.conn != nil && n.conn.Err() == nil {
		return n.conn, nil
	}
	conn, err := n.process.Dial(ctx, n.resolve(), 0)
	if err != nil {
		return nil, err
	}
	answer, err := conn.Call(ctx, "hello", api.Hello{}, 0)
	if err == nil && answer != nil {
		err = errHandshake
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	n.conn = conn
	return conn, nil
}
