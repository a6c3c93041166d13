package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockquake/sim/dynamodb/attribute"
)

// The operations.
const (
	GetItem            = "GetItem"
	PutItem            = "PutItem"
	UpdateItem         = "UpdateItem"
	DeleteItem         = "DeleteItem"
	TransactWriteItems = "TransactWriteItems"

	conditionCheck = "ConditionCheck" // a part of a transaction
)

// Operations lists the operations.
func Operations() []string {
	return []string{GetItem, PutItem, UpdateItem, DeleteItem, TransactWriteItems}
}

// Request is a request, or a part of a transaction.
type Request struct {
	Operation string `json:"-"`

	TableName                           string
	Key, Item                           attribute.Item
	ConditionExpression                 *string
	UpdateExpression                    *string
	ProjectionExpression                *string
	ExpressionAttributeNames            map[string]string
	ExpressionAttributeValues           attribute.Item
	ReturnValues                        string
	ReturnValuesOnConditionCheckFailure string
	ConsistentRead                      bool
	TransactItems                       []map[string]*Request
	ClientRequestToken                  string
	ReturnConsumedCapacity              string
	ReturnItemCollectionMetrics         string

	unread error // why it could not be read
}

// Decode reads a request. A request that cannot be read has an error, which Execute returns.
func Decode(operation string, body []byte) *Request {
	r := &Request{Operation: operation}
	if !slices.Contains(Operations(), operation) {
		r.unread = &NotSimulatedError{"the operation " + operation}
		return r
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(r); err != nil {
		r.unread = decodeError(err)
	}
	for _, part := range r.TransactItems {
		for kind := range part {
			if part[kind] != nil {
				part[kind].Operation = kind
			}
		}
	}
	switch {
	case r.unread != nil:
	case r.ReturnConsumedCapacity != "" && r.ReturnConsumedCapacity != returnNone:
		r.unread = &NotSimulatedError{"ReturnConsumedCapacity"}
	case r.ReturnItemCollectionMetrics != "" && r.ReturnItemCollectionMetrics != returnNone:
		r.unread = &NotSimulatedError{"ReturnItemCollectionMetrics"}
	}
	return r
}

func decodeError(err error) error {
	var number attribute.NumberError
	var value attribute.ValueError
	switch {
	case errors.As(err, &number), errors.As(err, &value):
		return invalid("%v", err)
	case errors.Is(err, attribute.ErrSet):
		return &NotSimulatedError{err.Error()}
	}
	if field, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		return &NotSimulatedError{"the parameter " + field}
	}
	return &NotSimulatedError{fmt.Sprintf("the request (%v)", err)}
}
