package engine

import "lockquake/sim/postgres/sql"

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
	st := &Statement{Text: text, parsed: list[0].Statement, with: list[0].With, generation: d.generation}
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
	err := c.with(st.with)
	if err != nil {
		return err
	}
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

// table returns the table of that name, which the statement will lock in the mode. A view of the catalogue is not locked.
func (c *compiler) table(name string, m mode) (*table, error) {
	if view := c.catalog(name); view != nil {
		if m != accessShare {
			return nil, sql.Unsupported("a change or a row lock of the system catalogue")
		}
		return view, nil
	}
	t, err := c.session.tableOf(name)
	if err != nil {
		return nil, err
	}
	c.opens = append(c.opens, opening{t, m})
	return t, nil
}
