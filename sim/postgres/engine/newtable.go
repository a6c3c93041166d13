package engine

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/sim/postgres/sql"
)

func newTable(s *Session, e *sql.CreateTable) (*table, error) {
	if e.Sequence != nil {
		return newSequence(s, e)
	}
	t := &table{name: e.Name, definition: e, serials: make([]int64, len(e.Columns))}
	t.lock = lock{object: relation, name: LockName{Table: e.Name}}
	for i, def := range e.Columns {
		if t.column(def.Name) >= 0 {
			return nil, sql.Errorf("42701", "column \"%s\" specified more than once", def.Name)
		}
		col, err := newColumn(s, t, i, def)
		if err != nil {
			return nil, err
		}
		t.columns = append(t.columns, col)
	}
	if err := t.addKeys(e.Uniques); err != nil {
		return nil, err
	}
	c := &compiler{session: s}
	for _, k := range e.Checks {
		n, err := c.condition(k.Expr, &scope{table: t, alias: t.name}, "CHECK")
		if err != nil {
			return nil, err
		}
		name := k.Name
		if name == "" {
			name = t.checkName(k.Expr)
		}
		t.checks = append(t.checks, check{name, n})
	}
	return t, nil
}

func newColumn(s *Session, t *table, place int, def sql.ColumnDef) (column, error) {
	typ, serial, err := typeOf(def.Type)
	if err != nil {
		return column{}, err
	}
	col := column{name: def.Name, typ: typ, serial: serial, notNull: def.NotNull || serial, value: constant(typ, nil)}
	switch {
	case serial:
		col.value = node{typ: typ, varies: true, eval: func(*frame) (any, error) {
			t.serials[place]++
			return t.serials[place], nil
		}}
	case def.Default != nil:
		c := &compiler{session: s}
		n, err := c.expr(def.Default, nil)
		if err != nil {
			return column{}, err
		}
		if col.value, err = c.assign(n, col); err != nil {
			return column{}, err
		}
	}
	return col, nil
}

// addKeys makes the unique keys of a table, the primary key first.
func (t *table) addKeys(list []sql.Unique) error {
	for _, primary := range []bool{true, false} {
		for _, u := range list {
			if u.Primary != primary {
				continue
			}
			if primary && t.primary {
				return sql.Errorf("42P16", "multiple primary keys for table \"%s\" are not allowed", t.name)
			}
			t.primary = t.primary || primary
			x := &index{name: u.Name, entries: map[any][]*row{}}
			for _, n := range u.Columns {
				i := t.column(n)
				if i < 0 {
					return sql.Errorf("42703", "column \"%s\" named in key does not exist", n)
				}
				x.columns = append(x.columns, i)
				if primary {
					t.columns[i].notNull = true
				}
			}
			if x.name == "" {
				x.name = t.name + "_" + strings.Join(u.Columns, "_") + "_key"
				if primary {
					x.name = t.name + "_pkey"
				}
			}
			t.keys = append(t.keys, x)
		}
	}
	return nil
}

// checkName returns the name of a CHECK without one: that of its column, if it is about one column.
func (t *table) checkName(e sql.Expr) string {
	var found []string
	columns(e, func(c *sql.Column) {
		if !slices.Contains(found, c.Name) {
			found = append(found, c.Name)
		}
	})
	base := t.name + "_check"
	if len(found) == 1 {
		base = t.name + "_" + found[0] + "_check"
	}
	name := base
	for i := 1; slices.ContainsFunc(t.checks, func(k check) bool { return k.name == name }); i++ {
		name = fmt.Sprint(base, i)
	}
	return name
}

// columns calls f for each column in an expression.
func columns(e sql.Expr, f func(*sql.Column)) {
	switch e := e.(type) {
	case *sql.Column:
		f(e)
	case *sql.Unary:
		columns(e.X, f)
	case *sql.Binary:
		columns(e.L, f)
		columns(e.R, f)
	case *sql.Cast:
		columns(e.X, f)
	case *sql.Is:
		columns(e.X, f)
		columns(e.From, f)
	case *sql.Call:
		for _, a := range e.Args {
			columns(a, f)
		}
	case *sql.In:
		columns(e.X, f)
		for _, a := range e.List {
			columns(a, f)
		}
	}
}
