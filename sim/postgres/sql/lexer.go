package sql

import (
	"fmt"
	"strings"
)

// Error is an error as a PostgreSQL server reports it.
type Error struct {
	Severity string // ERROR or FATAL
	Code     string // its SQLSTATE
	Message  string
	Detail   string
}

// Error returns the message with its severity and SQLSTATE.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s (SQLSTATE %s)", e.Severity, e.Message, e.Code)
}

// Errorf returns an error of the severity ERROR.
func Errorf(code, format string, args ...any) *Error {
	return &Error{Severity: "ERROR", Code: code, Message: fmt.Sprintf(format, args...)}
}

// Unsupported returns the error about something that is not simulated.
func Unsupported(what string) *Error {
	return Errorf("0A000", "%s is not simulated", what)
}

type kind uint8

const (
	end kind = iota
	word
	quoted // a quoted identifier
	number
	text
	parameter
	symbol
)

// token is a word, number or symbol of a text. Words are in lower case.
type token struct {
	kind  kind
	text  string
	start int
	stop  int
}

// lex returns the tokens of a text. The last one is its end.
func lex(s string) ([]token, error) {
	var list []token
	for i := 0; ; {
		i = skip(s, i)
		if i == len(s) {
			return append(list, token{kind: end, start: i, stop: i}), nil
		}
		t, err := next(s, i)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
		i = t.stop
	}
}

// skip returns where the next token begins, after space and comments.
func skip(s string, i int) int {
	for i < len(s) {
		switch {
		case strings.IndexByte(" \t\r\n\f\v", s[i]) >= 0:
			i++
		case strings.HasPrefix(s[i:], "--"):
			n := strings.IndexByte(s[i:], '\n')
			if n < 0 {
				return len(s)
			}
			i += n
		case strings.HasPrefix(s[i:], "/*"):
			n := strings.Index(s[i:], "*/")
			if n < 0 {
				return len(s)
			}
			i += n + 2
		default:
			return i
		}
	}
	return i
}

func next(s string, i int) (token, error) {
	c := s[i]
	switch {
	case letter(c):
		j := i + 1
		for j < len(s) && (letter(s[j]) || digit(s[j]) || s[j] == '$') {
			j++
		}
		return token{word, strings.ToLower(s[i:j]), i, j}, nil
	case digit(c), c == '.' && i+1 < len(s) && digit(s[i+1]):
		j := i
		for j < len(s) && (digit(s[j]) || s[j] == '.') {
			j++
		}
		if e := exponent(s[j:]); e > 0 {
			j += e
		}
		return token{number, s[i:j], i, j}, nil
	case c == '\'':
		return enclosed(s, i, text, "unterminated quoted string at or near \"%s\"")
	case c == '"':
		return enclosed(s, i, quoted, "unterminated quoted identifier at or near \"%s\"")
	case c == '$' && i+1 < len(s) && digit(s[i+1]):
		j := i + 1
		for j < len(s) && digit(s[j]) {
			j++
		}
		return token{parameter, s[i+1 : j], i, j}, nil
	}
	for _, op := range []string{"::", "<=", ">=", "<>", "!=", "||"} {
		if strings.HasPrefix(s[i:], op) {
			return token{symbol, op, i, i + 2}, nil
		}
	}
	if strings.IndexByte("()[],;.+-*/%<>=", c) >= 0 {
		return token{symbol, s[i : i+1], i, i + 1}, nil
	}
	return token{}, Errorf("42601", "syntax error at or near \"%c\"", c)
}

// enclosed returns a token between two quotes; a doubled quote is one of its characters.
func enclosed(s string, i int, k kind, unterminated string) (token, error) {
	quote := s[i]
	var b strings.Builder
	for j := i + 1; j < len(s); j++ {
		if s[j] != quote {
			b.WriteByte(s[j])
			continue
		}
		if j+1 < len(s) && s[j+1] == quote {
			b.WriteByte(quote)
			j++
			continue
		}
		return token{k, b.String(), i, j + 1}, nil
	}
	return token{}, Errorf("42601", unterminated, s[i:])
}

// exponent returns the length of an exponent such as e-3, 0 if there is none.
func exponent(s string) int {
	if s == "" || s[0] != 'e' && s[0] != 'E' {
		return 0
	}
	i := 1
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	first := i
	for i < len(s) && digit(s[i]) {
		i++
	}
	if i == first {
		return 0
	}
	return i
}

func letter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
