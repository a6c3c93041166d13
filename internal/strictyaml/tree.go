package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Tree is a file whose values can be set before it is decoded.
type Tree struct {
	file string
	root *yaml.Node
}

// Open parses a file. Aliases are expanded, so that each repetition can be set on its own. Its
// error is an [*Error].
func Open(file string, data []byte) (*Tree, error) {
	root, err := parse(file, data)
	if err != nil {
		return nil, err
	}
	return &Tree{file, unfold(root)}, nil
}

// unfold copies a node and expands its aliases.
func unfold(n *yaml.Node) *yaml.Node {
	n = resolve(n)
	unfolded := *n
	unfolded.Anchor = ""
	unfolded.Content = nil
	for _, inner := range n.Content {
		unfolded.Content = append(unfolded.Content, unfold(inner))
	}
	return &unfolded
}

// Get returns the value at a path such as "strategies[2].lock.ttl", nil if there is none.
func (t *Tree) Get(path string) *Node {
	positions := Positions{t.file, t.root}
	_, value, ok := positions.find(path)
	if !ok {
		return nil
	}
	return newNode(t.file, &Decoder{}, value, path)
}

// Set sets the value at a path to a value that is written as in a file. It creates missing maps on
// the way, but not list items, and cannot set anything inside a scalar. Decoding checks later
// whether the file may have the key at all.
func (t *Tree) Set(path, value string) error {
	v, err := parse("", []byte(value))
	if err != nil {
		var at *Error
		if strings.TrimSpace(value) == "" || !errors.As(err, &at) {
			return errors.New("it has no value")
		}
		return fmt.Errorf("%s cannot be a value: %s", quote(value), at.Text)
	}
	slot, walked, rest := &t.root, "", path
	for first := true; first || rest != ""; first = false {
		if slot, walked, rest, err = descend(*slot, walked, rest); err != nil {
			return err
		}
	}
	*slot = unfold(v)
	return nil
}

// descend follows one key or index from the node at walked, and returns the location of the value.
func descend(n *yaml.Node, walked, path string) (slot **yaml.Node, at, rest string, err error) {
	switch n.Kind {
	case yaml.MappingNode:
		if key, _, rest := step(n, path); key != nil {
			for i := 0; i < len(n.Content); i += 2 {
				if n.Content[i] == key {
					return &n.Content[i+1], join(walked, key.Value), rest, nil
				}
			}
		}
		return insert(n, walked, path)
	case yaml.SequenceNode:
		index, after, closed := strings.Cut(strings.TrimPrefix(path, "["), "]")
		i, err := strconv.Atoi(index)
		if err != nil || !closed || path[0] != '[' || (after != "" && after[0] != '.' && after[0] != '[') {
			return nil, "", "", fmt.Errorf("%s is a list: go on with an index, as in %s[0]", walked, walked)
		}
		if i < 0 || i >= len(n.Content) {
			return nil, "", "", fmt.Errorf("%s has no item %d: it has %d, the first is %s[0]", walked, i, len(n.Content), walked)
		}
		return &n.Content[i], fmt.Sprintf("%s[%d]", walked, i), strings.TrimPrefix(after, "."), nil
	case yaml.ScalarNode, yaml.AliasNode, yaml.DocumentNode, yaml.StreamNode:
	}
	return nil, "", "", fmt.Errorf("%s is %s, with nothing inside that could be set; set %s itself", walked, quote(n.Value), walked)
}

// insert adds the first key of a path to a map that does not have it.
func insert(n *yaml.Node, walked, path string) (slot **yaml.Node, at, rest string, err error) {
	name := path
	if end := strings.IndexAny(path, ".["); end >= 0 {
		name, rest = path[:end], path[end:]
	}
	if name == "" || rest == "." {
		return nil, "", "", errors.New("a path is keys with dots between them, as in lock.ttl")
	}
	if rest != "" && rest[0] == '[' {
		return nil, "", "", fmt.Errorf("there is no list %s", join(walked, name))
	}
	n.Content = append(n.Content,
		&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name},
		&yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: n.Style & yaml.FlowStyle})
	return &n.Content[len(n.Content)-1], join(walked, name), strings.TrimPrefix(rest, "."), nil
}

// Bytes returns the file, with its comments.
func (t *Tree) Bytes() ([]byte, error) {
	const indent = 2
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(indent)
	if err := errors.Join(e.Encode(t.root), e.Close()); err != nil {
		return nil, fmt.Errorf("write %s: %w", t.file, err)
	}
	return b.Bytes(), nil
}
