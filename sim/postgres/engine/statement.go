package engine

import (
	"strings"

	"lockquake/sim/postgres/sql"
)

// Statement is a statement that a session can run.
type Statement struct {
	Text    string
	Params  []Type
	Columns []Column // of its rows; nil if it returns none

	parsed     any
	generation int
	memos      int
	opens      []opening
	query      *query
	insertion  *insertion
	change     *change
}

// Split returns the texts of the statements of a simple query. A syntax error in one of them is the only result, and fails an open
// transaction.
func (s *Session) Split(text string) ([]string, error) {
	list, err := sql.Parse(text)
	if err != nil {
		s.Fail()
		return nil, err
	}
	var texts []string
	for _, q := range list {
		texts = append(texts, q.Text)
	}
	return texts, nil
}

// Prepare parses and checks a statement. It returns a statement without effect for an empty text. The types of parameters that are given
// count; the others follow from where the parameters are. An error fails an open transaction.
func (s *Session) Prepare(text string, params ...Type) (*Statement, error) {
	d := s.db
	if st := d.statements[text]; st != nil && st.generation == d.generation && len(params) == 0 && !s.failed {
		return st, nil
	}
	st, err := s.prepare(text, params)
	if err != nil {
		s.Fail()
		return nil, err
	}
	if len(params) == 0 && !d.pending() {
		if len(d.statements) == 1000 {
			clear(d.statements) // their texts have values instead of parameters
		}
		d.statements[text] = st
	}
	return st, nil
}

// Fail makes an open transaction a failed one, as an error of the protocol does.
func (s *Session) Fail() {
	if s.txn == nil || s.busy {
		return
	}
	s.failed = s.txn.explicit
	s.abort()
	s.db.run()
}

func (s *Session) prepare(text string, params []Type) (*Statement, error) {
	d := s.db
	list, err := sql.Parse(text)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return &Statement{Text: text, generation: d.generation}, nil
	case len(list) > 1:
		return nil, sql.Errorf("42601", "cannot insert multiple commands into a prepared statement")
	}
	st := &Statement{Text: text, parsed: list[0].Statement, generation: d.generation}
	if s.failed && !st.ends() {
		return nil, failedTransaction()
	}
	return st, st.compile(s, params)
}

// pending reports whether there is a table that has not been committed: what one session can prepare, another cannot.
func (d *Database) pending() bool {
	for _, t := range d.tables {
		if t.creator != nil || t.dropper != nil {
			return true
		}
	}
	return false
}

func failedTransaction() error {
	return sql.Errorf("25P02", "current transaction is aborted, commands ignored until end of transaction block")
}

// ends reports whether the statement ends a transaction.
func (st *Statement) ends() bool {
	t, ok := st.parsed.(*sql.Transaction)
	return ok && (t.Verb == "commit" || t.Verb == "rollback") || st.parsed == nil
}

func (st *Statement) compile(s *Session, params []Type) error {
	c := &compiler{session: s, params: append([]Type(nil), params...)}
	var err error
	switch e := st.parsed.(type) {
	case *sql.Select:
		if st.query, err = c.query(e, nil); err == nil {
			st.Columns = st.query.columns
		}
	case *sql.Insert:
		if st.insertion, err = c.insert(e); err == nil {
			st.Columns = st.insertion.result
		}
	case *sql.Update:
		if st.change, err = c.update(e); err == nil {
			st.Columns = st.change.result
		}
	case *sql.Delete:
		if st.change, err = c.delete(e); err == nil {
			st.Columns = st.change.result
		}
	case *sql.Show:
		st.Columns = []Column{{e.Name, Text}}
	}
	if err != nil {
		return err
	}
	for i, t := range c.params {
		if t == Unknown {
			return sql.Errorf("42P18", "could not determine data type of parameter $%d", i+1)
		}
	}
	st.Params, st.memos, st.opens = c.params, c.memos, c.opens
	return nil
}

// opening is a table that a statement uses, with its lock.
type opening struct {
	table *table
	mode  mode
}

// table returns the table of that name, which the statement will lock in the mode.
func (c *compiler) table(name string, m mode) (*table, error) {
	if t := c.session.db.find(name, c.session); t != nil {
		c.opens = append(c.opens, opening{t, m})
		return t, nil
	}
	return nil, sql.Errorf("42P01", "relation \"%s\" does not exist", name)
}

// perform runs the session's statement, in a transaction of its own unless one is in progress.
func (s *Session) perform() *Result {
	st, d := s.job.statement, s.db
	s.started = d.now()
	if t := s.settings.statementTimeout; t > 0 {
		s.stopStatement = d.host.After(t, func() {
			s.interrupt(sql.Errorf("57014", "canceling statement due to statement timeout"))
			d.run()
		})
	}
	r := &Result{}
	err := s.dispatch(st, r)
	if err == nil {
		err = s.interrupted
	}
	if err != nil {
		explicit := s.failed || s.txn != nil && s.txn.explicit
		s.failed = explicit
		s.abort()
		e := err.(*Error) //nolint:errorlint // errors of the engine are not wrapped
		return &Result{Err: e}
	}
	if s.txn != nil {
		s.txn.command++
		if !s.txn.repeatable && st.query == nil {
			s.snapshot = -1
		}
		if !s.txn.explicit && !s.grouped {
			s.commit()
		}
	}
	return r
}

func (s *Session) dispatch(st *Statement, r *Result) error {
	if s.failed && !st.ends() {
		return failedTransaction()
	}
	if t, ok := st.parsed.(*sql.Transaction); ok {
		var err error
		r.Tag, err = s.control(t)
		return err
	}
	if st.parsed == nil {
		return nil
	}
	if s.txn == nil {
		s.begin(false)
	}
	if st.generation != s.db.generation {
		fresh := &Statement{Text: st.Text, parsed: st.parsed}
		if err := fresh.compile(s, st.Params); err != nil {
			return err
		}
		st = fresh
	}
	if !s.txn.repeatable {
		s.snapshot = -1 // that of a SELECT lasts until here, since the client may still fetch rows
	}
	switch e := st.parsed.(type) {
	case *sql.Set:
		r.Tag = "SET"
		if e.Word != "" {
			r.Tag = e.Word
		}
		return s.set(e.Name, e.Value, e.Reset, e.Local)
	case *sql.Show:
		v, err := s.current(e.Name)
		r.Columns, r.Rows, r.Tag = st.Columns, [][]any{{v}}, "SHOW"
		return err
	case *sql.Lock:
		r.Tag = "LOCK TABLE"
		return s.lockTables(e)
	case *sql.Discard:
		return s.discard(r)
	}
	s.takeSnapshot()
	for _, o := range st.opens {
		if err := s.open(o.table, o.mode); err != nil {
			return err
		}
	}
	s.takeSnapshot()
	f := &frame{session: s, args: s.job.args}
	if st.memos > 0 {
		f.memo = make([]memo, st.memos)
	}
	switch {
	case st.query != nil:
		return s.runSelect(st.query, f, r)
	case st.insertion != nil:
		if err := s.writable("INSERT"); err != nil {
			return err
		}
		err := st.insertion.run(f, r)
		r.Tag = tag("INSERT 0", r.Affected)
		return err
	case st.change != nil:
		word := "UPDATE"
		if st.change.remove {
			word = "DELETE"
		}
		if err := s.writable(word); err != nil {
			return err
		}
		err := st.change.run(f, r)
		r.Tag = tag(word, r.Affected)
		return err
	}
	return s.define(st, r)
}

func (s *Session) runSelect(q *query, f *frame, r *Result) error {
	if q.lock != nil {
		if err := s.writable("SELECT FOR " + upper(q.lock.Strength)); err != nil {
			return err
		}
	}
	r.Columns = q.columns
	err := q.run(f, func(row []any) bool {
		r.Rows = append(r.Rows, row)
		return true
	})
	r.Affected = int64(len(r.Rows))
	r.Tag = tag("SELECT", r.Affected)
	return err
}

func tag(word string, n int64) string { return word + " " + format(n) }

func upper(s string) string { return strings.ToUpper(s) }

// discard is DISCARD ALL: it makes the session as new.
func (s *Session) discard(r *Result) error {
	if s.txn.explicit || s.grouped {
		return sql.Errorf("25001", "DISCARD ALL cannot run inside a transaction block")
	}
	s.releaseAll(untilUnlock)
	r.Tag = "DISCARD ALL"
	return s.set("all", "", true, false)
}
