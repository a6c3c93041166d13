package strictyaml

import (
	"reflect"
	"slices"
)

// Patch is the part of a struct T that a file sets. It is decoded like a T, remembers which fields
// the file has, and can be applied to any T. The zero value changes nothing.
type Patch[T any] struct {
	value  T
	leaves []leaf
}

// leaf is a field in the file that is not a struct with fields of its own.
type leaf struct {
	path  string
	index []int
	key   string // of an open map, which the index leads to
}

// Apply sets the fields of to that are in the patch, and no others.
func (p *Patch[T]) Apply(to *T) {
	from, into := reflect.ValueOf(&p.value).Elem(), reflect.ValueOf(to).Elem()
	for _, l := range p.leaves {
		if l.key != "" {
			setOpen(into.FieldByIndex(l.index), l.key, from.FieldByIndex(l.index).MapIndex(reflect.ValueOf(l.key)).String())
			continue
		}
		into.FieldByIndex(l.index).Set(from.FieldByIndex(l.index))
	}
}

// Has reports whether the patch sets the field of a path, as in "retry.delay".
func (p *Patch[T]) Has(path string) bool {
	return slices.ContainsFunc(p.leaves, func(l leaf) bool { return l.path == path })
}

func (p *Patch[T]) decodeNode(n *Node) error {
	if n.tag() == "!!null" {
		return n.Errorf("%s has no value", n.Path())
	}
	if err := n.decodeStruct(reflect.ValueOf(&p.value).Elem()); err != nil {
		return err
	}
	p.leaves = n.leaves(reflect.TypeFor[T](), leaf{}, nil)
	return nil
}

// leaves appends the fields of t that are in n. A type with a notation of its own, such as a
// duration, is one leaf.
func (n *Node) leaves(t reflect.Type, at leaf, all []leaf) []leaf {
	for key, value := range n.Pairs() {
		l := leaf{path: join(at.path, key.Text())}
		f, ok := fieldOf(t, key.Text())
		if !ok {
			f = t.Field(openField(t))
			l.key = key.Text()
		}
		l.index = append(slices.Clone(at.index), f.Index...)
		field := f.Type
		if _, hooked := n.decoder.Hooks[field]; hooked || l.key != "" || field.Kind() != reflect.Struct {
			all = append(all, l)
		} else {
			all = value.leaves(field, l, all)
		}
	}
	return all
}
