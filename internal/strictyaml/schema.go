package strictyaml

import (
	"maps"
	"reflect"
	"time"
)

// Schema is a JSON Schema, or a part of one, of draft 2020-12.
type Schema = map[string]any

// Outline describes the files of a [Decoder] as a JSON Schema, for editors that check and complete
// them. The keys are the same yaml tags.
type Outline struct {
	// Types describes types that reflection cannot describe: those with a [Hook] or with few
	// values.
	Types map[reflect.Type]Schema
	// Fields describes single fields that are more specific than their type, such as a string that
	// is a name of something.
	Fields map[Field]Schema
	// Extensions are those of the [Decoder].
	Extensions Extensions
	// Keys are those of the Decoder. Fields describes them.
	Keys map[reflect.Type][]string
}

// Field is the field of a struct that a key sets.
type Field struct {
	Owner reflect.Type
	Key   string
}

// patched is a [Patch], of any type.
type patched interface{ patches() reflect.Type }

func (p *Patch[T]) patches() reflect.Type { return reflect.TypeFor[T]() }

// Of returns the schema of a type. It supports the same types as the Decoder; any other type allows
// any value.
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
		return o.Struct(t, append(o.Extensions.keysOf(t), openKeys(t, o.Keys)...)...)
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

// Struct returns the schema of a map that may have only the given keys of a struct. The doc
// tag of a field is its description.
func (o Outline) Struct(t reflect.Type, keys ...string) Schema {
	properties := Schema{}
	for _, key := range keys {
		owner := t
		if _, by, ok := o.Extensions.extends(t, key); ok {
			owner = by
		}
		field, isField := fieldOf(owner, key)
		s, ok := o.Fields[Field{owner, key}]
		if !ok && !isField {
			continue
		}
		if !ok {
			s = o.Of(field.Type)
		}
		if least, most, ok := bounds(field); ok {
			s = Schema{"type": "integer", "minimum": least, "maximum": most}
		}
		properties[key] = Described(s, field.Tag.Get("doc"))
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
