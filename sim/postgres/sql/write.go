package sql

func (p *parser) insert() (any, error) {
	if err := p.expectWord("insert", "into"); err != nil {
		return nil, err
	}
	s := &Insert{}
	var err error
	if s.Table, err = p.target(); err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind == symbol && t.text == "(" && (p.ahead(1).kind != word || p.ahead(1).text != "select") {
		if s.Columns, err = p.columns(); err != nil {
			return nil, err
		}
	}
	switch {
	case p.word("default", "values"):
	case p.word("values"):
		for {
			row, err := p.list()
			if err != nil {
				return nil, err
			}
			s.Rows = append(s.Rows, row)
			if !p.symbol(",") {
				break
			}
		}
	case p.is("select"):
		if s.Select, err = p.query(); err != nil {
			return nil, err
		}
	default:
		return nil, p.unexpected()
	}
	if p.word("on", "conflict") {
		if s.OnConflict, err = p.conflict(); err != nil {
			return nil, err
		}
	}
	s.Returning, err = p.returning()
	return s, err
}

// target reads the table that an INSERT writes; its alias needs AS.
func (p *parser) target() (Table, error) {
	n, err := p.table()
	if err != nil {
		return Table{}, err
	}
	t := Table{n, n}
	if p.word("as") {
		t.Alias, err = p.name()
	}
	return t, err
}

// list reads (a, b), in which DEFAULT may be a value.
func (p *parser) list() ([]Expr, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	var list []Expr
	for {
		e, err := p.value()
		if err != nil {
			return nil, err
		}
		list = append(list, e)
		if !p.symbol(",") {
			return list, p.expect(")")
		}
	}
}

// value reads an expression or DEFAULT.
func (p *parser) value() (Expr, error) {
	if p.word("default") {
		return &Default{}, nil
	}
	return p.expr()
}

func (p *parser) conflict() (*Conflict, error) {
	c := &Conflict{}
	var err error
	if t := p.peek(); t.kind == symbol {
		if c.Columns, err = p.columns(); err != nil {
			return nil, err
		}
	} else if p.is("on") {
		return nil, Unsupported("ON CONFLICT ON CONSTRAINT")
	}
	if err := p.refuse("where"); err != nil {
		return nil, err
	}
	if err := p.expectWord("do"); err != nil {
		return nil, err
	}
	if p.word("nothing") {
		return c, nil
	}
	if err := p.expectWord("update"); err != nil {
		return nil, err
	}
	if c.Columns == nil {
		return nil, Errorf("42601", "ON CONFLICT DO UPDATE requires inference specification or constraint name")
	}
	if c.Set, err = p.assignments(); err != nil {
		return nil, err
	}
	c.Where, err = p.where()
	return c, err
}

// assignments reads SET a = 1, b = 2.
func (p *parser) assignments() ([]Assignment, error) {
	if err := p.expectWord("set"); err != nil {
		return nil, err
	}
	var list []Assignment
	for {
		if t := p.peek(); t.kind == symbol && t.text == "(" {
			return nil, Unsupported("SET of a list of columns")
		}
		n, err := p.name()
		if err != nil {
			return nil, err
		}
		if err := p.expect("="); err != nil {
			return nil, err
		}
		e, err := p.value()
		if err != nil {
			return nil, err
		}
		list = append(list, Assignment{n, e})
		if !p.symbol(",") {
			return list, nil
		}
	}
}

func (p *parser) update() (any, error) {
	p.at++
	s := &Update{}
	var err error
	if s.Table, err = p.aliased(); err != nil {
		return nil, err
	}
	if s.Set, err = p.assignments(); err != nil {
		return nil, err
	}
	if p.word("from") {
		if s.From, err = p.from(); err != nil {
			return nil, err
		}
	}
	if s.Where, err = p.where(); err != nil {
		return nil, err
	}
	s.Returning, err = p.returning()
	return s, err
}

func (p *parser) delete() (any, error) {
	if err := p.expectWord("delete", "from"); err != nil {
		return nil, err
	}
	s := &Delete{}
	var err error
	if s.Table, err = p.aliased(); err != nil {
		return nil, err
	}
	if p.word("using") {
		if s.Using, err = p.from(); err != nil {
			return nil, err
		}
	}
	if s.Where, err = p.where(); err != nil {
		return nil, err
	}
	s.Returning, err = p.returning()
	return s, err
}
