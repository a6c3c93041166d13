package redis

import (
	"bytes"
	"context"
	"encoding"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// ReplyError is an error that the server answered with.
type ReplyError string

func (e ReplyError) Error() string { return string(e) }

// RedisError marks it as go-redis marks its own.
func (ReplyError) RedisError() {}

var _ goredis.Error = ReplyError("")

// wordsOf turns the arguments of a command into what go-redis writes for them.
func wordsOf(args []any) ([]string, error) {
	words := make([]string, len(args))
	for i, arg := range args {
		word, err := wordOf(arg)
		if err != nil {
			return nil, err
		}
		words[i] = word
	}
	return words, nil
}

func wordOf(arg any) (string, error) {
	switch v := arg.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	case int:
		return strconv.Itoa(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case int8, int16, int32, uint, uint8, uint16, uint32, uint64:
		return fmt.Sprint(v), nil
	case float32:
		return strconv.FormatFloat(float64(v), 'f', -1, 64), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case bool:
		if v {
			return "1", nil
		}
		return "0", nil
	case time.Time:
		return v.Format(time.RFC3339Nano), nil
	case time.Duration:
		return strconv.FormatInt(v.Nanoseconds(), 10), nil
	case net.IP:
		return string(v), nil
	case encoding.BinaryMarshaler:
		b, err := v.MarshalBinary()
		return string(b), err
	}
	return "", fmt.Errorf("redis: can't marshal %T (implement encoding.BinaryMarshaler)", arg)
}

// set gives a command its reply. The error is what the command ends with.
func (h *hook) set(cmd goredis.Cmder, r *Reply) error {
	if r.Kind == Error {
		return ReplyError(r.Text)
	}
	switch cmd := cmd.(type) {
	case *goredis.StatusCmd:
		if r.Kind == Status || r.Kind == Bulk {
			cmd.SetVal(r.Text)
			return nil
		}
	case *goredis.StringCmd:
		if r.Kind == Status || r.Kind == Bulk {
			cmd.SetVal(r.Text)
			return nil
		}
	case *goredis.IntCmd:
		if r.Kind == Integer {
			cmd.SetVal(r.Int)
			return nil
		}
	case *goredis.BoolCmd:
		// SET with NX says OK or nothing, EXPIRE says 1 or 0.
		switch r.Kind {
		case Nil:
			cmd.SetVal(false)
			return nil
		case Integer:
			cmd.SetVal(r.Int == 1)
			return nil
		case Status:
			cmd.SetVal(r.Text == "OK")
			return nil
		case Bulk, Array, Error:
		}
	case *goredis.Cmd:
		switch r.Kind {
		case Integer:
			cmd.SetVal(r.Int)
			return nil
		case Status, Bulk:
			cmd.SetVal(r.Text)
			return nil
		case Nil, Array, Error:
		}
	}
	if r.Kind == Nil {
		return goredis.Nil
	}
	if h.reader == nil {
		h.reader = newReplyReader()
	}
	return h.reader.read(cmd, r)
}

// replyReader lets go-redis itself read the replies that have no short way: a
// client of its own, on a connection that answers whatever it is told to.
type replyReader struct {
	client *goredis.Client
	conn   *cannedConn
}

func newReplyReader() *replyReader {
	conn := &cannedConn{}
	return &replyReader{conn: conn, client: goredis.NewClient(&goredis.Options{
		Addr: "192.0.2.1:6379", Protocol: 2, DisableIdentity: true, MaxRetries: -1, PoolSize: 1,
		Dialer: func(context.Context, string, string) (net.Conn, error) { return conn, nil },
	})}
}

// read lets go-redis read r as the reply of cmd.
func (r *replyReader) read(cmd goredis.Cmder, reply *Reply) error {
	r.conn.answer = reply
	return r.client.Process(context.Background(), cmd)
}

// cannedConn answers every write: HELLO as a server does, all else with the
// answer at hand.
type cannedConn struct {
	answer *Reply
	out    bytes.Buffer
}

func (c *cannedConn) Write(b []byte) (int, error) {
	reply := c.answer
	if bytes.Contains(bytes.ToLower(b), []byte("\r\nhello\r\n")) {
		greeting := hello([]string{"hello", "2"})
		reply = &greeting
	}
	c.out.Write(reply.appendRESP(nil))
	return len(b), nil
}

func (c *cannedConn) Read(b []byte) (int, error) {
	if c.out.Len() == 0 {
		return 0, io.EOF
	}
	return c.out.Read(b)
}

func (c *cannedConn) Close() error                     { return nil }
func (c *cannedConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (c *cannedConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *cannedConn) SetDeadline(time.Time) error      { return nil }
func (c *cannedConn) SetReadDeadline(time.Time) error  { return nil }
func (c *cannedConn) SetWriteDeadline(time.Time) error { return nil }
