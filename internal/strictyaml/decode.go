package strictyaml

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Decoder decodes a file. The zero value supports the Go types that make sense in a file that
// people write: strings, booleans, whole numbers, float64, [time.Duration], slices, maps with
// string keys, pointers, and structs whose fields have yaml tags.
type Decoder struct {
	Hooks      Hooks
	Extensions Extensions
	// Keys lists the keys of structs that take more keys than they have fields, by the
	// type of their open field: a map of texts whose tag is ",inline".
	Keys map[reflect.Type][]string
}

// Hook decodes a node into v, which can be set.
type Hook func(n *Node, v reflect.Value) error

// Hooks are the types that have a decoder of their own.
type Hooks map[reflect.Type]Hook

// AddHook makes f decode all values of type T.
func AddHook[T any](h Hooks, f func(n *Node, into *T) error) {
	h[reflect.TypeFor[T]()] = func(n *Node, v reflect.Value) error {
		return f(n, v.Addr().Interface().(*T))
	}
}

// Decode decodes data into the value that into points to, and does not change what data does not
// mention. Every error is an [*Error] that names file.
func (d Decoder) Decode(file string, data []byte, into any) (*Positions, error) {
	root, err := parse(file, data)
	if err != nil {
		return nil, err
	}
	if err := newNode(file, &d, root, "").Decode(into); err != nil {
		return nil, err
	}
	return &Positions{file, root}, nil
}

// selfDecoder is a type that decodes itself from a node: a [Patch].
type selfDecoder interface{ decodeNode(*Node) error }

func (n *Node) decode(v reflect.Value) error {
	if hook, ok := n.decoder.Hooks[v.Type()]; ok {
		return hook(n, v)
	}
	if self, ok := reflect.TypeAssert[selfDecoder](v.Addr()); ok {
		return self.decodeNode(n)
	}
	if n.tag() == "!!null" {
		return n.Errorf("%s has no value", n.Path())
	}
	if v.Type() == reflect.TypeFor[time.Duration]() {
		return n.decodeDuration(v)
	}
	switch kind := v.Kind(); {
	case kind == reflect.String:
		return n.decodeString(v)
	case kind == reflect.Bool:
		if n.tag() != "!!bool" {
			return n.Wants("true or false")
		}
		v.SetBool(strings.EqualFold(n.yaml.Value, "true"))
		return nil
	case v.CanInt() || v.CanUint():
		return n.decodeInt(v)
	case kind == reflect.Float64:
		return n.decodeFloat(v)
	case kind == reflect.Pointer:
		to := reflect.New(v.Type().Elem())
		if err := n.decode(to.Elem()); err != nil {
			return err
		}
		v.Set(to)
		return nil
	case kind == reflect.Slice:
		return n.decodeSlice(v)
	case kind == reflect.Map:
		return n.decodeMap(v)
	case kind == reflect.Struct:
		return n.decodeStruct(v)
	default:
		return n.Errorf("%s cannot be set from a file", n.Path())
	}
}

func (n *Node) decodeString(v reflect.Value) error {
	switch n.tag() {
	case "!!str", "!!timestamp":
		v.SetString(n.yaml.Value)
		return nil
	case "":
		return n.Wants("text")
	default:
		return n.Errorf("%s must be text, not %s; put it in quotes", n.Path(), n.describe())
	}
}

func (n *Node) decodeDuration(v reflect.Value) error {
	switch n.tag() {
	case "!!int", "!!float":
		return n.Errorf("%s needs a unit: write %sms or %ss", n.Path(), n.yaml.Value, n.yaml.Value)
	case "!!str":
		d, err := time.ParseDuration(n.yaml.Value)
		switch {
		case err == nil:
			v.SetInt(int64(d))
			return nil
		case regexp.MustCompile(`^[-+]?(([0-9]+[.]?[0-9]*|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`).MatchString(n.yaml.Value):
			return n.Errorf("%s is too long: a duration is at most %v, not %s", n.Path(), MaxDuration, n.describe())
		}
	}
	return n.Errorf("%s must be a duration like 150ms or 1m30s, not %s; the units are ns, us, ms, s, m and h, without a space", n.Path(), n.describe())
}

func (n *Node) decodeInt(v reflect.Value) error {
	// YAML treats a number beyond 64 bits as a float.
	if digits := regexp.MustCompile(`^[-+]?[0-9]+$`); n.tag() == "!!float" && digits.MatchString(n.yaml.Value) {
		return n.Errorf("%s is too large a number: %s", n.Path(), quote(n.yaml.Value))
	}
	// YAML would read 010 as 8 and 0x10 as 16; both are more often a slip.
	if n.tag() != "!!int" || !regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`).MatchString(n.yaml.Value) {
		return n.Wants("a whole number")
	}
	bits := v.Type().Bits()
	if v.CanUint() {
		u, err := strconv.ParseUint(strings.TrimPrefix(n.yaml.Value, "+"), 10, bits)
		if err != nil {
			return n.Errorf("%s must be between 0 and %d", n.Path(), uint64(math.MaxUint64)>>(64-bits))
		}
		v.SetUint(u)
		return nil
	}
	i, err := strconv.ParseInt(n.yaml.Value, 10, bits)
	if err != nil {
		largest := int64(math.MaxInt64) >> (64 - bits)
		return n.Errorf("%s must be between %d and %d", n.Path(), -largest-1, largest)
	}
	v.SetInt(i)
	return nil
}

func (n *Node) decodeFloat(v reflect.Value) error {
	f, err := strconv.ParseFloat(n.yaml.Value, 64)
	if (n.tag() != "!!int" && n.tag() != "!!float") || err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return n.Wants("a number")
	}
	v.SetFloat(f)
	return nil
}

func (n *Node) decodeSlice(v reflect.Value) error {
	if !n.IsList() {
		return n.Wants("a list")
	}
	items := reflect.MakeSlice(v.Type(), len(n.yaml.Content), len(n.yaml.Content))
	for i, y := range n.yaml.Content {
		item := newNode(n.file, n.decoder, y, fmt.Sprintf("%s[%d]", n.path, i))
		if err := item.decode(items.Index(i)); err != nil {
			return err
		}
	}
	v.Set(items)
	return nil
}

func (n *Node) decodeMap(v reflect.Value) error {
	if !n.IsMap() {
		return n.Wants("a map")
	}
	entries := reflect.MakeMap(v.Type())
	for key, value := range n.Pairs() {
		entry := reflect.New(v.Type().Elem()).Elem()
		if err := value.decode(entry); err != nil {
			return err
		}
		entries.SetMapIndex(reflect.ValueOf(key.Text()).Convert(v.Type().Key()), entry)
	}
	v.Set(entries)
	return nil
}

func (n *Node) decodeStruct(into ...reflect.Value) error {
	if !n.IsMap() {
		return n.Wants("a map")
	}
	for key, value := range n.Pairs() {
		i := slices.IndexFunc(into, func(v reflect.Value) bool {
			_, ok := fieldOf(v.Type(), key.Text())
			return ok
		})
		if i >= 0 {
			field, _ := fieldOf(into[i].Type(), key.Text())
			if err := value.decode(into[i].FieldByIndex(field.Index)); err != nil {
				return err
			}
			continue
		}
		if err := n.decodeExtended(key, value, into); err != nil {
			return err
		}
	}
	return nil
}

// openField returns the index of the field that holds the keys without a field, -1 for
// none.
func openField(t reflect.Type) int {
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("yaml") == ",inline" && f.Type.Kind() == reflect.Map {
			return i
		}
	}
	return -1
}

// openKeys lists the keys that a struct takes beside those of its fields.
func openKeys(t reflect.Type, keys map[reflect.Type][]string) []string {
	if i := openField(t); i >= 0 {
		return keys[t.Field(i).Type]
	}
	return nil
}

// setOpen sets a key of an open map. It copies the map, since others may share it.
func setOpen(field reflect.Value, key, text string) {
	with := reflect.MakeMap(field.Type())
	for k, v := range field.Seq2() {
		with.SetMapIndex(k, v)
	}
	with.SetMapIndex(reflect.ValueOf(key), reflect.ValueOf(text))
	field.Set(with)
}

// fieldOf returns the field that has a key.
func fieldOf(t reflect.Type, key string) (reflect.StructField, bool) {
	for _, field := range reflect.VisibleFields(t) {
		if name := nameOf(field); name != "" && name == key {
			return field, true
		}
	}
	return reflect.StructField{}, false
}

// decodeExtended decodes the value of a key that an [Extension] or an open map of one of the
// structs has.
func (n *Node) decodeExtended(key, value *Node, into []reflect.Value) error {
	var known []string
	for _, v := range into {
		if field, by, ok := n.decoder.Extensions.extends(v.Type(), key.Text()); ok {
			return v.FieldByIndex(field).Addr().Interface().(*Extension).decode(key.Text(), value, by)
		}
		if keys := openKeys(v.Type(), n.decoder.Keys); slices.Contains(keys, key.Text()) {
			var text string
			if err := value.Decode(&text); err != nil {
				return err
			}
			setOpen(v.Field(openField(v.Type())), key.Text(), text)
			return nil
		}
		known = append(append(known, n.decoder.Extensions.keysOf(v.Type())...), openKeys(v.Type(), n.decoder.Keys)...)
	}
	return key.Errorf("%s", Unknown("key", key.Text(), known))
}

// nameOf returns the key of a field, "" if a file cannot set it.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	if name == "-" || strings.HasPrefix(name, "*") {
		return ""
	}
	return name
}
