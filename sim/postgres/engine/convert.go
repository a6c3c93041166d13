package engine

import (
	"math"
	"time"

	"lockquake/sim/postgres/sql"
)

func (c *compiler) cast(e *sql.Cast, s *scope) (node, error) {
	t, _, err := typeOf(e.Type)
	if err != nil {
		return node{}, err
	}
	n, err := c.expr(e.X, s)
	if err != nil {
		return node{}, err
	}
	return c.convert(n, t, true)
}

// conversion returns the function from one type to another, nil if there is none.
func conversion(from, to Type, explicit bool) func(any) (any, error) {
	switch {
	case from.number() && to.integer():
		return func(v any) (any, error) {
			f, isFloat := v.(float64)
			n, _ := v.(int64)
			if isFloat {
				if from == Numeric {
					f = math.Round(f)
				}
				f = math.RoundToEven(f)
				if f < -1<<63 || f >= 1<<63 {
					return nil, sql.Errorf("22003", "%s out of range", to)
				}
				n = int64(f)
			}
			if !fits(n, to) {
				return nil, sql.Errorf("22003", "%s out of range", to)
			}
			return n, nil
		}
	case from.integer() && to.number():
		return func(v any) (any, error) { return float(v), nil }
	case from.number() && to.number():
		return func(v any) (any, error) { return float(v), nil }
	case from == Bytea && !explicit:
		return nil
	case to.text():
		return func(v any) (any, error) { return format(v), nil }
	case !explicit:
		return nil
	case from.text():
		return func(v any) (any, error) { return read(v.(string), to) }
	case from == Bool && to == Int4:
		return func(v any) (any, error) {
			if v.(bool) {
				return int64(1), nil
			}
			return int64(0), nil
		}
	case from == Int4 && to == Bool:
		return func(v any) (any, error) { return v.(int64) != 0, nil }
	}
	return nil
}

// assign makes an expression a value of a column.
func (c *compiler) assign(n node, col column) (node, error) {
	same := n.typ == Unknown || n.typ == col.typ || n.typ.text() && col.typ.text()
	if !same && conversion(n.typ, col.typ, false) == nil {
		return node{}, sql.Errorf("42804", "column \"%s\" is of type %s but expression is of type %s", col.name, col.typ, n.typ)
	}
	return c.convert(n, col.typ, false)
}

// extract is EXTRACT(epoch FROM x).
func (c *compiler) extract(e *sql.Call, s *scope) (node, error) {
	if field, _ := e.Args[0].(*sql.Literal); field.Value != "epoch" {
		return node{}, sql.Unsupported("EXTRACT of another field than epoch")
	}
	n, err := c.expr(e.Args[1], s)
	if err != nil {
		return node{}, err
	}
	eval := n.eval
	switch n.typ {
	case Timestamptz:
		n.eval = func(f *frame) (any, error) {
			v, err := eval(f)
			if v == nil || err != nil {
				return nil, err
			}
			return float64(v.(time.Time).UnixMicro()) / 1e6, nil
		}
	case Interval:
		n.eval = func(f *frame) (any, error) {
			v, err := eval(f)
			if v == nil || err != nil {
				return nil, err
			}
			return float64(v.(time.Duration)/time.Microsecond) / 1e6, nil
		}
	default:
		return node{}, sql.Unsupported("EXTRACT from " + n.typ.String())
	}
	n.typ = Numeric
	return n, nil
}

func (c *compiler) is(e *sql.Is, s *scope) (node, error) {
	x, err := c.expr(e.X, s)
	if err != nil {
		return node{}, err
	}
	if e.What == "distinct" {
		return c.distinct(e, x, s)
	}
	if e.What != "null" {
		if x, err = c.condition(e.X, s, "IS "+e.What); err != nil {
			return node{}, err
		}
	}
	wanted := map[string]any{"true": true, "false": false}[e.What]
	return node{typ: Bool, varies: x.varies, eval: func(f *frame) (any, error) {
		v, err := x.eval(f)
		return (v == wanted) != e.Not, err
	}}, nil
}

// distinct is IS DISTINCT FROM.
func (c *compiler) distinct(e *sql.Is, x node, s *scope) (node, error) {
	y, err := c.expr(e.From, s)
	if err != nil {
		return node{}, err
	}
	if _, err := c.operate("=", x, y); err != nil {
		return node{}, err
	}
	pair, _, err := c.unify("IS DISTINCT FROM", []node{x, y})
	if err != nil {
		return node{}, err
	}
	return node{typ: Bool, varies: vary(x, y), eval: func(f *frame) (any, error) {
		a, err := pair[0].eval(f)
		if err != nil {
			return nil, err
		}
		b, err := pair[1].eval(f)
		if err != nil {
			return nil, err
		}
		differ := (a == nil) != (b == nil) || a != nil && compare(a, b) != 0
		return differ != e.Not, nil
	}}, nil
}

func (c *compiler) caseOf(e *sql.Case, s *scope) (node, error) {
	var when, then []node
	for i := range e.When {
		condition := e.When[i]
		if e.Of != nil {
			condition = &sql.Binary{Op: "=", L: e.Of, R: condition}
		}
		w, err := c.condition(condition, s, "CASE/WHEN")
		if err != nil {
			return node{}, err
		}
		t, err := c.expr(e.Then[i], s)
		if err != nil {
			return node{}, err
		}
		when, then = append(when, w), append(then, t)
	}
	otherwise := literal(nil)
	if e.Else != nil {
		var err error
		if otherwise, err = c.expr(e.Else, s); err != nil {
			return node{}, err
		}
	}
	then, typ, err := c.unify("CASE", append(then, otherwise))
	if err != nil {
		return node{}, err
	}
	return node{typ: typ, varies: vary(when...) || vary(then...), eval: func(f *frame) (any, error) {
		for i, w := range when {
			v, err := w.eval(f)
			if err != nil {
				return nil, err
			}
			if v == true {
				return then[i].eval(f)
			}
		}
		return then[len(when)].eval(f)
	}}, nil
}
