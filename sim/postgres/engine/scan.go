package engine

import "lockquake/sim/postgres/sql"

// scan finds the rows of a table that a condition holds for.
type scan struct {
	table *table
	where *node // nil: all
	key   *index
	with  []node // the key, in the order of its columns

	common *common // instead of a table
}

// scan makes a scan. It uses a unique key if the condition fixes all of its columns.
func (c *compiler) scan(t *table, where sql.Expr, s *scope) (*scan, error) {
	sc := &scan{table: t}
	if where == nil {
		return sc, nil
	}
	n, err := c.condition(where, s, "WHERE")
	if err != nil {
		return nil, err
	}
	sc.where = &n
	fixed := map[int]node{}
	if err := c.fixed(where, s, fixed); err != nil {
		return nil, err
	}
	for _, x := range t.keys {
		var with []node
		for _, col := range x.columns {
			if n, ok := fixed[col]; ok {
				with = append(with, n)
			}
		}
		if len(with) == len(x.columns) {
			sc.key, sc.with = x, with
			break
		}
	}
	return sc, nil
}

// fixed collects the columns that a condition compares with a value that is the same for all rows.
func (c *compiler) fixed(e sql.Expr, s *scope, list map[int]node) error {
	b, ok := e.(*sql.Binary)
	if !ok {
		return nil
	}
	if b.Op == "and" {
		if err := c.fixed(b.L, s, list); err != nil {
			return err
		}
		return c.fixed(b.R, s, list)
	}
	if b.Op != "=" {
		return nil
	}
	for _, pair := range [][2]sql.Expr{{b.L, b.R}, {b.R, b.L}} {
		col, ok := pair[0].(*sql.Column)
		if !ok || col.Table != "" && col.Table != s.alias {
			continue
		}
		i := s.table.column(col.Name)
		if i < 0 {
			continue
		}
		n, err := c.expr(pair[1], s)
		if err != nil {
			return err
		}
		t := s.table.columns[i].typ
		if n, err = c.settle(n, t); err != nil {
			return err
		}
		if !n.varies && (n.typ == t || n.typ.integer() && t.integer() || n.typ.text() && t.text()) {
			list[i] = n
		}
	}
	return nil
}

// found is a row and the version of it that the statement sees.
type found struct {
	row     *row
	version *version
}

// each calls f for each row that the statement sees and that the condition holds for, until f returns false.
func (sc *scan) each(f *frame, yield func(found) (bool, error)) error {
	if sc.common != nil {
		return sc.common.each(f, func(row []any) (bool, error) {
			f.row = row
			if ok, err := sc.holds(f); !ok || err != nil {
				return true, err
			}
			return yield(found{version: &version{values: row}})
		})
	}
	rows := sc.table.rows
	if sc.key != nil {
		var err error
		if rows, err = sc.lookup(f); err != nil {
			return err
		}
	}
	for _, r := range rows {
		v := r.visible(f.session)
		if v == nil {
			continue
		}
		f.row = v.values
		if ok, err := sc.holds(f); err != nil {
			return err
		} else if !ok {
			continue
		}
		if more, err := yield(found{r, v}); !more || err != nil {
			return err
		}
	}
	return nil
}

// lookup returns the rows that have the key.
func (sc *scan) lookup(f *frame) ([]*row, error) {
	if len(sc.with) == 1 {
		v, err := sc.with[0].eval(f)
		if v == nil || err != nil {
			return nil, err
		}
		return sc.key.entries[v], nil
	}
	values := make([]any, len(sc.table.columns))
	for i, n := range sc.with {
		v, err := n.eval(f)
		if v == nil || err != nil {
			return nil, err
		}
		values[sc.key.columns[i]] = v
	}
	return sc.key.entries[sc.key.key(values)], nil
}

// holds reports whether the condition holds for the row of the frame.
func (sc *scan) holds(f *frame) (bool, error) {
	if sc.where == nil {
		return true, nil
	}
	v, err := sc.where.eval(f)
	return v == true, err
}

// lock locks a row that the scan has found, in its newest version. It returns nil values if the row is not to be used: it was
// deleted or skipped, or the condition no longer holds.
func (sc *scan) lock(f *frame, fd found, want strength, p policy) ([]any, *version, error) {
	v, o, err := f.session.lockLatest(fd.row, fd.version, want, p)
	if err != nil || o != locked {
		return nil, nil, err
	}
	if v == fd.version {
		return v.values, v, nil
	}
	f.row = v.values
	if ok, err := sc.holds(f); !ok || err != nil {
		return nil, nil, err
	}
	return v.values, v, nil
}
