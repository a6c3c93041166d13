package resp

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Kind is the kind of a reply in RESP2. A missing string and a missing array are the same kind,
// since no client distinguishes them.
type Kind byte

// The kinds of a reply. The value is the first byte of the encoding.
const (
	Status  Kind = '+'
	Error   Kind = '-'
	Integer Kind = ':'
	Bulk    Kind = '$'
	Array   Kind = '*'
	Nil     Kind = '_'
)

// Reply is an answer of the server. Text is used by Status, Error and Bulk, Int by Integer, and
// Elems by Array.
type Reply struct {
	Kind  Kind
	Text  string
	Int   int64
	Elems []Reply
}

// AppendTrace appends the reply in one line.
func (r *Reply) AppendTrace(b []byte) []byte {
	switch r.Kind {
	case Integer:
		return strconv.AppendInt(b, r.Int, 10)
	case Nil:
		return append(b, "nil"...)
	case Array:
		b = append(b, '[')
		for i := range r.Elems {
			if i > 0 {
				b = append(b, ' ')
			}
			b = r.Elems[i].AppendTrace(b)
		}
		return append(b, ']')
	case Status, Error:
		b = append(b, byte(r.Kind))
	case Bulk:
	}
	return appendWord(b, r.Text)
}

// OK returns the status OK.
func OK() Reply { return Reply{Kind: Status, Text: "OK"} }

// Errorf returns an error reply. Its first word is the error code.
func Errorf(format string, args ...any) Reply {
	return Reply{Kind: Error, Text: fmt.Sprintf(format, args...)}
}

// AppendRESP appends the encoding of the reply in RESP2.
func (r *Reply) AppendRESP(b []byte) []byte {
	switch r.Kind {
	case Status, Error:
		b = append(b, byte(r.Kind))
		b = append(b, OneLine(r.Text)...)
	case Integer:
		b = strconv.AppendInt(append(b, ':'), r.Int, 10)
	case Bulk:
		b = strconv.AppendInt(append(b, '$'), int64(len(r.Text)), 10)
		b = append(b, "\r\n"...)
		b = append(b, r.Text...)
	case Nil:
		b = append(b, "$-1"...)
	case Array:
		b = strconv.AppendInt(append(b, '*'), int64(len(r.Elems)), 10)
		b = append(b, "\r\n"...)
		for i := range r.Elems {
			b = r.Elems[i].AppendRESP(b)
		}
		return b
	}
	return append(b, "\r\n"...)
}

// OneLine replaces line breaks, which a status or an error cannot contain.
func OneLine(text string) string {
	if !strings.ContainsAny(text, "\r\n") {
		return text
	}
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(text)
}

// ParseRESP parses one RESP2 reply at the beginning of b and returns the rest of b.
func ParseRESP(b []byte) (Reply, []byte, error) {
	line, rest, found := bytes.Cut(b, []byte("\r\n"))
	if !found || len(line) == 0 {
		return Reply{}, nil, fmt.Errorf("redis: reply is cut short: %q", b)
	}
	kind, text := Kind(line[0]), line[1:]
	switch kind {
	case Status, Error:
		return Reply{Kind: kind, Text: constant(text)}, rest, nil
	case Integer:
		n, err := strconv.ParseInt(string(text), 10, 64)
		return Reply{Kind: Integer, Int: n}, rest, err
	case Nil:
		return Reply{Kind: Nil}, rest, nil
	case Bulk, Array:
	default:
		return Reply{}, nil, fmt.Errorf("redis: reply begins with %q", line[0])
	}
	n, err := strconv.Atoi(string(text))
	if err != nil {
		return Reply{}, nil, fmt.Errorf("redis: length of a reply: %w", err)
	}
	if n < 0 {
		return Reply{Kind: Nil}, rest, nil
	}
	if kind == Bulk {
		if len(rest) < n+2 {
			return Reply{}, nil, fmt.Errorf("redis: %d bytes announced, %d there", n, len(rest))
		}
		return Reply{Kind: Bulk, Text: string(rest[:n])}, rest[n+2:], nil
	}
	reply := Reply{Kind: Array}
	for range n {
		var elem Reply
		if elem, rest, err = ParseRESP(rest); err != nil {
			return Reply{}, nil, err
		}
		reply.Elems = append(reply.Elems, elem)
	}
	return reply, rest, nil
}

// constant avoids a new string for the status that nearly every write answers.
func constant(text []byte) string {
	if string(text) == "OK" {
		return "OK"
	}
	return string(text)
}
