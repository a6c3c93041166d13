package engine

import "lockquake/sim/postgres/sql"

// common is a table of WITH. Its SELECT runs once, when the statement first reads it.
type common struct {
	name  string
	query *query
	table *table // has its columns, and no rows
	memo  int
}

// with compiles the tables of WITH. Each can use those before it.
func (c *compiler) with(list []sql.CommonTable) error {
	for _, e := range list {
		q, err := c.query(e.Select, nil)
		if err != nil {
			return err
		}
		t := &table{name: e.Name}
		for _, col := range q.columns {
			t.columns = append(t.columns, column{name: col.Name, typ: col.Type})
		}
		c.common = append(c.common, common{e.Name, q, t, c.memos})
		c.memos++
	}
	return nil
}

// source returns a table to read. It is a table of WITH if there is one of that name.
func (c *compiler) source(name string, m mode) (*table, *common, error) {
	for i := range c.common {
		if w := &c.common[i]; w.name == name {
			return w.table, w, nil
		}
	}
	t, err := c.table(name, m)
	return t, nil, err
}

// second adds the second table of an UPDATE or DELETE to its scope.
func (c *compiler) second(from *sql.Table, s *scope) (*scan, error) {
	if from == nil {
		return nil, nil
	}
	t, w, err := c.source(from.Name, accessShare)
	if err != nil {
		return nil, err
	}
	if from.Alias == s.alias {
		return nil, sql.Errorf("42712", "table name \"%s\" specified more than once", s.alias)
	}
	s.second, s.named2 = t, from.Alias
	return &scan{table: t, common: w}, nil
}

// each calls yield for each row, until yield returns false.
func (w *common) each(f *frame, yield func(row []any) (bool, error)) error {
	m := &f.memo[w.memo]
	if !m.known {
		var rows [][]any
		err := w.query.run(&frame{session: f.session, args: f.args, memo: f.memo}, func(row []any) bool {
			rows = append(rows, row)
			return true
		})
		if err != nil {
			return err
		}
		m.known, m.rows = true, rows
	}
	for _, row := range m.rows {
		if more, err := yield(row); !more || err != nil {
			return err
		}
	}
	return nil
}
