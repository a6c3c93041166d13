package client

import (
	"context"
	"errors"
	"net"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/sim/redis/resp"
)

// replayer sets the result of a command from a reply. It handles the common kinds itself. For all
// others a separate go-redis client reads the reply from a connection that plays it back, so each
// command and each error gets exactly the result that go-redis computes.
type replayer struct {
	client *goredis.Client // made on first use
	conn   replayConn
}

// set sets the result of cmd from the reply, and returns the command's error.
func (r *replayer) set(cmd goredis.Cmder, reply *resp.Reply) error {
	if setCommon(cmd, reply) {
		return nil
	}
	r.conn.unread = reply.AppendRESP(r.conn.unread[:0])
	if r.client == nil {
		// The client first makes a handshake, for which an error is a sufficient answer.
		r.conn.unread = append([]byte("-ERR no handshake\r\n"), r.conn.unread...)
		r.client = newQuietClient(func(context.Context, string, string) (net.Conn, error) {
			return &r.conn, nil
		})
	}
	err := r.client.Process(context.Background(), cmd)
	if badConn(err) {
		r.client = nil // it would dial and make another handshake
	}
	return err
}

// setMany sets the results of a pipeline's commands. It returns the error that go-redis returns for
// all: the first error of a command, or the failure of a transaction.
func (r *replayer) setMany(cmds []goredis.Cmder, reply *resp.Reply) error {
	if isTransaction(cmds) {
		return r.setTransaction(cmds[1:len(cmds)-1], reply.Elems)
	}
	var first error
	for i, cmd := range cmds {
		err := r.set(cmd, &reply.Elems[i])
		cmd.SetErr(err)
		if first == nil {
			first = err
		}
	}
	return first
}

// isTransaction reports whether go-redis has added MULTI and EXEC around the commands.
func isTransaction(cmds []goredis.Cmder) bool {
	return len(cmds) > 2 && cmds[0].Name() == "multi" && cmds[len(cmds)-1].Name() == "exec"
}

// setTransaction sets the results of the queued commands from EXEC, the last reply. If the
// transaction was discarded, a command that was not queued keeps its own error.
func (r *replayer) setTransaction(cmds []goredis.Cmder, replies []resp.Reply) error {
	exec := &replies[len(replies)-1]
	switch exec.Kind {
	case resp.Array:
		return r.setMany(cmds, exec)
	case resp.Nil: // a watched key was modified
		return setErrors(cmds, goredis.TxFailedErr)
	default:
	}
	err := setErrors(cmds, r.set(goredis.NewStatusCmd(context.Background(), "exec"), exec))
	for i, cmd := range cmds {
		if queued := &replies[i+1]; queued.Kind == resp.Error {
			cmd.SetErr(r.set(cmd, queued))
		}
	}
	return err
}

// setCommon sets the result if the reply is of the kind that the command expects, and reports
// whether it is.
func setCommon(cmd goredis.Cmder, reply *resp.Reply) bool {
	text := reply.Kind == resp.Status || reply.Kind == resp.Bulk
	switch cmd := cmd.(type) {
	case *goredis.BoolCmd:
		switch {
		case reply.Kind == resp.Integer:
			cmd.SetVal(reply.Int == 1)
		case text:
			cmd.SetVal(reply.Text == "OK" || reply.Text == "1")
		case reply.Kind == resp.Nil: // a refused SET NX
			cmd.SetVal(false)
		default:
			return false
		}
		return true
	case *goredis.StatusCmd:
		if text {
			cmd.SetVal(reply.Text)
			return true
		}
	case *goredis.StringCmd:
		if text {
			cmd.SetVal(reply.Text)
			return true
		}
	case *goredis.IntCmd:
		if reply.Kind == resp.Integer {
			cmd.SetVal(reply.Int)
			return true
		}
	case *goredis.Cmd:
		if value, ok := plain(reply); ok && reply.Kind != resp.Nil {
			cmd.SetVal(value)
			return true
		}
	case *goredis.SliceCmd:
		if value, ok := plain(reply); ok && reply.Kind == resp.Array {
			cmd.SetVal(value.([]any))
			return true
		}
	}
	return false
}

// plain returns the reply as a value of an untyped command of go-redis. Ok is false if the reply
// contains an error.
func plain(reply *resp.Reply) (value any, ok bool) {
	switch reply.Kind {
	case resp.Status, resp.Bulk:
		return reply.Text, true
	case resp.Integer:
		return reply.Int, true
	case resp.Nil:
		return nil, true
	case resp.Array:
		values := make([]any, len(reply.Elems))
		for i := range reply.Elems {
			if values[i], ok = plain(&reply.Elems[i]); !ok {
				return nil, false
			}
		}
		return values, true
	case resp.Error:
	}
	return nil, false
}

// replayConn is a connection from which a reply can be read.
type replayConn struct{ unread []byte }

var errReplayed = errors.New("redis: the reply ends before the command has read it")

func (c *replayConn) Read(b []byte) (int, error) {
	if len(c.unread) == 0 {
		return 0, errReplayed
	}
	n := copy(b, c.unread)
	c.unread = c.unread[n:]
	return n, nil
}

func (c *replayConn) Write(b []byte) (int, error)      { return len(b), nil }
func (c *replayConn) Close() error                     { return nil }
func (c *replayConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (c *replayConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *replayConn) SetDeadline(time.Time) error      { return nil }
func (c *replayConn) SetReadDeadline(time.Time) error  { return nil }
func (c *replayConn) SetWriteDeadline(time.Time) error { return nil }
