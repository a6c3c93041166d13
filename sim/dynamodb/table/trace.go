package table

import (
	"maps"
	"slices"
	"strconv"

	"lockquake/sim/dynamodb/attribute"
)

// AppendTrace implements sim.Traced. Equal requests have equal texts, whatever the order of the fields in
// their JSON.
func (r *Request) AppendTrace(b []byte) []byte {
	b = append(b, r.Operation...)
	if r.unread != nil {
		return append(append(b, ": "...), r.unread.Error()...)
	}
	text := func(name, value string) {
		if value != "" {
			b = append(append(append(b, ' '), name...), '=')
			b = strconv.AppendQuote(b, value)
		}
	}
	item := func(name string, value attribute.Item) {
		if value != nil {
			b = append(append(append(b, ' '), name...), '=')
			b = value.AppendJSON(b)
		}
	}
	optional := func(name string, value *string) {
		if value != nil {
			text(name, *value)
		}
	}
	text("table", r.TableName)
	item("key", r.Key)
	item("item", r.Item)
	optional("update", r.UpdateExpression)
	optional("condition", r.ConditionExpression)
	optional("projection", r.ProjectionExpression)
	for _, name := range slices.Sorted(maps.Keys(r.ExpressionAttributeNames)) {
		text(name, r.ExpressionAttributeNames[name])
	}
	item("values", r.ExpressionAttributeValues)
	text("returns", r.ReturnValues)
	text("returns-on-failure", r.ReturnValuesOnConditionCheckFailure)
	if r.ConsistentRead {
		b = append(b, " consistent"...)
	}
	for _, part := range r.TransactItems {
		for _, kind := range slices.Sorted(maps.Keys(part)) {
			if part[kind] != nil {
				b = append(part[kind].AppendTrace(append(b, " ("...)), ')')
			}
		}
	}
	return b
}

// AppendTrace implements sim.Traced.
func (a *Answer) AppendTrace(b []byte) []byte {
	return append(append(strconv.AppendInt(b, int64(a.Status()), 10), ' '), a.JSON()...)
}
