package sql

import (
	"strconv"
	"strings"
)

// expr reads an expression.
func (p *parser) expr() (Expr, error) { return p.binary(1) }

// Precedences, from weak to strong: or, and, not, is, comparisons, in and between, other operators, + -, * / %.
func (p *parser) binary(level int) (Expr, error) {
	if level == 3 {
		if p.word("not") {
			x, err := p.binary(3)
			return &Unary{"not", x}, err
		}
		level++
	}
	if level > 9 {
		return p.unary()
	}
	l, err := p.binary(level + 1)
	for err == nil {
		op := p.operator(level)
		if op == "" {
			break
		}
		switch op {
		case "is":
			l, err = p.isTest(l)
		case "in", "not in", "between", "not between":
			l, err = p.membership(l, op)
		default:
			var r Expr
			r, err = p.binary(level + 1)
			l = &Binary{op, l, r}
		}
	}
	return l, err
}

// operator skips an operator of this precedence and returns it, "" if there is none.
func (p *parser) operator(level int) string {
	symbols := func(list ...string) string {
		for _, s := range list {
			if p.symbol(s) {
				return s
			}
		}
		return ""
	}
	switch level {
	case 1:
		return p.one("or")
	case 2:
		return p.one("and")
	case 4:
		return p.one("is")
	case 5:
		op := symbols("=", "<>", "!=", "<=", ">=", "<", ">")
		if op == "!=" {
			return "<>"
		}
		return op
	case 6:
		for _, op := range []string{"in", "not in", "between", "not between"} {
			if p.word(strings.Fields(op)...) {
				return op
			}
		}
	case 7:
		return symbols("||")
	case 8:
		return symbols("+", "-")
	case 9:
		return symbols("*", "/", "%")
	}
	return ""
}

func (p *parser) isTest(x Expr) (Expr, error) {
	is := &Is{X: x, Not: p.word("not")}
	if p.word("distinct", "from") {
		is.What = "distinct"
		var err error
		is.From, err = p.binary(5)
		return is, err
	}
	if is.What = p.one("null", "true", "false", "unknown"); is.What == "" {
		return nil, p.unexpected()
	}
	return is, nil
}

func (p *parser) membership(x Expr, op string) (Expr, error) {
	not := strings.HasPrefix(op, "not")
	if strings.HasSuffix(op, "between") {
		low, err := p.binary(7)
		if err != nil {
			return nil, err
		}
		if err := p.expectWord("and"); err != nil {
			return nil, err
		}
		high, err := p.binary(7)
		if err != nil {
			return nil, err
		}
		var b Expr = &Binary{"and", &Binary{">=", x, low}, &Binary{"<=", x, high}}
		if not {
			b = &Unary{"not", b}
		}
		return b, nil
	}
	in := &In{X: x, Not: not}
	if p.ahead(1).kind == word && p.ahead(1).text == "select" {
		s, err := p.parenthesized()
		in.Select = s
		return in, err
	}
	var err error
	in.List, err = p.list()
	return in, err
}

// parenthesized reads a SELECT in parentheses.
func (p *parser) parenthesized() (*Select, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	s, err := p.query()
	if err != nil {
		return nil, err
	}
	return s, p.expect(")")
}

func (p *parser) unary() (Expr, error) {
	switch {
	case p.symbol("-"):
		x, err := p.unary()
		if l, ok := x.(*Literal); ok && err == nil {
			switch v := l.Value.(type) {
			case int64:
				return &Literal{-v}, nil
			case float64:
				return &Literal{-v}, nil
			}
		}
		return &Unary{"-", x}, err
	case p.symbol("+"):
		return p.unary()
	}
	x, err := p.primary()
	for err == nil {
		switch {
		case p.symbol("::"):
			var t string
			t, err = p.typeName()
			x = &Cast{x, t}
		case p.is("at", "time"), p.is("collate"), p.is("like"), p.is("ilike"), p.is("similar"):
			return nil, Unsupported(strings.ToUpper(p.peek().text))
		case p.symbol("["):
			return nil, Unsupported("an array")
		default:
			return x, nil
		}
	}
	return x, err
}

// typeName reads the name of a type, in lower case and without its length.
func (p *parser) typeName() (string, error) {
	var name string
	for _, long := range []string{"double precision", "character varying", "timestamp with time zone", "timestamp without time zone"} {
		if p.word(strings.Fields(long)...) {
			name = long
		}
	}
	if name == "" {
		var err error
		if name, err = p.name(); err != nil {
			return "", err
		}
	}
	if p.symbol("(") {
		for !p.symbol(")") {
			if p.peek().kind == end {
				return "", p.unexpected()
			}
			p.at++
		}
	}
	if p.symbol("[") {
		return "", Unsupported("an array")
	}
	return name, nil
}

func (p *parser) primary() (Expr, error) {
	t := p.peek()
	switch t.kind {
	case number:
		p.at++
		if n, err := strconv.ParseInt(t.text, 10, 64); err == nil {
			return &Literal{n}, nil
		}
		f, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			return nil, Errorf("42601", "syntax error at or near \"%s\"", t.text)
		}
		return &Literal{f}, nil
	case text:
		p.at++
		return &Literal{t.text}, nil
	case parameter:
		p.at++
		n, err := strconv.Atoi(t.text)
		if err != nil || n < 1 || n > 65535 {
			return nil, Errorf("42P02", "there is no parameter $%s", t.text)
		}
		return &Param{n}, nil
	case symbol:
		if t.text == "(" {
			return p.group()
		}
		return nil, p.unexpected()
	case word:
		if e, err, ok := p.special(t.text); ok {
			return e, err
		}
		return p.reference()
	case quoted:
		return p.reference()
	}
	return nil, p.unexpected()
}

// group reads an expression or a SELECT in parentheses.
func (p *parser) group() (Expr, error) {
	if t := p.ahead(1); t.kind == word && t.text == "select" {
		s, err := p.parenthesized()
		return &Subselect{Select: s}, err
	}
	p.at++
	e, err := p.expr()
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind == symbol && t.text == "," {
		return nil, Unsupported("a row value")
	}
	return e, p.expect(")")
}

// reference reads a column or a call of a function.
func (p *parser) reference() (Expr, error) {
	n, err := p.name()
	if err != nil {
		return nil, err
	}
	if p.symbol(".") {
		if p.symbol("*") {
			return &Column{n, "*"}, nil
		}
		member, err := p.name()
		if err != nil {
			return nil, err
		}
		if t := p.peek(); n != "pg_catalog" || t.kind != symbol || t.text != "(" {
			return &Column{n, member}, nil
		}
		n = member
	}
	if !p.symbol("(") {
		// A type before a text makes a constant, as in interval '1 second'.
		if t := p.peek(); t.kind == text {
			p.at++
			return &Cast{&Literal{t.text}, n}, nil
		}
		return &Column{Name: n}, nil
	}
	c := &Call{Name: n}
	switch {
	case p.symbol("*"):
		c.Star = true
	case p.symbol(")"):
		return c, p.refuse("over", "filter")
	default:
		if p.is("distinct") {
			return nil, Unsupported("DISTINCT")
		}
		for {
			e, err := p.argument()
			if err != nil {
				return nil, err
			}
			c.Args = append(c.Args, e)
			if !p.symbol(",") {
				break
			}
		}
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	return c, p.refuse("over", "filter")
}
