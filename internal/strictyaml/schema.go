package strictyaml

import (
	"cmp"
	"maps"
	"reflect"
	"time"
)

// Schema is a JSON Schema, or a part of one, of draft 2020-12.
type Schema = map[string]any

// Outline describes the files that a [Decoder] reads, for editors that check
// and complete them. It knows the keys from the same tags.
type Outline struct {
	// Types describe what reflection cannot see: types with a [Hook] or with
	// few values.
	Types map[reflect.Type]Schema
	// Fields describe single fields that are more than their type says, such as
	// a string that is a name of something.
	Fields map[Field]Schema
	// Words say what a key means, one sentence each. The tag doc of a field goes
	// before them.
	Words map[string]string
	// Extensions are those of the [Decoder].
	Extensions Extensions
}

// Field is the field of a struct that a key sets.
type Field struct {
	Owner reflect.Type
	Key   string
}

// patched is a [Patch], of any type.
type patched interface{ patches() reflect.Type }

func (p *Patch[T]) patches() reflect.Type { return reflect.TypeFor[T]() }

// Of describes a value of the type. Like the Decoder it knows the types of Go
// that make sense in a file; another one is allowed anything.
func (o Outline) Of(t reflect.Type) Schema {
	if s, ok := o.Types[t]; ok {
		return s
	}
	if w, ok := reflect.TypeAssert[worded](reflect.Zero(t)); ok {
		return Schema{"enum": w.Known()}
	}
	if p, ok := reflect.TypeAssert[patched](reflect.New(t)); ok {
		return o.Of(p.patches())
	}
	switch kind := t.Kind(); {
	case kind == reflect.Pointer:
		return o.Of(t.Elem())
	case kind == reflect.Slice:
		return Schema{"type": "array", "items": o.Of(t.Elem())}
	case kind == reflect.Map:
		return Schema{"type": "object", "additionalProperties": o.Of(t.Elem())}
	case kind == reflect.Struct:
		return o.Struct(t, o.Extensions.keysOf(t)...)
	case kind == reflect.String, t == reflect.TypeFor[time.Duration]():
		return Schema{"type": "string"}
	case kind == reflect.Bool:
		return Schema{"type": "boolean"}
	case kind == reflect.Float64:
		return Schema{"type": "number"}
	case kind >= reflect.Int && kind <= reflect.Int64:
		return Schema{"type": "integer"}
	case kind >= reflect.Uint && kind <= reflect.Uint64:
		return Schema{"type": "integer", "minimum": 0}
	}
	return Schema{}
}

// Struct describes a map that may have only these keys of a struct.
func (o Outline) Struct(t reflect.Type, keys ...string) Schema {
	properties := Schema{}
	for _, key := range keys {
		owner := t
		if _, by, ok := o.Extensions.extends(t, key); ok {
			owner = by
		}
		i, ok := fieldOf(owner, key)
		if !ok {
			continue
		}
		field := owner.Field(i)
		s, ok := o.Fields[Field{owner, key}]
		if !ok {
			s = o.Of(field.Type)
		}
		if least, most, ok := bounds(field); ok {
			s = Schema{"type": "integer", "minimum": least, "maximum": most}
		}
		properties[key] = Described(s, cmp.Or(field.Tag.Get("doc"), o.Words[key]))
	}
	return Schema{"type": "object", "properties": properties, "additionalProperties": false}
}

// Described returns the schema with a description, unless that is empty or it
// has one.
func Described(s Schema, text string) Schema {
	if _, has := s["description"]; has || text == "" {
		return s
	}
	with := Schema{"description": text}
	maps.Copy(with, s)
	return with
}
