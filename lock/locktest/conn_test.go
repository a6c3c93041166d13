package locktest

import (
	"errors"
	"net"
	"os"
	"syscall"
	"testing"

	"lockquake/sim"
)

func TestErrorsOfConnectionsAreThoseOfPackageNet(t *testing.T) {
	dialTimeout := &net.OpError{Op: "dial", Net: "tcp", Err: sim.ErrTimeout}
	for _, c := range []struct {
		op        string
		err, want error
		timeout   bool
		text      string
	}{
		{"read", sim.ErrReset, syscall.ECONNRESET, false, "read tcp: read: connection reset by peer"},
		{"write", sim.ErrReset, syscall.ECONNRESET, false, "write tcp: write: connection reset by peer"},
		{"read", sim.ErrClosed, net.ErrClosed, false, "read tcp: use of closed network connection"},
		{"read", sim.ErrTimeout, os.ErrDeadlineExceeded, true, "read tcp: i/o timeout"},
		{"dial", sim.ErrRefused, syscall.ECONNREFUSED, false, "dial tcp: connect: connection refused"},
		{"dial", &net.OpError{Op: "dial", Err: sim.ErrRefused}, syscall.ECONNREFUSED, false, "dial tcp: connect: connection refused"},
		{"dial", dialTimeout, sim.ErrTimeout, true, "dial tcp: i/o timeout"},
	} {
		err := netError(c.op, c.err)
		var of *net.OpError
		if !errors.Is(err, c.want) || !errors.As(err, &of) || of.Op != c.op || of.Timeout() != c.timeout || err.Error() != c.text {
			t.Errorf("%s: %v becomes %v, want %s", c.op, c.err, err, c.text)
		}
	}
	if err := netError("read", sim.ErrOver); !errors.Is(err, sim.ErrOver) {
		t.Errorf("another error becomes %v", err)
	}
	if err := netError("read", nil); err != nil {
		t.Errorf("no error becomes %v", err)
	}
}
