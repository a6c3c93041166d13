package jepsen

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth limits the nesting of values, so that no file can exhaust the stack.
const maxDepth = 100

// reader reads EDN values one after the other.
type reader struct {
	data  []byte
	pos   int
	at    Place // of data[pos]
	depth int
}

func newReader(data []byte) *reader { return &reader{data: data, at: Place{1, 1}} }

// peek returns the byte i places ahead, 0 beyond the end. No value may contain a byte 0, so a file
// that has one is refused as well.
func (r *reader) peek(i int) byte {
	if r.pos+i < len(r.data) {
		return r.data[r.pos+i]
	}
	return 0
}

func (r *reader) done() bool { return r.pos >= len(r.data) }

// advance moves n bytes ahead.
func (r *reader) advance(n int) {
	for ; n > 0 && !r.done(); n-- {
		switch b := r.data[r.pos]; {
		case b == '\n':
			r.at = Place{r.at.Line + 1, 1}
		case utf8.RuneStart(b):
			r.at.Column++
		}
		r.pos++
	}
}

func isSpace(b byte) bool { return strings.IndexByte(" \t\r\n\f\v,", b) >= 0 }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// skip moves to the next value: past white space, comments and discarded values.
func (r *reader) skip() error {
	for !r.done() {
		switch b := r.peek(0); {
		case isSpace(b):
			r.advance(1)
		case b == ';':
			for !r.done() && r.peek(0) != '\n' {
				r.advance(1)
			}
		case b == '#' && r.peek(1) == '_':
			r.advance(2)
			if _, err := r.value(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// value reads one value. It returns an error if there is none.
func (r *reader) value() (Value, error) {
	if r.depth++; r.depth > maxDepth {
		return Value{}, r.at.Errorf("values are nested more than %d deep", maxDepth)
	}
	defer func() { r.depth-- }()
	if err := r.skip(); err != nil {
		return Value{}, err
	}
	at := r.at
	if r.done() {
		return Value{}, at.Errorf("it ends where a value should be")
	}
	switch b := r.peek(0); {
	case b == '[':
		return r.collection(Vector, 1, ']')
	case b == '(':
		return r.collection(List, 1, ')')
	case b == '{':
		return r.collection(Map, 1, '}')
	case b == '#' && r.peek(1) == '{':
		return r.collection(Set, 2, '}')
	case b == '#' && r.peek(1) == '#':
		token := r.token()
		if token != "##Inf" && token != "##-Inf" && token != "##NaN" {
			return Value{}, at.Errorf("%q is not a number", token)
		}
		return Value{Kind: Other, Text: token, Place: at}, nil
	case b == '#':
		return r.tagged()
	case b == '"':
		return r.text()
	case b == ']' || b == ')' || b == '}':
		return Value{}, at.Errorf("%q closes nothing", string(b))
	default:
		return scalar(r.token(), at)
	}
}

// collection reads on to the closing byte.
func (r *reader) collection(kind Kind, opening int, end byte) (Value, error) {
	v := Value{Kind: kind, Place: r.at}
	r.advance(opening)
	for {
		if err := r.skip(); err != nil {
			return Value{}, err
		}
		if r.done() {
			return Value{}, r.at.Errorf("it ends within %s that begins at %d:%d", v.what(), v.Line, v.Column)
		}
		if r.peek(0) == end {
			r.advance(1)
			return v, v.unique()
		}
		item, err := r.value()
		if err != nil {
			return Value{}, err
		}
		v.Items = append(v.Items, item)
	}
}

// unique returns an error for a map with a key without a value, and for duplicates in a map or a
// set.
func (v Value) unique() error {
	stride := 1
	switch v.Kind {
	case Map:
		if stride = 2; len(v.Items)%2 != 0 {
			return v.Errorf("a map with a key without a value")
		}
	case Set:
	default:
		return nil
	}
	seen := make(map[string]bool, len(v.Items)/stride)
	for i := 0; i < len(v.Items); i += stride {
		identity := v.Items[i].Identity()
		if seen[identity] {
			return v.Items[i].Errorf("%s appears twice", v.Items[i])
		}
		seen[identity] = true
	}
	return nil
}

func (r *reader) tagged() (Value, error) {
	v := Value{Kind: Tagged, Place: r.at}
	r.advance(1)
	v.Text = r.token()
	if first, _ := utf8.DecodeRuneInString(v.Text); !unicode.IsLetter(first) && first != ':' || !utf8.ValidString(v.Text) {
		return Value{}, v.Errorf("# without a tag")
	}
	item, err := r.value()
	v.Items = []Value{item}
	return v, err
}

// token reads up to the next space or bracket. A character after a backslash may be anything, even
// a bracket.
func (r *reader) token() string {
	from, n := r.pos, 0
	if r.peek(0) == '\\' {
		_, size := utf8.DecodeRune(r.data[min(from+1, len(r.data)):])
		n = 1 + size
	}
	for from+n < len(r.data) && !isSpace(r.data[from+n]) && strings.IndexByte(`()[]{}";`, r.data[from+n]) < 0 {
		n++
	}
	r.advance(n)
	return string(r.data[from:r.pos])
}

// text reads a string.
func (r *reader) text() (Value, error) {
	v := Value{Kind: String, Place: r.at}
	r.advance(1)
	var b []byte
	for {
		switch c := r.peek(0); {
		case r.done():
			return Value{}, r.at.Errorf("it ends within a string that begins at %d:%d", v.Line, v.Column)
		case c == '"':
			r.advance(1)
			if !utf8.Valid(b) {
				return Value{}, v.Errorf("a string that is not UTF-8")
			}
			v.Text = strconv.Quote(string(b))
			return v, nil
		case c == '\\':
			char, n, ok := r.escape()
			if !ok {
				return Value{}, r.at.Errorf("an unknown escape in a string")
			}
			b = utf8.AppendRune(b, char)
			r.advance(n)
		default:
			b = append(b, c)
			r.advance(1)
		}
	}
}

// escape reads an escape sequence and returns its character and its length in bytes. Java writes a
// character beyond 16 bits as two escapes.
func (r *reader) escape() (char rune, n int, ok bool) {
	const short, long = "tnrbf\"\\", "\t\n\r\b\f\"\\"
	if i := strings.IndexByte(short, r.peek(1)); i >= 0 {
		return rune(long[i]), 2, true
	}
	const size = len(`\u0000`)
	char, ok = r.unit(0)
	if !ok || !utf16.IsSurrogate(char) {
		return char, size, ok
	}
	second, _ := r.unit(size)
	char = utf16.DecodeRune(char, second)
	return char, 2 * size, char != unicode.ReplacementChar
}

// unit reads the \u escape that begins i bytes ahead.
func (r *reader) unit(i int) (rune, bool) {
	from := r.pos + i + 2
	if r.peek(i) != '\\' || r.peek(i+1) != 'u' || from+4 > len(r.data) {
		return 0, false
	}
	code, err := strconv.ParseUint(string(r.data[from:from+4]), 16, 32)
	return rune(code), err == nil
}
