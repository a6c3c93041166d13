package lua

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// jsonTable returns the library cjson: encode, decode and null. It writes the keys of an object in
// sorted order; Redis writes them in the order of a hash table.
func jsonTable(L *lua.LState) *lua.LTable {
	null := L.NewUserData()
	t := L.NewTable()
	t.RawSetString("null", null)
	L.SetFuncs(t, map[string]lua.LGFunction{
		"encode": func(L *lua.LState) int {
			b, err := appendJSON(nil, L.CheckAny(1), null, 0)
			if err != nil {
				L.RaiseError("%s", err.Error())
			}
			return push(L, lua.LString(b))
		},
		"decode": func(L *lua.LState) int {
			v, err := decodeJSON(L, L.CheckString(1), null)
			if err != nil {
				L.RaiseError("%s", err.Error())
			}
			return push(L, v)
		},
	})
	return t
}

// maxJSONDepth is the maximum nesting of tables in cjson.
const maxJSONDepth = 1000

// appendJSON appends the value, which is inside depth tables.
func appendJSON(b []byte, v lua.LValue, null *lua.LUserData, depth int) ([]byte, error) {
	switch v := v.(type) {
	case lua.LString:
		return appendJSONString(b, string(v)), nil
	case lua.LNumber:
		if f := float64(v); math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, errors.New("Cannot serialise number: must not be NaN or Inf") //nolint:staticcheck // the words of cjson
		}
		return append(b, shortNumber(float64(v))...), nil
	case lua.LBool:
		return fmt.Append(b, bool(v)), nil
	case *lua.LNilType:
		return append(b, "null"...), nil
	case *lua.LUserData:
		if v == null {
			return append(b, "null"...), nil
		}
	case *lua.LTable:
		if depth++; depth > maxJSONDepth {
			return nil, fmt.Errorf("Cannot serialise, excessive nesting (%d)", depth) //nolint:staticcheck // the words of cjson
		}
		n, sparse := arrayLength(v)
		switch {
		case sparse:
			return nil, errors.New("Cannot serialise table: excessively sparse array") //nolint:staticcheck // the words of cjson
		case n > 0:
			return appendJSONArray(b, v, n, null, depth)
		}
		return appendJSONObject(b, v, null, depth)
	}
	return nil, fmt.Errorf("Cannot serialise %s: type not supported", v.Type()) //nolint:staticcheck // the words of cjson
}

// arrayLength returns the highest key of a table whose keys are all positive whole numbers, and 0
// for any other table. Sparse means that cjson refuses the table because it has many more holes
// than members.
func arrayLength(t *lua.LTable) (length int, sparse bool) {
	members := 0
	t.ForEach(func(k, _ lua.LValue) {
		members++
		n, ok := k.(lua.LNumber)
		if i := int(n); !ok || i <= 0 || lua.LNumber(i) != n {
			length = -1
		} else if length >= 0 {
			length = max(length, i)
		}
	})
	const few = 10
	return max(0, length), length > few && length > 2*members
}

func appendJSONArray(b []byte, t *lua.LTable, n int, null *lua.LUserData, depth int) ([]byte, error) {
	b = append(b, '[')
	for i := 1; i <= n; i++ {
		if i > 1 {
			b = append(b, ',')
		}
		var err error
		if b, err = appendJSON(b, t.RawGetInt(i), null, depth); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func appendJSONObject(b []byte, t *lua.LTable, null *lua.LUserData, depth int) ([]byte, error) {
	type member struct {
		key   string
		value lua.LValue
	}
	var members []member
	var err error
	t.ForEach(func(k, v lua.LValue) {
		switch k := k.(type) {
		case lua.LString:
			members = append(members, member{string(k), v})
		case lua.LNumber:
			members = append(members, member{shortNumber(float64(k)), v})
		default:
			err = errors.New("Cannot serialise table: table key must be a number or string") //nolint:staticcheck // the words of cjson
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
	b = append(b, '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendJSONString(b, m.key), ':')
		if b, err = appendJSON(b, m.value, null, depth); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// appendJSONString writes bytes that need no escape as they are, even if they are not UTF-8. It
// escapes the slash.
func appendJSONString(b []byte, text string) []byte {
	b = append(b, '"')
	for i := range len(text) {
		const escaped, letters = "\"\\/\b\f\n\r\t", `"\/bfnrt`
		c := text[i]
		switch at := strings.IndexByte(escaped, c); {
		case at >= 0:
			b = append(b, '\\', letters[at])
		case c < ' ' || c == 0x7f:
			b = fmt.Appendf(b, "\\u%04x", c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// decodeJSON parses one value.
func decodeJSON(L *lua.LState, text string, null *lua.LUserData) (lua.LValue, error) {
	d := json.NewDecoder(strings.NewReader(text))
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("Expected value: %w", err) //nolint:staticcheck // as cjson begins
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("Expected the end but found something else") //nolint:staticcheck // as cjson begins
	}
	return fromJSON(L, v, null), nil
}

func fromJSON(L *lua.LState, v any, null *lua.LUserData) lua.LValue {
	switch v := v.(type) {
	case bool:
		return lua.LBool(v)
	case float64:
		return lua.LNumber(v)
	case string:
		return lua.LString(v)
	case []any:
		t := L.CreateTable(len(v), 0)
		for i, elem := range v {
			t.RawSetInt(i+1, fromJSON(L, elem, null))
		}
		return t
	case map[string]any:
		t := L.CreateTable(0, len(v))
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys) // a script may go through the table in its order
		for _, key := range keys {
			t.RawSetString(key, fromJSON(L, v[key], null))
		}
		return t
	}
	return null
}
