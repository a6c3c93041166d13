package engine

import "lockquake/sim/postgres/sql"

// query is a SELECT that is ready to run.
type query struct {
	scope   *scope
	scan    *scan // nil without a table
	where   *node // without a table
	targets []node
	columns []Column
	sums    []*aggregate
	order   []sortKey
	limit   *node
	lock    *sql.Locking
}

// query makes a query of a SELECT. Outer is the scope around a subselect.
func (c *compiler) query(e *sql.Select, outer *scope) (*query, error) {
	q := &query{scope: &scope{outer: outer}, lock: e.Locking}
	var sums []*aggregate
	if e.From != nil {
		m := accessShare
		if e.Locking != nil {
			m = rowShare
		}
		t, common, err := c.source(e.From.Name, m)
		if err != nil {
			return nil, err
		}
		if common != nil && e.Locking != nil {
			if e.Locking.Named {
				return nil, sql.Errorf("0A000", "FOR %s cannot be applied to a WITH query", upper(e.Locking.Strength))
			}
			q.lock = nil // it is about tables
		}
		q.scope.table, q.scope.alias = t, e.From.Alias
		if q.scan, err = c.scan(t, e.Where, q.scope); err != nil {
			return nil, err
		}
		q.scan.common = common
	} else if e.Where != nil {
		n, err := c.condition(e.Where, q.scope, "WHERE")
		if err != nil {
			return nil, err
		}
		q.where = &n
	}
	q.scope.aggregates = &sums
	if err := c.targets(e.Targets, q.scope, &q.targets, &q.columns); err != nil {
		return nil, err
	}
	if len(sums) > 0 && q.scope.ungrouped != "" {
		return nil, sql.Errorf("42803", "column \"%s\" must appear in the GROUP BY clause or be used in an aggregate function", q.scope.ungrouped)
	}
	q.scope.aggregates = nil
	q.sums = sums
	if q.lock != nil && len(sums) > 0 {
		return nil, sql.Errorf("0A000", "FOR %s is not allowed with aggregate functions", upper(q.lock.Strength))
	}
	if err := c.ordering(e, q); err != nil {
		return nil, err
	}
	if e.Limit != nil {
		c.clause = "LIMIT"
		n, err := c.expr(e.Limit, q.scope)
		if err == nil {
			n, err = c.convert(n, Int8, false)
		}
		if err != nil {
			return nil, err
		}
		q.limit = &n
	}
	return q, nil
}

// targets compiles a list of results.
func (c *compiler) targets(list []sql.Target, s *scope, nodes *[]node, columns *[]Column) error {
	for _, t := range list {
		if col, ok := t.Expr.(*sql.Column); ok && col.Name == "*" {
			found := false
			for _, side := range []struct {
				table *table
				alias string
			}{{s.table, s.alias}, {s.second, s.named2}} {
				if side.table == nil || col.Table != "" && col.Table != side.alias {
					continue
				}
				found = true
				for _, column := range side.table.columns {
					n, err := c.expr(&sql.Column{Table: side.alias, Name: column.name}, s)
					if err != nil {
						return err
					}
					*nodes = append(*nodes, n)
					*columns = append(*columns, Column{column.name, column.typ})
				}
			}
			if !found {
				return sql.Errorf("42601", "SELECT * with no tables specified is not valid")
			}
			continue
		}
		n, err := c.expr(t.Expr, s)
		if err != nil {
			return err
		}
		if n, err = c.settle(n, Text); err != nil {
			return err
		}
		name := t.Name
		if name == "" {
			name = title(t.Expr)
		}
		*nodes = append(*nodes, n)
		*columns = append(*columns, Column{name, n.typ})
	}
	return nil
}

// title returns the name of a result without AS.
func title(e sql.Expr) string {
	name, _ := titled(e)
	return name
}

// titled returns the name, and whether it is better than that of a cast around it.
func titled(e sql.Expr) (name string, strong bool) {
	switch e := e.(type) {
	case *sql.Column:
		return e.Name, true
	case *sql.Call:
		return e.Name, true
	case *sql.Cast:
		if name, strong := titled(e.X); strong {
			return name, true
		}
		if t, _, err := typeOf(e.Type); err == nil {
			return t.short(), false
		}
	case *sql.Case:
		if name, strong := titled(e.Else); strong {
			return name, true
		}
		return "case", false
	case *sql.Subselect:
		if e.Exists {
			return "exists", true
		}
		if len(e.Select.Targets) == 1 {
			if n := e.Select.Targets[0].Name; n != "" {
				return n, true
			}
			return title(e.Select.Targets[0].Expr), true
		}
	}
	return "?column?", false
}

// run calls yield for each row of the result, until yield returns false.
func (q *query) run(f *frame, yield func(row []any) bool) error {
	limit := int64(-1)
	if q.limit != nil {
		v, err := q.limit.eval(f)
		if err != nil {
			return err
		}
		if n, ok := v.(int64); ok {
			if limit = n; n < 0 {
				return sql.Errorf("2201W", "LIMIT must not be negative")
			}
		}
	}
	if limit == 0 {
		return nil
	}
	emit := func() (bool, error) {
		row, err := evaluate(q.targets, f)
		if err != nil {
			return false, err
		}
		limit--
		return yield(row) && limit != 0, nil
	}
	switch {
	case len(q.sums) > 0:
		if err := q.sum(f); err != nil {
			return err
		}
		_, err := emit()
		return err
	case q.scan == nil:
		if q.where != nil {
			if v, err := q.where.eval(f); v != true || err != nil {
				return err
			}
		}
		_, err := emit()
		return err
	case len(q.order) == 0:
		return q.scan.each(f, func(fd found) (bool, error) { return q.take(f, fd, emit) })
	}
	return q.sorted(f, emit)
}

// take locks a row if the query has FOR UPDATE, and emits it.
func (q *query) take(f *frame, fd found, emit func() (bool, error)) (bool, error) {
	f.row = fd.version.values
	if q.lock != nil {
		values, _, err := q.scan.lock(f, fd, q.strength(), q.policy())
		if values == nil || err != nil {
			return true, err
		}
		f.row = values
	}
	return emit()
}

// sum computes the aggregates.
func (q *query) sum(f *frame) error {
	f.sums = make([]any, len(q.sums))
	for i, a := range q.sums {
		f.sums[i] = a.initial()
	}
	add := func() error {
		for _, a := range q.sums {
			if err := a.add(f); err != nil {
				return err
			}
		}
		return nil
	}
	if q.scan != nil {
		return q.scan.each(f, func(found) (bool, error) { return true, add() })
	}
	if q.where != nil {
		if v, err := q.where.eval(f); v != true || err != nil {
			return err
		}
	}
	return add()
}

func (q *query) strength() strength {
	switch q.lock.Strength {
	case "key share":
		return forKeyShare
	case "share":
		return forShare
	case "no key update":
		return forNoKeyUpdate
	}
	return forUpdate
}

func (q *query) policy() policy {
	switch q.lock.Policy {
	case "nowait":
		return nowait
	case "skip locked":
		return skipLocked
	}
	return block
}

// evaluate returns the values of expressions.
func evaluate(list []node, f *frame) ([]any, error) {
	row := make([]any, len(list))
	for i := range list {
		v, err := list[i].eval(f)
		if err != nil {
			return nil, err
		}
		row[i] = v
	}
	return row, nil
}
