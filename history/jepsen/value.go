package jepsen

import (
	"fmt"
	"slices"
	"strings"
)

// Place is a position in a file. Lines and columns count from 1, columns in
// characters.
type Place struct{ Line, Column int }

// Error is an error in a file, with its place.
type Error struct {
	Place
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Text) }

// Errorf returns an error at p.
func (p Place) Errorf(format string, args ...any) *Error {
	return &Error{Place: p, Text: fmt.Sprintf(format, args...)}
}

// Kind is the kind of a Value.
type Kind int

// The kinds of values. Other is any other scalar: a float, a ratio, a character.
const (
	Nil Kind = iota
	Bool
	Int
	Other
	String
	Keyword
	Symbol
	Vector
	List
	Set
	Map
	Tagged
)

// Value is an EDN value, nil if zero.
type Value struct {
	Kind  Kind
	Int   int64   // of an Int
	Text  string  // of a scalar, as EDN writes it; of a Tagged, its tag
	Items []Value // of a collection; of a Map, keys and values in turn; of a Tagged, its one value
	Place
}

// Scalar reports whether v is not a collection. Nil is a scalar too.
func (v Value) Scalar() bool { return v.Kind < Vector }

// Equal reports whether two values are equal in Clojure.
func (v Value) Equal(w Value) bool { return v.Identity() == w.Identity() }

// Identity returns a text that is the same for equal values only. In Clojure a list equals a vector
// with the same items, and sets and maps have no order.
func (v Value) Identity() string {
	switch v.Kind {
	case Vector, List:
		return "[" + strings.Join(identities(v.Items, 1), " ") + "]"
	case Set:
		return "#{" + sorted(identities(v.Items, 1)) + "}"
	case Map:
		return "{" + sorted(identities(v.Items, 2)) + "}"
	case Tagged:
		return "#" + v.Text + " " + strings.Join(identities(v.Items, 1), " ")
	default:
		return v.String()
	}
}

// identities returns the identities of the items, joined in groups of the given size.
func identities(items []Value, size int) []string {
	var list []string
	for group := range slices.Chunk(items, size) {
		var words []string
		for _, item := range group {
			words = append(words, item.Identity())
		}
		list = append(list, strings.Join(words, " "))
	}
	return list
}

func sorted(list []string) string {
	slices.Sort(list)
	return strings.Join(list, " ")
}

// String returns v as EDN. Each number has one spelling, however the file spells it: 1.00 becomes
// 1.0.
func (v Value) String() string {
	switch v.Kind {
	case Nil:
		return "nil"
	case Vector:
		return v.between("[", "]")
	case List:
		return v.between("(", ")")
	case Set:
		return v.between("#{", "}")
	case Map:
		return v.between("{", "}")
	case Tagged:
		return v.between("#"+v.Text+" ", "")
	default:
		return v.Text
	}
}

func (v Value) between(begin, end string) string {
	var b strings.Builder
	b.WriteString(begin)
	for i, item := range v.Items {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(item.String())
	}
	b.WriteString(end)
	return b.String()
}

// what returns the kind of v, for error texts.
func (v Value) what() string {
	switch v.Kind {
	case Vector:
		return "a vector"
	case List:
		return "a list"
	case Set:
		return "a set"
	case Map:
		return "a map"
	case Tagged:
		return "a tagged value"
	default:
		return v.String()
	}
}
