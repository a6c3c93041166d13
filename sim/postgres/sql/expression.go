package sql

import "strings"

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
