package sql

import (
	"strconv"
	"strings"
)

// createSequence reads CREATE SEQUENCE after these words.
func (p *parser) createSequence() (any, error) {
	t := &CreateTable{IfNotExists: p.word("if", "not", "exists"), Sequence: &Sequence{Start: 1}}
	var err error
	if t.Name, err = p.table(); err != nil {
		return nil, err
	}
	for p.peek().kind == word {
		switch {
		case p.word("start"):
			p.word("with")
			t.Sequence.Start, err = p.positive()
		case p.word("owned", "by", "none"):
			t.Sequence.Owner = nil
		case p.word("owned", "by"):
			t.Sequence.Owner, err = p.ownerColumn()
		case p.word("cycle"), p.word("no", "cycle"), p.word("no", "minvalue"), p.word("no", "maxvalue"): // the last value is out of reach
		default:
			err = Unsupported("CREATE SEQUENCE with " + strings.ToUpper(p.peek().text))
		}
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// ownerColumn reads TABLE.COLUMN.
func (p *parser) ownerColumn() (*Column, error) {
	table, err := p.name()
	if err != nil {
		return nil, err
	}
	if err := p.expect("."); err != nil {
		return nil, err
	}
	name, err := p.name()
	return &Column{Table: table, Name: name}, err
}

// alterSequence reads ALTER SEQUENCE ... RESTART.
func (p *parser) alterSequence() (any, error) {
	if !p.word("alter", "sequence") {
		return nil, Unsupported("ALTER")
	}
	s := &RestartSequence{IfExists: p.word("if", "exists")}
	var err error
	if s.Name, err = p.table(); err != nil {
		return nil, err
	}
	if !p.word("restart") {
		return nil, Unsupported("ALTER SEQUENCE without RESTART")
	}
	if p.word("with") || p.peek().kind == number {
		s.With, err = p.positive()
	}
	return s, err
}

// positive reads an integer above 0.
func (p *parser) positive() (int64, error) {
	t := p.peek()
	n, err := strconv.ParseInt(t.text, 10, 64)
	if t.kind != number || err != nil || n == 0 {
		return 0, Unsupported("a sequence that begins with " + t.text)
	}
	p.at++
	return n, nil
}
