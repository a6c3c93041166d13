package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
}

// Decode reads a request. The error is a *Failure or a *NotSimulatedError.
func Decode(operation string, body []byte) (*Request, error) {
	if !slices.Contains(Operations(), operation) {
		return nil, &NotSimulatedError{"the operation " + operation}
	}
	r := &Request{Operation: operation}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(r); err != nil {
		return nil, decodeError(err)
	}
	for _, part := range r.TransactItems {
		for _, kind := range slices.Sorted(maps.Keys(part)) {
			if part[kind] != nil {
				part[kind].Operation = kind
			}
		}
	}
	switch {
	case r.ReturnConsumedCapacity != "" && r.ReturnConsumedCapacity != returnNone:
		return nil, &NotSimulatedError{"ReturnConsumedCapacity"}
	case r.ReturnItemCollectionMetrics != "" && r.ReturnItemCollectionMetrics != returnNone:
		return nil, &NotSimulatedError{"ReturnItemCollectionMetrics"}
	}
	return r, nil
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
