package engine

import "lockquake/sim/postgres/sql"

// subselect is (SELECT ...) as a value, or EXISTS of it.
func (c *compiler) subselect(e *sql.Subselect, s *scope) (node, error) {
	if n, ok := c.subselects[e]; ok {
		return n, nil
	}
	q, rows, err := c.inner(e.Select, s)
	if err != nil {
		return node{}, err
	}
	n := node{varies: q.scope.correlated}
	if e.Exists {
		n.typ = Bool
		n.eval = func(f *frame) (any, error) {
			list, err := rows(f, 1)
			return len(list) > 0, err
		}
	} else {
		if len(q.columns) != 1 {
			return node{}, sql.Errorf("42601", "subquery must return only one column")
		}
		n.typ = q.columns[0].Type
		n.eval = func(f *frame) (any, error) {
			list, err := rows(f, 2)
			switch {
			case err != nil:
				return nil, err
			case len(list) == 0:
				return nil, nil
			case len(list) > 1:
				return nil, sql.Errorf("21000", "more than one row returned by a subquery used as an expression")
			}
			return list[0][0], nil
		}
	}
	if c.subselects == nil {
		c.subselects = map[*sql.Subselect]node{}
	}
	c.subselects[e] = n
	return n, nil
}

// inner compiles a subselect. The function returns its rows, limit of them at most if limit is positive. A subselect that does
// not depend on a row runs once.
func (c *compiler) inner(e *sql.Select, s *scope) (*query, func(f *frame, limit int) ([][]any, error), error) {
	q, err := c.query(e, s)
	if err != nil {
		return nil, nil, err
	}
	place := c.memos
	c.memos++
	return q, func(f *frame, limit int) ([][]any, error) {
		m := &f.memo[place]
		if m.known && !q.scope.correlated {
			return m.rows, nil
		}
		var list [][]any
		err := q.run(&frame{session: f.session, args: f.args, outer: f, memo: f.memo}, func(row []any) bool {
			list = append(list, row)
			return len(list) != limit
		})
		m.known, m.rows = true, list
		return list, err
	}, nil
}

// in is x IN (...).
func (c *compiler) in(e *sql.In, s *scope) (node, error) {
	x, err := c.expr(e.X, s)
	if err != nil {
		return node{}, err
	}
	if e.Select == nil {
		return c.inList(e, x, s)
	}
	q, rows, err := c.inner(e.Select, s)
	if err != nil {
		return node{}, err
	}
	if len(q.columns) != 1 {
		return node{}, sql.Errorf("42601", "subquery has too many columns")
	}
	if x, err = c.settle(x, q.columns[0].Type); err != nil {
		return node{}, err
	}
	if f, _ := function("=", x.typ, q.columns[0].Type); f == nil {
		return node{}, sql.Errorf("42883", "operator does not exist: %s = %s", x.typ, q.columns[0].Type)
	}
	return node{typ: Bool, varies: true, eval: func(f *frame) (any, error) {
		list, err := rows(f, 0)
		if err != nil {
			return nil, err
		}
		v, err := x.eval(f)
		if err != nil {
			return nil, err
		}
		unknown := v == nil && len(list) > 0
		for _, row := range list {
			switch {
			case v == nil:
			case row[0] == nil:
				unknown = true
			case compare(v, row[0]) == 0:
				return !e.Not, nil
			}
		}
		if unknown {
			return nil, nil
		}
		return e.Not, nil
	}}, nil
}

// inList is x IN (a, b), which is x = a OR x = b.
func (c *compiler) inList(e *sql.In, x node, s *scope) (node, error) {
	list := []node{x}
	for _, item := range e.List {
		n, err := c.expr(item, s)
		if err != nil {
			return node{}, err
		}
		list = append(list, n)
	}
	list, _, err := c.unify("IN", list)
	if err != nil {
		return node{}, err
	}
	return node{typ: Bool, varies: vary(list...), eval: func(f *frame) (any, error) {
		v, err := list[0].eval(f)
		if v == nil || err != nil {
			return nil, err
		}
		unknown := false
		for _, n := range list[1:] {
			w, err := n.eval(f)
			switch {
			case err != nil:
				return nil, err
			case w == nil:
				unknown = true
			case compare(v, w) == 0:
				return !e.Not, nil
			}
		}
		if unknown {
			return nil, nil
		}
		return e.Not, nil
	}}, nil
}
