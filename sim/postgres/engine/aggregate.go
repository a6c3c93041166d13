package engine

import (
	"math"

	"lockquake/sim/postgres/sql"
)

// aggregate is count, sum, max or min over the rows of a SELECT.
type aggregate struct {
	name  string
	arg   node // of count(*): none
	star  bool
	place int
}

func (c *compiler) aggregate(e *sql.Call, s *scope) (node, error) {
	switch {
	case e.Name == "count" && !e.Star && len(e.Args) == 0:
		return node{}, sql.Errorf("42809", "count(*) must be used to call a parameterless aggregate function")
	case s == nil || s.aggregates == nil:
		return node{}, sql.Errorf("42803", "aggregate functions are not allowed in %s", c.clause)
	case s.inside:
		return node{}, sql.Errorf("42803", "aggregate function calls cannot be nested")
	}
	a := &aggregate{name: e.Name, star: e.Star, place: len(*s.aggregates)}
	typ := Int8
	if !e.Star {
		if len(e.Args) != 1 {
			return node{}, sql.Errorf("42883", "function %s does not exist", e.Name)
		}
		s.inside = true
		arg, err := c.expr(e.Args[0], s)
		s.inside = false
		if err != nil {
			return node{}, err
		}
		if arg, err = c.settle(arg, Text); err != nil {
			return node{}, err
		}
		a.arg = arg
		switch e.Name {
		case "sum":
			switch arg.typ {
			case Int2, Int4:
			case Int8, Numeric:
				typ = Numeric
			case Float8, Interval:
				typ = arg.typ
			default:
				return node{}, sql.Errorf("42883", "function sum(%s) does not exist", arg.typ)
			}
		case "max", "min":
			typ = arg.typ
		}
	} else if e.Name != "count" {
		return node{}, sql.Errorf("42883", "function %s() does not exist", e.Name)
	}
	*s.aggregates = append(*s.aggregates, a)
	place := a.place
	return node{typ: typ, varies: true, eval: func(f *frame) (any, error) { return f.sums[place], nil }}, nil
}

// add adds the row of the frame to the result so far.
func (a *aggregate) add(f *frame) error {
	sum := &f.sums[a.place]
	if a.star {
		*sum = (*sum).(int64) + 1
		return nil
	}
	v, err := a.arg.eval(f)
	if v == nil || err != nil {
		return err
	}
	switch {
	case a.name == "count":
		*sum = (*sum).(int64) + 1
	case *sum == nil:
		*sum = v
	case a.name == "sum":
		*sum, err = plus(*sum, v, a.arg.typ)
	case (compare(v, *sum) > 0) == (a.name == "max"):
		*sum = v
	}
	return err
}

// plus adds two values of the type for sum.
func plus(a, b any, t Type) (any, error) {
	if t == Interval {
		f, _ := function("+", Interval, Interval)
		return f(a, b)
	}
	if t.integer() {
		n, err := integers("+", a.(int64), b.(int64))
		if n == nil && err == nil {
			return int64(math.MaxInt64), sql.Errorf("22003", "bigint out of range")
		}
		return n, err
	}
	return float(a) + float(b), nil
}

// initial returns the result for no rows.
func (a *aggregate) initial() any {
	if a.name == "count" {
		return int64(0)
	}
	return nil
}
