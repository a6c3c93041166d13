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
		value, field := from.FieldByIndex(l.index), into.FieldByIndex(l.index)
		if l.key != "" {
			setOpen(field, l.key, value.MapIndex(reflect.ValueOf(l.key)).String())
			continue
		}
		if extension, ok := reflect.TypeAssert[*Extension](field.Addr()); ok {
			*extension = extension.Under(value.Interface().(Extension))
			continue
		}
		field.Set(value)
	}
}

// Over returns the patch that sets what base sets and, over that, what p sets.
func (p *Patch[T]) Over(base Patch[T]) Patch[T] {
	p.Apply(&base.value)
	for _, l := range p.leaves {
		if !base.Has(l.path) {
			base.leaves = append(base.leaves, l)
		}
	}
	return base
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
		path := join(at.path, key.Text())
		if f, ok := fieldOf(t, key.Text()); ok {
			all = value.leaf(f.Type, leaf{path: path, index: append(slices.Clone(at.index), f.Index...)}, all)
		} else if index, _, ok := n.decoder.Extensions.extends(t, key.Text()); ok {
			all = append(all, leaf{path: path, index: append(slices.Clone(at.index), index...)})
		} else {
			all = append(all, leaf{path, append(slices.Clone(at.index), openField(t)), key.Text()})
		}
	}
	return all
}

// leaf appends the field at, or those of its fields that n sets.
func (n *Node) leaf(t reflect.Type, at leaf, all []leaf) []leaf {
	if _, hooked := n.decoder.Hooks[t]; hooked || t.Kind() != reflect.Struct {
		return append(all, at)
	}
	return n.leaves(t, at, all)
}
