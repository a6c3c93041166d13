package engine

import (
	"slices"
	"time"

	"lockquake/sim/postgres/sql"
)

// transaction is a transaction in progress.
type transaction struct {
	session    *Session
	lock       lock // others wait for it until the transaction ends
	explicit   bool // begun with BEGIN
	isolation  string
	repeatable bool // the isolation is repeatable read
	readOnly   bool
	started    time.Time
	awaited    bool // CREATE INDEX CONCURRENTLY has a list with it
	queried    bool // has taken a snapshot
	command    int  // counts the statements; a statement does not see its own changes

	written []written
	locked  []*row
	schema  []schemaChange
}

// written is a version of a row that a transaction has made.
type written struct {
	row     *row
	version *version
	old     []any
	tag     int64
}

// schemaChange is a change of the tables. Undo takes it back.
type schemaChange struct {
	text string
	undo func()
	done func() // runs at commit; may be nil
}

// begin starts a transaction.
func (s *Session) begin(explicit bool) {
	t := s.spare
	if s.spare = nil; t == nil {
		t = &transaction{}
	}
	*t = transaction{session: s, explicit: explicit, started: s.started}
	t.lock.object, t.lock.owner = transactionID, s
	t.isolation = s.settings.isolation
	t.repeatable = t.isolation == repeatableRead
	t.readOnly = s.settings.readOnly || s.db.recovery
	s.txn = t
	s.before = s.kept
}

// takeSnapshot makes the statement see all commits so far. A repeatable read transaction keeps its first snapshot.
func (s *Session) takeSnapshot() {
	if s.snapshot < 0 || !s.txn.repeatable {
		s.snapshot = s.db.commits
	}
	s.txn.queried = true
}

// commit ends the transaction, and makes its changes visible.
func (s *Session) commit() {
	t, d := s.txn, s.db
	changed := len(t.written) > 0
	if changed {
		d.commits++
	}
	for _, w := range t.written {
		w.version.commit, w.version.txn = d.commits, nil
	}
	s.finish()
	for _, w := range t.written {
		d.prune(w.row)
	}
	for _, c := range t.schema {
		if c.done != nil {
			c.done()
		}
	}
	if d.hooks.Commit != nil && (changed || len(t.schema) > 0) {
		d.hooks.Commit(s, t.changes())
	}
	s.release(t)
}

// abort ends the transaction, and undoes its changes. Advisory locks of the session remain.
func (s *Session) abort() {
	t := s.txn
	if t == nil {
		return
	}
	for _, w := range slices.Backward(t.written) {
		w.row.undo(w.version)
	}
	for _, c := range slices.Backward(t.schema) {
		c.undo()
	}
	s.kept = s.before
	s.finish()
	s.release(t)
}

// finish makes the session one without a transaction.
func (s *Session) finish() {
	s.settings = s.kept
	s.txn, s.snapshot = nil, -1
}

// release releases the locks of a transaction that has ended.
func (s *Session) release(t *transaction) {
	for _, r := range t.locked {
		r.unlock(t)
	}
	t.lock.owner = nil
	t.lock.wake(s.db)
	s.releaseAll(untilCommit)
	if len(t.written)+len(t.locked)+len(t.schema)+len(t.lock.holds) == 0 && !t.awaited {
		s.spare = t
	}
}

// changes returns the changes of a transaction that has committed.
func (t *transaction) changes() []Change {
	list := make([]Change, 0, len(t.written)+len(t.schema))
	for _, c := range t.schema {
		list = append(list, Change{Schema: c.text})
	}
	for _, w := range t.written {
		values := w.version.values
		if values == nil {
			values = w.old
		}
		list = append(list, Change{w.row.table.name, w.row.table.keyText(values), w.old, w.version.values, w.tag, ""})
	}
	return list
}

// waitFor waits until a transaction of another session has ended.
func (s *Session) waitFor(t *transaction) error {
	if t.lock.owner == nil {
		return nil
	}
	_, err := t.lock.acquire(s, share, untilCommit, true)
	t.lock.release(s, share, untilCommit)
	return err
}

// control runs BEGIN, COMMIT or ROLLBACK, and returns the tag of its result.
func (s *Session) control(c *sql.Transaction) (string, error) {
	switch c.Verb {
	case "begin":
		tag := "BEGIN"
		if c.Word != "" {
			tag = "START TRANSACTION"
		}
		if s.txn == nil {
			s.begin(true)
		}
		s.txn.explicit = true
		return tag, s.txn.change(c)
	case "set":
		if s.txn == nil {
			return "SET", nil
		}
		return "SET", s.txn.change(c)
	case "commit":
		if s.failed {
			s.failed = false
			return "ROLLBACK", nil
		}
		if s.txn != nil {
			s.commit()
		}
		return "COMMIT", nil
	}
	s.failed = false
	s.abort()
	return "ROLLBACK", nil
}

// change gives a transaction other modes.
func (t *transaction) change(c *sql.Transaction) error {
	if c.Isolation != "" && c.Isolation != t.isolation {
		if t.queried {
			return sql.Errorf("25001", "SET TRANSACTION ISOLATION LEVEL must be called before any query")
		}
		t.isolation, t.repeatable = c.Isolation, c.Isolation == repeatableRead
	}
	t.readOnly = t.readOnly || c.ReadOnly
	return nil
}

// writable returns the error about a statement that a read-only transaction refuses.
func (s *Session) writable(what string) error {
	if s.txn.readOnly {
		return sql.Errorf("25006", "cannot execute %s in a read-only transaction", what)
	}
	return nil
}
