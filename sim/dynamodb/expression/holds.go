package expression

import (
	"slices"
	"strconv"
	"strings"

	"lockquake/sim/dynamodb/attribute"
)

// Holds reports whether the condition holds for an item; nil if it does not exist.
func (c *Condition) Holds(item attribute.Item) bool {
	holds := func(part *Condition) bool { return part.Holds(item) }
	switch c.op {
	case "AND":
		return !slices.ContainsFunc(c.parts, func(part *Condition) bool { return !part.Holds(item) })
	case "OR":
		return slices.ContainsFunc(c.parts, holds)
	case "NOT":
		return !c.parts[0].Holds(item)
	}
	values := make([]*attribute.Value, len(c.args))
	for n := range c.args {
		values[n] = c.args[n].of(item)
	}
	first, rest := values[0], values[1:]
	switch c.op {
	case attributeExists:
		return first != nil
	case attributeNotExists:
		return first == nil
	case "<>": // also if one of them is missing
		return !equal(first, rest[0])
	case "IN":
		return slices.ContainsFunc(rest, func(v *attribute.Value) bool { return equal(first, v) })
	case "BETWEEN":
		return ordered(rest[0], first) && rest[0].Compare(*first) <= 0 && ordered(first, rest[1]) && first.Compare(*rest[1]) <= 0
	}
	return first != nil && rest[0] != nil && c.compares(*first, *rest[0])
}

// compares reports whether a comparison or a function holds for two values.
func (c *Condition) compares(a, b attribute.Value) bool {
	switch c.op {
	case "=":
		return a.Equal(b)
	case "<":
		return ordered(&a, &b) && a.Compare(b) < 0
	case "<=":
		return ordered(&a, &b) && a.Compare(b) <= 0
	case ">":
		return ordered(&a, &b) && a.Compare(b) > 0
	case ">=":
		return ordered(&a, &b) && a.Compare(b) >= 0
	case attributeType:
		return b.Text == string(a.Kind)
	case beginsWith:
		return a.Kind == b.Kind && isText(a) && strings.HasPrefix(a.Text, b.Text)
	case contains:
		if a.Kind == attribute.List {
			return slices.ContainsFunc(a.List, b.Equal)
		}
		return a.Kind == b.Kind && isText(a) && strings.Contains(a.Text, b.Text)
	}
	return false
}

func isText(v attribute.Value) bool { return v.Kind == attribute.String || v.Kind == attribute.Binary }

func equal(a, b *attribute.Value) bool {
	return a != nil && b != nil && a.Equal(*b)
}

// ordered reports whether two values exist and have an order.
func ordered(a, b *attribute.Value) bool {
	return a != nil && b != nil && a.Kind == b.Kind && a.Kind.Ordered()
}

// of returns the value of the operand, nil if it is missing.
func (o *operand) of(item attribute.Item) *attribute.Value {
	switch {
	case o.value != nil:
		return o.value
	case o.size != nil:
		return sizeOf(o.size.of(item))
	}
	if v, found := o.path.In(item); found {
		return &v
	}
	return nil
}

// sizeOf returns the size of a value, nil if it has none.
func sizeOf(v *attribute.Value) *attribute.Value {
	if v == nil {
		return nil
	}
	n := 0
	switch v.Kind {
	case attribute.String, attribute.Binary:
		n = len(v.Text)
	case attribute.List:
		n = len(v.List)
	case attribute.Map:
		n = len(v.Map)
	default:
		return nil
	}
	return &attribute.Value{Kind: attribute.Number, Text: strconv.Itoa(n)}
}
