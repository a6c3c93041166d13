package engine

import (
	"slices"
	"time"

	"lockquake/sim/postgres/sql"
)

// Host gives a database its clocks.
type Host struct {
	// Now returns the wall clock of the server.
	Now func() time.Time
	// After calls f after a time, unless stop is called before.
	After func(d time.Duration, f func()) (stop func())
}

// Hooks are called by the database. Each may be nil. They must not run statements.
type Hooks struct {
	// Locks is called after the holders of an advisory or row lock have changed.
	Locks func(LockName)
	// Commit is called at a commit that has changed rows or tables, with the changes in their order.
	Commit func(s *Session, changes []Change)
	// Ended is called when a session is over, with the reason.
	Ended func(s *Session, err *Error)
}

// Error is an error as the server reports it.
type Error = sql.Error

// Change is a change of a row.
type Change struct {
	Table string
	Key   string // the primary key as a text
	// Old and New are the values of the columns. Old is nil for a new row, New for a deleted one.
	Old, New []any
	// Tag is that of the statement, see [Session.Execute].
	Tag int64
	// Schema is the statement that made or dropped a table; the rest is empty then.
	Schema string
}

// Result is the result of a statement.
type Result struct {
	Columns  []Column
	Rows     [][]any
	Tag      string // such as "UPDATE 1"
	Affected int64
	Err      *Error
}

// Column is a column of a result.
type Column struct {
	Name string
	Type Type
}

// Database is a PostgreSQL database without a network. One thing happens at a time: it must not be used by several goroutines.
type Database struct {
	host     Host
	hooks    Hooks
	recovery bool

	tables   []*table
	indexes  []*plainIndex
	sessions []*Session
	lastPID  int
	advisory map[LockName]*lock
	spare    []*hold
	commits  int64 // the number of the last commit
	garbage  []*row

	statements map[string]*Statement
	generation int // of the tables

	waiting []*Session // to be resumed, in order
	running bool
}

// New returns an empty database.
func New(h Host, hooks Hooks) *Database {
	return &Database{host: h, hooks: hooks, advisory: map[LockName]*lock{}, statements: map[string]*Statement{}}
}

// Connect opens a session. Their process numbers count from 1.
func (d *Database) Connect() *Session {
	d.lastPID++
	s := &Session{db: d, pid: d.lastPID, snapshot: -1, settings: defaults()}
	s.kept = s.settings
	d.sessions = append(d.sessions, s)
	return s
}

// SetRecovery makes the database a standby, which refuses to write, or ends that.
func (d *Database) SetRecovery(on bool) { d.recovery = on }

// Close ends all sessions at once, as a crash does. No done and no hook is called.
func (d *Database) Close() {
	d.hooks = Hooks{}
	for _, s := range d.sessions {
		s.over = true
		s.stopTimer(&s.stopIdle)
		s.stopTimer(&s.stopStatement)
		if s.stop != nil {
			s.stop()
		}
	}
	d.sessions, d.waiting = nil, nil
	d.advisory = map[LockName]*lock{}
}

// forget removes a session that has ended.
func (d *Database) forget(s *Session) {
	d.sessions = slices.DeleteFunc(d.sessions, func(o *Session) bool { return o == s })
}

// session returns the session of a process, nil if there is none.
func (d *Database) session(pid int64) *Session {
	for _, s := range d.sessions {
		if int64(s.pid) == pid {
			return s
		}
	}
	return nil
}

// ready lets a session go on as soon as the one that runs has ended or waits.
func (d *Database) ready(s *Session) { d.waiting = append(d.waiting, s) }

// run lets sessions go on until all are idle or wait.
func (d *Database) run() {
	if d.running {
		return
	}
	d.running = true
	for i := 0; i < len(d.waiting); i++ {
		d.waiting[i].resume()
	}
	d.waiting = d.waiting[:0]
	d.running = false
}

// now returns the wall clock in microseconds, as the server keeps it.
func (d *Database) now() time.Time { return d.host.Now().UTC().Truncate(time.Microsecond) }

// Holders returns who holds an advisory or row lock, in the order of the grants.
func (d *Database) Holders(n LockName) []Holder {
	if n.Table != "" {
		return d.rowHolders(n)
	}
	l := d.advisory[n]
	if l == nil {
		return nil
	}
	var list []Holder
	for _, h := range l.holds {
		for _, m := range []mode{exclusive, share} {
			for _, lv := range []level{untilUnlock, untilCommit} {
				if c := h.count[m][lv]; c > 0 {
					list = append(list, Holder{h.session, m == share, int(c), lv == untilCommit})
				}
			}
		}
	}
	return list
}

// Waiting returns the sessions that a session waits for, as pg_blocking_pids does: holders first, then those before it in the queue.
func (d *Database) Waiting(s *Session) []*Session {
	hard, soft := s.blockers()
	return append(hard, soft...)
}
