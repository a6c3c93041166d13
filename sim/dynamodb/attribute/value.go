package attribute

import (
	"maps"
	"slices"
)

// Kind is the type of a value, by its name in the protocol.
type Kind string

// The kinds.
const (
	String Kind = "S"
	Number Kind = "N"
	Binary Kind = "B"
	Bool   Kind = "BOOL"
	Null   Kind = "NULL"
	List   Kind = "L"
	Map    Kind = "M"
)

// Value is the value of an attribute. A value is never changed.
type Value struct {
	Kind Kind
	// Text is the text of a String, the bytes of a Binary, or a Number in its normal form.
	Text string
	Bool bool
	List []Value
	Map  Item
}

// Item maps the names of attributes to their values.
type Item map[string]Value

// OfString returns a String.
func OfString(text string) Value { return Value{Kind: String, Text: text} }

// Equal reports whether two values have the same kind and content.
func (v Value) Equal(o Value) bool {
	return v.Kind == o.Kind && v.Text == o.Text && v.Bool == o.Bool &&
		slices.EqualFunc(v.List, o.List, Value.Equal) && v.Map.Equal(o.Map)
}

// Equal reports whether two items have the same attributes.
func (i Item) Equal(o Item) bool { return maps.EqualFunc(i, o, Value.Equal) }

// Clone returns a copy whose lists and maps can be changed.
func (v Value) Clone() Value {
	if v.List != nil {
		all := make([]Value, len(v.List))
		for n, e := range v.List {
			all[n] = e.Clone()
		}
		v.List = all
	}
	v.Map = v.Map.Clone()
	return v
}

// Clone returns a copy whose values can be changed; nil if the item is nil.
func (i Item) Clone() Item {
	if i == nil {
		return nil
	}
	all := make(Item, len(i))
	for name, v := range i {
		all[name] = v.Clone()
	}
	return all
}

// Ordered reports whether values of the kind have an order.
func (k Kind) Ordered() bool { return k == String || k == Number || k == Binary }
