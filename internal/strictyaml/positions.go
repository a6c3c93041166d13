package strictyaml

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Positions finds the position of everything in a decoded file. A path consists of keys and
// indexes, as in "strategies[2].lock.ttl"; the path of the whole file is empty.
type Positions struct {
	file string
	root *yaml.Node
}

// Has reports whether the file has a value at path.
func (p *Positions) Has(path string) bool {
	_, _, ok := p.find(path)
	return ok
}

// Of returns the position of the value at path. If the file does not have it, it returns the
// position of the nearest value around it.
func (p *Positions) Of(path string) (line, column int) {
	_, value, _ := p.find(path)
	return value.Line, value.Column
}

// Errorf returns an error at the value of path.
func (p *Positions) Errorf(path, format string, args ...any) error {
	_, value, _ := p.find(path)
	return &Error{p.file, value.Line, value.Column, fmt.Sprintf(format, args...)}
}

// KeyErrorf returns an error at the key of path.
func (p *Positions) KeyErrorf(path, format string, args ...any) error {
	key, _, _ := p.find(path)
	return &Error{p.file, key.Line, key.Column, fmt.Sprintf(format, args...)}
}

// find follows path as far as the file goes. The key of a list item is the item itself.
func (p *Positions) find(path string) (key, value *yaml.Node, ok bool) {
	key, value = p.root, p.root
	for path != "" {
		k, v, rest := step(value, path)
		if v == nil {
			return key, value, false
		}
		key, value, path = k, v, rest
	}
	return key, value, true
}

// step follows one key or index. A key may contain dots and brackets, so the longest matching key
// is used.
func step(n *yaml.Node, path string) (key, value *yaml.Node, rest string) {
	switch n.Kind {
	case yaml.ScalarNode, yaml.AliasNode, yaml.DocumentNode, yaml.StreamNode: // the file has nothing below
	case yaml.MappingNode:
		longest := -1
		for i := 0; i < len(n.Content); i += 2 {
			name := n.Content[i].Value
			after, ok := strings.CutPrefix(path, name)
			if ok && len(name) > longest && (after == "" || after[0] == '.' || after[0] == '[') {
				longest = len(name)
				key, value, rest = n.Content[i], resolve(n.Content[i+1]), strings.TrimPrefix(after, ".")
			}
		}
	case yaml.SequenceNode:
		index, after, _ := strings.Cut(strings.TrimPrefix(path, "["), "]")
		if i, err := strconv.Atoi(index); err == nil && i >= 0 && i < len(n.Content) {
			value = resolve(n.Content[i])
			key, rest = value, strings.TrimPrefix(after, ".")
		}
	}
	return key, value, rest
}
