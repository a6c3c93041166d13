package client

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"lockquake/sim"
)

// onWire runs a body with a connection on which it speaks RESP itself, without a handshake.
func onWire(t *testing.T, body func(r *rig, c net.Conn)) {
	t.Helper()
	r := newRig(t, sim.Config{})
	port := Connect(r.worker.Process(), []func() string{at("lock")}, Options{})
	r.worker.Go("main", func() {
		c, err := port.Dial(0, func(command string) string { return "op of " + command })
		if err != nil {
			t.Error(err)
			return
		}
		body(r, c)
	})
	if err := r.Run(); err != nil {
		t.Error(err)
	}
}

// exchange writes a request in pieces, and reads a reply of n bytes.
func exchange(t *testing.T, c net.Conn, n int, pieces ...string) string {
	t.Helper()
	for _, piece := range pieces {
		if _, err := c.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	reply := make([]byte, n)
	if _, err := io.ReadFull(c, reply); err != nil {
		t.Error(err)
	}
	return string(reply)
}

func TestAConnectionTakesAndGivesRESP(t *testing.T) {
	onWire(t, func(r *rig, c net.Conn) {
		began := r.Time()
		const set = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\nv1\r\n"
		if got := exchange(t, c, 5, set[:10], set[10:]); got != "+OK\r\n" || r.Time()-began != 2*time.Millisecond {
			t.Errorf("a command in two pieces is answered %q after %v", got, r.Time()-began)
		}
		const get, missing = "*2\r\n$3\r\nget\r\n$1\r\nk\r\n", "*2\r\n$3\r\nget\r\n$1\r\nx\r\n"
		if got, want := exchange(t, c, 13, get+missing), "$2\r\nv1\r\n$-1\r\n"; got != want {
			t.Errorf("two commands at once are answered %q, want %q", got, want)
		}
		const multi, exec = "*1\r\n$5\r\nmulti\r\n", "*1\r\n$4\r\nexec\r\n"
		if got, want := exchange(t, c, 26, multi+get+exec), "+OK\r\n+QUEUED\r\n*1\r\n$2\r\nv1\r\n"; got != want {
			t.Errorf("a transaction is answered %q, want %q", got, want)
		}
		if _, err := c.Write([]byte("PING\r\n")); err == nil || !strings.Contains(err.Error(), "only arrays of RESP") {
			t.Errorf("an inline command: %v", err)
		}
	})
}

func TestAReadOfAConnectionEndsAtItsDeadline(t *testing.T) {
	onWire(t, func(r *rig, c net.Conn) {
		_ = c.SetDeadline(r.worker.Now().Add(time.Second))
		began := r.Time()
		_, err := c.Read(make([]byte, 1))
		var timeout net.Error
		if !errors.As(err, &timeout) || !timeout.Timeout() || r.Time()-began != time.Second {
			t.Errorf("the read ends with %v after %v", err, r.Time()-began)
		}
		_ = c.Close()
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Error("a closed connection can be read")
		}
	})
}
