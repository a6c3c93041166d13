package client

import (
	"encoding"
	"fmt"
	"net"
	"reflect"
	"strconv"
	"time"
)

// appendArgs appends the arguments of a command as go-redis writes them. It returns an error for a
// type that go-redis cannot write.
func appendArgs(words []string, args []any) ([]string, error) {
	for _, arg := range args {
		if word, ok := arg.(string); ok { // nearly all are
			words = append(words, word)
			continue
		}
		word, err := wordOf(arg)
		if err != nil {
			return nil, err
		}
		words = append(words, word)
	}
	return words, nil
}

func wordOf(arg any) (string, error) {
	switch v := arg.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	case int:
		return strconv.Itoa(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case bool:
		if v {
			return "1", nil
		}
		return "0", nil
	case time.Duration:
		return strconv.FormatInt(v.Nanoseconds(), 10), nil
	case *time.Duration:
		return pointed(v)
	case time.Time:
		return v.Format(time.RFC3339Nano), nil
	case *time.Time:
		return pointed(v)
	case encoding.BinaryMarshaler:
		b, err := v.MarshalBinary()
		return string(b), err
	case net.IP:
		return string(v), nil
	}
	return plainWord(arg)
}

// pointed returns the word of the value of a pointer, or of the zero value if it is nil.
func pointed[T any](p *T) (string, error) {
	var v T
	if p != nil {
		v = *p
	}
	return wordOf(v)
}

// plainWord returns the word of a value of a predeclared type, or of a pointer to one. It returns
// an error for types that are only derived from one.
func plainWord(arg any) (string, error) {
	v := reflect.ValueOf(arg)
	t := v.Type()
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
		if v.IsNil() {
			v = reflect.Zero(t)
		} else {
			v = v.Elem()
		}
	}
	if t.PkgPath() == "" {
		switch {
		case v.Kind() == reflect.String:
			return v.String(), nil
		case v.Kind() == reflect.Bool:
			return wordOf(v.Bool())
		case v.CanInt():
			return strconv.FormatInt(v.Int(), 10), nil
		case v.CanUint():
			return strconv.FormatUint(v.Uint(), 10), nil
		case v.CanFloat():
			return strconv.FormatFloat(v.Float(), 'f', -1, 64), nil
		}
	}
	return "", fmt.Errorf("redis: can't marshal %T (implement encoding.BinaryMarshaler)", arg)
}
