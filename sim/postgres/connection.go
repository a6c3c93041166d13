package postgres

import (
	"encoding/binary"

	"github.com/jackc/pgx/v5/pgproto3"

	"lockquake/sim"
	"lockquake/sim/postgres/engine"
	"lockquake/sim/postgres/wire"
	"lockquake/sim/resource"
)

// connection is the server's end of a client's connection, from the start-up to its end. protocol.go
// has the messages of queries.
type connection struct {
	server  *Server
	session *sim.Session
	worker  string // the one that sent the last packet
	pooled  bool   // through the pooler
	secret  uint32 // which a cancel request must know
	backend *backendSession

	call     *sim.Call // the packet that is being answered; nil: none
	in       []byte    // its messages that are still to be handled
	out      []byte    // messages of the answer
	data     *resource.Request
	portals  map[string]*portal
	waiting  bool // a statement is under way
	skipping bool // an error has occurred, so messages are ignored until Sync
	gone     bool // the client has closed the connection
	over     bool // the server has ended the session
}

// backendSession is a session of the database with its prepared statements.
type backendSession struct {
	*engine.Session
	statements map[string]*engine.Statement
}

// portal is a statement with its arguments.
type portal struct {
	statement *engine.Statement
	args      []any
	formats   []int16 // of the columns of its result
}

func newConnection(s *Server, session *sim.Session) *connection {
	return &connection{server: s, session: session, portals: map[string]*portal{}}
}

// receive handles a packet. Its answer may have to wait for a lock.
func (c *connection) receive(call *sim.Call, p *wire.Packet) {
	c.call, c.in, c.data, c.worker = call, p.Bytes, p.Data, call.Worker
	if c.backend == nil && !c.pooled {
		c.start(p.Bytes)
		return
	}
	c.proceed()
}

// start handles the first packet of a connection: a start-up or a cancel request.
func (c *connection) start(b []byte) {
	const cancelCode, codeAt, codeEnd = 80877102, 4, 8
	if len(b) >= codeEnd && binary.BigEndian.Uint32(b[codeAt:]) == cancelCode {
		var m pgproto3.CancelRequest
		if m.Decode(b[codeAt:]) == nil {
			c.server.cancel(m.SecretKey)
		}
		c.answer()
		return
	}
	var m pgproto3.StartupMessage
	if len(b) < codeAt || m.Decode(b[codeAt:]) != nil {
		c.fail(&engine.Error{Severity: "FATAL", Code: "08P01", Message: "invalid startup packet"})
		c.answer()
		return
	}
	c.pooled = m.Parameters["database"] == PooledDatabase
	pid := uint32(pooledPID)
	if !c.pooled {
		c.backend = c.server.connect()
		c.server.sessions[c.backend.Session] = c
		pid = uint32(c.backend.PID())
	}
	c.send(&pgproto3.AuthenticationOk{})
	for _, p := range [][2]string{{"client_encoding", "UTF8"}, {"server_version", "15.0"}, {"standard_conforming_strings", "on"}, {"TimeZone", "UTC"}, {"integer_datetimes", "on"}} {
		c.send(&pgproto3.ParameterStatus{Name: p[0], Value: p[1]})
	}
	c.send(&pgproto3.BackendKeyData{ProcessID: pid, SecretKey: c.server.admit(c)})
	c.ready()
	c.answer()
}

// connect opens a session.
func (s *Server) connect() *backendSession {
	b := &backendSession{Session: s.db.Connect(), statements: map[string]*engine.Statement{}}
	for _, set := range s.options.Settings {
		if err := execute(b.Session, set); err != nil {
			s.node.World().Fail(err)
		}
	}
	return b
}

// admit returns the secret key of a new connection. No other one has the same, even after a restart
// of the server.
func (s *Server) admit(c *connection) []byte {
	s.admitted++
	c.secret = s.admitted
	s.clients[c.secret] = c
	return binary.BigEndian.AppendUint32(nil, c.secret)
}

// cancel cancels the statement that the connection with a secret key executes.
func (s *Server) cancel(key []byte) {
	const size = 4
	if len(key) != size {
		return
	}
	if c := s.clients[binary.BigEndian.Uint32(key)]; c != nil && c.backend != nil {
		c.backend.Cancel()
	}
}

// proceed handles messages until a statement waits, or all are handled. Then it answers the packet.
func (c *connection) proceed() {
	for !c.waiting && !c.over {
		kind, body, rest := wire.Next(c.in)
		if kind == 0 {
			c.answer()
			return
		}
		if c.pooled && c.backend == nil && !c.server.pooler.assign(c) {
			return // until a session of the pooler is free
		}
		c.in = rest
		c.handle(kind, body)
	}
	if c.over && c.call != nil {
		c.answer()
	}
}

// answer sends what has been collected.
func (c *connection) answer() {
	call := c.call
	if call == nil {
		return
	}
	packet := &wire.Packet{Bytes: c.out}
	c.call, c.out, c.data = nil, nil, nil
	call.Applied()
	call.Reply(packet)
	if c.pooled {
		c.server.pooler.release(c)
	}
}

func (c *connection) send(m pgproto3.BackendMessage) { c.out = encode(c.out, m) }

// fail sends an error.
func (c *connection) fail(e *engine.Error) {
	c.send(&pgproto3.ErrorResponse{Severity: e.Severity, SeverityUnlocalized: e.Severity, Code: e.Code, Message: e.Message, Detail: e.Detail})
	c.skipping = true
}

// ready ends the answer to a query.
func (c *connection) ready() {
	status := byte('I')
	if c.backend != nil {
		status = c.backend.Status()
	}
	c.send(&pgproto3.ReadyForQuery{TxStatus: status})
}

// closed ends the session of a client that is gone.
func (c *connection) closed() {
	c.gone, c.call = true, nil
	switch {
	case !c.waiting:
		c.leave()
	case c.pooled: // it closes its connection at once, which the server notices after the statement
		c.pooled = false
		c.server.pooler.drop()
	}
}

// leave ends the session, or gives it back to the pooler.
func (c *connection) leave() {
	delete(c.server.clients, c.secret)
	if c.over || c.backend == nil {
		return
	}
	c.over = true
	if c.pooled {
		c.server.pooler.drop()
	}
	c.backend.Close()
	delete(c.server.sessions, c.backend.Session)
}

// sessionEnded handles a session that the server has ended: the client finds the error when it next
// reads.
func (c *connection) sessionEnded(e *engine.Error) {
	if c.over || c.gone {
		return
	}
	c.over = true
	delete(c.server.sessions, c.backend.Session)
	c.fail(e)
	if c.pooled {
		c.server.pooler.drop()
	}
	if c.call == nil {
		packet := &wire.Packet{Bytes: c.out}
		c.out = nil
		c.session.Push("farewell", packet)
		return
	}
	c.answer()
}

// execute runs a statement, and calls then with its result, at once or later.
func (c *connection) execute(st *engine.Statement, args []any, then func(*engine.Result)) {
	c.waiting = true
	inside := true
	c.backend.Execute(st, args, c.server.begin(c), func(r *engine.Result) {
		c.waiting = false
		c.server.executed(c, args, r)
		switch {
		case c.gone:
			c.leave()
			return
		case r.Err != nil && r.Err.Severity == "FATAL":
			return // sessionEnded follows
		case r.Err != nil:
			c.fail(r.Err)
		}
		then(r)
		if !inside {
			c.proceed()
		}
	})
	inside = false
}
