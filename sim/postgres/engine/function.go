package engine

import (
	"math"
	"strings"
	"time"
	"unicode"

	"lockquake/sim/postgres/sql"
)

// builtin is a function of SQL with a fixed list of arguments. It returns null if an argument is null.
type builtin struct {
	args     []Type
	typ      Type
	volatile bool
	f        func(s *Session, a [3]any) (any, error)
}

// functions returns the functions of that name.
func functions(name string) []builtin {
	if list := advisoryFunctions(name); list != nil {
		return list
	}
	switch name {
	case "now", "transaction_timestamp":
		return []builtin{{typ: Timestamptz, f: func(s *Session, _ [3]any) (any, error) { return s.txn.started, nil }}}
	case "statement_timestamp":
		return []builtin{{typ: Timestamptz, f: func(s *Session, _ [3]any) (any, error) { return s.started, nil }}}
	case "clock_timestamp":
		return []builtin{{typ: Timestamptz, volatile: true, f: func(s *Session, _ [3]any) (any, error) { return s.db.now(), nil }}}
	case "pg_backend_pid":
		return []builtin{{typ: Int4, f: func(s *Session, _ [3]any) (any, error) { return int64(s.pid), nil }}}
	case "pg_is_in_recovery":
		return []builtin{{typ: Bool, f: func(s *Session, _ [3]any) (any, error) { return s.db.recovery, nil }}}
	case "current_database":
		return []builtin{{typ: Text, f: func(*Session, [3]any) (any, error) { return DatabaseName, nil }}}
	case "current_schema":
		return []builtin{{typ: Text, f: func(*Session, [3]any) (any, error) { return schemaName, nil }}}
	case "nextval":
		return []builtin{{args: []Type{Text}, typ: Int8, volatile: true, f: func(s *Session, a [3]any) (any, error) { return s.nextval(a[0].(string)) }}}
	case "version":
		return []builtin{{typ: Text, f: func(*Session, [3]any) (any, error) { return "PostgreSQL 15 (simulated)", nil }}}
	case "pg_sleep":
		return []builtin{{args: []Type{Float8}, typ: VoidType, volatile: true, f: func(s *Session, a [3]any) (any, error) {
			return Void{}, s.sleep(time.Duration(a[0].(float64) * float64(time.Second)))
		}}}
	case "pg_cancel_backend", "pg_terminate_backend":
		return []builtin{{args: []Type{Int4}, typ: Bool, volatile: true, f: func(s *Session, a [3]any) (any, error) {
			return s.signal(a[0].(int64), name == "pg_terminate_backend"), s.interrupted
		}}}
	case "current_setting":
		return []builtin{{args: []Type{Text}, typ: Text, f: func(s *Session, a [3]any) (any, error) {
			return s.current(strings.ToLower(a[0].(string)))
		}}}
	case "set_config":
		return []builtin{{args: []Type{Text, Text, Bool}, typ: Text, volatile: true, f: func(s *Session, a [3]any) (any, error) {
			return a[1], s.set(strings.ToLower(a[0].(string)), a[1].(string), false, a[2].(bool))
		}}}
	}
	return textFunctions(name)
}

// textFunctions returns the functions on texts and numbers.
func textFunctions(name string) []builtin {
	switch name {
	case "length", "char_length":
		return []builtin{{args: []Type{Text}, typ: Int4, f: func(_ *Session, a [3]any) (any, error) {
			return int64(len([]rune(a[0].(string)))), nil
		}}}
	case "lower":
		return []builtin{{args: []Type{Text}, typ: Text, f: func(_ *Session, a [3]any) (any, error) {
			return strings.Map(ascii(unicode.ToLower), a[0].(string)), nil
		}}}
	case "upper":
		return []builtin{{args: []Type{Text}, typ: Text, f: func(_ *Session, a [3]any) (any, error) {
			return strings.Map(ascii(unicode.ToUpper), a[0].(string)), nil
		}}}
	case "hashtext":
		return []builtin{{args: []Type{Text}, typ: Int4, f: func(_ *Session, a [3]any) (any, error) { return hashText(a[0].(string)), nil }}}
	case "hashtextextended":
		return []builtin{{args: []Type{Text, Int8}, typ: Int8, f: func(_ *Session, a [3]any) (any, error) {
			return hashTextExtended(a[0].(string), a[1].(int64)), nil
		}}}
	case "abs":
		return []builtin{absolute(Int4), absolute(Int8), {args: []Type{Float8}, typ: Float8, f: func(_ *Session, a [3]any) (any, error) {
			return math.Abs(a[0].(float64)), nil
		}}}
	}
	return nil
}

// absolute is abs of an integer type.
func absolute(t Type) builtin {
	return builtin{args: []Type{t}, typ: t, f: func(_ *Session, a [3]any) (any, error) {
		n := max(a[0].(int64), -a[0].(int64))
		if n < 0 || !fits(n, t) {
			return nil, sql.Errorf("22003", "%s out of range", t)
		}
		return n, nil
	}}
}

// ascii returns a function that changes ASCII characters only, as the locale C does.
func ascii(f func(rune) rune) func(rune) rune {
	return func(r rune) rune {
		if r > unicode.MaxASCII {
			return r
		}
		return f(r)
	}
}

// signal is pg_cancel_backend and pg_terminate_backend. It reports whether the process exists.
func (s *Session) signal(pid int64, terminate bool) bool {
	o := s.db.session(pid)
	switch {
	case o == nil:
		return false
	case terminate:
		o.kill(&Error{Severity: "FATAL", Code: "57P01", Message: "terminating connection due to administrator command"})
	default:
		o.interrupt(sql.Errorf("57014", "canceling statement due to user request"))
	}
	return true
}

func (c *compiler) call(e *sql.Call, s *scope) (node, error) {
	switch e.Name {
	case "count", "sum", "max", "min":
		return c.aggregate(e, s)
	case "coalesce", "greatest", "least", "nullif":
		return c.choice(e, s)
	case "make_interval":
		return c.makeInterval(e, s)
	case "extract":
		return c.extract(e, s)
	}
	args := make([]node, len(e.Args))
	for i, a := range e.Args {
		var err error
		if args[i], err = c.expr(a, s); err != nil {
			return node{}, err
		}
	}
	for _, b := range functions(e.Name) {
		if len(b.args) == len(args) && b.accepts(args) {
			return c.apply(b, args)
		}
	}
	return node{}, unknownFunction(e.Name, args)
}

// accepts reports whether the arguments have types that the function takes without a cast.
func (b *builtin) accepts(args []node) bool {
	for i, a := range args {
		if t, ok := together(a.typ, b.args[i]); !ok || t != b.args[i] && !t.text() {
			return false
		}
	}
	return true
}

func (c *compiler) apply(b builtin, args []node) (node, error) {
	n := node{typ: b.typ, varies: b.volatile || vary(args...)}
	for i := range args {
		var err error
		if args[i], err = c.convert(args[i], b.args[i], false); err != nil {
			return node{}, err
		}
	}
	n.eval = func(f *frame) (any, error) {
		var a [3]any
		for i := range args {
			v, err := args[i].eval(f)
			if v == nil || err != nil {
				return nil, err
			}
			a[i] = v
		}
		return b.f(f.session, a)
	}
	return n, nil
}

// choice is COALESCE, GREATEST, LEAST and NULLIF.
func (c *compiler) choice(e *sql.Call, s *scope) (node, error) {
	args := make([]node, len(e.Args))
	for i, a := range e.Args {
		var err error
		if args[i], err = c.expr(a, s); err != nil {
			return node{}, err
		}
	}
	args, typ, err := c.unify(strings.ToUpper(e.Name), args)
	if err != nil {
		return node{}, err
	}
	if e.Name == "nullif" && len(args) != 2 {
		return node{}, sql.Errorf("42883", "function nullif does not exist")
	}
	name := e.Name
	return node{typ: typ, varies: vary(args...), eval: func(f *frame) (any, error) {
		var best any
		for i, a := range args {
			v, err := a.eval(f)
			if err != nil {
				return nil, err
			}
			switch {
			case name == "nullif" && i == 1:
				if best != nil && v != nil && compare(best, v) == 0 {
					return nil, nil
				}
			case v == nil:
			case best == nil, name == "greatest" && compare(v, best) > 0, name == "least" && compare(v, best) < 0:
				best = v
			}
			if name == "coalesce" && best != nil {
				return best, nil
			}
		}
		return best, nil
	}}, nil
}

// makeInterval is make_interval with the arguments secs, mins and hours by name.
func (c *compiler) makeInterval(e *sql.Call, s *scope) (node, error) {
	sum := constant(Interval, time.Duration(0))
	for _, a := range e.Args {
		named, ok := a.(*sql.Cast)
		if !ok || !strings.HasPrefix(named.Type, "=> ") {
			return node{}, sql.Unsupported("make_interval without names of its arguments")
		}
		unit := map[string]time.Duration{"secs": time.Second, "mins": time.Minute, "hours": time.Hour, "days": 24 * time.Hour}[strings.TrimPrefix(named.Type, "=> ")]
		if unit == 0 {
			return node{}, sql.Unsupported("make_interval of months or years")
		}
		n, err := c.expr(named.X, s)
		if err != nil {
			return node{}, err
		}
		typ := Int4
		if unit == time.Second {
			typ = Float8
		}
		if n, err = c.convert(n, typ, false); err != nil {
			return node{}, err
		}
		if n, err = c.operate("*", n, constant(Interval, unit)); err != nil {
			return node{}, err
		}
		if sum, err = c.operate("+", sum, n); err != nil {
			return node{}, err
		}
	}
	return sum, nil
}
