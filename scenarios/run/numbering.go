package run

import (
	"lockquake/history"
	"lockquake/sim"
	"lockquake/sim/resource"
)

// The lock servers and the resource count their requests from 1, each side for
// itself, and draw random numbers by that count. A history has one numbering:
// commands of the lock servers are odd, operations of the resource even.

// commandNumber is the number in the history of a command; 0 stays 0: an event
// that no command caused.
func commandNumber(n int64) int64 { return max(0, 2*n-1) }

// operationNumber is the number in the history of an operation.
func operationNumber(n int64) int64 { return 2 * n }

// requestNumber is the number in the history of a request under way, 0 of none.
func requestNumber(c *sim.Call) int64 {
	if c == nil {
		return 0
	}
	if q, ok := c.Req.(*resource.Request); ok {
		return operationNumber(q.ID)
	}
	return commandNumber(c.Request)
}

// recordServer records an event of a lock server.
func (r *run) recordServer(e history.Event) {
	e.Request = commandNumber(e.Request)
	r.record(&e)
}

// recordResource records an event of the resource.
func (r *run) recordResource(e history.Event) {
	e.Request = operationNumber(e.Request)
	r.record(&e)
}
