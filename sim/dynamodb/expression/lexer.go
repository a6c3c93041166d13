package expression

import (
	"fmt"
	"strings"
)

// Error is the error of an expression that the server refuses. Its text is that of the server, without
// the kind of the expression.
type Error string

func (e Error) Error() string { return string(e) }

// token is a word, a number, a placeholder or an operator; "" at the end.
type token struct {
	text     string
	from, to int // its place in the expression
}

// lexer reads an expression token by token.
type lexer struct {
	text   string
	tokens []token
	next   int
}

// newLexer splits an expression into tokens.
func newLexer(text string) (*lexer, error) {
	const usual = 5 // bytes of a token with the space behind it
	l := &lexer{text: text, tokens: make([]token, 0, len(text)/usual+1)}
	for at := 0; at < len(text); {
		n := length(text[at:])
		switch {
		case isSpace(text[at]):
			at++
			continue
		case n == 0:
			l.tokens = append(l.tokens, token{text[at : at+1], at, at + 1})
			return l, l.unexpected(len(l.tokens) - 1)
		}
		l.tokens = append(l.tokens, token{text[at : at+n], at, at + n})
		at += n
	}
	return l, nil
}

func isSpace(c byte) bool { return strings.IndexByte(" \t\r\n", c) >= 0 }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isLetter reports whether a name may begin with c.
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

// length returns the length of the token at the begin of the text, 0 if there is none.
func length(text string) int {
	run := func(from int, is func(byte) bool) int {
		n := from
		for n < len(text) && is(text[n]) {
			n++
		}
		return n
	}
	inName := func(c byte) bool { return isLetter(c) || isDigit(c) }
	switch c := text[0]; {
	case isLetter(c):
		return run(0, inName)
	case isDigit(c):
		return run(0, isDigit)
	case c == '#' || c == ':':
		if n := run(1, inName); n > 1 {
			return n
		}
		return 0
	case strings.HasPrefix(text, "<>"), strings.HasPrefix(text, "<="), strings.HasPrefix(text, ">="):
		return len("<>")
	case strings.IndexByte("()[],.=<>+-", c) >= 0:
		return 1
	}
	return 0
}

// peek returns the next token.
func (l *lexer) peek() string { return l.ahead(0) }

// ahead returns the nth token after the next one.
func (l *lexer) ahead(n int) string {
	if l.next+n < len(l.tokens) {
		return l.tokens[l.next+n].text
	}
	return ""
}

// take returns the next token and goes on to the one after it.
func (l *lexer) take() string {
	text := l.peek()
	l.next++
	return text
}

// takeIf takes the next token if it is text, in upper or lower case.
func (l *lexer) takeIf(text string) bool {
	if !strings.EqualFold(l.peek(), text) || l.peek() == "" {
		return false
	}
	l.next++
	return true
}

// expect takes the next token, which has to be text.
func (l *lexer) expect(text string) error {
	if !l.takeIf(text) {
		return l.unexpected(l.next)
	}
	return nil
}

// unexpected returns the error of the token with this index.
func (l *lexer) unexpected(at int) error {
	word, from, to := "<EOF>", len(l.text), len(l.text)
	if at < len(l.tokens) {
		word, from, to = l.tokens[at].text, l.tokens[at].from, l.tokens[at].to
	}
	if at > 0 && at <= len(l.tokens) {
		from = l.tokens[at-1].from
	}
	if at+1 < len(l.tokens) {
		to = l.tokens[at+1].to
	}
	return Error(fmt.Sprintf("Syntax error; token: %q, near: %q", word, l.text[from:to]))
}
