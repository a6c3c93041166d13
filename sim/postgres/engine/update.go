package engine

import (
	"slices"

	"lockquake/sim/postgres/sql"
)

// assignment is the new value of a column.
type assignment struct {
	column int
	value  node
}

// change is an UPDATE or, with remove, a DELETE that is ready to run.
type change struct {
	scan      *scan
	set       []assignment
	remove    bool
	from      *scan // the second table; nil without one
	returning []node
	result    []Column
}

func (c *compiler) update(e *sql.Update) (*change, error) {
	t, err := c.table(e.Table.Name, rowExclusive)
	if err != nil {
		return nil, err
	}
	s := &scope{table: t, alias: e.Table.Alias}
	u := &change{}
	if u.from, err = c.second(e.From, s); err != nil {
		return nil, err
	}
	if u.set, err = c.assignments(e.Set, t, s); err != nil {
		return nil, err
	}
	if u.scan, err = c.scan(t, e.Where, s); err != nil {
		return nil, err
	}
	return u, c.targets(e.Returning, s, &u.returning, &u.result)
}

func (c *compiler) delete(e *sql.Delete) (*change, error) {
	t, err := c.table(e.Table.Name, rowExclusive)
	if err != nil {
		return nil, err
	}
	s := &scope{table: t, alias: e.Table.Alias}
	u := &change{remove: true}
	if u.from, err = c.second(e.Using, s); err != nil {
		return nil, err
	}
	if u.scan, err = c.scan(t, e.Where, s); err != nil {
		return nil, err
	}
	return u, c.targets(e.Returning, s, &u.returning, &u.result)
}

// assignments compiles SET.
func (c *compiler) assignments(list []sql.Assignment, t *table, s *scope) ([]assignment, error) {
	var out []assignment
	c.clause = "UPDATE"
	for _, a := range list {
		i := t.column(a.Column)
		if i < 0 {
			return nil, sql.Errorf("42703", "column \"%s\" of relation \"%s\" does not exist", a.Column, t.name)
		}
		if slices.ContainsFunc(out, func(o assignment) bool { return o.column == i }) {
			return nil, sql.Errorf("42601", "multiple assignments to same column \"%s\"", a.Column)
		}
		if _, ok := a.Value.(*sql.Default); ok {
			out = append(out, assignment{i, t.columns[i].value})
			continue
		}
		n, err := c.expr(a.Value, s)
		if err != nil {
			return nil, err
		}
		if n, err = c.assign(n, t.columns[i]); err != nil {
			return nil, err
		}
		out = append(out, assignment{i, n})
	}
	return out, nil
}

// touches reports whether one of the columns is in a unique key.
func (t *table) touches(set []assignment) bool {
	for _, x := range t.keys {
		for _, a := range set {
			if slices.Contains(x.columns, a.column) {
				return true
			}
		}
	}
	return false
}

// assign returns the values of a row after the assignments.
func assign(f *frame, set []assignment, old []any) ([]any, error) {
	values := slices.Clone(old)
	for _, a := range set {
		v, err := a.value.eval(f)
		if err != nil {
			return nil, err
		}
		values[a.column] = v
	}
	return values, nil
}

func (u *change) run(f *frame, r *Result) error {
	r.Columns = u.result
	if u.from == nil {
		return u.all(f, r)
	}
	var rows [][]any
	if err := u.from.each(f, func(fd found) (bool, error) {
		rows = append(rows, fd.version.values)
		return true, nil
	}); err != nil {
		return err
	}
	for _, row := range rows {
		f.second = row
		if err := u.all(f, r); err != nil {
			return err
		}
	}
	return nil
}

// all changes the rows that the condition holds for.
func (u *change) all(f *frame, r *Result) error {
	return u.scan.each(f, func(fd found) (bool, error) {
		values, err := u.one(f, fd)
		if values == nil || err != nil {
			return true, err
		}
		r.Affected++
		if len(u.returning) > 0 {
			f.row = values
			out, err := evaluate(u.returning, f)
			if err != nil {
				return false, err
			}
			r.Rows = append(r.Rows, out)
		}
		return true, nil
	})
}

// one changes one row. It returns the new values, or those of the deleted row; nil if the row is not to be changed.
func (u *change) one(f *frame, fd found) ([]any, error) {
	s := f.session
	for {
		values, want := fd.version.values, forUpdate
		if !u.remove {
			f.row = fd.version.values
			var err error
			if values, err = assign(f, u.set, fd.version.values); err != nil {
				return nil, err
			}
			want = u.scan.table.strength(fd.version.values, values)
		}
		if fd.row.head.txn == s.txn && fd.row.head.command == s.txn.command {
			return nil, nil // this statement has changed it already
		}
		o, err := s.lockVersion(fd.row, fd.version, want, block)
		if err != nil {
			return nil, err
		}
		if o == locked {
			if u.remove {
				fd.row.write(s, nil, fd.version.values)
				return values, nil
			}
			return values, u.scan.table.update(f, fd.row, fd.version, values)
		}
		if s.txn.repeatable {
			return nil, concurrent(o)
		}
		found, v, err := u.scan.lock(f, fd, want, block)
		if found == nil || err != nil {
			return nil, err
		}
		fd.version = v
	}
}

// strength returns how strong a lock an update takes: one that changes a unique key takes the strongest.
func (t *table) strength(old, fresh []any) strength {
	for _, x := range t.keys {
		if !x.same(old, fresh) {
			return forUpdate
		}
	}
	return forNoKeyUpdate
}

// update writes the new values of a row that the transaction has locked.
func (t *table) update(f *frame, r *row, v *version, values []any) error {
	if err := t.valid(f, values); err != nil {
		return err
	}
	var changed []*index
	for _, x := range t.keys {
		if !x.same(v.values, values) {
			changed = append(changed, x)
		}
	}
	r.write(f.session, values, v.values)
	if changed == nil {
		return nil
	}
	return t.unique(f.session, r, changed, values)
}
