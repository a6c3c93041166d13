package client

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"lockquake/sim"
	"lockquake/sim/redis/resp"
)

// wireConn is a connection for a client that speaks RESP2 itself. It turns the bytes that the client writes into requests,
// and their replies and the messages that the server pushes into bytes. The commands of one write are requests of
// their own, in order.
type wireConn struct {
	conn     *sim.Conn
	process  *sim.Process
	opOf     func(command string) string // names the operation of a command, which is in lower case
	written  []byte                      // an incomplete command
	unread   []byte
	deadline time.Time // by the wall clock of the process's node
}

var _ net.Conn = (*wireConn)(nil)

// newWireConn returns a connection whose operations have the names of their commands.
func newWireConn(conn *sim.Conn, p *sim.Process) *wireConn {
	return &wireConn{conn: conn, process: p, opOf: func(command string) string { return command }}
}

// dialWire opens a connection without a handshake.
func (d *connector) dialWire(opOf func(command string) string) (net.Conn, error) {
	conn, err := d.dialOnce()
	if err != nil {
		return nil, err
	}
	conn.AnswersOnly(true)
	w := newWireConn(conn, d.process)
	w.opOf = opOf
	return w, nil
}

// Write implements net.Conn. It does not wait for the reply.
func (w *wireConn) Write(b []byte) (int, error) {
	w.written = append(w.written, b...)
	for len(w.written) > 0 {
		if w.written[0] != byte(resp.Array) {
			return 0, fmt.Errorf("redis: a command begins with %q: only arrays of RESP are simulated", w.written[0])
		}
		command, rest, err := resp.ParseRESP(w.written)
		if err != nil {
			return len(b), nil //nolint:nilerr // the rest of the command is still missing
		}
		words := make([]string, len(command.Elems))
		for i := range command.Elems {
			words[i] = command.Elems[i].Text
		}
		w.written = append(w.written[:0], rest...)
		if len(words) == 0 {
			continue // as Redis does
		}
		name := strings.ToLower(words[0])
		if name == "subscribe" {
			w.conn.AnswersOnly(false)
		}
		if err := w.conn.Send(w.opOf(name), &resp.Command{Args: words}); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// Read implements net.Conn.
func (w *wireConn) Read(b []byte) (int, error) {
	if len(w.unread) == 0 {
		timeout := time.Duration(0)
		if !w.deadline.IsZero() {
			timeout = max(w.deadline.Sub(w.process.Node().Now()), time.Nanosecond)
		}
		message, err := w.conn.Receive(context.Background(), timeout)
		if err != nil {
			return 0, err
		}
		w.unread = message.(*resp.Reply).AppendRESP(w.unread[:0])
	}
	n := copy(b, w.unread)
	w.unread = w.unread[n:]
	return n, nil
}

// SetReadDeadline implements net.Conn.
func (w *wireConn) SetReadDeadline(t time.Time) error {
	w.deadline = t
	return nil
}

// Close implements net.Conn.
func (w *wireConn) Close() error {
	w.conn.Close()
	return nil
}

func (w *wireConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (w *wireConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (w *wireConn) SetDeadline(t time.Time) error    { return w.SetReadDeadline(t) }
func (w *wireConn) SetWriteDeadline(time.Time) error { return nil }
