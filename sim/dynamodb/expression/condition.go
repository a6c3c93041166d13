package expression

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/sim/dynamodb/attribute"
)

// Condition is a condition expression.
type Condition struct {
	// op is AND, OR, NOT, a comparison, BETWEEN, IN, or the name of a function.
	op    string
	parts []*Condition // of AND, OR and NOT
	args  []operand    // of the others
}

// operand is an operand of a comparison or a function: a path, a value, or the size of an operand.
type operand struct {
	path  Path
	value *attribute.Value
	size  *operand
}

// kind returns the kind of the operand, "" if that depends on the item.
func (o *operand) kind() attribute.Kind {
	switch {
	case o.size != nil:
		return attribute.Number
	case o.value != nil:
		return o.value.Kind
	}
	return ""
}

// The functions of conditions.
const (
	attributeExists    = "attribute_exists"
	attributeNotExists = "attribute_not_exists"
	attributeType      = "attribute_type"
	beginsWith         = "begins_with"
	contains           = "contains"
	size               = "size"
)

// operands returns the number of operands of a function, 0 if there is no such function.
func operands(function string) int {
	switch function {
	case attributeExists, attributeNotExists, size:
		return 1
	case attributeType, beginsWith, contains:
		return 2
	}
	return 0
}

// ParseCondition parses a condition expression.
func ParseCondition(text string, names *Placeholders) (*Condition, error) {
	p, err := newParser(text, names)
	if err != nil {
		return nil, err
	}
	c := &conditions{parser: p}
	p.reserved = rankReserved
	p.undefined = func(_ bool, text string) { c.own.add(rankUndefined, text) }
	condition, err := c.or()
	if err != nil {
		return nil, err
	}
	return condition, p.end()
}

// conditions parses a condition. The errors of one comparison or function have ranks of their own;
// the first comparison with an error counts.
type conditions struct {
	*parser
	own faults // of the present comparison or function
}

// The ranks of the errors of a condition.
const (
	rankParens = iota + 1
	rankFunction
	rankMisused
	rankReserved
	rankCondition
)

// The ranks of the errors of one comparison.
const (
	rankUndefined = iota + 1
	rankOperands
	rankDistinct
	rankOperandKind
)

func (c *conditions) or() (*Condition, error) { return c.joined("OR", c.and) }

func (c *conditions) and() (*Condition, error) { return c.joined("AND", c.not) }

// joined parses conditions with a word between them.
func (c *conditions) joined(word string, next func() (*Condition, error)) (*Condition, error) {
	first, err := next()
	if err != nil {
		return nil, err
	}
	all := []*Condition{first}
	for c.takeIf(word) {
		other, err := next()
		if err != nil {
			return nil, err
		}
		all = append(all, other)
	}
	if len(all) == 1 {
		return first, nil
	}
	return &Condition{op: word, parts: all}, nil
}

func (c *conditions) not() (*Condition, error) {
	if c.takeIf("NOT") {
		inner, err := c.not()
		if err != nil {
			return nil, err
		}
		return &Condition{op: "NOT", parts: []*Condition{inner}}, nil
	}
	if !c.takeIf("(") {
		return c.simple()
	}
	opened := c.next
	inner, err := c.or()
	if err != nil {
		return nil, err
	}
	if c.tokens[opened].text == "(" && c.closes(opened) == c.next-1 {
		c.add(rankParens, "The expression has redundant parentheses;")
	}
	return inner, c.expect(")")
}

// closes returns the index of the parenthesis that closes the one with an index.
func (c *conditions) closes(open int) int {
	depth := 0
	for n := open; n < len(c.tokens); n++ {
		switch c.tokens[n].text {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth == 0 {
			return n
		}
	}
	return -1
}

// simple parses a comparison or a function.
func (c *conditions) simple() (*Condition, error) {
	c.own = faults{}
	condition, err := c.comparison()
	if err != nil {
		return nil, err
	}
	if c.own.err != nil {
		c.add(rankCondition, c.own.err.Error())
	}
	return condition, nil
}

func (c *conditions) comparison() (*Condition, error) {
	if operands(c.peek()) > 0 && c.peek() != size && c.ahead(1) == "(" || c.isUnknownFunction() {
		name := c.take()
		args, err := c.arguments()
		if err != nil {
			return nil, err
		}
		c.checkFunction(name, args)
		return &Condition{op: name, args: args}, nil
	}
	first, err := c.operand()
	if err != nil {
		return nil, err
	}
	switch op := c.peek(); {
	case slices.Contains([]string{"=", "<>", "<", "<=", ">", ">="}, op):
		c.take()
		second, err := c.operand()
		if err != nil {
			return nil, err
		}
		args := []operand{first, second}
		c.checkDistinct(op, args)
		if op != "=" && op != "<>" {
			c.checkOrdered(op, args)
		}
		return &Condition{op: op, args: args}, nil
	case c.takeIf("BETWEEN"):
		return c.between(first)
	case c.takeIf("IN"):
		args, err := c.arguments()
		if err != nil {
			return nil, err
		}
		const most = 100
		if len(args) > most {
			c.own.add(rankOperands, fmt.Sprintf("Invalid number of operands for operator or function; operator or function: IN, number of operands: %d", len(args)+1))
		}
		return &Condition{op: "IN", args: append([]operand{first}, args...)}, nil
	case first.size != nil: // size(a) is no condition
		c.add(rankMisused, "The function is not allowed to be used this way in an expression; function: "+size)
		return &Condition{op: size}, nil
	}
	return nil, c.unexpected(c.next)
}

// isUnknownFunction reports whether a function follows that does not exist.
func (c *conditions) isUnknownFunction() bool {
	word := c.peek()
	if word == "" || !isLetter(word[0]) || c.ahead(1) != "(" || operands(word) > 0 {
		return false
	}
	c.add(rankFunction, "Invalid function name; function: "+word)
	return true
}

func (c *conditions) between(first operand) (*Condition, error) {
	low, err := c.operand()
	if err != nil {
		return nil, err
	}
	if err := c.expect("AND"); err != nil {
		return nil, err
	}
	high, err := c.operand()
	if err != nil {
		return nil, err
	}
	c.checkBounds(low, high)
	return &Condition{op: "BETWEEN", args: []operand{first, low, high}}, nil
}

// arguments parses operands in parentheses.
func (c *conditions) arguments() ([]operand, error) {
	if err := c.expect("("); err != nil {
		return nil, err
	}
	var all []operand
	for {
		o, err := c.operand()
		if err != nil {
			return nil, err
		}
		all = append(all, o)
		if !c.takeIf(",") {
			return all, c.expect(")")
		}
	}
}

func (c *conditions) operand() (operand, error) {
	word := c.peek()
	switch {
	case strings.HasPrefix(word, ":"):
		v := c.value()
		return operand{value: &v}, nil
	case operands(word) > 0 && c.ahead(1) == "(":
		c.take()
		args, err := c.arguments()
		if err != nil {
			return operand{}, err
		}
		if word != size {
			c.add(rankMisused, "The function is not allowed to be used this way in an expression; function: "+word)
			return operand{value: &attribute.Value{Kind: attribute.Bool}}, nil
		}
		c.checkFunction(size, args)
		return operand{size: &args[0]}, nil
	case c.isUnknownFunction():
		c.take()
		_, err := c.arguments()
		return operand{value: &attribute.Value{}}, err
	}
	path, err := c.path()
	return operand{path: path}, err
}
