package packaging_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// contexts has the values that the expressions of a workflow can name, such as "inputs.seeds".
type contexts map[string]string

// text evaluates the expressions in a text.
func (c contexts) text(t *testing.T, text string) string {
	t.Helper()
	return regexp.MustCompile(`\$\{\{(.*?)\}\}`).ReplaceAllStringFunc(text, func(found string) string {
		value, err := c.expression(strings.TrimSuffix(strings.TrimPrefix(found, "${{"), "}}"))
		if err != nil {
			t.Fatalf("%s: %v", found, err)
		}
		return value
	})
}

// condition evaluates an if, with or without its braces.
func (c contexts) condition(t *testing.T, text string) bool {
	t.Helper()
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "${{"), "}}")
	value, err := c.expression(text)
	if err != nil {
		t.Fatalf("if: %s: %v", text, err)
	}
	return value != ""
}

// expression evaluates the part of GitHub's language that the action uses: names, strings, always(),
// ==, !=, && and ||. False is "", and true is "true".
func (c contexts) expression(text string) (string, error) {
	p := parser{known: c, rest: regexp.MustCompile(`'[^']*'|[\w.-]+(?:\(\))?|==|!=|&&|\|\||\S`).FindAllString(text, -1)}
	value := p.or()
	if p.err == nil && len(p.rest) > 0 {
		p.err = fmt.Errorf("what is %q?", p.rest[0])
	}
	return value, p.err
}

type parser struct {
	known contexts
	rest  []string
	err   error
}

// take removes the next token if it is one of these.
func (p *parser) take(tokens ...string) string {
	for _, token := range tokens {
		if len(p.rest) > 0 && p.rest[0] == token {
			p.rest = p.rest[1:]
			return token
		}
	}
	return ""
}

func (p *parser) or() string {
	value := p.and()
	for p.take("||") != "" {
		if other := p.and(); value == "" {
			value = other
		}
	}
	return value
}

func (p *parser) and() string {
	value := p.compare()
	for p.take("&&") != "" {
		if other := p.compare(); value != "" {
			value = other
		}
	}
	return value
}

func (p *parser) compare() string {
	value := p.value()
	operator := p.take("==", "!=")
	if operator == "" {
		return value
	}
	if (value == p.value()) == (operator == "==") {
		return "true"
	}
	return ""
}

func (p *parser) value() string {
	if len(p.rest) == 0 {
		p.err = fmt.Errorf("a value is missing")
		return ""
	}
	token := p.rest[0]
	p.rest = p.rest[1:]
	if strings.HasPrefix(token, "'") {
		return strings.Trim(token, "'")
	}
	if token == "always()" {
		return "true"
	}
	value, known := p.known[token]
	if !known && p.err == nil {
		p.err = fmt.Errorf("the test knows no %q", token)
	}
	return value
}

func TestExpressions(t *testing.T) {
	c := contexts{"inputs.a": "", "inputs.b": "b", "github.event_name": "push"}
	for text, want := range map[string]string{
		"inputs.a || inputs.b":                           "b",
		"inputs.b || inputs.a":                           "b",
		"inputs.a && inputs.b":                           "",
		"github.event_name == 'push' && 'x' || ''":       "x",
		"inputs.a || github.event_name != 'push' && 'x'": "",
		"always()": "true",
	} {
		if got, err := c.expression(text); err != nil || got != want {
			t.Errorf("%s: got %q and %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"inputs.c", "hashFiles('go.sum')", "inputs.a ||", "inputs.a inputs.b", "github.event_name > 'a'"} {
		if got, err := c.expression(text); err == nil {
			t.Errorf("%s is not refused: %q", text, got)
		}
	}
}
