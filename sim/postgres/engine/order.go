package engine

import (
	"cmp"
	"slices"

	"lockquake/sim/postgres/sql"
)

type sortKey struct {
	node
	descending, nullsFirst bool
}

// ordering compiles ORDER BY. An order by the number or the name of a result is one by its expression.
func (c *compiler) ordering(e *sql.Select, q *query) error {
	if len(q.sums) > 0 {
		return nil
	}
	for _, o := range e.OrderBy {
		n, done := node{}, false
		switch x := o.Expr.(type) {
		case *sql.Literal:
			i, ok := x.Value.(int64)
			if !ok || i < 1 || int(i) > len(q.targets) {
				return sql.Errorf("42P10", "ORDER BY position %v is not in select list", x.Value)
			}
			n, done = q.targets[i-1], true
		case *sql.Column:
			for i, t := range e.Targets {
				if x.Table == "" && t.Name == x.Name {
					n, done = q.targets[i], true
				}
			}
		}
		if !done {
			var err error
			if n, err = c.expr(o.Expr, q.scope); err != nil {
				return err
			}
		}
		q.order = append(q.order, sortKey{n, o.Descending, o.NullsFirst})
	}
	return nil
}

// sorted emits the rows in the order of ORDER BY. As in PostgreSQL, the rows are locked after they are sorted, so a row that changes
// meanwhile keeps its place.
func (q *query) sorted(f *frame, emit func() (bool, error)) error {
	type item struct {
		found
		keys []any
	}
	var list []item
	nodes := make([]node, len(q.order))
	for i, k := range q.order {
		nodes[i] = k.node
	}
	err := q.scan.each(f, func(fd found) (bool, error) {
		keys, err := evaluate(nodes, f)
		list = append(list, item{fd, keys})
		return true, err
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(list, func(a, b item) int {
		for i, k := range q.order {
			if n := k.compare(a.keys[i], b.keys[i]); n != 0 {
				return n
			}
		}
		return 0
	})
	for _, i := range list {
		if more, err := q.take(f, i.found, emit); !more || err != nil {
			return err
		}
	}
	return nil
}

func (k *sortKey) compare(a, b any) int {
	if a == nil || b == nil {
		n := cmp.Compare(boolInt(a == nil), boolInt(b == nil))
		if k.nullsFirst {
			n = -n
		}
		return n
	}
	n := compare(a, b)
	if k.descending {
		n = -n
	}
	return n
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
