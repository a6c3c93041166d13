package table

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockquake/sim/dynamodb/attribute"
	"lockquake/sim/dynamodb/expression"
)

// The values that a write can return.
const (
	returnNone       = "NONE"
	returnAllOld     = "ALL_OLD"
	returnAllNew     = "ALL_NEW"
	returnUpdatedOld = "UPDATED_OLD"
	returnUpdatedNew = "UPDATED_NEW"
)

// write is a request that writes one item, or checks it.
type write struct {
	*Request
	table     *table
	key       string
	condition *expression.Condition // nil: none
	update    *expression.Update    // of UpdateItem; nil: it changes nothing
}

// prepare checks a write before it reads the item.
func (s *Store) prepare(r *Request) (*write, error) {
	w := &write{Request: r}
	if err := r.checkReturns(); err != nil {
		return nil, err
	}
	names, err := r.placeholders(r.UpdateExpression != nil || r.ConditionExpression != nil)
	if err != nil {
		return nil, err
	}
	if (r.Operation == PutItem || r.Operation == DeleteItem) && !slices.Contains([]string{"", returnAllOld, returnNone}, r.ReturnValues) {
		return nil, invalid("ReturnValues can only be ALL_OLD or NONE")
	}
	if err := w.parse(names); err != nil {
		return nil, err
	}
	if w.table, err = s.table(r); err != nil {
		return nil, err
	}
	if r.Operation == PutItem || r.Operation == "Put" {
		w.key, err = w.table.itemKey(r.Item)
	} else {
		w.key, err = w.table.key(r.Key)
	}
	if err != nil || w.update == nil {
		return w, err
	}
	for _, k := range w.table.Keys {
		if slices.ContainsFunc(w.update.Paths, func(p expression.Path) bool { return p[0].Name == k.Name }) {
			return nil, badParameters("Cannot update attribute %s. This attribute is part of the key", k.Name)
		}
	}
	return w, nil
}

// checkReturns checks which values the request wants.
func (r *Request) checkReturns() error {
	all := []string{returnAllNew, returnUpdatedOld, returnAllOld, returnNone, returnUpdatedNew}
	if !slices.Contains(append(all, ""), r.ReturnValues) {
		return invalid("1 validation error detected: Value '%s' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [%s]", r.ReturnValues, strings.Join(all, ", "))
	}
	failed := []string{returnAllOld, returnNone}
	if !slices.Contains(append(failed, ""), r.ReturnValuesOnConditionCheckFailure) {
		return invalid("1 validation error detected: Value '%s' at 'returnValuesOnConditionCheckFailure' failed to satisfy constraint: Member must satisfy enum value set: [%s]", r.ReturnValuesOnConditionCheckFailure, strings.Join(failed, ", "))
	}
	return nil
}

// parse parses the expressions.
func (w *write) parse(names *expression.Placeholders) (err error) {
	if w.UpdateExpression != nil {
		if w.update, err = expression.ParseUpdate(*w.UpdateExpression, names); err != nil {
			return parseError("UpdateExpression", err)
		}
	}
	if w.ConditionExpression != nil {
		if w.condition, err = expression.ParseCondition(*w.ConditionExpression, names); err != nil {
			return parseError("ConditionExpression", err)
		}
	}
	return unused(names)
}

func parseError(kind string, err error) error {
	if missing, ok := errors.AsType[expression.NotSimulatedError](err); ok {
		return &NotSimulatedError{string(missing)}
	}
	return invalid("Invalid %s: %v", kind, err)
}

// placeholders returns the placeholders of the request. Uses says that it has expressions.
func (r *Request) placeholders(uses bool) (*expression.Placeholders, error) {
	switch {
	case r.ExpressionAttributeNames != nil && !uses:
		return nil, invalid("ExpressionAttributeNames can only be specified when using expressions")
	case r.ExpressionAttributeValues != nil && !uses:
		what := "ConditionExpression is null"
		if r.Operation == UpdateItem {
			what = "UpdateExpression and ConditionExpression are null"
		}
		return nil, invalid("ExpressionAttributeValues can only be specified when using expressions: %s", what)
	case r.ExpressionAttributeNames != nil && len(r.ExpressionAttributeNames) == 0:
		return nil, invalid("ExpressionAttributeNames must not be empty")
	case r.ExpressionAttributeValues != nil && len(r.ExpressionAttributeValues) == 0:
		return nil, invalid("ExpressionAttributeValues must not be empty")
	}
	return &expression.Placeholders{Names: r.ExpressionAttributeNames, Values: r.ExpressionAttributeValues}, nil
}

// unused returns an error if an expression does not use a placeholder.
func unused(p *expression.Placeholders) error {
	names, values := p.Unused()
	switch {
	case len(names) > 0:
		return invalid("Value provided in ExpressionAttributeNames unused in expressions: keys: {%s}", strings.Join(names, ", "))
	case len(values) > 0:
		return invalid("Value provided in ExpressionAttributeValues unused in expressions: keys: {%s}", strings.Join(values, ", "))
	}
	return nil
}

// outcome returns the item after the write, nil if there is none then.
func (w *write) outcome() (attribute.Item, error) {
	old := w.table.items[w.key]
	if w.condition != nil && !w.condition.Holds(old) {
		failure := &Error{Status: 400, Type: service + ConditionFailed, Message: conditionMessage}
		if w.ReturnValuesOnConditionCheckFailure == returnAllOld {
			failure.Item = old
		}
		return nil, failure
	}
	switch w.Operation {
	case PutItem, "Put":
		return w.Item, nil
	case DeleteItem, "Delete":
		return nil, nil
	case conditionCheck:
		return old, nil
	}
	item := old
	if item == nil {
		item = w.Key
	}
	if w.update == nil {
		return item, nil
	}
	item, err := w.update.Apply(item)
	if err != nil {
		return nil, invalid("%v", err)
	}
	return item, nil
}

// execute executes the write.
func (w *write) execute() (*Answer, error) {
	old := w.table.items[w.key]
	item, err := w.outcome()
	if err != nil {
		return nil, err
	}
	w.table.set(w.key, item)
	return &Answer{Attributes: w.returns(old, item), Changes: []Change{w.change(old, item)}}, nil
}

func (w *write) change(old, item attribute.Item) Change {
	return Change{Table: w.table.Name, Key: w.key, Old: old, New: item}
}

// returns returns the values that the request wants, nil if there are none.
func (w *write) returns(old, item attribute.Item) attribute.Item {
	var paths []expression.Path
	if w.update != nil {
		paths = w.update.Paths
	}
	switch w.ReturnValues {
	case returnAllOld:
		return old
	case returnAllNew:
		return item
	case returnUpdatedOld:
		if old != nil {
			return expression.Project(paths, old)
		}
	case returnUpdatedNew:
		return expression.Project(paths, item)
	}
	return nil
}

// String returns the table and the key of a request.
func (w *write) String() string { return fmt.Sprintf("%s/%s", w.table.Name, w.key) }
