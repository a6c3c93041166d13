package strictyaml

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Extension holds the keys of a map that structs of other packages have. The struct
// of the map has it in a field with a tag such as "*servers", and
// [Decoder.Extensions] names the structs under "servers". The zero value sets
// nothing.
type Extension struct {
	layers []*layer // a later one wins
}

// layer holds the fields of one struct that one part of a file sets.
type layer struct {
	value  reflect.Value
	leaves []leaf
}

// Extensions are the structs that extend a map, by the name in the tag of its
// [Extension]. No two of one name have a key in common.
type Extensions map[string][]reflect.Type

// Apply sets the fields of the struct that to points to, as far as a file sets them.
func (e Extension) Apply(to any) {
	into := reflect.ValueOf(to).Elem()
	for _, l := range e.layers {
		if l.value.Type() != into.Type() {
			continue
		}
		for _, at := range l.leaves {
			into.FieldByIndex(at.index).Set(l.value.FieldByIndex(at.index))
		}
	}
}

// Has reports whether a file sets the field of a path, as in "client.pool-size".
func (e Extension) Has(path string) bool {
	return slices.ContainsFunc(e.layers, func(l *layer) bool {
		return slices.ContainsFunc(l.leaves, func(at leaf) bool { return at.path == path })
	})
}

// Under returns what both set. What over sets wins.
func (e Extension) Under(over Extension) Extension {
	merged := Extension{slices.Clone(e.layers)}
	for _, l := range over.layers {
		if !slices.Contains(merged.layers, l) {
			merged.layers = append(merged.layers, l)
		}
	}
	return merged
}

// decode reads the value of a key that a struct of type t has.
func (e *Extension) decode(key string, n *Node, t reflect.Type) error {
	i := slices.IndexFunc(e.layers, func(l *layer) bool { return l.value.Type() == t })
	if i < 0 {
		i = len(e.layers)
		e.layers = append(e.layers, &layer{value: reflect.New(t).Elem()})
	}
	field, _ := fieldOf(t, key)
	if err := n.decode(e.layers[i].value.FieldByIndex(field.Index)); err != nil {
		return err
	}
	e.layers[i].leaves = n.leaf(field.Type, leaf{path: key, index: field.Index}, e.layers[i].leaves)
	return nil
}

// Judge returns an error for the first value that is not as the tags of its field
// say: min and max bound a whole number or a duration, which unless they say
// otherwise is not negative and at most [MaxDuration]. A type with a method Known
// has no other words. At is the path of the map.
func (e Extension) Judge(in *Positions, at string) error {
	for _, l := range e.layers {
		for _, set := range l.leaves {
			if err := judge(in, join(at, set.path), l.value.Type().FieldByIndex(set.index), l.value.FieldByIndex(set.index)); err != nil {
				return err
			}
		}
	}
	return nil
}

// worded is a type that has few values.
type worded interface{ Known() []string }

func judge(in *Positions, path string, field reflect.StructField, v reflect.Value) error {
	if w, ok := reflect.TypeAssert[worded](v); ok {
		if known := w.Known(); !slices.Contains(known, v.String()) {
			return in.Errorf(path, "%s", Unknown(nameOf(field), v.String(), known))
		}
		return nil
	}
	if d, ok := reflect.TypeAssert[time.Duration](v); ok {
		least, most := parsed(field.Tag.Get("min"), 0), parsed(field.Tag.Get("max"), MaxDuration)
		if d < least || d > most {
			return in.Errorf(path, "%s must be between %v and %v, and is %v", path, least, most, d)
		}
		return nil
	}
	if least, most, ok := bounds(field); ok && (v.Int() < least || v.Int() > most) {
		return in.Errorf(path, "%s must be between %d and %d, and is %d", path, least, most, v.Int())
	}
	return nil
}

// parsed reads a duration of a tag.
func parsed(tag string, missing time.Duration) time.Duration {
	if tag == "" {
		return missing
	}
	d, err := time.ParseDuration(tag)
	if err != nil {
		panic(fmt.Sprintf("strictyaml: the tag %q is not a duration", tag)) // a mistake in the program
	}
	return d
}

// bounds returns those that a whole number has by its tags. ok is false if it has
// none.
func bounds(field reflect.StructField) (least, most int64, ok bool) {
	low, high := field.Tag.Get("min"), field.Tag.Get("max")
	if low == "" || high == "" || field.Type.Kind() != reflect.Int {
		return 0, 0, false
	}
	least, err := strconv.ParseInt(low, 10, 64)
	most, err2 := strconv.ParseInt(high, 10, 64)
	if err = cmp.Or(err, err2); err != nil {
		panic(fmt.Sprintf("strictyaml: the bounds of %s: %v", field.Name, err)) // a mistake in the program
	}
	return least, most, true
}

// extends returns where a struct has the [Extension] that a key belongs to, and the
// struct that has the key. ok is false if there is none.
func (x Extensions) extends(t reflect.Type, key string) (field []int, by reflect.Type, ok bool) {
	if len(x) == 0 {
		return nil, nil, false
	}
	for _, f := range reflect.VisibleFields(t) {
		for _, by := range x[extensionOf(f)] {
			if _, ok := fieldOf(by, key); ok {
				return f.Index, by, true
			}
		}
	}
	return nil, nil, false
}

// keysOf returns the keys of a struct in the order of its fields, those of an
// embedded struct at its place.
func (x Extensions) keysOf(t reflect.Type) []string {
	var keys []string
	for _, field := range reflect.VisibleFields(t) {
		for _, by := range x[extensionOf(field)] {
			keys = append(keys, x.keysOf(by)...)
		}
		if name := nameOf(field); name != "" {
			keys = append(keys, name)
		}
	}
	return keys
}

// extensionOf returns the name of an [Extension], "" if the field is another one.
func extensionOf(f reflect.StructField) string {
	name, ok := strings.CutPrefix(f.Tag.Get("yaml"), "*")
	if !ok {
		return ""
	}
	return name
}
