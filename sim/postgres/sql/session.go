package sql

func (p *parser) transaction() (any, error) {
	first := p.peek().text
	p.at++
	t := &Transaction{Verb: first}
	switch first {
	case "start":
		t.Verb, t.Word = "begin", "START"
		if err := p.expectWord("transaction"); err != nil {
			return nil, err
		}
	case "end":
		t.Verb = "commit"
	case "abort":
		t.Verb = "rollback"
	}
	if first != "start" {
		p.one("transaction", "work")
	}
	if t.Verb == "begin" {
		return t, p.modes(t)
	}
	if p.is("to") {
		return nil, Unsupported("ROLLBACK TO SAVEPOINT")
	}
	if p.is("prepared") {
		return nil, Unsupported("PREPARED TRANSACTION")
	}
	if p.word("and") {
		no := p.word("no")
		if err := p.expectWord("chain"); err != nil {
			return nil, err
		}
		if !no {
			return nil, Unsupported("AND CHAIN")
		}
	}
	return t, nil
}

// modes reads the modes of a transaction.
func (p *parser) modes(t *Transaction) error {
	for {
		switch {
		case p.word("isolation"):
			if err := p.expectWord("level"); err != nil {
				return err
			}
			switch {
			case p.word("read", "committed"):
				t.Isolation = "read committed"
			case p.word("read", "uncommitted"):
				t.Isolation = "read uncommitted"
			case p.word("repeatable", "read"):
				t.Isolation = "repeatable read"
			case p.is("serializable"):
				return Unsupported("ISOLATION LEVEL SERIALIZABLE")
			default:
				return p.unexpected()
			}
		case p.word("read", "only"):
			t.ReadOnly = true
		case p.word("read", "write"):
			t.ReadOnly = false
		case p.word("not", "deferrable"), p.word("deferrable"):
		default:
			return nil
		}
		p.symbol(",")
	}
}

func (p *parser) setting() (any, error) {
	verb := p.peek().text
	p.at++
	s := &Set{}
	switch verb {
	case "discard":
		return &Discard{}, p.expectWord("all")
	case "show":
		n, err := p.settingName()
		return &Show{n}, err
	case "reset":
		s.Word, s.Reset = "RESET", true
		if p.word("all") {
			s.Name = "all"
			return s, nil
		}
		n, err := p.settingName()
		s.Name = n
		return s, err
	}
	s.Local = p.one("local", "session") == "local"
	switch {
	case p.is("characteristics"):
		return nil, Unsupported("SET SESSION CHARACTERISTICS")
	case p.is("transaction") && p.ahead(1).kind == word && p.ahead(1).text != "to":
		p.at++
		t := &Transaction{Verb: "set"}
		return t, p.modes(t)
	}
	n, err := p.settingName()
	if err != nil {
		return nil, err
	}
	s.Name = n
	if !p.symbol("=") && !p.word("to") {
		return nil, p.unexpected()
	}
	if s.Reset = p.word("default"); s.Reset {
		return s, nil
	}
	minus := p.symbol("-")
	t := p.peek()
	if t.kind == end || t.kind == symbol || t.kind == parameter {
		return nil, p.unexpected()
	}
	p.at++
	s.Value = t.text
	if minus {
		s.Value = "-" + s.Value
	}
	return s, nil
}

// settingName reads the name of a setting, which may have a dot.
func (p *parser) settingName() (string, error) {
	if p.word("transaction", "isolation", "level") {
		return "transaction_isolation", nil
	}
	n, err := p.name()
	if err == nil && p.symbol(".") {
		var rest string
		rest, err = p.name()
		n += "." + rest
	}
	return n, err
}
