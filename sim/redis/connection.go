package redis

import (
	"lockquake/sim"
	"lockquake/sim/redis/keyspace"
)

// connection is the server's state of one connection. The zero value is a new one.
type connection struct {
	keyspace.Connection
	seen int64 // number of the last write at its last answer, for WAIT
}

// connectionOf returns the state of a session, which it creates if there is none.
func connectionOf(session *sim.Session) *connection {
	c, ok := session.Data.(*connection)
	if !ok {
		c = &connection{}
		session.Data = c
	}
	return c
}

// inTransaction reports whether the session has sent MULTI and not yet EXEC or
// DISCARD.
func inTransaction(session *sim.Session) bool {
	c, ok := session.Data.(*connection)
	return ok && c.InTransaction()
}
