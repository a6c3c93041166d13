package postgres

import (
	"slices"

	"lockquake/sim/postgres/engine"
)

// PooledDatabase is the name of the database that clients give to reach it through the pooler.
const PooledDatabase = "pooled"

// pooledPID is the process number that the pooler gives its clients. No session has it.
const pooledPID = 1 << 31

// pooler gives each transaction of a client one of its sessions, as PgBouncer does in transaction
// mode. It takes the session that was used last, and opens one if none is free; a client waits if
// there are as many as it may keep. With turns it opens as many as it may keep, and uses them in
// turn. A session goes back when its transaction has ended, with whatever it still has, such as an
// advisory lock.
type pooler struct {
	server  *Server
	size    int
	turns   bool
	open    int
	free    []*backendSession
	waiting []*connection
}

func newPooler(s *Server) *pooler {
	return &pooler{server: s, size: s.options.Poolers, turns: s.options.PoolerTurns}
}

// assign gives the connection a session. It reports whether there was one; otherwise the connection
// proceeds when there is.
func (p *pooler) assign(c *connection) bool {
	switch n := len(p.free); {
	case p.turns && n > 0 && p.open == p.size:
		c.backend = p.free[0]
		p.free = p.free[1:]
	case n > 0 && !p.turns:
		c.backend = p.free[n-1]
		p.free = p.free[:n-1]
	case p.open < p.size:
		p.open++
		c.backend = p.server.connect()
	default:
		p.waiting = append(p.waiting, c)
		return false
	}
	p.server.sessions[c.backend.Session] = c
	return true
}

// release takes the session of a connection back after its transaction.
func (p *pooler) release(c *connection) {
	b := c.backend
	if b == nil || b.Over() || b.Status() != 'I' {
		return
	}
	c.backend = nil
	delete(p.server.sessions, b.Session)
	p.free = append(p.free, b)
	p.serve()
}

// ended forgets a session that the server has ended while it was free.
func (p *pooler) ended(session *engine.Session) {
	n := len(p.free)
	p.free = slices.DeleteFunc(p.free, func(b *backendSession) bool { return b.Session == session })
	p.open -= n - len(p.free)
	p.serve()
}

// drop forgets the session of a connection that has ended within a transaction.
func (p *pooler) drop() {
	p.open--
	p.serve()
}

// serve lets the clients that wait go on.
func (p *pooler) serve() {
	for len(p.waiting) > 0 && (len(p.free) > 0 || p.open < p.size) {
		c := p.waiting[0]
		p.waiting = p.waiting[1:]
		if !c.gone {
			c.proceed()
		}
	}
}
