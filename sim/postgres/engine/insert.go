package engine

import (
	"slices"

	"lockquake/sim/postgres/sql"
)

// insertion is an INSERT that is ready to run.
type insertion struct {
	table     *table
	rows      [][]node
	columns   []int  // of the SELECT
	from      *query // INSERT ... SELECT
	convert   []node // the values of a row of the SELECT, which is in frame.row
	conflict  *sql.Conflict
	arbiters  []*index
	set       []assignment
	where     *node
	keys      bool // the update names a column of a unique key
	returning []node
	result    []Column
}

func (c *compiler) insert(e *sql.Insert) (*insertion, error) {
	t, err := c.table(e.Table.Name, rowExclusive)
	if err != nil {
		return nil, err
	}
	in := &insertion{table: t, conflict: e.OnConflict}
	if in.columns, err = t.places(e.Columns); err != nil {
		return nil, err
	}
	switch {
	case e.Select != nil:
		err = c.insertSelect(in, e.Select)
	case e.Rows == nil:
		row := make([]node, len(t.columns))
		for i := range row {
			row[i] = t.columns[i].value
		}
		in.rows = [][]node{row}
	default:
		err = c.insertValues(in, e)
	}
	if err != nil {
		return nil, err
	}
	if e.OnConflict != nil {
		if err := c.onConflict(in, e); err != nil {
			return nil, err
		}
	}
	return in, c.targets(e.Returning, &scope{table: t, alias: e.Table.Alias}, &in.returning, &in.result)
}

// places returns the places of columns; all of them if there are no names.
func (t *table) places(names []string) ([]int, error) {
	var list []int
	for _, n := range names {
		i := t.column(n)
		if i < 0 {
			return nil, sql.Errorf("42703", "column \"%s\" of relation \"%s\" does not exist", n, t.name)
		}
		if slices.Contains(list, i) {
			return nil, sql.Errorf("42701", "column \"%s\" specified more than once", n)
		}
		list = append(list, i)
	}
	if names == nil {
		for i := range t.columns {
			list = append(list, i)
		}
	}
	return list, nil
}

func (c *compiler) insertValues(in *insertion, e *sql.Insert) error {
	c.clause = "VALUES"
	for _, values := range e.Rows {
		switch {
		case len(values) > len(in.columns):
			return sql.Errorf("42601", "INSERT has more expressions than target columns")
		case len(values) < len(in.columns) && e.Columns != nil:
			return sql.Errorf("42601", "INSERT has more target columns than expressions")
		}
		row := make([]node, len(in.table.columns))
		for i := range row {
			row[i] = in.table.columns[i].value
		}
		for i, v := range values {
			if _, ok := v.(*sql.Default); ok {
				continue
			}
			n, err := c.expr(v, nil)
			if err != nil {
				return err
			}
			if row[in.columns[i]], err = c.assign(n, in.table.columns[in.columns[i]]); err != nil {
				return err
			}
		}
		in.rows = append(in.rows, row)
	}
	return nil
}

func (c *compiler) insertSelect(in *insertion, e *sql.Select) error {
	var err error
	if in.from, err = c.query(e, nil); err != nil {
		return err
	}
	if len(in.from.targets) > len(in.columns) {
		return sql.Errorf("42601", "INSERT has more expressions than target columns")
	}
	in.convert = make([]node, len(in.table.columns))
	for i := range in.convert {
		in.convert[i] = in.table.columns[i].value
	}
	for i, target := range in.from.targets {
		n := node{typ: target.typ, eval: func(f *frame) (any, error) { return f.row[i], nil }}
		if in.convert[in.columns[i]], err = c.assign(n, in.table.columns[in.columns[i]]); err != nil {
			return err
		}
	}
	return nil
}

func (c *compiler) onConflict(in *insertion, e *sql.Insert) error {
	t, conflict := in.table, e.OnConflict
	if conflict.Columns == nil {
		in.arbiters = t.keys
		return nil
	}
	for _, n := range conflict.Columns {
		if t.column(n) < 0 {
			return sql.Errorf("42703", "column \"%s\" does not exist", n)
		}
	}
	columns, err := t.places(conflict.Columns)
	if err != nil {
		return err
	}
	for _, x := range t.keys {
		if len(x.columns) == len(columns) && !slices.ContainsFunc(columns, func(i int) bool { return !slices.Contains(x.columns, i) }) {
			in.arbiters = append(in.arbiters, x)
		}
	}
	if in.arbiters == nil {
		return sql.Errorf("42P10", "there is no unique or exclusion constraint matching the ON CONFLICT specification")
	}
	s := &scope{table: t, alias: e.Table.Alias, second: t, named2: "excluded"}
	if in.set, err = c.assignments(conflict.Set, t, s); err != nil {
		return err
	}
	in.keys = t.touches(in.set)
	if conflict.Where != nil {
		n, err := c.condition(conflict.Where, s, "WHERE")
		if err != nil {
			return err
		}
		in.where = &n
	}
	return nil
}

func (in *insertion) run(f *frame, r *Result) error {
	r.Columns = in.result
	if in.from != nil {
		var rows [][]any
		if err := in.from.run(f, func(row []any) bool {
			rows = append(rows, row)
			return true
		}); err != nil {
			return err
		}
		for _, row := range rows {
			f.row = row
			if err := in.one(f, in.convert, r); err != nil {
				return err
			}
		}
	}
	for _, row := range in.rows {
		if err := in.one(f, row, r); err != nil {
			return err
		}
	}
	return nil
}

// one inserts one row.
func (in *insertion) one(f *frame, row []node, r *Result) error {
	values, err := evaluate(row, f)
	if err != nil {
		return err
	}
	if err := in.table.valid(f, values); err != nil {
		return err
	}
	written := values
	if in.conflict != nil {
		if written, err = in.upsert(f, values); written == nil || err != nil {
			return err
		}
	} else if err := in.table.insert(f.session, values); err != nil {
		return err
	}
	r.Affected++
	if len(in.returning) > 0 {
		f.row = written
		out, err := evaluate(in.returning, f)
		r.Rows = append(r.Rows, out)
		return err
	}
	return nil
}

// upsert inserts a row, or does what ON CONFLICT says. It returns the values of the row, nil if it has written nothing.
func (in *insertion) upsert(f *frame, values []any) ([]any, error) {
	s := f.session
	for {
		r, _, err := in.table.taken(s, nil, in.arbiters, values)
		if err != nil {
			return nil, err
		}
		if r == nil {
			return values, in.table.insert(s, values)
		}
		if in.set == nil {
			return nil, r.seen(s)
		}
		if written, again, err := in.update(f, r, values); !again || err != nil {
			return written, err
		}
	}
}

// update updates the row that has the key already. Again reports that this row has changed meanwhile.
func (in *insertion) update(f *frame, r *row, values []any) (written []any, again bool, err error) {
	s, want := f.session, forNoKeyUpdate
	if in.keys {
		want = forUpdate
	}
	v := r.latest(s.txn)
	if v.txn == s.txn && v.command == s.txn.command {
		return nil, false, sql.Errorf("21000", "ON CONFLICT DO UPDATE command cannot affect row a second time")
	}
	o, err := s.lockVersion(r, v, want, block)
	if err != nil {
		return nil, false, err
	}
	if o != locked {
		if s.txn.repeatable {
			return nil, false, concurrent(changed)
		}
		return nil, true, nil
	}
	if err := r.seen(s); err != nil {
		return nil, false, err
	}
	f.row, f.second = v.values, values
	if in.where != nil {
		if ok, err := in.where.eval(f); ok != true || err != nil {
			return nil, false, err
		}
	}
	fresh, err := assign(f, in.set, v.values)
	if err != nil {
		return nil, false, err
	}
	return fresh, false, in.table.update(f, r, v, fresh)
}

// seen returns the error of a repeatable read transaction that does not see the row which has the key.
func (r *row) seen(s *Session) error {
	v := r.latest(s.txn)
	if s.txn.repeatable && v != nil && v.txn == nil && v.commit > s.snapshot {
		return concurrent(changed)
	}
	return nil
}
