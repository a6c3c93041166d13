package postgres

import (
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"lockquake/history"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/postgres/engine"
	"lockquake/sim/postgres/wire"
)

// Options are the settings of a server. A server with the zero value records nothing.
type Options struct {
	// Locks tells which advisory locks and rows are locks of the run. The record of an advisory
	// lock is called "advisory/ID", that of a row "row/TABLE/KEY". A row that
	// names its holder is called "leases/NAME" or "jobs/NAME".
	Locks backend.Locks
	// Name is the node name in the recorded events; "" means the name of the node.
	Name string
	// Poolers is the number of sessions that the pooler in front of the server keeps.
	Poolers int
	// PoolerTurns lets the pooler use its sessions in turn, and not the one that was used last.
	PoolerTurns bool
	// Settings are SET statements for each new session, such as that of deadlock_timeout.
	Settings []string
	// KeepAlive is the time after which the server ends an idle session of a client that is cut off or suspended.
	KeepAlive time.Duration
}

// Server is a simulated PostgreSQL on a node, with a pooler that clients reach on the same node. It
// implements sim.Server.
type Server struct {
	node     *sim.Node
	options  Options
	db       *engine.Database
	types    *pgtype.Map
	sessions map[*engine.Session]*connection // the connection that uses a session now
	pooler   *pooler
	clients  map[uint32]*connection // by secret key, for cancel requests
	admitted uint32                 // secret keys so far
	locks    *lockWatch
	rows     *rowWatch
	items    *items // nil: the database has no protected resource
	// replicate sends the changes of a commit to the replica; nil: there is none.
	replicate func(changes []engine.Change)
}

// New starts a server with empty tables on the node.
func New(node *sim.Node, o Options) (*Server, error) {
	if o.Locks.Record == nil {
		o.Locks.Record = func(history.Event) {}
	}
	if o.Name == "" {
		o.Name = node.Name()
	}
	s := &Server{node: node, options: o, types: pgtype.NewMap(), sessions: map[*engine.Session]*connection{}, clients: map[uint32]*connection{}}
	s.locks, s.rows = newLockWatch(s), newRowWatch(s)
	s.pooler = newPooler(s)
	s.open()
	if err := s.define(tables); err != nil {
		return nil, err
	}
	node.Listen(s)
	node.SetKeepAlive(o.KeepAlive)
	return s, nil
}

// tables are those of the locks of package lock/postgres, and of the protected resource.
const tables = `
CREATE TABLE locks (name text PRIMARY KEY);
CREATE TABLE leases (name text PRIMARY KEY, owner text NOT NULL, fence bigint NOT NULL, expires_at timestamptz NOT NULL);
CREATE TABLE jobs (name text PRIMARY KEY, status text NOT NULL DEFAULT 'pending', worker text, attempts bigint NOT NULL DEFAULT 0,
	priority bigint NOT NULL DEFAULT 0, created_at timestamptz NOT NULL DEFAULT clock_timestamp(), claimed_at timestamptz, expires_at timestamptz);
CREATE TABLE items (name text PRIMARY KEY, value text NOT NULL, version bigint NOT NULL DEFAULT 1, fence bigint NOT NULL DEFAULT 0)`

// open makes the database.
func (s *Server) open() {
	s.db = engine.New(engine.Host{Now: s.node.Now, After: func(d time.Duration, f func()) func() {
		t := s.node.After(d, f)
		return t.Stop
	}}, engine.Hooks{Locks: s.locks.changed, Commit: s.committed, Ended: s.ended})
}

// define executes statements in a session of their own.
func (s *Server) define(text string, args ...any) error {
	session := s.db.Connect()
	defer session.Close()
	texts, err := session.Split(text)
	for i := 0; err == nil && i < len(texts); i++ {
		err = execute(session, texts[i], args...)
	}
	if err != nil {
		return fmt.Errorf("postgres on %s: %w", s.node.Name(), err)
	}
	return nil
}

// execute executes a statement that waits for nothing.
func execute(session *engine.Session, text string, args ...any) error {
	st, err := session.Prepare(text)
	if err != nil {
		return err
	}
	var result *engine.Result
	session.Execute(st, args, 0, func(r *engine.Result) { result = r })
	switch {
	case result == nil:
		return fmt.Errorf("%s: it waits", text)
	case result.Err != nil:
		return fmt.Errorf("%s: %w", text, result.Err)
	}
	return nil
}

// Close frees the server.
func (s *Server) Close() { s.db.Close() }

// record sets time and node of an event.
func (s *Server) record(e history.Event) {
	e.At, e.Node = s.node.World().Time(), s.options.Name
	s.options.Locks.Record(e)
}

// Serve implements sim.Server.
func (s *Server) Serve(c *sim.Call) {
	packet, ok := c.Req.(*wire.Packet)
	if !ok {
		panic(fmt.Sprintf("postgres: a request of type %T", c.Req))
	}
	if c.DropCopy() {
		return
	}
	conn, ok := c.Session.Data.(*connection)
	if !ok {
		conn = newConnection(s, c.Session)
		c.Session.Data = conn
	}
	conn.receive(c, packet)
}

// Closed implements sim.Server. A server notices the end of a connection when it next reads from
// it: after the statement under way.
func (s *Server) Closed(session *sim.Session, _ error) {
	if conn, ok := session.Data.(*connection); ok {
		conn.closed()
	}
}

// committed handles the commit of a transaction.
func (s *Server) committed(session *engine.Session, changes []engine.Change) {
	s.rows.committed(session, changes)
	if s.items != nil {
		s.items.committed(changes)
	}
	if s.replicate != nil {
		s.replicate(changes)
	}
}

// ended handles the end of a session.
func (s *Server) ended(session *engine.Session, err *engine.Error) {
	if conn := s.sessions[session]; conn != nil {
		conn.sessionEnded(err)
		return
	}
	s.pooler.ended(session)
}

// worker returns the worker for which a session works now, and its request; "" if there is none.
func (s *Server) worker(session *engine.Session) (worker string, call *sim.Call) {
	conn := s.sessions[session]
	if conn == nil {
		return "", nil
	}
	return conn.worker, conn.call
}
