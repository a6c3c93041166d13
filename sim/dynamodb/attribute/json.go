package attribute

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// plain is a value as the protocol has it.
type plain struct {
	S, N, B    *string
	BOOL, NULL *bool
	L          *[]plain
	M          *map[string]plain
	SS, NS, BS *[]string
}

// ErrSet is the error of a value that is a set.
var ErrSet = errors.New("a set (SS, NS or BS)")

// ValueError is the error of a value that the server refuses. Its text is that of the server.
type ValueError string

func (e ValueError) Error() string { return string(e) }

// UnmarshalJSON implements json.Unmarshaler. The error of a value that the server refuses is a
// ValueError or a NumberError.
func (v *Value) UnmarshalJSON(text []byte) (err error) {
	if usual, rest, ok := usualValue(text); ok && len(rest) == 0 {
		*v = usual
		return nil
	}
	var p plain
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	*v, err = p.value()
	return err
}

// UnmarshalJSON implements json.Unmarshaler. Its errors are those of a Value.
func (i *Item) UnmarshalJSON(text []byte) error {
	if usual, ok := usualItem(text); ok {
		*i = usual
		return nil
	}
	return json.Unmarshal(text, (*map[string]Value)(i))
}

// The following functions read what nearly all requests consist of, in a fraction of the time of package
// json: an item of strings and numbers without escapes and blanks. They report whether the text, which
// must be valid JSON, has that form and the server accepts it.

func usualItem(text []byte) (Item, bool) {
	item := Item{}
	for text[0] == '{' || text[0] == ',' {
		name, rest, ok := usualString(text[1:])
		if !ok || rest[0] != ':' {
			return nil, false
		}
		if item[name], rest, ok = usualValue(rest[1:]); !ok {
			return nil, false
		}
		text = rest
	}
	return item, text[0] == '}' && len(text) == 1
}

// usualValue reads a value at the begin of the text, and returns the rest.
func usualValue(text []byte) (v Value, rest []byte, ok bool) {
	const begin = `{"S":`
	if len(text) < len(begin) || string(text[:2]) != begin[:2] || string(text[3:len(begin)]) != begin[3:] {
		return Value{}, nil, false
	}
	word, rest, ok := usualString(text[len(begin):])
	if !ok || rest[0] != '}' {
		return Value{}, nil, false
	}
	switch text[2] {
	case 'S':
		return OfString(word), rest[1:], true
	case 'N':
		v, err := OfNumber(word)
		return v, rest[1:], err == nil
	}
	return Value{}, nil, false
}

// usualString reads a string at the begin of the text, and returns the rest.
func usualString(text []byte) (word string, rest []byte, ok bool) {
	if text[0] != '"' {
		return "", nil, false
	}
	for n, c := range text[1:] {
		switch {
		case c == '"':
			return string(text[1 : n+1]), text[n+2:], true
		case c < ' ' || c > '~' || c == '\\':
			return "", nil, false
		}
	}
	return "", nil, false
}

func (p *plain) value() (Value, error) {
	var v Value
	var err error
	kinds := 0
	add := func(is bool, set func()) {
		if is && err == nil {
			kinds++
			set()
		}
	}
	add(p.SS != nil || p.NS != nil || p.BS != nil, func() { err = ErrSet })
	add(p.S != nil, func() { v = OfString(*p.S) })
	add(p.N != nil, func() { v, err = OfNumber(*p.N) })
	add(p.B != nil, func() { v, err = ofBase64(*p.B) })
	add(p.BOOL != nil, func() { v = Value{Kind: Bool, Bool: *p.BOOL} })
	add(p.NULL != nil, func() {
		v = Value{Kind: Null}
		if !*p.NULL {
			err = ValueError("One or more parameter values were invalid: Null attribute value types must have the value of true")
		}
	})
	add(p.L != nil, func() {
		v = Value{Kind: List, List: make([]Value, len(*p.L))}
		for n := range *p.L {
			if err == nil {
				v.List[n], err = (*p.L)[n].value()
			}
		}
	})
	add(p.M != nil, func() {
		v = Value{Kind: Map, Map: Item{}}
		for _, name := range slices.Sorted(maps.Keys(*p.M)) {
			if child := (*p.M)[name]; err == nil {
				v.Map[name], err = child.value()
			}
		}
	})
	switch {
	case err != nil:
		return Value{}, err
	case kinds == 0:
		return Value{}, ValueError("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
	case kinds > 1:
		return Value{}, ValueError("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes")
	}
	return v, nil
}

func ofBase64(text string) (Value, error) {
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return Value{}, fmt.Errorf("a B value: %w", err)
	}
	return Value{Kind: Binary, Text: string(bytes)}, nil
}

// AppendJSON appends the item, with its attributes in the order of their names.
func (i Item) AppendJSON(b []byte) []byte {
	b = append(b, '{')
	for n, name := range slices.Sorted(maps.Keys(i)) {
		if n > 0 {
			b = append(b, ',')
		}
		b = append(AppendString(b, name), ':')
		b = i[name].AppendJSON(b)
	}
	return append(b, '}')
}

// AppendJSON appends the value.
func (v Value) AppendJSON(b []byte) []byte {
	b = append(b, `{"`...)
	b = append(append(b, v.Kind...), `":`...)
	switch v.Kind {
	case String, Number:
		b = AppendString(b, v.Text)
	case Binary:
		b = append(base64.StdEncoding.AppendEncode(append(b, '"'), []byte(v.Text)), '"')
	case Bool:
		b = strconv.AppendBool(b, v.Bool)
	case Null:
		b = append(b, "true"...)
	case List:
		b = append(b, '[')
		for n, e := range v.List {
			if n > 0 {
				b = append(b, ',')
			}
			b = e.AppendJSON(b)
		}
		b = append(b, ']')
	case Map:
		b = v.Map.AppendJSON(b)
	}
	return append(b, '}')
}

// AppendString appends a string in JSON.
func AppendString(b []byte, text string) []byte {
	for n := range len(text) {
		if c := text[n]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, _ := json.Marshal(text) // a string has a JSON form
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}
