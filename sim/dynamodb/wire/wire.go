// Package wire has the messages between simulated DynamoDB clients and servers. They stand for the
// requests and responses of HTTP.
package wire

import (
	"strconv"

	"lockquake/sim/dynamodb/table"
)

// Request is a request. The client has decoded it, so that the server need not do it again.
type Request struct {
	Operation string
	*table.Request
	Err error // why the request could not be decoded: a *table.Failure or a *table.NotSimulatedError
}

// NewRequest decodes the body of a request.
func NewRequest(operation string, body []byte) *Request {
	decoded, err := table.Decode(operation, body)
	return &Request{operation, decoded, err}
}

// AppendTrace implements sim.Traced.
func (r *Request) AppendTrace(b []byte) []byte {
	if r.Err != nil {
		return append(append(append(b, r.Operation...), ' '), r.Err.Error()...)
	}
	return r.Request.AppendTrace(b)
}

// Response is a response.
type Response struct {
	Status int
	Body   []byte
}

// AppendTrace implements sim.Traced.
func (r *Response) AppendTrace(b []byte) []byte {
	return append(append(strconv.AppendInt(b, int64(r.Status), 10), ' '), r.Body...)
}
