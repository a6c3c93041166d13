package scenarios

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/internal/strictyaml"
	"lockquake/scenarios/libraries"
	"lockquake/scenarios/results"
)

// Rewrite returns the text of a scenario file for s in its present state: the file that s was read
// from, with the changes to its name, description, sizes, strategies, each, faults and expect. All
// other keys stay the same, and comments are removed. About is the comment on top. The text
// includes the samples that come from files. The strategies and the faults of s must have no cases.
func Rewrite(s *Scenario, about string) ([]byte, error) {
	text, err := s.Standalone()
	if err != nil {
		return nil, err
	}
	var file yaml.Node
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("read %s again: %w", s.Path, err)
	}
	root := bare(file.Content[0])
	uses := &yaml.Node{Kind: yaml.SequenceNode}
	for _, use := range s.Strategies {
		uses.Content = append(uses.Content, useNode(valueOf(root, "strategies"), use))
	}
	setKey(root, "name", encoded(s.Name))
	setKey(root, "description", encoded(s.Description))
	setKey(root, "duration", encoded(s.Duration))
	setKey(root, "seeds", encoded(s.Seeds))
	setKey(root, "workers", encoded(s.Workers))
	for _, n := range []struct {
		key             string
		value, standard int
	}{{"resources", s.Resources, 1}, {"sections", s.Sections, 0}} {
		if n.value != n.standard {
			setKey(root, n.key, encoded(n.value))
		} else {
			setKey(root, n.key, word(""))
		}
	}
	setKey(root, "claims", word("")) // they are about cases
	setKey(root, "no-fault", word(""))
	setKey(root, "strategies", uses)
	setKey(root, "each", eachNode(valueOf(root, "each"), s))
	setKey(root, "faults", faultsNode(s.Faults))
	setKey(root, "expect", expectNode(s))
	sortKeys(root)
	root.HeadComment = about
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(root); err != nil {
		return nil, fmt.Errorf("rewrite %s: %w", s.Path, err)
	}
	return b.Bytes(), nil
}

// sortKeys puts the keys of a scenario into the order of its fields.
func sortKeys(root *yaml.Node) {
	var pairs [][]*yaml.Node
	for pair := range slices.Chunk(root.Content, 2) {
		pairs = append(pairs, pair)
	}
	place := map[string]int{}
	for field := range reflect.TypeFor[Scenario]().Fields() {
		place[field.Tag.Get("yaml")] = len(place)
	}
	slices.SortStableFunc(pairs, func(a, b []*yaml.Node) int { return place[a[0].Value] - place[b[0].Value] })
	root.Content = slices.Concat(pairs...)
}

// bare copies a tree without its comments and anchors: the target of an alias may be missing in the
// new file.
func bare(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	c := &yaml.Node{Kind: n.Kind, Style: n.Style, Tag: n.Tag, Value: n.Value}
	for _, child := range n.Content {
		c.Content = append(c.Content, bare(child))
	}
	return c
}

// valueOf returns the value of a key, nil if the map has none.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// setKey sets a key of a map. An empty value removes the key.
func setKey(n *yaml.Node, key string, value *yaml.Node) {
	empty := len(value.Content) == 0 && value.Value == ""
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value != key {
			continue
		}
		if empty {
			n.Content = slices.Delete(n.Content, i, i+2)
		} else {
			n.Content[i+1] = value
		}
		return
	}
	if !empty {
		n.Content = append(n.Content, word(key), value)
	}
}

func word(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

// useNode returns the file's entry for one use of a strategy: the one with its label, or the one
// whose pattern matches it, and else only the name.
func useNode(list *yaml.Node, use Strategy) *yaml.Node {
	called := cmp.Or(use.Library, use.Name)
	alone := word(called)
	if list == nil || list.Kind != yaml.SequenceNode {
		return alone
	}
	for _, entry := range list.Content {
		name, label := entry.Value, ""
		if entry.Kind == yaml.MappingNode {
			name = valueOf(entry, "name").Value
			if n := valueOf(entry, "label"); n != nil {
				label = n.Value
			}
		}
		if l, ok := libraries.Find(name); ok && use.Library != "" {
			name = l.Name
		}
		matched, err := path.Match(name, called)
		if label != use.Label && (label != "" || err != nil || !matched || use.Label != called) {
			continue
		}
		if entry.Kind != yaml.MappingNode {
			break
		}
		one := bare(entry)
		setKey(one, "name", word(called))
		return one
	}
	return alone
}

// eachNode returns the file's entries for the remaining workers, with their new names. The entries
// of s are those of the file, in the same order.
func eachNode(list *yaml.Node, s *Scenario) *yaml.Node {
	kept := &yaml.Node{Kind: yaml.SequenceNode}
	if list == nil {
		return kept
	}
	for i, e := range s.Each {
		if slices.Contains(s.WorkerNames(), e.Worker) {
			entry := bare(list.Content[i])
			setKey(entry, "worker", word(e.Worker))
			kept.Content = append(kept.Content, entry)
		}
	}
	return kept
}

// faultsNode writes the entries of faults.
func faultsNode(specs []faults.Spec) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, spec := range specs {
		entry := &yaml.Node{Kind: yaml.MappingNode}
		if spec.At != nil {
			setKey(entry, "at", encoded(*spec.At))
		}
		if spec.When != nil {
			setKey(entry, "when", encoded(*spec.When))
		}
		if spec.Optional {
			setKey(entry, "optional", encoded(true))
		}
		params := encoded(spec.Fault)
		params.Content = append(params.Content, encoded(spec.Timing).Content...)
		entry.Content = append(entry.Content, word(string(spec.Kind())), params)
		list.Content = append(list.Content, entry)
	}
	return list
}

func expectNode(s *Scenario) *yaml.Node {
	all := &yaml.Node{Kind: yaml.MappingNode}
	for _, use := range s.Strategies {
		e, expected := s.Expect[use.Label]
		if !expected {
			continue
		}
		entry := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		setKey(entry, "holds", encoded(e.Holds))
		setKey(entry, "violates", encoded(e.Violates))
		for _, m := range results.Measures() {
			if b := m.Of(&e); !b.IsZero() {
				setKey(entry, m.Name, word(b.String()))
			}
		}
		all.Content = append(all.Content, word(use.Label), entry)
	}
	return all
}

// encoded returns a value in the form of a scenario file. It omits unset fields of a struct, which
// have their defaults.
func encoded(value any) *yaml.Node {
	switch x := value.(type) {
	case time.Duration:
		return word(x.String())
	case draw.Dist:
		if x.Kind == draw.Constant {
			return word(x.Value.String())
		}
		if x.Kind == draw.Empirical {
			x.File = "" // replaced by the samples
			value = x
		}
	}
	v := reflect.ValueOf(value)
	switch kind := v.Kind(); {
	case kind == reflect.Pointer:
		return encoded(v.Elem().Interface())
	case kind == reflect.String:
		return word(v.String())
	case kind == reflect.Bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v.Bool())}
	case v.CanInt():
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(v.Int(), 10)}
	case kind == reflect.Slice:
		list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for i := range v.Len() {
			list.Content = append(list.Content, encoded(v.Index(i).Interface()))
		}
		return list
	}
	fields := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, field := range reflect.VisibleFields(v.Type()) {
		if key, x := field.Tag.Get("yaml"), v.FieldByIndex(field.Index); key != "-" && !field.Anonymous && !x.IsZero() {
			fields.Content = append(fields.Content, word(key), encoded(x.Interface()))
		}
	}
	return fields
}

// Standalone returns the text of the scenario including the samples that come from files, so that
// it can be run from anywhere.
func (s *Scenario) Standalone() ([]byte, error) {
	if len(s.samples) == 0 {
		return s.Text, nil
	}
	tree, err := strictyaml.Open(s.Path, s.Text)
	if err != nil {
		return nil, err
	}
	for _, at := range slices.Sorted(maps.Keys(s.samples)) {
		var text strings.Builder
		for _, d := range s.samples[at].log.Pauses {
			fmt.Fprintf(&text, "%v, ", d)
		}
		if err := tree.Set(at, fmt.Sprintf("{dist: %s, samples: [%s]}", draw.Empirical, strings.TrimSuffix(text.String(), ", "))); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", s.Path, at, err)
		}
	}
	return tree.Bytes()
}
