package strictyaml

import (
	"fmt"
	"iter"
	"reflect"

	"go.yaml.in/yaml/v4"
)

// Node is one value of a file, as a [Hook] sees it.
type Node struct {
	file    string
	decoder *Decoder
	yaml    *yaml.Node // never an alias
	path    string     // as in "strategies[2].name", empty for the whole file
}

func newNode(file string, decoder *Decoder, y *yaml.Node, path string) *Node {
	return &Node{file, decoder, resolve(y), path}
}

// resolve follows an alias. An alias never names another one.
func resolve(y *yaml.Node) *yaml.Node {
	if y.Kind == yaml.AliasNode {
		return y.Alias
	}
	return y
}

// Path returns the path of the value, as in "strategies[2].name".
func (n *Node) Path() string {
	if n.path == "" {
		return "the file"
	}
	return n.path
}

// Errorf returns an [Error] at the position of the node.
func (n *Node) Errorf(format string, args ...any) error {
	return &Error{n.file, n.yaml.Line, n.yaml.Column, fmt.Sprintf(format, args...)}
}

// Wants returns the [Error] for a node that is not what it must be, such as "a duration".
func (n *Node) Wants(what string) error {
	return n.Errorf("%s must be %s, not %s", n.Path(), what, n.describe())
}

// Text returns the text of a scalar as it is in the file, also of a number or boolean. It is empty
// for a list or a map.
func (n *Node) Text() string { return n.yaml.Value }

// Line returns the line of the node in its file, from 1.
func (n *Node) Line() int { return n.yaml.Line }

// IsMap reports whether the node is a map.
func (n *Node) IsMap() bool { return n.yaml.Kind == yaml.MappingNode }

// IsList reports whether the node is a list.
func (n *Node) IsList() bool { return n.yaml.Kind == yaml.SequenceNode }

// Pairs yields the keys and values of a map in the order of the file.
func (n *Node) Pairs() iter.Seq2[*Node, *Node] {
	return func(yield func(key, value *Node) bool) {
		for i := 0; n.IsMap() && i < len(n.yaml.Content); i += 2 {
			path := join(n.path, n.yaml.Content[i].Value)
			key := newNode(n.file, n.decoder, n.yaml.Content[i], path)
			if !yield(key, newNode(n.file, n.decoder, n.yaml.Content[i+1], path)) {
				return
			}
		}
	}
}

// Field returns the value of a key, or nil if the node has no such key.
func (n *Node) Field(key string) *Node {
	for k, value := range n.Pairs() {
		if k.Text() == key {
			return value
		}
	}
	return nil
}

// Decode fills the value that into points to, as [Decoder.Decode] does.
func (n *Node) Decode(into any) error {
	return n.decode(reflect.ValueOf(into).Elem())
}

// DecodeAll decodes a map whose keys are the fields of several structs.
func (n *Node) DecodeAll(into ...any) error {
	if n.tag() == "!!null" {
		return n.Errorf("%s has no value", n.Path())
	}
	var structs []reflect.Value
	for _, one := range into {
		structs = append(structs, reflect.ValueOf(one).Elem())
	}
	return n.decodeStruct(structs...)
}

func (n *Node) describe() string {
	switch {
	case n.IsMap():
		return "a map"
	case n.IsList():
		return "a list"
	}
	switch n.yaml.Tag {
	case "!!null":
		return "empty"
	case "!!int", "!!float":
		return "the number " + n.yaml.Value
	case "!!bool":
		return n.yaml.Value
	default:
		return quote(n.yaml.Value)
	}
}

// tag returns the YAML tag of a scalar, "" for other nodes.
func (n *Node) tag() string {
	if n.yaml.Kind != yaml.ScalarNode {
		return ""
	}
	return n.yaml.Tag
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
