package engine

import (
	"slices"

	"lockquake/sim/postgres/sql"
)

// node is an expression that is ready to be evaluated.
type node struct {
	typ  Type
	eval func(f *frame) (any, error)
	// varies: its value may change from row to row of the innermost table.
	varies bool
	// An expression of type Unknown is a literal text or null, or a parameter.
	literal any
	param   int
}

// frame has the values that an expression reads.
type frame struct {
	session *Session
	args    []any
	row     []any
	second  []any // see scope.second
	sums    []any // the results of aggregates
	outer   *frame
	memo    []memo // the results of subselects that do not depend on a row
}

// memo is the result of a subselect.
type memo struct {
	known bool
	rows  [][]any
}

// scope has the names that an expression can use.
type scope struct {
	table      *table
	alias      string
	second     *table // the row in frame.second: excluded of an upsert, or the table in FROM of an UPDATE
	named2     string
	outer      *scope
	correlated bool // an inner expression uses a column of an outer scope

	aggregates *[]*aggregate // nil where aggregates are not allowed
	inside     bool          // inside of an aggregate
	ungrouped  string        // a column outside of the aggregates
}

// compiler makes nodes of the expressions of one statement.
type compiler struct {
	session    *Session
	params     []Type
	subselects map[*sql.Subselect]node // so that one that is compiled twice runs once
	common     []common
	memos      int
	clause     string // where an aggregate is not allowed
	opens      []opening
}

func (c *compiler) expr(e sql.Expr, s *scope) (node, error) {
	switch e := e.(type) {
	case *sql.Literal:
		return literal(e.Value), nil
	case *sql.Param:
		return c.param(e.Number), nil
	case *sql.Column:
		return c.column(e, s)
	case *sql.Unary:
		return c.unary(e, s)
	case *sql.Binary:
		return c.binary(e, s)
	case *sql.Call:
		return c.call(e, s)
	case *sql.Cast:
		return c.cast(e, s)
	case *sql.Subselect:
		return c.subselect(e, s)
	case *sql.In:
		return c.in(e, s)
	case *sql.Is:
		return c.is(e, s)
	case *sql.Case:
		return c.caseOf(e, s)
	}
	return node{}, sql.Errorf("42601", "DEFAULT is not allowed in this context")
}

func constant(typ Type, v any) node {
	return node{typ: typ, eval: func(*frame) (any, error) { return v, nil }}
}

func literal(v any) node {
	n := constant(Unknown, v)
	switch v := v.(type) {
	case bool:
		n.typ = Bool
	case int64:
		n.typ = Int8
		if fits(v, Int4) {
			n.typ = Int4
		}
	case float64:
		n.typ = Numeric
	default:
		n.literal = v
	}
	return n
}

// param returns the node of a parameter, whose type may not be known yet.
func (c *compiler) param(number int) node {
	for len(c.params) < number {
		c.params = append(c.params, Unknown)
	}
	return node{typ: c.params[number-1], param: number, eval: func(f *frame) (any, error) {
		return f.args[number-1], nil
	}}
}

// settle gives an expression of type Unknown a type.
func (c *compiler) settle(n node, t Type) (node, error) {
	if n.typ != Unknown || t == Unknown {
		return n, nil
	}
	if n.param > 0 {
		if known := c.params[n.param-1]; known != Unknown && known != t {
			n.typ = known
			return c.convert(n, t, false)
		}
		c.params[n.param-1] = t
		n.typ = t
		return n, nil
	}
	if n.literal == nil {
		return constant(t, nil), nil
	}
	v, err := read(n.literal.(string), t)
	if err != nil {
		return node{}, err
	}
	return constant(t, v), nil
}

// convert makes an expression one of another type. Without explicit, only conversions that an assignment makes are allowed.
func (c *compiler) convert(n node, t Type, explicit bool) (node, error) {
	if n.typ == Unknown {
		return c.settle(n, t)
	}
	from := n.typ
	if from == t || from.text() && t.text() {
		n.typ = t
		return n, nil
	}
	f := conversion(from, t, explicit)
	if f == nil {
		return node{}, sql.Errorf("42846", "cannot cast type %s to %s", from, t)
	}
	eval := n.eval
	return node{typ: t, varies: n.varies, eval: func(fr *frame) (any, error) {
		v, err := eval(fr)
		if v == nil || err != nil {
			return nil, err
		}
		return f(v)
	}}, nil
}

func (c *compiler) column(e *sql.Column, s *scope) (node, error) {
	depth := 0
	var passed []*scope
	for sc := s; sc != nil; sc = sc.outer {
		if n, ok, err := sc.lookup(e); ok || err != nil {
			if err != nil {
				return node{}, err
			}
			for _, p := range passed {
				p.correlated = true
			}
			n.varies = n.varies || depth > 0
			return n.lifted(depth), nil
		}
		passed = append(passed, sc)
		depth++
	}
	if e.Table != "" {
		if _, ok := s.named(e.Table); !ok {
			if s.hides(e.Table) {
				return node{}, sql.Errorf("42P01", "invalid reference to FROM-clause entry for table \"%s\"", e.Table)
			}
			return node{}, sql.Errorf("42P01", "missing FROM-clause entry for table \"%s\"", e.Table)
		}
		return node{}, sql.Errorf("42703", "column %s.%s does not exist", e.Table, e.Name)
	}
	return node{}, sql.Errorf("42703", "column \"%s\" does not exist", e.Name)
}

// named returns the table of an alias.
func (s *scope) named(alias string) (*table, bool) {
	for sc := s; sc != nil; sc = sc.outer {
		if sc.table != nil && (sc.alias == alias || sc.named2 == alias) {
			return sc.table, true
		}
	}
	return nil, false
}

// hides reports whether a table of that name has an alias.
func (s *scope) hides(name string) bool {
	return s != nil && (s.table != nil && s.table.name == name || s.outer.hides(name))
}

// lookup returns the node of a column of this scope.
func (s *scope) lookup(e *sql.Column) (node, bool, error) {
	if s == nil || s.table == nil {
		return node{}, false, nil
	}
	first, second := -1, -1
	if e.Table == "" || e.Table == s.alias {
		first = s.table.column(e.Name)
	}
	if s.second != nil && (e.Table == "" || e.Table == s.named2) {
		second = s.second.column(e.Name)
	}
	switch {
	case first >= 0 && second >= 0:
		return node{}, false, sql.Errorf("42702", "column reference \"%s\" is ambiguous", e.Name)
	case second >= 0:
		return node{typ: s.second.columns[second].typ, eval: func(f *frame) (any, error) { return f.second[second], nil }}, true, nil
	case first < 0:
		return node{}, false, nil
	}
	if s.aggregates != nil && !s.inside && s.ungrouped == "" {
		s.ungrouped = s.alias + "." + e.Name
	}
	return node{typ: s.table.columns[first].typ, varies: true, eval: func(f *frame) (any, error) { return f.row[first], nil }}, true, nil
}

// lifted makes the node read a frame further out.
func (n node) lifted(depth int) node {
	if depth == 0 {
		return n
	}
	eval := n.eval
	n.eval = func(f *frame) (any, error) {
		for range depth {
			f = f.outer
		}
		return eval(f)
	}
	return n
}

// unify gives expressions their common type.
func (c *compiler) unify(what string, list []node) ([]node, Type, error) {
	t := Unknown
	for _, n := range list {
		next, ok := together(t, n.typ)
		if !ok {
			return nil, 0, sql.Errorf("42804", "%s types %s and %s cannot be matched", what, t, n.typ)
		}
		t = next
	}
	if t == Unknown {
		t = Text
	}
	out := slices.Clone(list)
	for i := range out {
		var err error
		if out[i], err = c.convert(out[i], t, true); err != nil {
			return nil, 0, err
		}
	}
	return out, t, nil
}

// condition returns a truth value.
func (c *compiler) condition(e sql.Expr, s *scope, what string) (node, error) {
	if what == "WHERE" || what == "CHECK" {
		c.clause = what
	}
	n, err := c.expr(e, s)
	if err != nil {
		return node{}, err
	}
	if n, err = c.settle(n, Bool); err != nil {
		return node{}, err
	}
	if n.typ != Bool {
		return node{}, sql.Errorf("42804", "argument of %s must be type boolean, not type %s", what, n.typ)
	}
	return n, nil
}

// vary reports whether one of the expressions varies from row to row.
func vary(list ...node) bool { return slices.ContainsFunc(list, func(n node) bool { return n.varies }) }
