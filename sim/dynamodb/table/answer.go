package table

import (
	"net/http"

	"lockquake/sim/dynamodb/attribute"
)

// Answer is the answer to a request.
type Answer struct {
	Attributes attribute.Item // of a write that returns values; nil: it returns none
	Item       attribute.Item // of GetItem; nil: there is none
	Failure    *Error         // nil: the request was executed
	Changes    []Change

	encoded []byte // by JSON, at its first call
}

// Change is the change of an item; nil for an item that does not exist.
type Change struct {
	Table, Key string
	Old, New   attribute.Item
}

// Status returns the status of HTTP.
func (a *Answer) Status() int {
	if a.Failure != nil {
		return a.Failure.Status
	}
	return http.StatusOK
}

// JSON returns the answer in the form of the protocol. The answer must not change after that, and the
// bytes belong to it.
func (a *Answer) JSON() []byte {
	if a.encoded == nil {
		a.encoded = a.encode()
	}
	return a.encoded
}

func (a *Answer) encode() []byte {
	switch {
	case a.Failure != nil:
		return a.Failure.json()
	case a.Item != nil:
		return append(a.Item.AppendJSON([]byte(`{"Item":`)), '}')
	case a.Attributes != nil:
		return append(a.Attributes.AppendJSON([]byte(`{"Attributes":`)), '}')
	}
	return []byte("{}")
}

func (f *Error) json() []byte {
	message := "message"
	if f.Reasons != nil {
		message = "Message"
	}
	b := attribute.AppendString([]byte(`{"__type":`), f.Type)
	b = append(attribute.AppendString(append(b, ','), message), ':')
	b = attribute.AppendString(b, f.Message)
	if f.Item != nil {
		b = f.Item.AppendJSON(append(b, `,"Item":`...))
	}
	if f.Reasons == nil {
		return append(b, '}')
	}
	b = append(b, `,"CancellationReasons":[`...)
	for n, r := range f.Reasons {
		if n > 0 {
			b = append(b, ',')
		}
		b = attribute.AppendString(append(b, `{"Code":`...), r.Code)
		if r.Message != "" {
			b = attribute.AppendString(append(b, `,"Message":`...), r.Message)
		}
		if r.Item != nil {
			b = r.Item.AppendJSON(append(b, `,"Item":`...))
		}
		b = append(b, '}')
	}
	return append(b, `]}`...)
}
