package sql

import "strings"

// parser reads the tokens of a text.
type parser struct {
	source string
	tokens []token
	at     int
}

// Parse returns the statements of a text. Empty statements are left out.
func Parse(source string) ([]Query, error) {
	tokens, err := lex(source)
	if err != nil {
		return nil, err
	}
	p := &parser{source: source, tokens: tokens}
	var list []Query
	for {
		for p.symbol(";") {
		}
		if p.peek().kind == end {
			return list, nil
		}
		start := p.peek().start
		with, err := p.with()
		if err != nil {
			return nil, err
		}
		s, err := p.statement()
		if err != nil {
			return nil, err
		}
		last := p.tokens[p.at-1].stop
		if p.peek().kind != end && !p.symbol(";") {
			return nil, p.unexpected()
		}
		list = append(list, Query{source[start:last], with, s})
	}
}

func (p *parser) peek() token { return p.tokens[p.at] }

// ahead returns the token n places ahead.
func (p *parser) ahead(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

// is reports whether the next tokens are these words.
func (p *parser) is(words ...string) bool {
	for i, w := range words {
		if t := p.ahead(i); t.kind != word || t.text != w {
			return false
		}
	}
	return true
}

// word skips these words if they are next.
func (p *parser) word(words ...string) bool {
	if !p.is(words...) {
		return false
	}
	p.at += len(words)
	return true
}

// one skips the next word if it is one of these, and returns it, or "".
func (p *parser) one(words ...string) string {
	for _, w := range words {
		if p.word(w) {
			return w
		}
	}
	return ""
}

func (p *parser) symbol(s string) bool {
	if t := p.peek(); t.kind != symbol || t.text != s {
		return false
	}
	p.at++
	return true
}

func (p *parser) expectWord(words ...string) error {
	for _, w := range words {
		if !p.word(w) {
			return p.unexpected()
		}
	}
	return nil
}

func (p *parser) expect(s string) error {
	if !p.symbol(s) {
		return p.unexpected()
	}
	return nil
}

// unexpected returns the syntax error about the next token.
func (p *parser) unexpected() error {
	t := p.peek()
	if t.kind == end {
		return Errorf("42601", "syntax error at end of input")
	}
	return Errorf("42601", "syntax error at or near \"%s\"", p.source[t.start:t.stop])
}

// reserved reports whether a word cannot name a table, a column or an alias.
func reserved(w string) bool {
	switch w {
	case "all", "and", "as", "asc", "case", "cast", "check", "constraint", "create", "current_timestamp", "default", "desc", "distinct", "do", "else", "end",
		"except", "false", "fetch", "for", "foreign", "from", "grant", "group", "having", "in", "intersect", "into", "is", "join", "inner", "left",
		"right", "full", "cross", "natural", "limit", "not", "null", "offset", "on", "or", "order", "primary", "references", "returning", "select",
		"set", "table", "then", "to", "true", "union", "unique", "user", "using", "when", "where", "window", "with", "like", "ilike", "between":
		return true
	}
	return false
}

// name reads the name of a table, a column or anything else.
func (p *parser) name() (string, error) {
	t := p.peek()
	if t.kind == quoted || t.kind == word && (!reserved(t.text) || t.text == "set" && p.at > 0 && p.ahead(-1).text == ".") {
		p.at++
		return t.text, nil
	}
	return "", p.unexpected()
}

// InformationSchema is the schema of views of the system catalogue. It remains a part of their names.
const InformationSchema = "information_schema"

// table reads the name of a table. The schemas public and pg_catalog may precede it.
func (p *parser) table() (string, error) {
	schema, err := p.name()
	if err != nil || !p.symbol(".") {
		return schema, err
	}
	n, err := p.name()
	switch schema {
	case "public", "pg_catalog":
		return n, err
	case InformationSchema:
		return schema + "." + n, err
	}
	return "", Unsupported("schema " + schema)
}

func (p *parser) names() ([]string, error) {
	var list []string
	for {
		n, err := p.table()
		if err != nil {
			return nil, err
		}
		list = append(list, n)
		if !p.symbol(",") {
			return list, nil
		}
	}
}

// columns reads (a, b).
func (p *parser) columns() ([]string, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	list, err := p.names()
	if err != nil {
		return nil, err
	}
	return list, p.expect(")")
}

func (p *parser) statement() (any, error) {
	t := p.peek()
	switch t.text {
	case "select", "values", "table":
		if t.text != "select" {
			return nil, Unsupported(strings.ToUpper(t.text))
		}
		return p.query()
	case "insert":
		return p.insert()
	case "update":
		return p.update()
	case "delete":
		return p.delete()
	case "create":
		return p.create()
	case "drop":
		return p.drop()
	case "truncate":
		p.at++
		p.word("table")
		list, err := p.names()
		return &Truncate{list}, err
	case "alter":
		return p.alterSequence()
	case "lock":
		return p.lock()
	case "begin", "start", "commit", "end", "rollback", "abort":
		return p.transaction()
	case "set", "reset", "show", "discard":
		return p.setting()
	case "savepoint", "release", "prepare", "execute", "deallocate", "declare", "fetch", "move", "close", "copy", "listen", "notify", "unlisten",
		"do", "explain", "analyze", "vacuum", "merge", "call", "comment", "grant", "revoke", "checkpoint", "cluster", "reindex", "refresh":
		return nil, Unsupported(strings.ToUpper(t.text))
	}
	return nil, p.unexpected()
}
