package sql

import "strconv"

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
		if e, err := p.special(t.text); e != nil || err != nil {
			return e, err
		}
		return p.reference()
	case quoted:
		return p.reference()
	default:
		return nil, p.unexpected()
	}
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
