package engine

import (
	"math"
	"math/bits"
	"time"

	"lockquake/sim/postgres/sql"
)

func (c *compiler) unary(e *sql.Unary, s *scope) (node, error) {
	if e.Op == "not" {
		x, err := c.condition(e.X, s, "NOT")
		return node{typ: Bool, varies: x.varies, eval: func(f *frame) (any, error) {
			v, err := x.eval(f)
			if v == nil || err != nil {
				return nil, err
			}
			return !v.(bool), nil
		}}, err
	}
	return c.binary(&sql.Binary{Op: "-", L: &sql.Literal{Value: int64(0)}, R: e.X}, s)
}

func (c *compiler) binary(e *sql.Binary, s *scope) (node, error) {
	if e.Op == "and" || e.Op == "or" {
		return c.logic(e, s)
	}
	l, err := c.expr(e.L, s)
	if err != nil {
		return node{}, err
	}
	r, err := c.expr(e.R, s)
	if err != nil {
		return node{}, err
	}
	return c.operate(e.Op, l, r)
}

// logic is AND and OR with null.
func (c *compiler) logic(e *sql.Binary, s *scope) (node, error) {
	word, decides := "AND", false
	if e.Op == "or" {
		word, decides = "OR", true
	}
	l, err := c.condition(e.L, s, word)
	if err != nil {
		return node{}, err
	}
	r, err := c.condition(e.R, s, word)
	return node{typ: Bool, varies: vary(l, r), eval: func(f *frame) (any, error) {
		a, err := l.eval(f)
		if err != nil || a == decides {
			return a, err
		}
		b, err := r.eval(f)
		if err != nil || b == decides {
			return b, err
		}
		if a == nil || b == nil {
			return nil, nil
		}
		return !decides, nil
	}}, err
}

// operate returns the node of an operator between two expressions.
func (c *compiler) operate(op string, l, r node) (node, error) {
	left, right := l.typ, r.typ
	lt, rt := operands(op, left, right)
	var err error
	if l, err = c.settle(l, lt); err != nil {
		return node{}, err
	}
	if r, err = c.settle(r, rt); err != nil {
		return node{}, err
	}
	f, typ := function(op, l.typ, r.typ)
	if f == nil {
		if left == Unknown && right == Unknown {
			return node{}, sql.Errorf("42725", "operator is not unique: unknown %s unknown", op)
		}
		return node{}, sql.Errorf("42883", "operator does not exist: %s %s %s", left, op, right)
	}
	le, re := l.eval, r.eval
	return node{typ: typ, varies: vary(l, r), eval: func(fr *frame) (any, error) {
		a, err := le(fr)
		if err != nil {
			return nil, err
		}
		b, err := re(fr)
		if err != nil || a == nil || b == nil {
			return nil, err
		}
		return f(a, b)
	}}, nil
}

// operands returns the types that operands of unknown type get.
func operands(op string, l, r Type) (Type, Type) {
	switch {
	case l != Unknown && r != Unknown:
	case op == "||":
		return Text, Text
	case l == Unknown && r == Unknown:
		if _, ok := comparison(op); ok {
			return Text, Text
		}
	case op == "+" && (l == Timestamptz || r == Timestamptz):
		return other(l, Interval), other(r, Interval)
	case (op == "*" || op == "/") && (l == Interval || r == Interval):
		return other(l, Float8), other(r, Float8)
	case l == Unknown:
		return r, r
	default:
		return l, l
	}
	return l, r
}

// other returns the type for an operand of unknown type.
func other(t, otherwise Type) Type {
	if t == Unknown {
		return otherwise
	}
	return t
}

type operation func(a, b any) (any, error)

// comparison returns what an operator says about the result of compare.
func comparison(op string) (func(int) bool, bool) {
	switch op {
	case "=":
		return func(n int) bool { return n == 0 }, true
	case "<>":
		return func(n int) bool { return n != 0 }, true
	case "<":
		return func(n int) bool { return n < 0 }, true
	case "<=":
		return func(n int) bool { return n <= 0 }, true
	case ">":
		return func(n int) bool { return n > 0 }, true
	case ">=":
		return func(n int) bool { return n >= 0 }, true
	}
	return nil, false
}

// function returns the operation of an operator on two types, nil if there is none.
func function(op string, l, r Type) (operation, Type) {
	if test, ok := comparison(op); ok {
		if t, ok := together(l, r); !ok || t == VoidType || t == Unknown {
			return nil, 0
		}
		return func(a, b any) (any, error) { return test(compare(a, b)), nil }, Bool
	}
	switch {
	case op == "||" && (l.text() || r.text()):
		return func(a, b any) (any, error) { return format(a) + format(b), nil }, Text
	case op != "||" && l.number() && r.number():
		t, _ := together(l, r)
		return arithmetic(op, t), t
	}
	return temporal(op, l, r)
}

// temporal returns the operations on times and intervals.
func temporal(op string, l, r Type) (operation, Type) {
	switch {
	case op == "+" && l == Timestamptz && r == Interval:
		return func(a, b any) (any, error) { return a.(time.Time).Add(b.(time.Duration)), nil }, Timestamptz
	case op == "+" && l == Interval && r == Timestamptz:
		return func(a, b any) (any, error) { return b.(time.Time).Add(a.(time.Duration)), nil }, Timestamptz
	case op == "-" && l == Timestamptz && r == Interval:
		return func(a, b any) (any, error) { return a.(time.Time).Add(-b.(time.Duration)), nil }, Timestamptz
	case op == "-" && l == Timestamptz && r == Timestamptz:
		return func(a, b any) (any, error) { return a.(time.Time).Sub(b.(time.Time)), nil }, Interval
	case op == "+" && l == Interval && r == Interval:
		return func(a, b any) (any, error) { return a.(time.Duration) + b.(time.Duration), nil }, Interval
	case op == "-" && (l == Interval || l == Int4) && r == Interval: // 0 - x is -x
		return func(a, b any) (any, error) {
			x, _ := a.(time.Duration)
			return x - b.(time.Duration), nil
		}, Interval
	case op == "*" && l == Interval && r.number():
		return func(a, b any) (any, error) { return scale(a.(time.Duration), float(b)), nil }, Interval
	case op == "*" && l.number() && r == Interval:
		return func(a, b any) (any, error) { return scale(b.(time.Duration), float(a)), nil }, Interval
	case op == "/" && l == Interval && r.number():
		return func(a, b any) (any, error) {
			if float(b) == 0 {
				return nil, sql.Errorf("22012", "division by zero")
			}
			return scale(a.(time.Duration), 1/float(b)), nil
		}, Interval
	}
	return nil, 0
}

func scale(d time.Duration, by float64) time.Duration {
	return time.Duration(math.Round(float64(d/time.Microsecond)*by)) * time.Microsecond
}

// arithmetic returns the operation on two numbers whose result has type t.
func arithmetic(op string, t Type) operation {
	if !t.integer() {
		return func(a, b any) (any, error) { return floats(op, float(a), float(b)) }
	}
	return func(a, b any) (any, error) {
		n, err := integers(op, a.(int64), b.(int64))
		if err != nil {
			return nil, err
		}
		if n == nil || !fits(n.(int64), t) {
			return nil, sql.Errorf("22003", "%s out of range", t)
		}
		return n, nil
	}
}

func floats(op string, a, b float64) (any, error) {
	switch op {
	case "+":
		return a + b, nil
	case "-":
		return a - b, nil
	case "*":
		return a * b, nil
	}
	if b == 0 {
		return nil, sql.Errorf("22012", "division by zero")
	}
	if op == "%" {
		return math.Mod(a, b), nil
	}
	return a / b, nil
}

// integers returns nil if the result has more than 64 bits.
func integers(op string, a, b int64) (any, error) {
	switch op {
	case "+":
		if n := a + b; (n > a) == (b > 0) {
			return n, nil
		}
		return nil, nil
	case "-":
		if n := a - b; (n < a) == (b > 0) {
			return n, nil
		}
		return nil, nil
	case "*":
		n := a * b
		if a == 0 || b == 0 {
			return n, nil
		}
		high, low := bits.Mul64(magnitude(a), magnitude(b))
		if high != 0 || low > 1<<63 || low == 1<<63 && n > 0 || (n < 0) != ((a < 0) != (b < 0)) {
			return nil, nil
		}
		return n, nil
	}
	switch {
	case b == 0:
		return nil, sql.Errorf("22012", "division by zero")
	case op == "%" && b == -1:
		return int64(0), nil
	case op == "%":
		return a % b, nil
	case a == math.MinInt64 && b == -1:
		return nil, nil
	}
	return a / b, nil
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}
