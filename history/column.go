package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// column returns the column of an error in a line, in bytes and counted from 1.
func column(err error, line []byte) int {
	if errors.Is(err, errCut) {
		return len(line) + 1
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return max(1, int(syntax.Offset))
	}
	if unknown, ok := errors.AsType[*unknownFieldError](err); ok {
		return unknown.column
	}
	field := ""
	if of, ok := errors.AsType[*fieldError](err); ok {
		field = of.field
	} else if of, ok := errors.AsType[*UnknownWordError](err); ok {
		field = of.Field
	}
	found := 1
	eachField(line, func(f place) bool {
		if strings.EqualFold(f.path, field) {
			found = f.value
		}
		return found == 1
	})
	return found
}

// place is the place of a field in a line: the names that lead to it, separated by dots, and the columns of the last
// name and of the value.
type place struct {
	path       string
	key, value int
}

// eachField calls a function for the fields of the JSON object in a line, in order, until it returns false.
func eachField(line []byte, do func(place) bool) {
	d := json.NewDecoder(bytes.NewReader(line))
	start := func() int { // of the next token
		rest := line[d.InputOffset():]
		return len(line) - len(bytes.TrimLeft(rest, " \t\r\n,:")) + 1
	}
	var walk func(path string) bool
	walk = func(path string) bool {
		token, err := d.Token()
		if err != nil {
			return false
		}
		for token == json.Delim('{') && d.More() || token == json.Delim('[') && d.More() {
			f := place{path: path}
			if token == json.Delim('{') {
				f.key = start()
				name, err := d.Token()
				if err != nil {
					return false
				}
				f.path = strings.TrimPrefix(path+"."+name.(string), ".")
				if f.value = start(); !do(f) {
					return false
				}
			}
			if !walk(f.path) {
				return false
			}
		}
		if _, nested := token.(json.Delim); nested {
			_, err = d.Token() // its end
		}
		return err == nil
	}
	walk("")
}

// readable returns an error of the decoder in the words of the format.
func readable(err error, line []byte, into any) error {
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		want := map[reflect.Kind]string{
			reflect.String: "a string", reflect.Bool: "true or false", reflect.Slice: "a list", reflect.Map: "an object", reflect.Struct: "an object",
			reflect.Uint64: "a whole number that is not negative",
		}[mismatch.Type.Kind()]
		if want == "" {
			want = "a whole number"
		}
		if mismatch.Field == "" {
			return fmt.Errorf("the line is %s, and has to be %s", mismatch.Value, want)
		}
		return wrong(mismatch.Field, "%s is %s, and has to be %s", mismatch.Field, mismatch.Value, want)
	}
	quoted, isUnknown := strings.CutPrefix(err.Error(), "json: unknown field ")
	if !isUnknown {
		return err
	}
	unknown := &unknownFieldError{UnknownWordError: UnknownWordError{Field: "field"}, column: 1}
	eachField(line, func(f place) bool {
		path := strings.Split(f.path, ".")
		name := path[len(path)-1]
		known := fieldsOf(reflect.TypeOf(into).Elem(), path[:len(path)-1])
		if fmt.Sprintf("%q", name) != quoted || known == nil || slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) }) {
			return true
		}
		unknown.Word, unknown.Known, unknown.column = name, known, f.key
		return false
	})
	return unknown
}

// unknownFieldError is the error of a field that the format does not have.
type unknownFieldError struct {
	UnknownWordError
	column int
}

// Unwrap returns the error without its place.
func (e *unknownFieldError) Unwrap() error { return &e.UnknownWordError }

// fieldsOf lists the fields of the struct that a path leads to; nil if it is none.
func fieldsOf(t reflect.Type, path []string) []string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if len(path) > 0 && strings.EqualFold(name, path[0]) {
			return fieldsOf(f.Type, path[1:])
		}
		names = append(names, name)
	}
	if len(path) > 0 {
		return nil
	}
	return names
}
