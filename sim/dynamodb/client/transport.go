package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/dynamodb/table"
)

// transport is the HTTP client of the SDK. Each request has a connection for itself. It takes the idle
// connection that was used last, and opens one if none is idle.
type transport struct {
	process *sim.Process
	env     env.Env
	node    string
	options Options
	idle    []idleConn // in the order of their last use
}

type idleConn struct {
	*sim.Conn
	since time.Duration
}

// The limits of the SDK's transport for idle connections.
const (
	mostIdle    = 10
	idleTimeout = 90 * time.Second
)

func newTransport(p *sim.Process, e env.Env, node string, o Options) *transport {
	return &transport{process: p, env: e, node: node, options: o}
}

// Do implements the HTTP client of the SDK. As with net/http, its error is a *url.Error.
func (t *transport) Do(r *http.Request) (*http.Response, error) {
	response, err := t.send(r)
	if err != nil {
		return nil, &url.Error{Op: "Post", URL: r.URL.String(), Err: err}
	}
	return response, nil
}

func (t *transport) send(r *http.Request) (*http.Response, error) {
	ctx, _ := r.Context().Value(callKey{}).(context.Context)
	if ctx == nil {
		return nil, sim.ErrForeignContext
	}
	var body bytes.Buffer
	body.Grow(int(max(r.ContentLength, 0)) + bytes.MinRead)
	if _, err := body.ReadFrom(r.Body); err != nil {
		return nil, err
	}
	began := t.env.Mono()
	conn, err := t.conn(ctx)
	if err != nil {
		return nil, err
	}
	limit := t.options.RequestTimeout
	if limit > 0 {
		limit = max(limit-(t.env.Mono()-began), time.Nanosecond)
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	op := env.Op(ctx)
	if op == "" {
		op = OperationName(operation)
	}
	answer, err := conn.Call(ctx, op, table.Decode(operation, body.Bytes()), limit)
	switch {
	case err != nil && ctx.Err() != nil:
		conn.Close()
		return nil, canceled(ctx)
	case err != nil:
		conn.Close()
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: err}
	}
	t.keep(conn)
	return response(r, answer.(*table.Answer)), nil
}

// response returns an answer as a response of HTTP.
func response(r *http.Request, a *table.Answer) *http.Response {
	body := a.JSON()
	return &http.Response{
		StatusCode: a.Status(), Status: fmt.Sprintf("%d %s", a.Status(), http.StatusText(a.Status())),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		ContentLength: int64(len(body)),
		Body:          io.NopCloser(bytes.NewReader(body)),
		Request:       r,
	}
}

// conn returns an idle connection that still works, or opens one.
func (t *transport) conn(ctx context.Context) (*sim.Conn, error) {
	now := t.env.Mono()
	for n := len(t.idle); n > 0; n = len(t.idle) {
		c := t.idle[n-1]
		t.idle = t.idle[:n-1]
		if c.Err() != nil {
			continue
		}
		if now-c.since < idleTimeout {
			return c.Conn, nil
		}
		c.Close()
	}
	if ctx.Done() == nil {
		return t.dial()
	}
	return t.dialInBackground(ctx)
}

func (t *transport) dial() (*sim.Conn, error) {
	timeout := t.options.ConnectTimeout
	if t.options.RequestTimeout > 0 {
		timeout = min(timeout, t.options.RequestTimeout)
	}
	conn, err := t.process.Dial(context.Background(), t.node, timeout)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
	return conn, nil
}

// dialInBackground opens a connection in a task of its own. If ctx ends first, the connection will be
// idle once it is open, as with net/http.
func (t *transport) dialInBackground(ctx context.Context) (conn *sim.Conn, err error) {
	done, left := t.env.NewSem(0), false
	t.process.Node().World().Go("dial", func() {
		conn, err = t.dial()
		if left && err == nil {
			t.keep(conn)
		}
		done.Release()
	})
	if waitErr := done.Acquire(ctx); waitErr != nil && !done.TryAcquire() {
		left = true
		return nil, canceled(ctx)
	}
	return conn, err
}

// keep makes a connection idle, or closes it if there are enough.
func (t *transport) keep(conn *sim.Conn) {
	if len(t.idle) == mostIdle {
		conn.Close()
		return
	}
	t.idle = append(t.idle, idleConn{conn, t.env.Mono()})
}

// OperationName returns the name of an operation as the command line of AWS has it: put-item for PutItem.
func OperationName(operation string) string {
	var b strings.Builder
	for n, r := range operation {
		if r >= 'A' && r <= 'Z' {
			if n > 0 {
				b.WriteByte('-')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
