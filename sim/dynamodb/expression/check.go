package expression

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/sim/dynamodb/attribute"
)

// The errors of operands. The server reports them before it reads an item.

// incorrect returns the error of an operand of the wrong kind.
func incorrect(what, name string, kind any) string {
	return fmt.Sprintf("Incorrect operand type for operator or function; %s: %s, operand type: %s", what, name, kind)
}

const operatorOrFunction = "operator or function"

// checkFunction checks the operands of a function.
func (c *conditions) checkFunction(name string, args []operand) {
	n := operands(name)
	switch {
	case n == 0: // it does not exist
		return
	case len(args) != n:
		c.own.add(rankOperands, fmt.Sprintf("Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d", name, len(args)))
		return
	}
	c.checkDistinct(name, args)
	wrong := func(kind any) { c.own.add(rankOperandKind, incorrect(operatorOrFunction, name, kind)) }
	switch name {
	case attributeExists, attributeNotExists:
		if args[0].path == nil {
			c.own.add(rankOperandKind, "Operator or function requires a document path; operator or function: "+name)
		}
	case beginsWith:
		for _, a := range args {
			if kind := a.kind(); kind != "" && kind != attribute.String && kind != attribute.Binary {
				wrong(kind)
			}
		}
	case attributeType:
		c.checkType(args[1], wrong)
	case size:
		if kind := args[0].kind(); kind == attribute.Number || kind == attribute.Bool || kind == attribute.Null {
			wrong(kind)
		}
	}
}

// checkType checks the operand of attribute_type that names a kind.
func (c *conditions) checkType(o operand, wrong func(kind any)) {
	switch {
	case o.kind() == "":
		wrong("{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")
	case o.kind() != attribute.String:
		wrong(o.kind())
	case !slices.Contains(strings.Split("B,NULL,SS,BOOL,L,BS,N,NS,S,M", ","), o.value.Text):
		c.own.add(rankOperandKind, fmt.Sprintf("Invalid attribute type name found; type: %s, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}", o.value.Text))
	}
}

// checkDistinct checks that two operands are not the same path.
func (c *conditions) checkDistinct(name string, args []operand) {
	if len(args) == 2 && args[0].path != nil && slices.Equal(args[0].path, args[1].path) {
		c.own.add(rankDistinct, fmt.Sprintf("The first operand must be distinct from the remaining operands for this operator or function; operator: %s, first operand: %s", name, args[0].path))
	}
}

// checkOrdered checks that operands have an order.
func (c *conditions) checkOrdered(op string, args []operand) {
	for _, a := range args {
		if kind := a.kind(); kind != "" && !kind.Ordered() {
			c.own.add(rankOperandKind, incorrect("operator", op, kind))
		}
	}
}

// checkBounds checks the bounds of BETWEEN.
func (c *conditions) checkBounds(low, high operand) {
	if low.value == nil || high.value == nil {
		return
	}
	text := ""
	switch {
	case low.kind() != high.kind():
		text = "requires same data type for lower and upper bounds"
	case low.kind().Ordered() && low.value.Compare(*high.value) > 0:
		text = "requires upper bound to be greater than or equal to lower bound"
	default:
		return
	}
	show := func(o operand) string { return fmt.Sprintf("AttributeValue: {%s:%s}", o.kind(), o.value.Text) }
	c.own.add(rankOperandKind, fmt.Sprintf("The BETWEEN operator %s; lower bound operand: %s, upper bound operand: %s", text, show(low), show(high)))
}
