package sql

import "strings"

func (p *parser) create() (any, error) {
	p.at++
	p.one("temporary", "temp")
	switch {
	case p.ahead(-1).text != "create":
		return nil, Unsupported("a temporary table")
	case p.word("table"):
		return p.createTable()
	case p.word("index"):
		return p.createIndex()
	case p.word("sequence"):
		return p.createSequence()
	case p.is("unique"):
		return nil, Unsupported("CREATE UNIQUE INDEX")
	case p.peek().kind == word:
		return nil, Unsupported("CREATE " + strings.ToUpper(p.peek().text))
	}
	return nil, p.unexpected()
}

func (p *parser) createTable() (any, error) {
	t := &CreateTable{IfNotExists: p.word("if", "not", "exists")}
	var err error
	if t.Name, err = p.table(); err != nil {
		return nil, err
	}
	if err := p.expect("("); err != nil {
		return nil, err
	}
	for {
		if err := p.element(t); err != nil {
			return nil, err
		}
		if !p.symbol(",") {
			return t, p.expect(")")
		}
	}
}

// element reads a column or a constraint of CREATE TABLE.
func (p *parser) element(t *CreateTable) error {
	name := ""
	if p.word("constraint") {
		var err error
		if name, err = p.name(); err != nil {
			return err
		}
	}
	switch {
	case p.word("primary", "key"):
		return p.key(t, Unique{Name: name, Primary: true})
	case p.word("unique"):
		return p.key(t, Unique{Name: name})
	case p.word("check"):
		return p.check(t, name)
	case p.is("foreign"):
		return Unsupported("FOREIGN KEY")
	case name != "":
		return p.unexpected()
	}
	return p.column(t)
}

func (p *parser) key(t *CreateTable, u Unique) error {
	var err error
	u.Columns, err = p.columns()
	t.Uniques = append(t.Uniques, u)
	return err
}

func (p *parser) check(t *CreateTable, name string) error {
	if err := p.expect("("); err != nil {
		return err
	}
	e, err := p.expr()
	if err != nil {
		return err
	}
	t.Checks = append(t.Checks, Check{name, e})
	return p.expect(")")
}

func (p *parser) column(t *CreateTable) error {
	c := ColumnDef{}
	var err error
	if c.Name, err = p.name(); err != nil {
		return err
	}
	if c.Type, err = p.typeName(); err != nil {
		return err
	}
	for name := ""; ; name = "" {
		if p.word("constraint") {
			if name, err = p.name(); err != nil {
				return err
			}
		}
		switch {
		case p.word("not", "null"):
			c.NotNull = true
		case p.word("null"):
		case p.word("default"):
			if c.Default, err = p.binary(6); err != nil {
				return err
			}
		case p.word("primary", "key"):
			t.Uniques = append(t.Uniques, Unique{name, []string{c.Name}, true})
		case p.word("unique"):
			t.Uniques = append(t.Uniques, Unique{Name: name, Columns: []string{c.Name}})
		case p.word("check"):
			if err := p.check(t, name); err != nil {
				return err
			}
		case p.is("references"), p.is("generated"), p.is("collate"):
			return Unsupported(strings.ToUpper(p.peek().text))
		default:
			t.Columns = append(t.Columns, c)
			return nil
		}
	}
}

func (p *parser) createIndex() (any, error) {
	s := &CreateIndex{Concurrently: p.word("concurrently"), IfNotExists: p.word("if", "not", "exists")}
	var err error
	if !p.is("on") {
		if s.Name, err = p.name(); err != nil {
			return nil, err
		}
	}
	if err := p.expectWord("on"); err != nil {
		return nil, err
	}
	if s.Table, err = p.table(); err != nil {
		return nil, err
	}
	if p.word("using") {
		if _, err := p.name(); err != nil {
			return nil, err
		}
	}
	if err := p.expect("("); err != nil {
		return nil, err
	}
	for {
		n, err := p.name()
		if err != nil {
			return nil, err
		}
		s.Columns = append(s.Columns, n)
		p.one("asc", "desc")
		if !p.symbol(",") {
			break
		}
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	if p.is("where") {
		return nil, Unsupported("a partial index")
	}
	return s, nil
}

func (p *parser) drop() (any, error) {
	p.at++
	s := &Drop{}
	switch p.one("table", "index", "sequence") {
	case "table":
	case "sequence":
		s.Sequence = true
	case "index":
		s.Index = true
		if p.is("concurrently") {
			return nil, Unsupported("DROP INDEX CONCURRENTLY")
		}
	default:
		return nil, Unsupported("DROP " + strings.ToUpper(p.peek().text))
	}
	s.IfExists = p.word("if", "exists")
	var err error
	s.Names, err = p.names()
	p.one("cascade", "restrict")
	return s, err
}

func (p *parser) lock() (any, error) {
	p.at++
	p.word("table")
	p.word("only")
	s := &Lock{Mode: "access exclusive"}
	var err error
	if s.Tables, err = p.names(); err != nil {
		return nil, err
	}
	if p.word("in") {
		var words []string
		for !p.word("mode") {
			w := p.one("access", "row", "share", "update", "exclusive")
			if w == "" {
				return nil, p.unexpected()
			}
			words = append(words, w)
		}
		s.Mode = strings.Join(words, " ")
	}
	s.NoWait = p.word("nowait")
	return s, nil
}
