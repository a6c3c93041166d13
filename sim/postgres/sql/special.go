package sql

// special reads an expression that begins with a word of its own, nil if the next one does not.
func (p *parser) special(w string) (Expr, error) {
	following := p.ahead(1)
	opens := following.kind == symbol && following.text == "("
	switch {
	case w == "null", w == "true", w == "false":
		p.at++
		return &Literal{map[string]any{"true": true, "false": false}[w]}, nil
	case w == "current_timestamp":
		p.at++
		return &Call{Name: "now"}, nil
	case w == "case":
		e, err := p.caseExpr()
		return e, err
	case w == "exists" && opens:
		p.at++
		s, err := p.parenthesized()
		return &Subselect{s, true}, err
	case w == "cast" && opens:
		e, err := p.cast()
		return e, err
	case w == "extract" && opens:
		e, err := p.extract()
		return e, err
	case (w == "array" || w == "any" || w == "some" || w == "row") && (opens || following.text == "["):
		return nil, Unsupported("an array or a row value")
	}
	return nil, nil
}

// argument reads an argument of a function. A named one is a cast of its value to "=> name".
func (p *parser) argument() (Expr, error) {
	if n := p.peek(); n.kind == word && p.ahead(1).text == "=" && p.ahead(2).text == ">" && p.ahead(1).stop == p.ahead(2).start {
		p.at += 3
		e, err := p.expr()
		return &Cast{e, "=> " + n.text}, err
	}
	return p.expr()
}

func (p *parser) cast() (Expr, error) {
	p.at += 2
	x, err := p.expr()
	if err != nil {
		return nil, err
	}
	if err := p.expectWord("as"); err != nil {
		return nil, err
	}
	t, err := p.typeName()
	if err != nil {
		return nil, err
	}
	return &Cast{x, t}, p.expect(")")
}

// extract reads EXTRACT(epoch FROM x), which becomes a call of extract with the field as a text.
func (p *parser) extract() (Expr, error) {
	p.at += 2
	field, err := p.name()
	if err != nil {
		return nil, err
	}
	if err := p.expectWord("from"); err != nil {
		return nil, err
	}
	x, err := p.expr()
	if err != nil {
		return nil, err
	}
	return &Call{Name: "extract", Args: []Expr{&Literal{field}, x}}, p.expect(")")
}

func (p *parser) caseExpr() (Expr, error) {
	p.at++
	c := &Case{}
	var err error
	if !p.is("when") {
		if c.Of, err = p.expr(); err != nil {
			return nil, err
		}
	}
	for p.word("when") {
		when, err := p.expr()
		if err != nil {
			return nil, err
		}
		if err := p.expectWord("then"); err != nil {
			return nil, err
		}
		then, err := p.expr()
		if err != nil {
			return nil, err
		}
		c.When, c.Then = append(c.When, when), append(c.Then, then)
	}
	if p.word("else") {
		if c.Else, err = p.expr(); err != nil {
			return nil, err
		}
	}
	if len(c.When) == 0 {
		return nil, p.unexpected()
	}
	return c, p.expectWord("end")
}
