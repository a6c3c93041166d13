package table

import (
	"fmt"
	"net/http"
	"strings"

	"lockquake/sim/dynamodb/attribute"
)

// Error is an error of the service.
type Error struct {
	Status  int    // of HTTP
	Type    string // with its namespace, as in the field __type
	Message string
	// Item is the item that did not fit the condition, if the request wants it.
	Item attribute.Item
	// Reasons are those of a transaction that was cancelled, one for each of its parts.
	Reasons []Reason
}

// Reason says why a part of a transaction was cancelled. The Code of a part that is not the reason is
// "None".
type Reason struct {
	Code, Message string
	Item          attribute.Item
}

func (f *Error) Error() string { return f.Code() + ": " + f.Message }

// Code returns the type without its namespace.
func (f *Error) Code() string { return f.Type[strings.IndexByte(f.Type, '#')+1:] }

const (
	service    = "com.amazonaws.dynamodb.v20120810#"
	validation = "com.amazon.coral.validate#"
	limits     = "com.amazon.coral.availability#"
)

// The codes of the failures that clients act on.
const (
	ConditionFailed = "ConditionalCheckFailedException"
	Cancelled       = "TransactionCanceledException"
)

const conditionMessage = "The conditional request failed"

// invalid returns the error of a request that the service refuses.
func invalid(format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Type: validation + "ValidationException", Message: fmt.Sprintf(format, args...)}
}

// badParameters returns the error of parameters that do not fit.
func badParameters(format string, args ...any) *Error {
	return invalid("One or more parameter values were invalid: "+format, args...)
}

// Throttled returns the error of a request beyond the capacity.
func Throttled() *Error {
	return &Error{Status: http.StatusBadRequest, Type: limits + "ThrottlingException", Message: "Throughput exceeds the current capacity of your table or index."}
}

// Unavailable returns the error of a service that cannot execute a request.
func Unavailable(message string) *Error {
	return &Error{Status: http.StatusInternalServerError, Type: service + "InternalServerError", Message: message}
}

// cancelled returns the error of a transaction.
func cancelled(reasons []Reason) *Error {
	codes := make([]string, len(reasons))
	for n, r := range reasons {
		codes[n] = r.Code
	}
	return &Error{
		Status: http.StatusBadRequest, Type: service + Cancelled, Reasons: reasons,
		Message: fmt.Sprintf("Transaction cancelled, please refer cancellation reasons for specific reasons [%s]", strings.Join(codes, ", ")),
	}
}

// NotSimulatedError names a part of a request that the simulation does not have.
type NotSimulatedError struct{ What string }

func (e *NotSimulatedError) Error() string {
	return fmt.Sprintf("the simulated DynamoDB does not have %s", e.What)
}
