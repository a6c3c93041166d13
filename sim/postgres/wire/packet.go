// Package wire has the messages between simulated PostgreSQL clients and servers. The bytes are
// those of the frontend/backend protocol, version 3.
//
// A [Packet] holds the messages that one end sends together. A client collects messages until it needs
// an answer, and sends them as one packet, which is one request of package sim.
package wire

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"lockquake/sim/resource"
)

// Packet holds complete messages, one after another.
type Packet struct {
	Bytes []byte
	// Data is the request to the protected resource of the statement; nil for other
	// statements.
	Data *resource.Request
	// Label describes a packet without message types: a start-up or a cancel request.
	Label string
}

// headerSize is the size of a message's type and length.
const headerSize = 5

// Next splits the first message off: its type, its body and the rest. A message that is not
// complete has type 0.
func Next(b []byte) (kind byte, body, rest []byte) {
	if len(b) < headerSize {
		return 0, nil, b
	}
	end := 1 + int(binary.BigEndian.Uint32(b[1:headerSize]))
	if end < headerSize || end > len(b) {
		return 0, nil, b
	}
	return b[0], b[headerSize:end], b[end:]
}

// AppendTrace implements sim.Traced. It writes the types of the messages, and what matters of some:
// the text of a statement, the tag of a result, the code of an error, the values of a row.
func (p *Packet) AppendTrace(b []byte) []byte {
	if p.Label != "" {
		return append(b, p.Label...)
	}
	if p.Data != nil {
		b = append(p.Data.AppendTrace(b), ' ')
	}
	for kind, body, rest := Next(p.Bytes); kind != 0; kind, body, rest = Next(rest) {
		b = appendValue(b, []byte{kind})
		switch kind {
		case 'Q':
			b = appendText(append(b, '('), body)
			b = append(b, ')')
		case 'P':
			name := cstring(body)
			b = appendText(append(b, '('), body[min(len(name)+1, len(body)):])
			b = append(b, ')')
		case 'B':
			portal := cstring(body)
			b = appendText(append(b, '('), body[min(len(portal)+1, len(body)):])
			b = append(b, ')')
		case 'C':
			b = appendText(append(b, '('), body)
			b = append(b, ')')
		case 'E':
			b = appendCode(b, body)
		case 'D':
			b = appendValues(b, body)
		}
	}
	return b
}

// cstring returns the bytes before the first zero.
func cstring(b []byte) []byte {
	for i, c := range b {
		if c == 0 {
			return b[:i]
		}
	}
	return b
}

// appendText writes a string of the protocol on one line.
func appendText(b, text []byte) []byte {
	for _, c := range cstring(text) {
		if c < ' ' {
			c = ' '
		}
		b = append(b, c)
	}
	return b
}

// appendCode writes the SQLSTATE of an error. An Execute has the same type, and no code.
func appendCode(b, body []byte) []byte {
	for len(body) > 1 {
		field := cstring(body[1:])
		if body[0] == 'C' && len(field) == len("00000") {
			return append(append(append(b, '('), field...), ')')
		}
		body = body[min(len(field)+2, len(body)):]
	}
	return b
}

// appendValues writes the values of a row. A Describe has the same type, and a text that is no row.
func appendValues(b, body []byte) []byte {
	const countSize, lengthSize = 2, 4
	if len(body) < countSize+lengthSize || body[0] == 'S' || body[0] == 'P' {
		return b
	}
	b = append(b, '(')
	for rest := body[countSize:]; len(rest) >= lengthSize; {
		n := int(int32(binary.BigEndian.Uint32(rest)))
		rest = rest[lengthSize:]
		if n < 0 || n > len(rest) {
			b = append(b, "null "...)
			continue
		}
		b = append(appendValue(b, rest[:n]), ' ')
		rest = rest[n:]
	}
	return append(b, ')')
}

// appendValue writes a value: an integer in binary form as a number, a printable text as it is,
// anything else in hexadecimal.
func appendValue(b, v []byte) []byte {
	printable := true
	for _, c := range v {
		printable = printable && c >= ' ' && c <= '~'
	}
	switch {
	case printable:
		return append(b, v...)
	case len(v) == 8:
		return strconv.AppendInt(b, int64(binary.BigEndian.Uint64(v)), 10)
	}
	return hex.AppendEncode(b, v)
}
