package dynamodb

import (
	"net/http"
	"strings"

	"lockquake/faults"
	"lockquake/sim"
	"lockquake/sim/dynamodb/table"
)

// Refuses lists the errors with which a server can refuse requests.
func Refuses() []faults.Code { return []faults.Code{faults.CodeThrottled, faults.CodeUnavailable} }

// Refuse makes the server refuse all requests with an error. Each call needs one call of Accept.
func (s *Server) Refuse(with faults.Code) { s.refuses[with]++ }

// Accept ends one Refuse.
func (s *Server) Accept(with faults.Code) { s.refuses[with]-- }

// refusal returns the answer to all requests while the server refuses them, nil if it does not.
func (s *Server) refusal() *table.Answer {
	switch {
	case s.refuses[faults.CodeUnavailable] > 0:
		return &table.Answer{Failure: table.Unavailable(unavailable)}
	case s.refuses[faults.CodeThrottled] > 0:
		return &table.Answer{Failure: table.Throttled()}
	}
	return nil
}

const unavailable = "The server encountered an internal error trying to fulfill the request."

// Fail implements sim.Failer: the server answers a request with an error instead of executing it. If
// the first word of the text is the code of an exception, it is that exception with the status 400.
// Otherwise it is an InternalServerError with the status 500.
func (s *Server) Fail(c *sim.Call, text string) {
	code, message, _ := strings.Cut(text, " ")
	failure := table.Unavailable(text)
	switch {
	case code == "BUSY": // the default of the fault, which is an error of Redis
		failure = table.Unavailable(unavailable)
	case strings.HasSuffix(code, "Exception"):
		failure = &table.Error{Status: http.StatusBadRequest, Type: "com.amazonaws.dynamodb.v20120810#" + code, Message: message}
	}
	c.Reply(&table.Answer{Failure: failure})
}
