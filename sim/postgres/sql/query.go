package sql

import "strings"

// with reads the tables of WITH.
func (p *parser) with() ([]CommonTable, error) {
	if !p.word("with") {
		return nil, nil
	}
	if p.is("recursive") {
		return nil, Unsupported("WITH RECURSIVE")
	}
	var list []CommonTable
	for {
		n, err := p.name()
		if err != nil {
			return nil, err
		}
		if t := p.peek(); t.kind == symbol && t.text == "(" {
			return nil, Unsupported("names of columns in WITH")
		}
		if err := p.expectWord("as"); err != nil {
			return nil, err
		}
		p.word("not")
		p.word("materialized")
		if w := p.ahead(1); w.kind == word && w.text != "select" {
			return nil, Unsupported("WITH of another statement than SELECT")
		}
		s, err := p.parenthesized()
		if err != nil {
			return nil, err
		}
		list = append(list, CommonTable{n, s})
		if !p.symbol(",") {
			break
		}
	}
	switch p.peek().text {
	case "select", "insert", "update", "delete":
		return list, nil
	}
	return nil, p.unexpected()
}

// query reads a SELECT.
func (p *parser) query() (*Select, error) {
	if err := p.expectWord("select"); err != nil {
		return nil, err
	}
	if p.is("distinct") {
		return nil, Unsupported("DISTINCT")
	}
	p.word("all")
	s := &Select{}
	var err error
	if s.Targets, err = p.targets(); err != nil {
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
	if err := p.refuse("group", "having", "window", "union", "intersect", "except"); err != nil {
		return nil, err
	}
	if p.word("order", "by") {
		if s.OrderBy, err = p.orders(); err != nil {
			return nil, err
		}
	}
	for {
		switch {
		case p.word("limit"):
			if p.word("all") {
				continue
			}
			if s.Limit, err = p.expr(); err != nil {
				return nil, err
			}
		case p.word("for"):
			if s.Locking != nil {
				return nil, Unsupported("a second FOR clause")
			}
			if s.Locking, err = p.locking(s.From); err != nil {
				return nil, err
			}
		case p.is("offset"), p.is("fetch"):
			return nil, p.refuse("offset", "fetch")
		default:
			return s, p.refuse("union", "intersect", "except")
		}
	}
}

// refuse returns the error about the next word if it is one of these.
func (p *parser) refuse(words ...string) error {
	for _, w := range words {
		if p.is(w) {
			return Unsupported(strings.ToUpper(w))
		}
	}
	return nil
}

func (p *parser) targets() ([]Target, error) {
	var list []Target
	for {
		if p.symbol("*") {
			list = append(list, Target{Expr: &Column{Name: "*"}})
		} else {
			e, err := p.expr()
			if err != nil {
				return nil, err
			}
			t := Target{Expr: e}
			if p.word("as") {
				n := p.peek()
				if n.kind != word && n.kind != quoted {
					return nil, p.unexpected()
				}
				t.Name = n.text
				p.at++
			} else if n := p.peek(); n.kind == quoted || n.kind == word && !reserved(n.text) {
				t.Name = n.text
				p.at++
			}
			list = append(list, t)
		}
		if !p.symbol(",") {
			return list, nil
		}
	}
}

func (p *parser) returning() ([]Target, error) {
	if !p.word("returning") {
		return nil, nil
	}
	return p.targets()
}

// from reads the table of a SELECT.
func (p *parser) from() (*Table, error) {
	if t := p.peek(); t.kind == symbol && t.text == "(" {
		return nil, Unsupported("a subselect in FROM")
	}
	t, err := p.aliased()
	if err != nil {
		return nil, err
	}
	if n := p.peek(); n.kind == symbol && (n.text == "," || n.text == "(") {
		if n.text == "(" {
			return nil, Unsupported("a function in FROM")
		}
		return nil, Unsupported("a second table in FROM")
	}
	return &t, p.refuse("join", "inner", "left", "right", "full", "cross", "natural")
}

// aliased reads a table with its alias.
func (p *parser) aliased() (Table, error) {
	p.word("only")
	n, err := p.table()
	if err != nil {
		return Table{}, err
	}
	t := Table{n, n}
	if p.word("as") {
		t.Alias, err = p.name()
	} else if next := p.peek(); next.kind == quoted || next.kind == word && !reserved(next.text) {
		t.Alias, err = p.name()
	}
	return t, err
}

func (p *parser) where() (Expr, error) {
	if !p.word("where") {
		return nil, nil
	}
	return p.expr()
}

func (p *parser) orders() ([]Order, error) {
	var list []Order
	for {
		e, err := p.expr()
		if err != nil {
			return nil, err
		}
		o := Order{Expr: e, Descending: p.one("asc", "desc") == "desc"}
		o.NullsFirst = o.Descending
		if p.word("nulls") {
			which := p.one("first", "last")
			if which == "" {
				return nil, p.unexpected()
			}
			o.NullsFirst = which == "first"
		}
		list = append(list, o)
		if !p.symbol(",") {
			return list, nil
		}
	}
}

// locking reads what follows FOR.
func (p *parser) locking(from *Table) (*Locking, error) {
	l := &Locking{}
	for _, strength := range []string{"update", "no key update", "share", "key share"} {
		if p.word(strings.Fields(strength)...) {
			l.Strength = strength
			break
		}
	}
	if l.Strength == "" {
		return nil, p.unexpected()
	}
	if l.Named = p.word("of"); l.Named {
		n, err := p.name()
		if err != nil {
			return nil, err
		}
		if from == nil || n != from.Alias {
			return nil, Errorf("42P01", "relation \"%s\" in FOR %s clause not found in FROM clause", n, strings.ToUpper(l.Strength))
		}
	}
	switch {
	case p.word("nowait"):
		l.Policy = "nowait"
	case p.word("skip", "locked"):
		l.Policy = "skip locked"
	}
	return l, nil
}
