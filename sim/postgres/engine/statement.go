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
	with       []sql.CommonTable
	generation int
	memos      int
	opens      []opening
	query      *query
	insertion  *insertion
	change     *change
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
		fresh := &Statement{Text: st.Text, parsed: st.parsed, with: st.with}
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
